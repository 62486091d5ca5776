"""The hot operations of neural networks."""

from . import activations, attention, convolution, folding, normalisation, pooling, rows

__all__ = [
    "activations",
    "attention",
    "convolution",
    "folding",
    "normalisation",
    "pooling",
    "rows",
]
