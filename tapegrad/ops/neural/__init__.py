"""The hot operations of neural networks."""

from . import activations

__all__ = ["activations"]
