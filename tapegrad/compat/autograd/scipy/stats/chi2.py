"""The functions of the distribution `scipy.stats.chi2`."""

from scipy.stats import chi2 as _original

from .....scipy.stats import chi2 as _chi2
from ...names import enter as _enter

_enter(globals(), _chi2, _original)
