"""Handwritten digits to train on, and pictures of them."""

from .digits import Digits, load_digits, load_mnist, load_small_digits
from .download import cache_directory, download_mnist
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
