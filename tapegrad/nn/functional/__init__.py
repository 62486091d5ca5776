"""PyTorch's functions of neural networks: ``import tapegrad.nn.functional as F``."""

from .activations import *
