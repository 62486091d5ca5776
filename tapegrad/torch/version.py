"""Which version of PyTorch has the names that are here."""

__all__ = ["__version__", "cuda", "hip"]

__version__ = "2.13.0+tapegrad"
cuda = None
"""PyTorch's version of CUDA: CuPy says which there is."""
hip = None
