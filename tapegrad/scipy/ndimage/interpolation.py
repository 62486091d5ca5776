"""Values of an image between its elements, by splines of orders 0 to 5."""

from __future__ import annotations

from typing import Any

import numpy
import scipy.ndimage
from numpy.lib.array_utils import normalize_axis_index

from ...backend import is_complex
from ...core.array import Array
from ...numpy.creation import assembled
from ...numpy.dispatch import np
from ...numpy.operands import operand
from ...ops import resample as ops
from ...ops.linear import cast
from ..dispatch import implements
from .arguments import image
from .filters import extended

MODES = (
    "constant",
    "grid-constant",
    "grid-mirror",
    "grid-wrap",
    "mirror",
    "nearest",
    "reflect",
    "wrap",
)
MARGIN = 12  # elements put around an image where its spline has no exact condition at the edges


def in_double(x: Any) -> Any:
    """An image in double precision, in which SciPy keeps the coefficients of splines."""
    return cast(x, numpy.dtype(complex if is_complex(x.dtype) else float))


def coefficients(x: Any, order: int, mode: str, cval: Any, prefilter: bool) -> tuple[Any, int]:
    """The coefficients of an image's spline, and how many elements were put around it."""
    if not 0 <= order <= 5:
        raise RuntimeError("spline order not supported")
    if mode not in MODES:
        raise RuntimeError("boundary mode not supported")
    if not prefilter or order < 2:
        return x, 0
    x = in_double(x)
    margin = MARGIN if mode in ("nearest", "grid-constant") else 0
    if margin:
        for axis in range(x.ndim):
            x = extended(x, axis, margin, margin, mode, cval)
    for axis in range(x.ndim):
        x = ops.spline_filter(x, axis=axis, order=order, mode=mode)
    return x, margin


def interpolated(
    x: Any, coordinates: Any, order: int, mode: str, cval: Any, prefilter: bool
) -> Any:
    """The values of an image at coordinates: an array whose first axis goes over those of `x`."""
    filtered, margin = coefficients(x, order, mode, cval, prefilter)
    return at(filtered, margin, x.shape, coordinates, order, mode, cval)


def at(
    filtered: Any,
    margin: int,
    shape: tuple[int, ...],
    coordinates: Any,
    order: int,
    mode: str,
    cval: Any,
) -> Any:
    """The spline's values, for an image of a shape."""
    places = coordinates + margin if margin else coordinates
    options = {"order": order, "mode": mode, "nu": (0,) * len(shape)}
    out = ops.sample(filtered, places, **options)
    if not isinstance(cval, Array) and cval == 0:
        return out
    if mode == "constant":
        outside: Any = False
        for i, n in enumerate(shape):
            c = coordinates[i]
            outside = outside | (c < 0) | (c > n - 1)
        return np.where(outside, cval, out)
    if mode == "grid-constant":
        inside = ops.sample(numpy.ones(filtered.shape), places, **options)
        return out + cval * (1 - inside)
    return out


@implements(scipy.ndimage.map_coordinates)
def map_coordinates(
    input: Any,
    coordinates: Any,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: Any = 0.0,
    prefilter: bool = True,
) -> Any:
    if not isinstance(coordinates, Array):
        coordinates = operand(assembled(coordinates))
    if is_complex(coordinates.dtype):
        raise TypeError("Complex type not supported")
    x, dtype = image("map_coordinates", input, output, coordinates, cval)
    if x.ndim < 1 or coordinates.ndim < 2:
        raise RuntimeError("input and output rank must be > 0")
    if coordinates.shape[0] != x.ndim:
        raise RuntimeError("invalid shape for coordinate array")
    places = cast(coordinates, numpy.dtype(float))
    return as_image(interpolated(x, places, order, mode, cval, prefilter), dtype)


def as_image(x: Any, dtype: Any) -> Any:
    """Interpolated values in the dtype of an image: rounded where that has integers."""
    if dtype.kind in "iu":
        x = np.where(x > 0, x + 0.5, x - 0.5 * (dtype.kind == "i"))
        limits = numpy.iinfo(dtype)
        x = np.clip(x, limits.min, limits.max)
    return cast(x, dtype)


@implements(scipy.ndimage.spline_filter1d)
def spline_filter1d(
    input: Any,
    order: int = 3,
    axis: int = -1,
    output: Any = numpy.float64,
    mode: str = "mirror",
) -> Any:
    x, dtype = image("spline_filter1d", input, output)
    if is_complex(x.dtype):
        dtype = numpy.promote_types(dtype, numpy.complex64)
    if not 0 <= order <= 5:
        raise RuntimeError("spline order not supported")
    if order > 1:
        if mode not in MODES:
            raise RuntimeError("boundary mode not supported")
        axis = normalize_axis_index(axis, x.ndim)
        x = ops.spline_filter(in_double(x), axis=axis, order=order, mode=mode)
    return cast(x, dtype)


@implements(scipy.ndimage.spline_filter)
def spline_filter(
    input: Any, order: int = 3, output: Any = numpy.float64, mode: str = "mirror"
) -> Any:
    if not 2 <= order <= 5:
        raise RuntimeError("spline order not supported")
    x, dtype = image("spline_filter", input, output)
    if is_complex(x.dtype):
        dtype = numpy.promote_types(dtype, numpy.complex64)
    for axis in range(x.ndim):
        x = spline_filter1d(x, order, axis, dtype, mode)
    return cast(x, dtype)
