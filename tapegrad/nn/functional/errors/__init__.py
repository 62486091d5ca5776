"""The errors of `nn.functional`: PyTorch's own words, and a line of advice."""

from .activations import *
from .convolution import *
from .images import *
from .losses import *
from .maps import *
from .normalisation import *
from .pooling import *
