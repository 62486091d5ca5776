"""Transforms of PIL images; Pillow does the work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
from PIL import Image, ImageEnhance, ImageOps

from . import errors
from .conversion import pil_to_tensor, to_pil_image

GREYS = ("1", "I", "F", "L")


def fill_of(fill: Any, img: Any) -> Any:
    """The colour to fill with, as Pillow takes it for this image."""
    channels = len(img.getbands())
    if fill is None:
        fill = 0
    if isinstance(fill, int | float):
        fill = (fill,) * channels
    elif len(fill) == 1:
        fill = tuple(fill) * channels
    elif len(fill) != channels:
        raise errors.fill_channels(len(fill), channels)
    if img.mode != "F":
        fill = tuple(int(x) for x in fill)
    return fill[0] if channels == 1 else tuple(fill)


def adjust_hue(img: Any, hue_factor: float) -> Any:
    """The image with its hues turned round by a part of the circle."""
    if img.mode in GREYS:
        return img
    h, s, v = img.convert("HSV").split()
    turned = numpy.array(h) + numpy.int32(hue_factor * 255).astype(numpy.uint8)  # wraps around
    return Image.merge("HSV", (Image.fromarray(turned), s, v)).convert(img.mode)


def adjust_gamma(img: Any, gamma: float, gain: float) -> Any:
    """The image with each intensity raised to a power."""
    table = [int((255 + 1 - 1e-3) * gain * pow(x / 255.0, gamma)) for x in range(256)] * 3
    return img.convert("RGB").point(table).convert(img.mode)


def pad(img: Any, padding: tuple[int, int, int, int], fill: Any, padding_mode: str) -> Any:
    """The image with a border of given widths: left, top, right, bottom."""
    if padding_mode == "constant":
        palette = img.getpalette() if img.mode == "P" else None
        padded = ImageOps.expand(img, border=padding, fill=fill_of(fill, img))
        if palette:
            padded.putpalette(palette)
        return padded
    left, top, right, bottom = padding
    if min(padding) < 0:
        box = (-min(left, 0), -min(top, 0), img.width + min(right, 0), img.height + min(bottom, 0))
        img = img.crop(box)
        left, top, right, bottom = (max(n, 0) for n in padding)
    raw = numpy.asarray(img)
    how: Any = padding_mode
    around = ((top, bottom), (left, right), (0, 0))[: raw.ndim]
    padded = Image.fromarray(numpy.pad(raw, around, mode=how))
    if img.mode == "P":
        padded.putpalette(img.getpalette())
    return padded


def to_grayscale(img: Any, num_output_channels: int) -> Any:
    """The image in shades of grey, in one channel or the same in three."""
    grey = img.convert("L")
    return grey if num_output_channels == 1 else Image.merge("RGB", (grey, grey, grey))


def affine(img: Any, matrix: list[float], interpolation: Any, fill: Any) -> Any:
    """The image whose pixel at x shows the one at matrix · x."""
    method = Image.Transform.AFFINE
    return img.transform(img.size, method, matrix, interpolation, fillcolor=fill_of(fill, img))


def rotate(img: Any, angle: float, interpolation: Any, expand: bool, center: Any, fill: Any) -> Any:
    """The image turned counter-clockwise."""
    return img.rotate(angle, interpolation, expand, center, fillcolor=fill_of(fill, img))


def perspective(img: Any, coefficients: list[float], interpolation: Any, fill: Any) -> Any:
    """The image seen from another side."""
    method = Image.Transform.PERSPECTIVE
    return img.transform(
        img.size, method, coefficients, interpolation, fillcolor=fill_of(fill, img)
    )


def by_tensor(img: Any, how: Callable[[Any], Any]) -> Any:
    """What a function of tensors makes of a PIL image."""
    return to_pil_image(how(pil_to_tensor(img)), mode=img.mode)


ADJUSTMENTS: dict[str, Callable[..., Any]] = {
    "brightness": lambda img, factor: ImageEnhance.Brightness(img).enhance(factor),
    "contrast": lambda img, factor: ImageEnhance.Contrast(img).enhance(factor),
    "saturation": lambda img, factor: ImageEnhance.Color(img).enhance(factor),
    "sharpness": lambda img, factor: ImageEnhance.Sharpness(img).enhance(factor),
}
