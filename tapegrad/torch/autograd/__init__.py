"""`torch.autograd`."""

from . import attributes, graph
from .backward import backward, grad

__all__ = ["attributes", "backward", "grad", "graph"]
