"""MNIST, and the sets of images that come in its format."""

from __future__ import annotations

import os
import shutil
import string
from pathlib import Path
from typing import Any, ClassVar

import numpy

from ...core.array import Array
from ...torch.tensor import wrap
from ..download import fetch
from ..idx import read_idx
from ..transforms.conversion import grey_image, to_tensor
from . import errors
from .base import Function, VisionDataset, chosen
from .files import download_file, extract_archive

__all__ = ["EMNIST", "KMNIST", "MNIST", "QMNIST", "EasyMNIST", "FashionMNIST"]

DIGITS = ["0 - zero", "1 - one", "2 - two", "3 - three", "4 - four"]
DIGITS += ["5 - five", "6 - six", "7 - seven", "8 - eight", "9 - nine"]

CLOTHES = ["T-shirt/top", "Trouser", "Pullover", "Dress", "Coat"]
CLOTHES += ["Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"]
SYLLABLES = ["o", "ki", "su", "tsu", "na", "ha", "ma", "ya", "re", "wo"]

SIGNED_INTEGERS = 0x0C


def raw_of(x: Any) -> Any:
    """The elements of a tensor, or of what a user has put in its place."""
    return x.raw if isinstance(x, Array) else x


class MNIST(VisionDataset):
    """60,000 images of handwritten digits to train with and 10,000 to test, 28 x 28.

    The files are in ``root/MNIST/raw``, as torchvision has them; compressed (.gz) will do, too.
    `data` is a tensor (n, 28, 28) of bytes, `targets` one of the digits.
    """

    mirrors: ClassVar[list[str]] = [
        "https://ossci-datasets.s3.amazonaws.com/mnist/",
        "https://storage.googleapis.com/cvdf-datasets/mnist/",
    ]
    resources: ClassVar[Any] = [
        ("train-images-idx3-ubyte.gz", "f68b3c2dcbeaaa9fbdd348bbdeb94873"),
        ("train-labels-idx1-ubyte.gz", "d53e105ee54ea40749a09fcbcd1e9432"),
        ("t10k-images-idx3-ubyte.gz", "9fb629c4189551a2d022fa330f9573f3"),
        ("t10k-labels-idx1-ubyte.gz", "ec29112dd5afa0611ce80d1b7f02629c"),
    ]
    classes: Any = DIGITS

    def __init__(
        self,
        root: Any,
        train: bool = True,
        transform: Function | None = None,
        target_transform: Function | None = None,
        download: bool = False,
    ) -> None:
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.train = train
        if download:
            self.download()
        if not self._check_exists():
            raise errors.not_found(type(self).__name__, self.raw_folder)
        self.data, self.targets = self._load_data()

    @property
    def raw_folder(self) -> str:
        """Where the files are."""
        return os.path.join(self.root, type(self).__name__, "raw")

    @property
    def class_to_idx(self) -> dict[str, int]:
        """The number of each class."""
        return {name: i for i, name in enumerate(self.classes)}

    def _files(self) -> list[str]:
        """The names of the images' file and of the labels', uncompressed."""
        part = "train" if self.train else "t10k"
        return [f"{part}-images-idx3-ubyte", f"{part}-labels-idx1-ubyte"]

    def _path(self, name: str) -> Path | None:
        """A file, compressed or not; None where it is missing."""
        folder = Path(self.raw_folder)
        for ending in ("", ".gz", ".xz"):
            if (folder / (name + ending)).is_file():
                return folder / (name + ending)
        return None

    def _check_exists(self) -> bool:
        return all(self._path(name) for name in self._files())

    def _read(self, name: str, code: int = 0x08) -> Any:
        path = self._path(name)
        assert path is not None
        return read_idx(path, code)

    def _load_data(self) -> tuple[Any, Any]:
        images, labels = (self._read(name) for name in self._files())
        return wrap(images.copy()), wrap(labels.astype(numpy.int64))

    def download(self) -> None:
        """Fetch the files that are not there, from the first mirror that has them."""
        folder = Path(self.raw_folder)
        folder.mkdir(parents=True, exist_ok=True)
        for name, md5 in self.resources:
            if self._path(name.removesuffix(".gz")) is None:
                fetch(folder / name, [mirror + name for mirror in self.mirrors], md5, "md5")
                extract_archive(folder / name)

    def __getitem__(self, index: Any) -> tuple[Any, Any]:
        image = grey_image(raw_of(self.data)[index])
        return self.transformed(image, int(raw_of(self.targets)[index]))

    def __len__(self) -> int:
        return len(self.data)

    def extra_repr(self) -> str:
        return f"Split: {'Train' if self.train else 'Test'}"


class EasyMNIST(MNIST):
    """MNIST whose images are tensors (1, 28, 28) from 0 to 1 before they are transformed.

    It shares MNIST's folder.
    """

    @property
    def raw_folder(self) -> str:
        """Where the files are."""
        return os.path.join(self.root, "MNIST", "raw")

    def __getitem__(self, index: Any) -> tuple[Any, Any]:
        image = to_tensor(raw_of(self.data)[index])
        return self.transformed(image, int(raw_of(self.targets)[index]))


class FashionMNIST(MNIST):
    """Images of clothes, by Zalando, as many as MNIST has."""

    mirrors: ClassVar[list[str]] = ["http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"]
    resources: ClassVar[Any] = [
        ("train-images-idx3-ubyte.gz", "8d4fb7e6c68d591d4c3dfef9ec88bf0d"),
        ("train-labels-idx1-ubyte.gz", "25c81989df183df01b3e8a0aad5dffbe"),
        ("t10k-images-idx3-ubyte.gz", "bef4ecab320f06d8554ea6380940ec79"),
        ("t10k-labels-idx1-ubyte.gz", "bb300cfdad3c16e7a12a480ee83cd310"),
    ]
    classes: Any = CLOTHES


class KMNIST(MNIST):
    """Images of ten Japanese characters in cursive, as many as MNIST has."""

    mirrors: ClassVar[list[str]] = ["http://codh.rois.ac.jp/kmnist/dataset/kmnist/"]
    resources: ClassVar[Any] = [
        ("train-images-idx3-ubyte.gz", "bdb82020997e1d708af4cf47b453dcf7"),
        ("train-labels-idx1-ubyte.gz", "e144d726b3acfaa3e44228e80efcd344"),
        ("t10k-images-idx3-ubyte.gz", "5c965bf0a639b31b8f53240b1b52f4d7"),
        ("t10k-labels-idx1-ubyte.gz", "7320c461ea6c1c855c0b718fb2a4b134"),
    ]
    classes: Any = SYLLABLES


MERGED = set("cijklmopsuvwxyz")
"""Letters that look alike in both cases, which some splits take as one class."""

CHARACTERS = sorted(string.digits + string.ascii_letters)
UNMERGED = [c for c in CHARACTERS if c not in MERGED]


class EMNIST(MNIST):
    """Images of handwritten digits and letters, in one of six splits."""

    url = "https://biometrics.nist.gov/cs_links/EMNIST/gzip.zip"
    md5 = "58c8d27c78d21e728a6bc7b3cc06412e"
    classes_split_dict: ClassVar[dict[str, list[str]]] = {
        "byclass": CHARACTERS,
        "bymerge": UNMERGED,
        "balanced": UNMERGED,
        "letters": ["N/A", *string.ascii_lowercase],
        "digits": list(string.digits),
        "mnist": list(string.digits),
    }
    splits = tuple(classes_split_dict)

    def __init__(self, root: Any, split: str, **kwargs: Any) -> None:
        self.split = chosen("split", split, self.splits)
        self.classes = self.classes_split_dict[split]
        super().__init__(root, **kwargs)

    def _files(self) -> list[str]:
        prefix = f"emnist-{self.split}-{'train' if self.train else 'test'}"
        return [f"{prefix}-images-idx3-ubyte", f"{prefix}-labels-idx1-ubyte"]

    def download(self) -> None:
        """Fetch the archive with all splits."""
        if self._check_exists():
            return
        folder = Path(self.raw_folder)
        extract_archive(download_file(self.url, folder, "gzip.zip", self.md5), folder)
        for packed in (folder / "gzip").glob("*.gz"):
            extract_archive(packed, folder)
        shutil.rmtree(folder / "gzip")


class QMNIST(MNIST):
    """MNIST reconstructed from what it was made of, with 60,000 images to test.

    `what` is "train", "test", "test10k" (those of MNIST), "test50k" or "nist". Unless `compat`, the
    target is a tensor of eight numbers that say where the image comes from.
    """

    subsets: ClassVar[dict[str, str]] = {
        "train": "train",
        "test": "test",
        "test10k": "test",
        "test50k": "test",
        "nist": "nist",
    }
    site = "https://raw.githubusercontent.com/facebookresearch/qmnist/master/"
    resources: ClassVar[Any] = {
        "train": [
            ("qmnist-train-images-idx3-ubyte.gz", "ed72d4157d28c017586c42bc6afe6370"),
            ("qmnist-train-labels-idx2-int.gz", "0058f8dd561b90ffdd0f734c6a30e5e4"),
        ],
        "test": [
            ("qmnist-test-images-idx3-ubyte.gz", "1394631089c404de565df7b7aeaf9412"),
            ("qmnist-test-labels-idx2-int.gz", "5b5b05890a5e13444e108efe57b788aa"),
        ],
        "nist": [
            ("xnist-images-idx3-ubyte.xz", "7f124b3b8ab81486c9d8c2749c17f834"),
            ("xnist-labels-idx2-int.xz", "5ed0e788978e45d4a8bd4b7caec3d79d"),
        ],
    }

    def __init__(
        self,
        root: Any,
        what: str | None = None,
        compat: bool = True,
        train: bool = True,
        **kwargs: Any,
    ) -> None:
        usual = "train" if train else "test"
        self.what = chosen("what", usual if what is None else what, self.subsets)
        self.compat = compat
        super().__init__(root, train, **kwargs)

    def _files(self) -> list[str]:
        return [name.rpartition(".")[0] for name, _ in self.resources[self.subsets[self.what]]]

    def _load_data(self) -> tuple[Any, Any]:
        images, labels = self._files()
        part = {"test10k": slice(10000), "test50k": slice(10000, None)}.get(self.what, slice(None))
        targets = self._read(labels, SIGNED_INTEGERS).astype(numpy.int64)
        return wrap(self._read(images)[part].copy()), wrap(targets[part].copy())

    def download(self) -> None:
        """Fetch the two files of the subset."""
        for name, md5 in self.resources[self.subsets[self.what]]:
            if self._path(name.rpartition(".")[0]) is None:
                extract_archive(download_file(self.site + name, self.raw_folder, name, md5))

    def __getitem__(self, index: Any) -> tuple[Any, Any]:
        target = raw_of(self.targets)[index]
        image = grey_image(raw_of(self.data)[index])
        return self.transformed(image, int(target[0]) if self.compat else wrap(target))

    def extra_repr(self) -> str:
        return f"Split: {self.what}"
