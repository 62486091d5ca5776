"""The modules of `tapegrad.nn`, by subject."""

from .activation import *
from .batchnorm import *
from .container import *
from .conv import *
from .dropout import *
from .instancenorm import *
from .linear import *
from .loss import *
from .module import *
from .normalization import *
from .padding import *
from .pooling import *
from .shaping import *
from .sparse import *
