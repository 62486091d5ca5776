"""The functions of the distribution `scipy.stats.gamma`."""

from scipy.stats import gamma as _original

from .....scipy.stats import gamma as _gamma
from ...names import enter as _enter

_enter(globals(), _gamma, _original)
