"""`torch.autograd`."""

from . import attributes
from .backward import backward, grad

__all__ = ["attributes", "backward", "grad"]
