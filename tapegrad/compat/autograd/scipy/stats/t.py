"""The functions of the distribution `scipy.stats.t`."""

from scipy.stats import t as _original

from .....scipy.stats import t as _t
from ...names import enter as _enter

_enter(globals(), _t, _original)
