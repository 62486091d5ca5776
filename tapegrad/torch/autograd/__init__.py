"""`torch.autograd`."""

from . import attributes, graph
from .backward import backward, grad
from .function import Function

__all__ = ["Function", "attributes", "backward", "grad", "graph"]
