"""The functions of the distribution `scipy.stats.norm`."""

from scipy.stats import norm as _original

from .....scipy.stats import norm as _norm
from ...names import enter as _enter

_enter(globals(), _norm, _original)
