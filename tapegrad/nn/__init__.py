"""Neural networks, with PyTorch's names."""

from . import functional, init, modules, parameter
from .modules import *
from .parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter
