"""Filters of an image by its Fourier transform: products with a known spectrum."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy
import scipy.ndimage
from numpy.lib.array_utils import normalize_axis_index

from ...backend import is_complex
from ...core.array import Array
from ...numpy.dispatch import np
from ...numpy.reading import converted
from ...ops.linear import cast
from ..dispatch import implements
from .arguments import for_each, image


def multiplied(
    name: str,
    factor: Callable[[Any, Any], Any],
    input: Any,
    parameter: Any,
    n: int,
    axis: int,
    output: Any,
) -> Any:
    """The product with a factor an axis, a function of the frequencies and the parameter."""
    x, dtype = image(name, input, output, parameter)
    axis = normalize_axis_index(axis, x.ndim)
    given = list(parameter) if getattr(parameter, "ndim", 0) else parameter
    for a, (size, value) in enumerate(zip(x.shape, for_each(given, x.ndim), strict=True)):
        real = a == axis and n >= 0  # of a transform of real numbers, the first half is there
        steps = numpy.arange(size) / n if real else numpy.fft.fftfreq(size)
        x = x * np.reshape(factor(steps, value), (-1,) + (1,) * (x.ndim - 1 - a))
    if output is None and is_complex(x.dtype) and not is_complex(dtype):
        return x
    return cast(x, dtype)


@implements(scipy.ndimage.fourier_gaussian)
def fourier_gaussian(
    input: Any, sigma: Any, n: int = -1, axis: int = -1, output: Any = None
) -> Any:
    def factor(steps: Any, width: Any) -> Any:
        return np.exp(-2 * (math.pi * steps * width) ** 2)

    return multiplied("fourier_gaussian", factor, input, sigma, n, axis, output)


@implements(scipy.ndimage.fourier_uniform)
def fourier_uniform(input: Any, size: Any, n: int = -1, axis: int = -1, output: Any = None) -> Any:
    def factor(steps: Any, width: Any) -> Any:
        return np.sinc(steps * width)

    return multiplied("fourier_uniform", factor, input, size, n, axis, output)


@implements(scipy.ndimage.fourier_shift)
def fourier_shift(input: Any, shift: Any, n: int = -1, axis: int = -1, output: Any = None) -> Any:
    def factor(steps: Any, away: Any) -> Any:
        return np.exp(-2j * math.pi * steps * away)

    return multiplied("fourier_shift", factor, input, shift, n, axis, output)


@implements(scipy.ndimage.fourier_ellipsoid)
def fourier_ellipsoid(
    input: Any, size: Any, n: int = -1, axis: int = -1, output: Any = None
) -> Any:
    """As SciPy's, for a size that is known."""
    x, dtype = image("fourier_ellipsoid", input, output)
    size = converted(size, "the size") if isinstance(size, Array) else size
    ones = numpy.ones(x.shape)
    return cast(x * scipy.ndimage.fourier_ellipsoid(ones, size, n, axis), dtype)
