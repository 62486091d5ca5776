"""What data sets of images share: a root, transforms of images and of targets, a text."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

from ...data.dataset import Dataset
from . import errors

__all__ = ["StandardTransform", "VisionDataset"]

Function = Callable[..., Any]


class StandardTransform:
    """A transform of the image and one of the target, as one of both."""

    def __init__(
        self, transform: Function | None = None, target_transform: Function | None = None
    ) -> None:
        self.transform = transform
        self.target_transform = target_transform

    def __call__(self, input: Any, target: Any) -> tuple[Any, Any]:
        if self.transform is not None:
            input = self.transform(input)
        if self.target_transform is not None:
            target = self.target_transform(target)
        return input, target

    def __repr__(self) -> str:
        lines = [type(self).__name__]
        for head, how in (
            ("Transform: ", self.transform),
            ("Target transform: ", self.target_transform),
        ):
            if how is not None:
                lines.append(head + repr(how).replace("\n", "\n" + " " * len(head)))
        return "\n".join(lines)


class VisionDataset(Dataset):
    """Images with targets, in the folder `root`.

    `transform` is applied to images and `target_transform` to targets, or `transforms` to both.
    """

    def __init__(
        self,
        root: Any = None,
        transforms: Function | None = None,
        transform: Function | None = None,
        target_transform: Function | None = None,
    ) -> None:
        self.root = os.path.expanduser(root) if isinstance(root, str) else root
        single = transform is not None or target_transform is not None
        if transforms is not None and single:
            raise errors.both_transforms()
        self.transform = transform
        self.target_transform = target_transform
        self.transforms = StandardTransform(transform, target_transform) if single else transforms

    def transformed(self, image: Any, target: Any) -> tuple[Any, Any]:
        """An image and its target after their transforms."""
        if self.transform is not None:
            image = self.transform(image)
        if self.target_transform is not None:
            target = self.target_transform(target)
        return image, target

    def __len__(self) -> int:
        raise NotImplementedError("Subclasses of VisionDataset should implement __len__.")

    def extra_repr(self) -> str:
        """Lines for the text of this data set."""
        return ""

    def __repr__(self) -> str:
        body = [f"Number of datapoints: {len(self)}"]
        if self.root is not None:
            body.append(f"Root location: {self.root}")
        body += self.extra_repr().splitlines()
        if self.transforms is not None:
            body += repr(self.transforms).splitlines()
        return "\n    ".join([f"Dataset {type(self).__name__}", *body])


def chosen(name: str, value: Any, known: Iterable[str]) -> str:
    """A value that must be one of some."""
    options = list(known)
    if value not in options:
        raise errors.unknown_value(name, value, options)
    return str(value)
