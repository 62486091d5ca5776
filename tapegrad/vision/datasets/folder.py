"""Folders of files, a folder for each class."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from PIL import Image

from . import errors
from .base import Function, VisionDataset

__all__ = ["DatasetFolder", "ImageFolder", "default_loader", "make_dataset"]

IMG_EXTENSIONS = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")


def default_loader(path: Any) -> Any:
    """The image in a file, in RGB."""
    with open(path, "rb") as file, Image.open(file) as image:
        return image.convert("RGB")


def find_classes(directory: Any) -> tuple[list[str], dict[str, int]]:
    """The folders in a folder, sorted, and the number of each."""
    with os.scandir(directory) as entries:
        classes = sorted(entry.name for entry in entries if entry.is_dir())
    if not classes:
        raise errors.no_classes(directory)
    return classes, {name: i for i, name in enumerate(classes)}


def make_dataset(
    directory: Any,
    class_to_idx: dict[str, int] | None = None,
    extensions: Any = None,
    is_valid_file: Callable[[str], bool] | None = None,
    allow_empty: bool = False,
) -> list[tuple[str, int]]:
    """The files of each class, and its number, sorted."""
    directory = os.path.expanduser(directory)
    if class_to_idx is None:
        class_to_idx = find_classes(directory)[1]
    elif not class_to_idx:
        raise errors.no_class_numbers()
    if (extensions is None) == (is_valid_file is None):
        raise errors.extensions_or_function()
    endings = (extensions,) if isinstance(extensions, str) else extensions
    found: list[tuple[str, int]] = []
    empty = []
    for name in sorted(class_to_idx):
        before = len(found)
        for folder, _, files in sorted(os.walk(os.path.join(directory, name), followlinks=True)):
            for file in sorted(files):
                path = os.path.join(folder, file)
                if is_valid_file(path) if is_valid_file else path.lower().endswith(tuple(endings)):
                    found.append((path, class_to_idx[name]))
        if len(found) == before:
            empty.append(name)
    if empty and not allow_empty:
        raise errors.empty_classes(empty, endings)
    return found


class DatasetFolder(VisionDataset):
    """Files in folders that name their classes, each read by a function.

    ``root/cat/1.xyz`` is a sample of the class cat. Which files count is said by `extensions`, or
    by the function `is_valid_file` of a path.
    """

    def __init__(
        self,
        root: Any,
        loader: Callable[[str], Any],
        extensions: Any = None,
        transform: Function | None = None,
        target_transform: Function | None = None,
        is_valid_file: Callable[[str], bool] | None = None,
        allow_empty: bool = False,
    ) -> None:
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.loader = loader
        self.extensions = extensions
        self.classes, self.class_to_idx = self.find_classes(self.root)
        self.samples = self.make_dataset(
            self.root, self.class_to_idx, extensions, is_valid_file, allow_empty
        )
        self.targets = [target for _, target in self.samples]

    make_dataset = staticmethod(make_dataset)

    def find_classes(self, directory: Any) -> tuple[list[str], dict[str, int]]:
        """The classes, and the number of each. A subclass may choose others."""
        return find_classes(directory)

    def __getitem__(self, index: Any) -> tuple[Any, Any]:
        path, target = self.samples[index]
        return self.transformed(self.loader(path), target)

    def __len__(self) -> int:
        return len(self.samples)


class ImageFolder(DatasetFolder):
    """Images in folders that name their classes: ``root/cat/1.png``."""

    def __init__(
        self,
        root: Any,
        transform: Function | None = None,
        target_transform: Function | None = None,
        loader: Callable[[str], Any] = default_loader,
        is_valid_file: Callable[[str], bool] | None = None,
        allow_empty: bool = False,
    ) -> None:
        extensions = IMG_EXTENSIONS if is_valid_file is None else None
        super().__init__(
            root, loader, extensions, transform, target_transform, is_valid_file, allow_empty
        )
        self.imgs = self.samples
