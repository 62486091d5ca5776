"""Transforms that flip, recolour, smooth and distort, with a probability or to a random degree."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ... import torch
from ...torch.random import draw
from . import errors, functional
from .dispatch import two
from .modes import InterpolationMode, mode_of
from .ranges import Sometimes, check_fill, check_length
from .transform import Transform, uniform

__all__ = [
    "ColorJitter",
    "ElasticTransform",
    "GaussianBlur",
    "RandomAdjustSharpness",
    "RandomAutocontrast",
    "RandomEqualize",
    "RandomGrayscale",
    "RandomHorizontalFlip",
    "RandomInvert",
    "RandomPosterize",
    "RandomSolarize",
    "RandomVerticalFlip",
]


class RandomHorizontalFlip(Sometimes):
    """Left for right."""

    def changed(self, img: Any) -> Any:
        return functional.hflip(img)


class RandomVerticalFlip(Sometimes):
    """Top for bottom."""

    def changed(self, img: Any) -> Any:
        return functional.vflip(img)


class RandomInvert(Sometimes):
    """Dark for light."""

    def changed(self, img: Any) -> Any:
        return functional.invert(img)


class RandomAutocontrast(Sometimes):
    """Each channel stretched from black to full intensity."""

    def changed(self, img: Any) -> Any:
        return functional.autocontrast(img)


class RandomEqualize(Sometimes):
    """Each channel with its intensities spread evenly."""

    def changed(self, img: Any) -> Any:
        return functional.equalize(img)


class RandomPosterize(Sometimes):
    """The highest bits of each intensity."""

    shown = ("bits", "p")

    def __init__(self, bits: int, p: float = 0.5) -> None:
        super().__init__(p)
        self.bits = bits

    def changed(self, img: Any) -> Any:
        return functional.posterize(img, self.bits)


class RandomSolarize(Sometimes):
    """Intensities from a threshold on, inverted."""

    shown = ("threshold", "p")

    def __init__(self, threshold: float, p: float = 0.5) -> None:
        super().__init__(p)
        self.threshold = threshold

    def changed(self, img: Any) -> Any:
        return functional.solarize(img, self.threshold)


class RandomAdjustSharpness(Sometimes):
    """Sharpness times a factor."""

    shown = ("sharpness_factor", "p")

    def __init__(self, sharpness_factor: float, p: float = 0.5) -> None:
        super().__init__(p)
        self.sharpness_factor = sharpness_factor

    def changed(self, img: Any) -> Any:
        return functional.adjust_sharpness(img, self.sharpness_factor)


class RandomGrayscale(Sometimes):
    """Shades of grey, in as many channels as before."""

    def __init__(self, p: float = 0.1) -> None:
        super().__init__(p)

    def changed(self, img: Any) -> Any:
        return functional.rgb_to_grayscale(img, functional.get_dimensions(img)[0])


class ColorJitter(Transform):
    """Brightness, contrast, saturation and hue changed at random, in random order.

    Each is a range of factors (from, to), or a number x for 1 - x to 1 + x; `hue` is a part of the
    circle from -0.5 to 0.5.
    """

    shown = ("brightness", "contrast", "saturation", "hue")

    def __init__(
        self, brightness: Any = 0, contrast: Any = 0, saturation: Any = 0, hue: Any = 0
    ) -> None:
        super().__init__()
        self.brightness = self.limits(brightness, "brightness")
        self.contrast = self.limits(contrast, "contrast")
        self.saturation = self.limits(saturation, "saturation")
        self.hue = self.limits(hue, "hue", 0.0, (-0.5, 0.5))

    @staticmethod
    def limits(
        value: Any, name: str, center: float = 1.0, bound: tuple[float, float] = (0.0, math.inf)
    ) -> tuple[float, float] | None:
        """From and to; None where nothing is to change."""
        if isinstance(value, int | float):
            if value < 0:
                raise errors.bad(f"If {name} is a single number, it must be non negative", value)
            low, high = center - value, center + value
            low = max(low, 0.0) if center else low
        elif isinstance(value, tuple | list) and len(value) == 2:
            low, high = float(value[0]), float(value[1])
        else:
            raise errors.bad_type(f"{name} should be a single number or a pair", value)
        if not bound[0] <= low <= high <= bound[1]:
            raise errors.bad(f"{name} values should be between {bound}", value)
        return None if low == high == center else (low, high)

    @staticmethod
    def get_params(brightness: Any, contrast: Any, saturation: Any, hue: Any) -> tuple[Any, ...]:
        """A random order of the four, and a random factor for each, or None."""
        order = draw(None, lambda g: g.permutation(4)).tolist()
        ranges = (brightness, contrast, saturation, hue)
        return (order, *(None if r is None else uniform(*r) for r in ranges))

    def forward(self, img: Any) -> Any:
        """The changed image."""
        ranges = (self.brightness, self.contrast, self.saturation, self.hue)
        order, *factors = self.get_params(*ranges)
        for i in order:
            if factors[i] is not None:
                img = CHANGES[i](img, factors[i])
        return img


CHANGES = (
    functional.adjust_brightness,
    functional.adjust_contrast,
    functional.adjust_saturation,
    functional.adjust_hue,
)


class GaussianBlur(Transform):
    """Smoothed by a Gaussian bell of a random deviation: of (from, to), or of one."""

    shown = ("kernel_size", "sigma")

    def __init__(self, kernel_size: Any, sigma: Any = (0.1, 2.0)) -> None:
        super().__init__()
        self.kernel_size = two(kernel_size)
        if any(k <= 0 or k % 2 == 0 for k in self.kernel_size):
            raise errors.bad("Kernel size value should be an odd and positive number", kernel_size)
        if isinstance(sigma, int | float):
            sigma = (sigma, sigma)
        check_length(sigma, "sigma")
        if not 0.0 < sigma[0] <= sigma[1]:
            raise errors.bad("sigma values should be positive and of the form (min, max)", sigma)
        self.sigma = sigma

    @staticmethod
    def get_params(sigma_min: float, sigma_max: float) -> float:
        """A random deviation."""
        return uniform(sigma_min, sigma_max)

    def forward(self, img: Any) -> Any:
        """The smoothed image."""
        sigma = self.get_params(*self.sigma)
        return functional.gaussian_blur(img, self.kernel_size, [sigma, sigma])


class ElasticTransform(Transform):
    """Each pixel moved by a random amount that changes smoothly from place to place.

    `alpha` says how far, `sigma` how smoothly; each is a number, or a pair for x and y.
    """

    shown = ("alpha", "sigma", "interpolation", "fill")

    def __init__(
        self,
        alpha: Any = 50.0,
        sigma: Any = 5.0,
        interpolation: Any = InterpolationMode.BILINEAR,
        fill: Any = 0,
    ) -> None:
        super().__init__()
        self.alpha, self.sigma = (self.pair(x, n) for x, n in ((alpha, "alpha"), (sigma, "sigma")))
        self.interpolation = mode_of(interpolation)
        single = isinstance(check_fill(fill), int | float)
        self.fill = [float(x) for x in ([fill] if single else fill)]

    @staticmethod
    def pair(x: Any, name: str) -> list[float]:
        """One number for both, or a pair."""
        if isinstance(x, int | float):
            return [float(x), float(x)]
        check_length(x, name)
        return [float(v) for v in x]

    @staticmethod
    def get_params(alpha: Sequence[float], sigma: Sequence[float], size: Sequence[int]) -> Any:
        """A random displacement, (1, height, width, 2)."""
        parts = []
        for a, s, n in zip(alpha, sigma, size[::-1], strict=True):
            moved = torch.rand(1, 1, *size) * 2 - 1
            if s > 0.0:
                k = int(8 * s + 1) | 1  # odd
                moved = functional.gaussian_blur(moved, [k, k], list(sigma))
            parts.append(moved * a / n)
        return torch.cat(parts, 1).permute(0, 2, 3, 1)

    def forward(self, img: Any) -> Any:
        """The distorted image."""
        size = functional.get_dimensions(img)[1:]
        moved = self.get_params(self.alpha, self.sigma, size)
        return functional.elastic_transform(img, moved, self.interpolation, self.fill)
