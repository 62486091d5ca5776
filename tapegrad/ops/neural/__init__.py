"""The hot operations of neural networks."""

from . import activations, convolution, normalisation, pooling

__all__ = ["activations", "convolution", "normalisation", "pooling"]
