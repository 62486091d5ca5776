"""`scipy.stats`, for plain and for traced arrays: the names of `tapegrad.scipy.stats`, those of
autograd's distributions as modules."""

from scipy import stats as _original

from .....scipy import stats as _stats
from ...names import enter as _enter
from . import beta as beta
from . import chi2 as chi2
from . import dirichlet as dirichlet
from . import gamma as gamma
from . import multivariate_normal as multivariate_normal
from . import norm as norm
from . import poisson as poisson
from . import t as t

_enter(globals(), _stats, _original)
