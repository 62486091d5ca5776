"""The functions of the distribution `scipy.stats.poisson`."""

from scipy.stats import poisson as _original

from .....scipy.stats import poisson as _poisson
from ...names import enter as _enter

_enter(globals(), _poisson, _original)
