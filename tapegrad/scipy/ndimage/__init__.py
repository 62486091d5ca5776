"""`scipy.ndimage`, for plain and for recorded arrays: linear filters, and interpolation.

Images of integers stay integers, as in SciPy; where a derivative would get lost by that, an error
says so. The array `output=` to write to is not supported, a dtype is.
"""

from __future__ import annotations

from typing import Any

import scipy.ndimage

from ..names import own
from .filters import (
    convolve,
    convolve1d,
    correlate,
    correlate1d,
    laplace,
    prewitt,
    sobel,
    uniform_filter,
    uniform_filter1d,
)
from .gaussian import (
    gaussian_filter,
    gaussian_filter1d,
    gaussian_gradient_magnitude,
    gaussian_laplace,
)
from .interpolation import (
    map_coordinates,
    spline_filter,
    spline_filter1d,
)
from .transforms import (
    affine_transform,
    geometric_transform,
    rotate,
    shift,
    zoom,
)

__all__ = [
    "affine_transform",
    "convolve",
    "convolve1d",
    "correlate",
    "correlate1d",
    "gaussian_filter",
    "gaussian_filter1d",
    "gaussian_gradient_magnitude",
    "gaussian_laplace",
    "geometric_transform",
    "laplace",
    "map_coordinates",
    "prewitt",
    "rotate",
    "shift",
    "sobel",
    "spline_filter",
    "spline_filter1d",
    "uniform_filter",
    "uniform_filter1d",
    "zoom",
]


def __getattr__(name: str) -> Any:
    """SciPy's own, for every name that is not here."""
    return own(scipy.ndimage, __name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(scipy.ndimage)})
