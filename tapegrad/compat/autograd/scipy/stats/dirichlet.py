"""The functions of the distribution `scipy.stats.dirichlet`."""

from scipy.stats import dirichlet as _original

from .....scipy.stats import dirichlet as _dirichlet
from ...names import enter as _enter

_enter(globals(), _dirichlet, _original)
