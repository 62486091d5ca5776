"""Data sets that need no files: noise, and the small set of digits that ships with the package."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
from PIL import Image

from ...torch.random import Generator, randint, randn
from ...torch.tensor import wrap
from ..digits import load_small_digits
from ..transforms.functional import to_pil_image
from . import errors
from .base import Function, VisionDataset

__all__ = ["Digits", "FakeData"]


class FakeData(VisionDataset):
    """Images of noise with random targets: the same ones for the same index and offset."""

    def __init__(
        self,
        size: int = 1000,
        image_size: Sequence[int] = (3, 224, 224),
        num_classes: int = 10,
        transform: Function | None = None,
        target_transform: Function | None = None,
        random_offset: int = 0,
    ) -> None:
        super().__init__(transform=transform, target_transform=target_transform)
        self.size = size
        self.image_size = image_size
        self.num_classes = num_classes
        self.random_offset = random_offset

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        if index >= len(self):
            raise errors.out_of_range(type(self).__name__)
        generator = Generator().manual_seed(index + self.random_offset)
        noise = randn(*self.image_size, generator=generator).clamp(0, 1)
        target = randint(0, self.num_classes, (), generator=generator).item()
        return self.transformed(to_pil_image(noise), target)

    def __len__(self) -> int:
        return self.size


class Digits(VisionDataset):
    """The 1,797 images of handwritten digits, 8 x 8, that ship with the package.

    The last 360 are for testing.
    """

    def __init__(
        self,
        train: bool = True,
        transform: Function | None = None,
        target_transform: Function | None = None,
    ) -> None:
        super().__init__(transform=transform, target_transform=target_transform)
        digits = load_small_digits()
        images = digits.train_images if train else digits.test_images
        labels = digits.train_labels if train else digits.test_labels
        self.train = train
        self.data = wrap(numpy.rint(images * 255).astype(numpy.uint8))
        self.targets = wrap(labels.astype(numpy.int64))

    def __getitem__(self, index: Any) -> tuple[Any, Any]:
        image = Image.fromarray(self.data.raw[index])
        return self.transformed(image, int(self.targets.raw[index]))

    def __len__(self) -> int:
        return len(self.data)

    def extra_repr(self) -> str:
        return f"Split: {'Train' if self.train else 'Test'}"
