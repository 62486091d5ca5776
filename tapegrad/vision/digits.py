"""Data sets of handwritten digits, for training and testing."""

from __future__ import annotations

import gzip
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import numpy

from .. import errors
from ..folders import cache_directory
from .download import SHA256, download_mnist
from .idx import read_idx

SMALL_TEST = 360  # of the small set's 1,797 images, the last


class Digits(NamedTuple):
    """Images of digits, (n, height, width) in float32 from 0 to 1, and which digits they are."""

    name: str
    train_images: Any
    train_labels: Any
    test_images: Any
    test_labels: Any


def load_digits(directory: str | Path | None = None, *, download: bool = False) -> Digits:
    """MNIST from a directory, the user's cache or the network, or else the small set.

    With a `directory`, MNIST's files must be there, unless `download` fetches them. Without one,
    they are taken from the user's cache if they are there, or with `download` fetched into it.
    Otherwise it is the small set that ships with the package.
    """
    if download:
        return load_mnist(download_mnist(directory))
    if directory is not None:
        return load_mnist(directory)
    cache = cache_directory() / "mnist"
    complete = all((cache / f"{name}.gz").is_file() for name in SHA256)
    return load_mnist(cache) if complete else load_small_digits()


def load_mnist(directory: str | Path) -> Digits:
    """MNIST: 60,000 images for training and 10,000 for testing, 28 x 28.

    The directory holds its four IDX files under their usual names, compressed (.gz) or not.

    Raises FileNotFoundError where one is missing, and ValueError where one is damaged.
    """
    arrays = []
    for part in ("train", "t10k"):
        images = _read(Path(directory), f"{part}-images-idx3-ubyte", 3)
        labels = _read(Path(directory), f"{part}-labels-idx1-ubyte", 1)
        if len(images) != len(labels):
            raise errors.bad_data_file(
                directory, f"there are {len(images)} images in {part} but {len(labels)} labels"
            )
        arrays += [images.astype(numpy.float32) / 255, labels]
    return Digits("MNIST", *arrays)


def _read(directory: Path, name: str, axes: int) -> Any:
    for path in (directory / name, directory / f"{name}.gz"):
        if path.is_file():
            array = read_idx(path)
            if array.ndim != axes:
                raise errors.bad_data_file(path, f"it has {array.ndim} axes instead of {axes}")
            return array
    raise errors.missing_data_file(directory, name)


def load_small_digits() -> Digits:
    """The 1,797 images, 8 x 8, that ship with the package; the last 360 are for testing.

    They are by E. Alpaydin and C. Kaynak, from the UCI Machine Learning Repository (CC BY 4.0).

    >>> digits = load_small_digits()
    >>> digits.train_images.shape, digits.test_images.shape
    ((1437, 8, 8), (360, 8, 8))
    """
    packed = resources.files(__package__).joinpath("data", "digits.csv.gz").read_bytes()
    rows = gzip.decompress(packed).decode("ascii").splitlines()
    table = numpy.array([row.split(",") for row in rows]).astype(numpy.float32)
    images = table[:, :-1].reshape(-1, 8, 8) / 16
    labels = table[:, -1].astype(numpy.uint8)
    return Digits(
        "small digits",
        images[:-SMALL_TEST],
        labels[:-SMALL_TEST],
        images[-SMALL_TEST:],
        labels[-SMALL_TEST:],
    )
