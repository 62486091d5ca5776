"""PyTorch's functions of neural networks: ``import tapegrad.nn.functional as F``."""

from .activations import *
from .classification import *
from .distances import *
from .linear import *
from .margins import *
from .regression import *
from .softmaxes import *
