"""Packages of `torch` that lie elsewhere, under PyTorch's paths: ``import tapegrad.torch.nn``."""

from ..finder import Finder

finder = Finder(
    {
        "tapegrad.torch.nn": "tapegrad.nn",
        "tapegrad.torch.optim": "tapegrad.optim",
        "tapegrad.torch.utils.data": "tapegrad.data",
    }
)
