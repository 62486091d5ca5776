"""`torch.backends`: settings of libraries that programs written for other machines make.

They are kept, and change nothing: the libraries they speak of are not used here.
"""

from . import cuda, cudnn, mkl, mkldnn, mps, openmp

__all__ = ["cuda", "cudnn", "mkl", "mkldnn", "mps", "openmp"]
