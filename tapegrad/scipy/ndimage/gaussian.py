"""Filters by a Gaussian and its derivatives, differentiable in its width too."""

from __future__ import annotations

import math
from operator import index
from typing import Any

import numpy
import scipy.ndimage
from numpy.lib.array_utils import normalize_axis_index

from ...backend import is_complex
from ...core.array import Array
from ...numpy.dispatch import np
from ...numpy.reading import known
from ...ops.linear import cast
from ..dispatch import implements
from .arguments import chosen_axes, for_each, image, stored
from .filters import filtered_along, total


def gaussian_weights(sigma: Any, order: int, radius: int) -> Any:
    """The kernel for a derivative of the Gaussian, to be correlated with."""
    if order < 0:
        raise ValueError("order must be non-negative")
    square = sigma * sigma
    x = numpy.arange(-radius, radius + 1)
    bell = np.exp(-0.5 / square * x**2)
    bell = bell / np.sum(bell)
    polynomial: list[Any] = [1.0]  # each derivative is (q' - x q / sigma^2) times the Gaussian
    for _ in range(order):
        longer: list[Any] = [0.0] * (len(polynomial) + 1)
        for power, q in enumerate(polynomial):
            longer[power + 1] = longer[power + 1] - q / square
            if power:
                longer[power - 1] = longer[power - 1] + power * q
        polynomial = longer
    factor: Any = 0.0
    for q in reversed(polynomial):
        factor = factor * -x + q  # in -x: the kernel is reversed, since it is correlated with
    return factor * bell


def radius_of(sigma: Any, truncate: float, radius: Any) -> int:
    """How far the kernel reaches."""
    if radius is None:
        radius = int(truncate * float(known(sigma, "the width that decides a radius")) + 0.5)
    if not isinstance(radius, int | numpy.integer) or radius < 0:
        raise ValueError("Radius must be a nonnegative integer.")
    return index(radius)


def number(sigma: Any) -> Any:
    return sigma if isinstance(sigma, Array) else float(sigma)


@implements(scipy.ndimage.gaussian_filter1d)
def gaussian_filter1d(
    input: Any,
    sigma: Any,
    axis: int = -1,
    order: int = 0,
    output: Any = None,
    mode: str = "reflect",
    cval: Any = 0.0,
    truncate: float = 4.0,
    *,
    radius: int | None = None,
) -> Any:
    x, dtype = image("gaussian_filter1d", input, output, sigma, cval)
    weights = gaussian_weights(number(sigma), order, radius_of(sigma, truncate, radius))
    return cast(filtered_along(x, weights, normalize_axis_index(axis, x.ndim), mode, cval), dtype)


@implements(scipy.ndimage.gaussian_filter)
def gaussian_filter(
    input: Any,
    sigma: Any,
    order: Any = 0,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    truncate: float = 4.0,
    *,
    radius: Any = None,
    axes: Any = None,
) -> Any:
    x, dtype = image("gaussian_filter", input, output, sigma, cval)
    places = chosen_axes(axes, x.ndim)
    n = len(places)
    each = zip(
        places,
        for_each(sigma, n),
        for_each(order, n),
        for_each(mode, n),
        for_each(radius, n),
        strict=True,
    )
    for axis, width, derivative, way, reach in each:
        if known(width, "the width of a filter") > 1e-15:
            weights = gaussian_weights(number(width), derivative, radius_of(width, truncate, reach))
            x = stored(filtered_along(x, weights, axis, way, cval), dtype)
    return cast(x, dtype)


def _derivatives(
    name: str, args: tuple[Any, ...], order: int, axes: Any, options: dict[str, Any]
) -> tuple[list[Any], Any]:
    """The derivatives of an order along each axis of the image, filtered along all chosen axes."""
    input, sigma, output, mode, cval = args
    x, dtype = image(name, input, output, sigma, cval)
    places = chosen_axes(axes, x.ndim)
    widths: list[Any] = [0.0] * x.ndim
    for axis, width in zip(places, for_each(sigma, len(places)), strict=True):
        widths[axis] = width
    parts = []
    for axis, way in zip(places, for_each(mode, len(places)), strict=True):
        orders = [order * (a == axis) for a in range(x.ndim)]
        parts.append(stored(gaussian_filter(x, widths, orders, None, way, cval, **options), dtype))
    return parts or [x], dtype


@implements(scipy.ndimage.gaussian_laplace)
def gaussian_laplace(
    input: Any,
    sigma: Any,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    *,
    axes: Any = None,
    **kwargs: Any,
) -> Any:
    args = input, sigma, output, mode, cval
    parts, dtype = _derivatives("gaussian_laplace", args, 2, axes, kwargs)
    return cast(total(parts), dtype)


@implements(scipy.ndimage.gaussian_gradient_magnitude)
def gaussian_gradient_magnitude(
    input: Any,
    sigma: Any,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    *,
    axes: Any = None,
    **kwargs: Any,
) -> Any:
    args = input, sigma, output, mode, cval
    parts, dtype = _derivatives("gaussian_gradient_magnitude", args, 1, axes, kwargs)
    if math.prod(parts[0].shape) == 0:
        return cast(parts[0], dtype)
    if is_complex(dtype):  # the root of the sum of squares, which is not the length
        return np.sqrt(np.sum(np.stack(parts) ** 2, axis=0))
    return cast(np.linalg.norm(np.stack(parts), axis=0), dtype)
