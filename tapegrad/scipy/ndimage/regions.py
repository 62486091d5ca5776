"""What looks at which elements are zero or equal, and so is constant nearly everywhere."""

from __future__ import annotations

import scipy.ndimage

from ...numpy.reading import on_values
from ..dispatch import Function, implements

__all__ = [
    "binary_closing",
    "binary_dilation",
    "binary_erosion",
    "binary_fill_holes",
    "binary_hit_or_miss",
    "binary_opening",
    "binary_propagation",
    "histogram",
    "label",
    "watershed_ift",
]


def _constant(name: str) -> Function:
    function = getattr(scipy.ndimage, name)
    return implements(function)(on_values(function, f"scipy.ndimage.{name}"))


binary_closing = _constant("binary_closing")
binary_dilation = _constant("binary_dilation")
binary_erosion = _constant("binary_erosion")
binary_fill_holes = _constant("binary_fill_holes")
binary_hit_or_miss = _constant("binary_hit_or_miss")
binary_opening = _constant("binary_opening")
binary_propagation = _constant("binary_propagation")
histogram = _constant("histogram")
label = _constant("label")
watershed_ift = _constant("watershed_ift")
