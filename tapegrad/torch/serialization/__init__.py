"""`torch.save` and `torch.load`: PyTorch's zip format, read without executing anything."""

from .reading import load
from .writing import save

__all__ = ["load", "save"]
