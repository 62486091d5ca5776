"""Photographs with lists of labels beside them: house numbers, flowers, faces, pets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import numpy
from PIL import Image

from . import errors
from .base import Function, VisionDataset, chosen
from .files import download_and_extract, download_file, is_sound
from .folder import default_loader

__all__ = ["SVHN", "Flowers102", "LFWPeople", "OxfordIIITPet"]


def read_matlab(name: str, path: Path) -> dict[str, Any]:
    """The arrays in a file of MATLAB's."""
    try:
        reader: Any = import_module("scipy.io")
    except ImportError:
        raise errors.no_scipy(name) from None
    found: dict[str, Any] = reader.loadmat(path, squeeze_me=True)
    return found


class SVHN(VisionDataset):
    """Street view house numbers, colour images 32 x 32 of digits: "train", "test" or "extra".

    `data` is an array (n, 3, 32, 32) of bytes, `labels` one of the digits.
    """

    site = "http://ufldl.stanford.edu/housenumbers/"
    split_list: ClassVar[dict[str, tuple[str, str | None]]] = {
        "train": ("train_32x32.mat", "e26dedcc434d2e4c54c9b2d4a06d8373"),
        "test": ("test_32x32.mat", "eb5a983be6a315427106f1b164d9cef3"),
        "extra": ("extra_32x32.mat", "a93ce644f1a588dc4d68dda5feec44a7"),
    }

    def __init__(
        self,
        root: Any,
        split: str = "train",
        transform: Function | None = None,
        target_transform: Function | None = None,
        download: bool = False,
    ) -> None:
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.split = chosen("split", split, self.split_list)
        self.filename, self.file_md5 = self.split_list[split]
        if download:
            self.download()
        path = Path(self.root) / self.filename
        if not is_sound(path, self.file_md5):
            raise errors.not_found(type(self).__name__, self.root)
        found = read_matlab("SVHN", path)
        self.data = found["X"].transpose(3, 2, 0, 1)
        self.labels = found["y"].astype(numpy.int64) % 10  # the file has 10 for the digit 0

    def download(self) -> None:
        """Fetch the file of the split, unless it is there."""
        download_file(self.site + self.filename, self.root, md5=self.file_md5)

    def __getitem__(self, index: Any) -> tuple[Any, Any]:
        image = Image.fromarray(numpy.ascontiguousarray(self.data[index].transpose(1, 2, 0)))
        return self.transformed(image, int(self.labels[index]))

    def __len__(self) -> int:
        return len(self.data)

    def extra_repr(self) -> str:
        return f"Split: {self.split}"


class Flowers102(VisionDataset):
    """Photographs of 102 kinds of flowers, in ``root/flowers-102``: "train", "val" or "test"."""

    site = "https://www.robots.ox.ac.uk/~vgg/data/flowers/102/"
    images: ClassVar[tuple[str, str | None]] = (
        "102flowers.tgz",
        "52808999861908f626f3c1f4e79d11fa",
    )
    lists: ClassVar[dict[str, str | None]] = {
        "imagelabels.mat": "e0620be6f572b9609742df49c70aed4d",
        "setid.mat": "a5357ecc9cb78c4bef273ce3793fc85c",
    }
    keys: ClassVar[dict[str, str]] = {"train": "trnid", "val": "valid", "test": "tstid"}

    def __init__(
        self,
        root: Any,
        split: str = "train",
        transform: Function | None = None,
        target_transform: Function | None = None,
        download: bool = False,
        loader: Callable[[Any], Any] = default_loader,
    ) -> None:
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.split = chosen("split", split, self.keys)
        self.loader = loader
        self._folder = Path(self.root) / "flowers-102"
        if download:
            self.download()
        if not self._check_integrity():
            raise errors.not_found(type(self).__name__, self._folder)
        numbers = read_matlab("Flowers102", self._folder / "setid.mat")[self.keys[split]]
        labels = read_matlab("Flowers102", self._folder / "imagelabels.mat")["labels"]
        self._labels = [int(labels[i - 1]) - 1 for i in numbers]  # both are counted from 1
        self._files = [self._folder / "jpg" / f"image_{i:05d}.jpg" for i in numbers]

    def _check_integrity(self) -> bool:
        sound = all(is_sound(self._folder / name, md5) for name, md5 in self.lists.items())
        return sound and (self._folder / "jpg").is_dir()

    def download(self) -> None:
        """Fetch the photographs and the lists, unless all are there."""
        if self._check_integrity():
            return
        name, md5 = self.images
        download_and_extract(self.site + name, self._folder, md5)
        for name, md5 in self.lists.items():
            download_file(self.site + name, self._folder, md5=md5)

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        return self.transformed(self.loader(self._files[index]), self._labels[index])

    def __len__(self) -> int:
        return len(self._files)

    def extra_repr(self) -> str:
        return f"split={self.split}"


class LFWPeople(VisionDataset):
    """Photographs of faces (Labeled Faces in the Wild), the target is who it is.

    The files are in ``root/lfw-py``; they can no longer be fetched from where they came from.
    """

    folders: ClassVar[dict[str, str]] = {
        "original": "lfw",
        "funneled": "lfw_funneled",
        "deepfunneled": "lfw-deepfunneled",
    }
    lists: ClassVar[dict[str, str]] = {
        "10fold": "people.txt",
        "train": "peopleDevTrain.txt",
        "test": "peopleDevTest.txt",
    }

    def __init__(
        self,
        root: Any,
        split: str = "10fold",
        image_set: str = "funneled",
        transform: Function | None = None,
        target_transform: Function | None = None,
        download: bool = False,
        loader: Callable[[Any], Any] = default_loader,
    ) -> None:
        folder = Path(root).expanduser() / "lfw-py"
        super().__init__(str(folder), transform=transform, target_transform=target_transform)
        self.image_set = chosen("image_set", image_set.lower(), self.folders)
        self.split = chosen("split", split.lower(), self.lists)
        self.loader = loader
        if download:
            raise errors.only_by_hand(type(self).__name__, folder)
        people, names = folder / self.lists[self.split], folder / "lfw-names.txt"
        images = folder / self.folders[self.image_set]
        if not (is_sound(people) and is_sound(names) and images.is_dir()):
            raise errors.not_found(type(self).__name__, folder)
        with names.open(encoding="utf-8") as file:
            self.class_to_idx = {line.split()[0]: i for i, line in enumerate(file)}
        self.data: list[str] = []
        self.targets: list[int] = []
        for line in people.read_text(encoding="utf-8").splitlines():
            name, _, count = line.strip().partition("\t")
            if count:  # a line with one number says how many there are
                for i in range(1, int(count) + 1):
                    self.data.append(str(images / name / f"{name}_{i:04d}.jpg"))
                    self.targets.append(self.class_to_idx[name])

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        return self.transformed(self.loader(self.data[index]), self.targets[index])

    def __len__(self) -> int:
        return len(self.data)

    def extra_repr(self) -> str:
        people = len(self.class_to_idx)
        return f"Alignment: {self.image_set}\nSplit: {self.split}\nClasses (identities): {people}"


class OxfordIIITPet(VisionDataset):
    """Photographs of 37 breeds of cats and dogs, in ``root/oxford-iiit-pet``.

    `target_types` is one or several of "category", "binary-category" (cat or dog) and
    "segmentation" (an image of 1 for the animal, 2 for the background, 3 for between).
    """

    resources: ClassVar[list[tuple[str, str | None]]] = [
        (
            "https://www.robots.ox.ac.uk/~vgg/data/pets/data/images.tar.gz",
            "5c4f3ee8e5d25df40f4fd59a7f44e54c",
        ),
        (
            "https://www.robots.ox.ac.uk/~vgg/data/pets/data/annotations.tar.gz",
            "95a8c909bbe2e81eed6a22bccdf3f68f",
        ),
    ]
    kinds = ("category", "binary-category", "segmentation")

    def __init__(
        self,
        root: Any,
        split: str = "trainval",
        target_types: Sequence[str] | str = "category",
        transforms: Function | None = None,
        transform: Function | None = None,
        target_transform: Function | None = None,
        download: bool = False,
    ) -> None:
        super().__init__(root, transforms, transform, target_transform)
        self.split = chosen("split", split, ("trainval", "test"))
        wanted = [target_types] if isinstance(target_types, str) else target_types
        self._kinds = [chosen("target_types", kind, self.kinds) for kind in wanted]
        self._folder = Path(self.root) / "oxford-iiit-pet"
        if download:
            self.download()
        if not self._check_exists():
            raise errors.not_found(type(self).__name__, self._folder)
        with (self._folder / "annotations" / f"{split}.txt").open(encoding="utf-8") as file:
            rows = [line.split() for line in file]
        self._names = [row[0] for row in rows]
        self._labels = [int(row[1]) - 1 for row in rows]
        self._bin_labels = [int(row[2]) - 1 for row in rows]
        breeds = {label: row[0] for label, row in zip(self._labels, rows, strict=True)}
        self.classes = [
            breeds[i].rpartition("_")[0].replace("_", " ").title() for i in sorted(breeds)
        ]
        self.class_to_idx = {name: i for i, name in enumerate(self.classes)}
        self.bin_classes = ["Cat", "Dog"]
        self.bin_class_to_idx = {name: i for i, name in enumerate(self.bin_classes)}

    def _check_exists(self) -> bool:
        return all((self._folder / name).is_dir() for name in ("images", "annotations"))

    def download(self) -> None:
        """Fetch the photographs and what is said of them, unless all are there."""
        if not self._check_exists():
            for url, md5 in self.resources:
                download_and_extract(url, self._folder, md5)

    def _target(self, kind: str, index: int) -> Any:
        if kind == "category":
            return self._labels[index]
        if kind == "binary-category":
            return self._bin_labels[index]
        name = f"{self._names[index]}.png"
        with Image.open(self._folder / "annotations" / "trimaps" / name) as image:
            return image.copy()

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        image = default_loader(self._folder / "images" / f"{self._names[index]}.jpg")
        parts = tuple(self._target(kind, index) for kind in self._kinds)
        target: Any = parts if len(parts) > 1 else parts[0] if parts else None
        return (image, target) if self.transforms is None else self.transforms(image, target)

    def __len__(self) -> int:
        return len(self._names)
