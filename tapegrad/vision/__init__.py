"""Pictures: data sets, transforms, grids; and handwritten digits to train on."""

from importlib import import_module
from typing import Any

from ..folders import cache_directory
from .digits import Digits, load_digits, load_mnist, load_small_digits
from .download import download_mnist
from .picture import picture_of_predictions

__all__ = [
    "Digits",
    "cache_directory",
    "download_mnist",
    "load_digits",
    "load_mnist",
    "load_small_digits",
    "picture_of_predictions",
]

__version__ = "0.28.0+tapegrad"  # of the torchvision that has these names

LOADED_WHEN_USED = ("datasets", "models", "transforms", "utils")


def __getattr__(name: str) -> Any:
    if name in LOADED_WHEN_USED:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
