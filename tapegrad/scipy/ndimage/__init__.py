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
from .fourier import fourier_ellipsoid, fourier_gaussian, fourier_shift, fourier_uniform
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
from .measurements import (
    center_of_mass,
    extrema,
    maximum,
    maximum_position,
    mean,
    median,
    minimum,
    minimum_position,
    standard_deviation,
    sum,
    sum_labels,
    variance,
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
from .regions import (
    binary_closing,
    binary_dilation,
    binary_erosion,
    binary_fill_holes,
    binary_hit_or_miss,
    binary_opening,
    binary_propagation,
    histogram,
    label,
    watershed_ift,
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
    "binary_closing",
    "binary_dilation",
    "binary_erosion",
    "binary_fill_holes",
    "binary_hit_or_miss",
    "binary_opening",
    "binary_propagation",
    "black_tophat",
    "center_of_mass",
    "convolve",
    "convolve1d",
    "correlate",
    "correlate1d",
    "extrema",
    "fourier_ellipsoid",
    "fourier_gaussian",
    "fourier_shift",
    "fourier_uniform",
    "gaussian_filter",
    "gaussian_filter1d",
    "gaussian_gradient_magnitude",
    "gaussian_laplace",
    "geometric_transform",
    "grey_closing",
    "grey_dilation",
    "grey_erosion",
    "grey_opening",
    "histogram",
    "label",
    "laplace",
    "map_coordinates",
    "maximum",
    "maximum_filter",
    "maximum_filter1d",
    "maximum_position",
    "mean",
    "median",
    "median_filter",
    "minimum",
    "minimum_filter",
    "minimum_filter1d",
    "minimum_position",
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
    "standard_deviation",
    "sum",
    "sum_labels",
    "uniform_filter",
    "uniform_filter1d",
    "variance",
    "watershed_ift",
    "white_tophat",
    "zoom",
]


YOURS = "it calls a function of yours at every pixel; write it with slices of the padded image"
ZEROS = "it looks at which elements are zero; pass tapegrad.stop_gradient(image)"
REASONS = {
    "distance_transform_bf": ZEROS,
    "distance_transform_cdt": ZEROS,
    "distance_transform_edt": ZEROS,
    "generic_filter": YOURS,
    "generic_filter1d": YOURS,
    "generic_gradient_magnitude": "add up the squares of the derivatives, and take the root",
    "generic_laplace": "add up the second derivatives",
    "labeled_comprehension": "call the function on image[labels == i] for each label i",
    "vectorized_filter": YOURS,
}


def __getattr__(name: str) -> Any:
    """SciPy's own, for every name that is not here."""
    return own(scipy.ndimage, __name__, name, REASONS.get(name, ""))


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(scipy.ndimage)})
