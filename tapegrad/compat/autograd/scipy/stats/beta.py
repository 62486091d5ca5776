"""The functions of the distribution `scipy.stats.beta`."""

from scipy.stats import beta as _original

from .....scipy.stats import beta as _beta
from ...names import enter as _enter

_enter(globals(), _beta, _original)
