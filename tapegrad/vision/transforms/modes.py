"""How pixels between pixels are found, by torchvision's names and by Pillow's numbers."""

from __future__ import annotations

from enum import Enum
from typing import Any

from PIL.Image import Resampling, Transpose

from . import errors

__all__ = [
    "BICUBIC",
    "BILINEAR",
    "FLIP_LEFT_RIGHT",
    "FLIP_TOP_BOTTOM",
    "LANCZOS",
    "NEAREST",
    "InterpolationMode",
]

NEAREST = Resampling.NEAREST
BILINEAR = Resampling.BILINEAR
BICUBIC = Resampling.BICUBIC
LANCZOS = Resampling.LANCZOS
FLIP_LEFT_RIGHT = Transpose.FLIP_LEFT_RIGHT
FLIP_TOP_BOTTOM = Transpose.FLIP_TOP_BOTTOM


class InterpolationMode(Enum):
    """How an image is interpolated. The last three are for PIL images only."""

    NEAREST = "nearest"
    NEAREST_EXACT = "nearest-exact"
    BILINEAR = "bilinear"
    BICUBIC = "bicubic"
    BOX = "box"
    HAMMING = "hamming"
    LANCZOS = "lanczos"


PILLOW = {
    InterpolationMode.NEAREST: Resampling.NEAREST,
    InterpolationMode.NEAREST_EXACT: Resampling.NEAREST,
    InterpolationMode.BILINEAR: Resampling.BILINEAR,
    InterpolationMode.BICUBIC: Resampling.BICUBIC,
    InterpolationMode.BOX: Resampling.BOX,
    InterpolationMode.HAMMING: Resampling.HAMMING,
    InterpolationMode.LANCZOS: Resampling.LANCZOS,
}
OF_PILLOW = {number: mode for mode, number in PILLOW.items() if mode.value != "nearest-exact"}


def mode_of(interpolation: Any) -> InterpolationMode:
    """A mode, of itself or of Pillow's number."""
    if isinstance(interpolation, InterpolationMode):
        return interpolation
    if isinstance(interpolation, int):
        return OF_PILLOW[Resampling(interpolation)]
    raise errors.bad_type(
        "Argument interpolation should be a InterpolationMode or a corresponding Pillow integer "
        "constant",
        interpolation,
    )
