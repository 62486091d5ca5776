"""Linear filters: an image continued beyond its edges, and convolved with a kernel."""

from __future__ import annotations

from typing import Any

import numpy
import scipy.ndimage
from numpy.lib.array_utils import normalize_axis_index

from ...backend import is_complex
from ...core.array import Array
from ...numpy.creation import assembled
from ...numpy.dispatch import np
from ...numpy.operands import conjugate, operand
from ...ops.convolve_nd import convolve_nd_valid, reverse
from ...ops.extend import PADS, extend
from ...ops.linear import cast, reshape
from ..dispatch import implements
from .arguments import MODES, chosen_axes, for_each, image, stored


def extended(x: Any, axis: int, before: int, after: int, mode: str, cval: Any) -> Any:
    """An image continued along an axis."""
    mode = MODES.get(mode, mode)
    if mode not in PADS:
        raise RuntimeError("boundary mode not supported")
    out = extend(x, axis=axis, before=before, after=after, mode=mode)
    if mode == "constant" and (isinstance(cval, Array) or cval != 0):
        outside = numpy.ones(out.shape[axis], dtype=x.dtype)
        outside[before : before + x.shape[axis]] = 0
        out = out + cval * outside.reshape((-1,) + (1,) * (x.ndim - axis - 1))
    return out


def correlated(
    x: Any, weights: Any, axes: tuple[int, ...], mode: str, cval: Any, origins: list[int]
) -> Any:
    """The correlation with a kernel that has the given axes of the image."""
    for axis, size, origin in zip(axes, weights.shape, origins, strict=True):
        before = size // 2 + origin
        if not 0 <= before < size:
            raise ValueError(
                "Invalid origin; origin must satisfy -(weights.shape[k] // 2) <= origin[k] <= "
                "(weights.shape[k]-1) // 2"
            )
        x = extended(x, axis, before, size - 1 - before, mode, cval)
    sizes = dict(zip(axes, weights.shape, strict=True))
    kernel = reshape(weights, to=tuple(sizes.get(a, 1) for a in range(x.ndim)))
    return convolve_nd_valid(x, reverse(kernel))


def kernel_of(x: Any, weights: Any) -> Any:
    """A kernel in the dtype of the image, unless it is complex and the image is not."""
    weights = weights if isinstance(weights, Array) else operand(assembled(weights))
    if is_complex(weights.dtype) and not is_complex(x.dtype):
        return weights
    return cast(weights, x.dtype)


def result_dtype(weights: Any, dtype: Any) -> Any:
    """A complex kernel gives a complex result."""
    complex_weights = is_complex(weights.dtype) and not is_complex(dtype)
    return numpy.promote_types(dtype, numpy.complex64) if complex_weights else dtype


def filtered_along(
    x: Any, weights: Any, axis: int, mode: str, cval: Any = 0.0, origin: int = 0
) -> Any:
    """The correlation along one axis of an image of floating point."""
    kernel = kernel_of(x, weights)
    if kernel.ndim != 1 or kernel.shape[0] < 1:
        raise RuntimeError("no filter weights given")
    return correlated(x, kernel, (axis,), mode, cval, [origin])


@implements(scipy.ndimage.correlate1d)
def correlate1d(
    input: Any,
    weights: Any,
    axis: int = -1,
    output: Any = None,
    mode: str = "reflect",
    cval: Any = 0.0,
    origin: int = 0,
) -> Any:
    x, dtype = image("correlate1d", input, output, weights, cval)
    kernel = conjugate(kernel_of(x, weights)) if is_complex(operand(weights).dtype) else weights
    axis = normalize_axis_index(axis, x.ndim)
    out = filtered_along(x, kernel, axis, mode, cval, origin)
    return cast(out, result_dtype(operand(kernel), dtype))


@implements(scipy.ndimage.convolve1d)
def convolve1d(
    input: Any,
    weights: Any,
    axis: int = -1,
    output: Any = None,
    mode: str = "reflect",
    cval: Any = 0.0,
    origin: int = 0,
) -> Any:
    x, dtype = image("convolve1d", input, output, weights, cval)
    kernel = reverse(kernel_of(x, weights))
    origin = -origin - (kernel.shape[0] % 2 == 0)
    out = filtered_along(x, kernel, normalize_axis_index(axis, x.ndim), mode, cval, origin)
    return cast(out, result_dtype(kernel, dtype))


@implements(scipy.ndimage.correlate)
def correlate(
    input: Any,
    weights: Any,
    output: Any = None,
    mode: str = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> Any:
    x, dtype = image("correlate", input, output, weights, cval)
    kernel = conjugate(kernel_of(x, weights))
    places = chosen_axes(axes, x.ndim)
    check_kernel(kernel, places)
    out = correlated(x, kernel, places, mode, cval, for_each(origin, len(places)))
    return cast(out, result_dtype(kernel, dtype))


@implements(scipy.ndimage.convolve)
def convolve(
    input: Any,
    weights: Any,
    output: Any = None,
    mode: str = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> Any:
    x, dtype = image("convolve", input, output, weights, cval)
    kernel = reverse(kernel_of(x, weights))
    places = chosen_axes(axes, x.ndim)
    check_kernel(kernel, places)
    origins = [
        -o - (n % 2 == 0) for o, n in zip(for_each(origin, len(places)), kernel.shape, strict=True)
    ]
    return cast(correlated(x, kernel, places, mode, cval, origins), result_dtype(kernel, dtype))


def check_kernel(kernel: Any, axes: tuple[int, ...]) -> None:
    if kernel.ndim != len(axes):
        raise RuntimeError(f"weights.ndim ({kernel.ndim}) must match len(axes) ({len(axes)})")


def average(x: Any, size: int, axis: int, mode: str, cval: Any, origin: int) -> Any:
    """The mean of neighbours along an axis of an image of floating point."""
    if size < 1:
        raise RuntimeError("incorrect filter size")
    if not 0 <= size // 2 + origin < size:
        raise ValueError("invalid origin")
    return filtered_along(x, numpy.ones(size), axis, mode, cval, origin) / size


@implements(scipy.ndimage.uniform_filter1d)
def uniform_filter1d(
    input: Any,
    size: int,
    axis: int = -1,
    output: Any = None,
    mode: str = "reflect",
    cval: Any = 0.0,
    origin: int = 0,
) -> Any:
    x, dtype = image("uniform_filter1d", input, output, cval)
    axis = normalize_axis_index(axis, x.ndim)
    return cast(average(x, size, axis, mode, cval, origin), dtype)


@implements(scipy.ndimage.uniform_filter)
def uniform_filter(
    input: Any,
    size: Any = 3,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> Any:
    x, dtype = image("uniform_filter", input, output, cval)
    places = chosen_axes(axes, x.ndim)
    n = len(places)
    for axis, width, at, way in zip(
        places, for_each(size, n), for_each(origin, n), for_each(mode, n), strict=True
    ):
        if width > 1:
            x = stored(average(x, int(width), axis, way, cval, at), dtype)
    return cast(x, dtype)


def _difference(name: str, smoothing: list[float], args: tuple[Any, ...]) -> Any:
    """A derivative along one axis, smoothed along the others."""
    input, axis, output, mode, cval = args
    x, dtype = image(name, input, output, cval)
    axis = normalize_axis_index(axis, x.ndim)
    modes = for_each(mode, x.ndim)
    x = stored(filtered_along(x, [-1.0, 0.0, 1.0], axis, modes[axis], cval), dtype)
    for other in range(x.ndim):
        if other != axis:
            x = stored(filtered_along(x, smoothing, other, modes[other], cval), dtype)
    return cast(x, dtype)


@implements(scipy.ndimage.prewitt)
def prewitt(
    input: Any, axis: int = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0
) -> Any:
    return _difference("prewitt", [1.0, 1.0, 1.0], (input, axis, output, mode, cval))


@implements(scipy.ndimage.sobel)
def sobel(
    input: Any, axis: int = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0
) -> Any:
    return _difference("sobel", [1.0, 2.0, 1.0], (input, axis, output, mode, cval))


@implements(scipy.ndimage.laplace)
def laplace(
    input: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, *, axes: Any = None
) -> Any:
    x, dtype = image("laplace", input, output, cval)
    places = chosen_axes(axes, x.ndim)
    if not places:
        return cast(x, dtype)
    modes = for_each(mode, len(places))
    parts = [
        stored(filtered_along(x, [1.0, -2.0, 1.0], axis, way, cval), dtype)
        for axis, way in zip(places, modes, strict=True)
    ]
    return cast(total(parts), dtype)


def total(parts: list[Any]) -> Any:
    """The sum of arrays."""
    result = parts[0]
    for part in parts[1:]:
        result = np.add(result, part)
    return result
