"""Neural networks, with PyTorch's names."""

from . import functional

__all__ = ["functional"]
