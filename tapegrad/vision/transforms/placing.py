"""Transforms that cut, erase, turn, move and distort at random."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

from ... import torch
from . import errors, functional
from .dispatch import two
from .modes import InterpolationMode, mode_of
from .ranges import Sometimes, check_fill, check_length, fill_for, range_of
from .transform import Transform, happens, integer, uniform

__all__ = [
    "RandomAffine",
    "RandomCrop",
    "RandomErasing",
    "RandomPerspective",
    "RandomResizedCrop",
    "RandomRotation",
]


class RandomCrop(Transform):
    """A part of an image, somewhere in it; with a border before."""

    shown = ("size", "padding")

    def __init__(
        self,
        size: Any,
        padding: Any = None,
        pad_if_needed: bool = False,
        fill: Any = 0,
        padding_mode: str = "constant",
    ) -> None:
        super().__init__()
        self.size = two(size)
        self.padding = padding
        self.pad_if_needed = pad_if_needed
        self.fill = fill
        self.padding_mode = padding_mode

    @staticmethod
    def get_params(img: Any, output_size: tuple[int, int]) -> tuple[int, int, int, int]:
        """A random part: its top, left, height and width."""
        _, h, w = functional.get_dimensions(img)
        height, width = output_size
        if h < height or w < width:
            raise errors.random_crop_too_large((height, width), (h, w))
        if (h, w) == (height, width):
            return 0, 0, h, w
        return integer(0, h - height + 1), integer(0, w - width + 1), height, width

    def forward(self, img: Any) -> Any:
        """The part."""
        if self.padding is not None:
            img = functional.pad(img, self.padding, self.fill, self.padding_mode)
        _, h, w = functional.get_dimensions(img)
        if self.pad_if_needed and w < self.size[1]:
            img = functional.pad(img, [self.size[1] - w, 0], self.fill, self.padding_mode)
        if self.pad_if_needed and h < self.size[0]:
            img = functional.pad(img, [0, self.size[0] - h], self.fill, self.padding_mode)
        return functional.crop(img, *self.get_params(img, self.size))


def part_of(
    height: int, width: int, scale: Sequence[float], ratio: Sequence[float]
) -> tuple[int, int]:
    """A random height and width: of a random share of the area, and of a random ratio."""
    area = height * width * uniform(scale[0], scale[1])
    aspect = math.exp(uniform(math.log(ratio[0]), math.log(ratio[1])))
    return round(math.sqrt(area / aspect)), round(math.sqrt(area * aspect))


def check_ranges(scale: Any, ratio: Any) -> None:
    """Raise unless scale and ratio are pairs; warn where they are the wrong way round."""
    for name, x in (("Scale", scale), ("Ratio", ratio)):
        if not isinstance(x, Sequence):
            raise errors.bad_type(f"{name} should be a sequence", x)
    if scale[0] > scale[1] or ratio[0] > ratio[1]:
        warnings.warn("Scale and ratio should be of kind (min, max)", stacklevel=3)


class RandomResizedCrop(Transform):
    """A random part of an image, of a random ratio of width to height, in a given size."""

    shown = ("size", "scale", "ratio", "interpolation", "antialias")

    def __init__(
        self,
        size: Any,
        scale: Sequence[float] = (0.08, 1.0),
        ratio: Sequence[float] = (3.0 / 4.0, 4.0 / 3.0),
        interpolation: Any = InterpolationMode.BILINEAR,
        antialias: bool | None = True,
    ) -> None:
        super().__init__()
        check_ranges(scale, ratio)
        self.size = two(size)
        self.interpolation = mode_of(interpolation)
        self.antialias = antialias
        self.scale = scale
        self.ratio = ratio

    @staticmethod
    def get_params(
        img: Any, scale: Sequence[float], ratio: Sequence[float]
    ) -> tuple[int, int, int, int]:
        """A random part: its top, left, height and width."""
        _, height, width = functional.get_dimensions(img)
        for _ in range(10):
            h, w = part_of(height, width, scale, ratio)
            if 0 < w <= width and 0 < h <= height:
                return integer(0, height - h + 1), integer(0, width - w + 1), h, w
        h, w = height, width  # the largest part of an allowed ratio, in the middle
        if width / height < min(ratio):
            h = round(width / min(ratio))
        elif width / height > max(ratio):
            w = round(height * max(ratio))
        return (height - h) // 2, (width - w) // 2, h, w

    def forward(self, img: Any) -> Any:
        """The part in the size."""
        part = self.get_params(img, self.scale, self.ratio)
        return functional.resized_crop(
            img, *part, self.size, self.interpolation, antialias=self.antialias
        )


class RandomErasing(Transform):
    """A random part of a tensor overwritten: by a number, one for each channel, or at "random"."""

    shown = ("p", "scale", "ratio", "value", "inplace")

    def __init__(
        self,
        p: float = 0.5,
        scale: Sequence[float] = (0.02, 0.33),
        ratio: Sequence[float] = (0.3, 3.3),
        value: Any = 0,
        inplace: bool = False,
    ) -> None:
        super().__init__()
        if not isinstance(value, int | float | str | tuple | list):
            raise errors.bad_type("Argument value should be a number, str or a sequence", value)
        if isinstance(value, str) and value != "random":
            raise errors.bad("If value is str, it should be 'random'", value)
        check_ranges(scale, ratio)
        if scale[0] < 0 or scale[1] > 1:
            raise errors.bad("Scale should be between 0 and 1", scale)
        if not 0 <= p <= 1:
            raise errors.bad("Random erasing probability should be between 0 and 1", p)
        self.p = p
        self.scale = scale
        self.ratio = ratio
        self.value = value
        self.inplace = inplace

    @staticmethod
    def get_params(
        img: Any, scale: Sequence[float], ratio: Sequence[float], value: Any = None
    ) -> tuple[int, int, int, int, Any]:
        """A random part: its top, left, height and width, and what goes there."""
        channels, height, width = img.shape[-3:]
        for _ in range(10):
            w, h = part_of(height, width, scale, ratio)
            if h < height and w < width:
                if value is None:
                    fill = torch.randn(channels, h, w)
                else:
                    fill = torch.tensor(value)[:, None, None]
                return integer(0, height - h + 1), integer(0, width - w + 1), h, w, fill
        return 0, 0, height, width, img

    def forward(self, img: Any) -> Any:
        """The tensor, erased in a part or as it is."""
        if not happens(self.p):
            return img
        value: Any = None
        if not isinstance(self.value, str):
            given = self.value
            value = [float(x) for x in ([given] if isinstance(given, int | float) else given)]
            if len(value) not in (1, img.shape[-3]):
                raise errors.bad(
                    "If value is a sequence, it should have either a single value or "
                    f"{img.shape[-3]} (number of input channels)",
                    self.value,
                )
        part = self.get_params(img, self.scale, self.ratio, value)
        return functional.erase(img, *part, self.inplace)


class RandomRotation(Transform):
    """Turned by a random angle: of (from, to) degrees, or of minus to plus."""

    shown = ("degrees", "interpolation", "expand", "center", "fill")

    def __init__(
        self,
        degrees: Any,
        interpolation: Any = InterpolationMode.NEAREST,
        expand: bool = False,
        center: Any = None,
        fill: Any = 0,
    ) -> None:
        super().__init__()
        self.degrees = range_of(degrees, "degrees")
        if center is not None:
            check_length(center, "center")
        self.center = center
        self.interpolation = mode_of(interpolation)
        self.expand = expand
        self.fill = check_fill(fill)

    @staticmethod
    def get_params(degrees: Sequence[float]) -> float:
        """A random angle."""
        return uniform(degrees[0], degrees[1])

    def forward(self, img: Any) -> Any:
        """The turned image."""
        angle, fill = self.get_params(self.degrees), fill_for(img, self.fill)
        return functional.rotate(img, angle, self.interpolation, self.expand, self.center, fill)


class RandomAffine(Transform):
    """Turned, moved, scaled and sheared at random, within limits."""

    shown = ("degrees", "translate", "scale", "shear", "interpolation", "fill", "center")

    def __init__(
        self,
        degrees: Any,
        translate: Sequence[float] | None = None,
        scale: Sequence[float] | None = None,
        shear: Any = None,
        interpolation: Any = InterpolationMode.NEAREST,
        fill: Any = 0,
        center: Any = None,
    ) -> None:
        super().__init__()
        self.degrees = range_of(degrees, "degrees")
        if translate is not None:
            check_length(translate, "translate")
            if any(not 0.0 <= t <= 1.0 for t in translate):
                raise errors.bad("translation values should be between 0 and 1", translate)
        if scale is not None:
            check_length(scale, "scale")
            if any(s <= 0 for s in scale):
                raise errors.bad("scale values should be positive", scale)
        if center is not None:
            check_length(center, "center")
        self.translate = translate
        self.scale = scale
        self.shear = None if shear is None else range_of(shear, "shear", (2, 4))
        self.interpolation = mode_of(interpolation)
        self.fill = check_fill(fill)
        self.center = center

    @staticmethod
    def get_params(
        degrees: Sequence[float],
        translate: Sequence[float] | None,
        scale_ranges: Sequence[float] | None,
        shears: Sequence[float] | None,
        img_size: Sequence[int],
    ) -> tuple[float, tuple[int, int], float, tuple[float, float]]:
        """A random angle, translation, scale and shear, for an image of (width, height)."""
        angle = uniform(degrees[0], degrees[1])
        moved = (0, 0)
        if translate is not None:
            x, y = translate[0] * img_size[0], translate[1] * img_size[1]
            moved = (round(uniform(-x, x)), round(uniform(-y, y)))
        scale = 1.0 if scale_ranges is None else uniform(*scale_ranges)
        sheared = (0.0, 0.0)
        if shears is not None:
            sheared = (uniform(*shears[:2]), uniform(*shears[2:]) if len(shears) == 4 else 0.0)
        return angle, moved, scale, sheared

    def forward(self, img: Any) -> Any:
        """The transformed image."""
        size = functional.get_image_size(img)
        params = self.get_params(self.degrees, self.translate, self.scale, self.shear, size)
        fill = fill_for(img, self.fill)
        return functional.affine(
            img, *params, interpolation=self.interpolation, fill=fill, center=self.center
        )


class RandomPerspective(Sometimes):
    """Seen from another side: each corner moves by up to a part of half the image."""

    def __init__(
        self,
        distortion_scale: float = 0.5,
        p: float = 0.5,
        interpolation: Any = InterpolationMode.BILINEAR,
        fill: Any = 0,
    ) -> None:
        super().__init__(p)
        self.distortion_scale = distortion_scale
        self.interpolation = mode_of(interpolation)
        self.fill = check_fill(fill)

    @staticmethod
    def get_params(
        width: int, height: int, distortion_scale: float
    ) -> tuple[list[list[int]], list[list[int]]]:
        """The four corners, and where they go, (x, y)."""
        x = int(distortion_scale * (width // 2)) + 1
        y = int(distortion_scale * (height // 2)) + 1
        right, bottom = (width - x, width), (height - y, height)
        ranges = (((0, x), (0, y)), (right, (0, y)), (right, bottom), ((0, x), bottom))
        corners = [[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]]
        return corners, [[integer(*across), integer(*down)] for across, down in ranges]

    def changed(self, img: Any) -> Any:
        width, height = functional.get_image_size(img)
        points = self.get_params(width, height, self.distortion_scale)
        return functional.perspective(img, *points, self.interpolation, fill_for(img, self.fill))
