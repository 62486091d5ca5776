"""The hot operations of neural networks."""

from . import activations, convolution, folding, normalisation, pooling, rows

__all__ = ["activations", "convolution", "folding", "normalisation", "pooling", "rows"]
