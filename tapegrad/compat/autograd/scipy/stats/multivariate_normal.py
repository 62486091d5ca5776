"""The functions of the distribution `scipy.stats.multivariate_normal`."""

from scipy.stats import multivariate_normal as _original

from .....scipy.stats import multivariate_normal as _multivariate_normal
from ...names import enter as _enter

_enter(globals(), _multivariate_normal, _original)
