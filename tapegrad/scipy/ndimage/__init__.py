"""`scipy.ndimage`, for plain and for recorded arrays: filters, morphology and interpolation.

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
from .morphology import (
    black_tophat,
    grey_closing,
    grey_dilation,
    grey_erosion,
    grey_opening,
    morphological_gradient,
    morphological_laplace,
    white_tophat,
)
from .ranks import (
    maximum_filter,
    maximum_filter1d,
    median_filter,
    minimum_filter,
    minimum_filter1d,
    percentile_filter,
    rank_filter,
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
    "black_tophat",
    "convolve",
    "convolve1d",
    "correlate",
    "correlate1d",
    "gaussian_filter",
    "gaussian_filter1d",
    "gaussian_gradient_magnitude",
    "gaussian_laplace",
    "geometric_transform",
    "grey_closing",
    "grey_dilation",
    "grey_erosion",
    "grey_opening",
    "laplace",
    "map_coordinates",
    "maximum_filter",
    "maximum_filter1d",
    "median_filter",
    "minimum_filter",
    "minimum_filter1d",
    "morphological_gradient",
    "morphological_laplace",
    "percentile_filter",
    "prewitt",
    "rank_filter",
    "rotate",
    "shift",
    "sobel",
    "spline_filter",
    "spline_filter1d",
    "uniform_filter",
    "uniform_filter1d",
    "white_tophat",
    "zoom",
]


def __getattr__(name: str) -> Any:
    """SciPy's own, for every name that is not here."""
    return own(scipy.ndimage, __name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(scipy.ndimage)})
