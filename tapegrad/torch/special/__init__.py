"""`torch.special`: special functions of tensors, computed by SciPy, which is loaded when needed."""

from ..arithmetic import exp2 as exp2
from ..arithmetic import expm1 as expm1
from ..arithmetic import log1p as log1p
from ..reductions import logsumexp as logsumexp
from ..rounding import round as round
from ..softmax import log_softmax as log_softmax
from ..softmax import softmax as softmax
from ..trigonometry import sinc as sinc
from . import common
from .common import digamma as digamma
from .common import erf as erf
from .common import erfc as erfc
from .common import erfinv as erfinv
from .common import i0 as i0
from .common import logit as logit
from .common import polygamma as polygamma
from .common import xlogy as xlogy
from .functions import *
from .polynomials import *

expit = common.sigmoid
gammainc = common.igamma
gammaincc = common.igammac
gammaln = common.lgamma
multigammaln = common.mvlgamma
psi = common.digamma
