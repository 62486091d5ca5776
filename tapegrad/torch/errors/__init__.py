"""The errors of the PyTorch face: PyTorch's own words, and a line of advice."""

from .amp import *
from .changes import *
from .comparisons import *
from .compilation import *
from .files import *
from .functional import *
from .gradients import *
from .indexing import *
from .linalg import *
from .masked import *
from .matrices import *
from .networks import *
from .numbers import *
from .random import *
from .segments import *
from .signal import *
from .sizes import *
from .special import *
from .types import *
