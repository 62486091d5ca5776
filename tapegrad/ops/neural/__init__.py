"""The hot operations of neural networks."""

from . import activations, convolution, pooling

__all__ = ["activations", "convolution", "pooling"]
