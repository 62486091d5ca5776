"""CIFAR-10 and CIFAR-100."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy
from PIL import Image

from . import errors
from .base import Function, VisionDataset
from .files import download_and_extract, is_sound
from .pickles import read_pickle

__all__ = ["CIFAR10", "CIFAR100"]


class CIFAR10(VisionDataset):
    """50,000 colour images of ten classes to train with and 10,000 to test, 32 x 32.

    The files are in ``root/cifar-10-batches-py``, as torchvision has them. They are pickles, and
    read by an unpickler that executes nothing. `data` is an array (n, 32, 32, 3) of bytes,
    `targets` a list of the classes' numbers.
    """

    base_folder = "cifar-10-batches-py"
    url = "https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz"
    tgz_md5: str | None = "c58f30108f718f92721af3b95e74349a"
    train_list: ClassVar[list[Any]] = [
        ["data_batch_1", "c99cafc152244af753f735de768cd75f"],
        ["data_batch_2", "d4bba439e000b95fd0a9bffe97cbabec"],
        ["data_batch_3", "54ebc095f3ab1f0389bbae665268c751"],
        ["data_batch_4", "634d18415352ddfa80567beed471001a"],
        ["data_batch_5", "482c414d41f54cd18b22e5b47cb7c3cb"],
    ]
    test_list: ClassVar[list[Any]] = [["test_batch", "40351d587109b95175f43aff81a1287e"]]
    meta: ClassVar[dict[str, Any]] = {
        "filename": "batches.meta",
        "key": "label_names",
        "md5": "5ff9c542aee3614f3951f8cda6e48888",
    }

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
        if not self._check_integrity():
            raise errors.not_found(type(self).__name__, self._folder)
        parts = []
        self.targets: list[int] = []
        for name, _ in self.train_list if train else self.test_list:
            entry = read_pickle(self._folder / name)
            parts.append(entry["data"])
            self.targets.extend(entry["labels"] if "labels" in entry else entry["fine_labels"])
        planes = numpy.vstack(parts).reshape(-1, 3, 32, 32)
        self.data = planes.transpose(0, 2, 3, 1)
        self.classes = read_pickle(self._folder / self.meta["filename"])[self.meta["key"]]
        self.class_to_idx = {name: i for i, name in enumerate(self.classes)}

    @property
    def _folder(self) -> Path:
        return Path(self.root) / self.base_folder

    def _check_integrity(self) -> bool:
        files = [*self.train_list, *self.test_list, [self.meta["filename"], self.meta["md5"]]]
        return all(is_sound(self._folder / name, md5) for name, md5 in files)

    def download(self) -> None:
        """Fetch the archive, unless all files are there."""
        if not self._check_integrity():
            download_and_extract(self.url, self.root, self.tgz_md5)

    def __getitem__(self, index: Any) -> tuple[Any, Any]:
        return self.transformed(Image.fromarray(self.data[index]), self.targets[index])

    def __len__(self) -> int:
        return len(self.data)

    def extra_repr(self) -> str:
        return f"Split: {'Train' if self.train else 'Test'}"


class CIFAR100(CIFAR10):
    """As CIFAR-10, with a hundred classes; the files are in ``root/cifar-100-python``."""

    base_folder = "cifar-100-python"
    url = "https://www.cs.toronto.edu/~kriz/cifar-100-python.tar.gz"
    tgz_md5 = "eb9058c3a382ffc7106e4002c42a8d85"
    train_list: ClassVar[list[Any]] = [["train", "16019d7e3df5f24257cddd939b257f8d"]]
    test_list: ClassVar[list[Any]] = [["test", "f0ef6b0ae62326f3e7ffdfab6717acfc"]]
    meta: ClassVar[dict[str, Any]] = {
        "filename": "meta",
        "key": "fine_label_names",
        "md5": "7973b15100ade9c7d40fb424638fde48",
    }
