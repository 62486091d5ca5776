"""Running sums and products, differences, and what is built from them."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from ..backend import namespace
from ..core.array import Array
from ..core.record import raw
from ..ops import linear, scan
from ..ops.arithmetic import subtract
from ..ops.comparison import not_equal
from ..ops.index import getitem
from ..ops.join import concat
from ..ops.linear import broadcast_to, cast, reshape
from .dispatch import implements
from .nan_reductions import filled
from .operands import operand, ravel
from .reductions import floating, given, typed
from .ufuncs import store

__all__ = [
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "diff",
    "ediff1d",
    "gradient",
    "nancumprod",
    "nancumsum",
    "trapezoid",
]


def part(x: Any, axis: int, start: int | None, stop: int | None) -> Any:
    """A slice of an axis."""
    return getitem(x, key=scan.along(axis, slice(start, stop)))


def accumulated(operation: Any, a: Any, axis: int | None, dtype: Any) -> Any:
    """A scan along an axis, or over the elements in C order."""
    a = typed(operand(a), dtype)
    if axis is None or a.ndim == 0:
        if axis is not None:
            normalize_axis_index(axis, 1)
        return typed(operation(ravel(a), axis=0, reverse=False), dtype)
    axis = normalize_axis_index(axis, a.ndim)
    return typed(operation(a, axis=axis, reverse=False), dtype)


@implements(numpy.cumsum)
def cumsum(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Any:
    return store("cumsum", accumulated(scan.cumsum, a, axis, dtype), out)


@implements(numpy.cumprod)
def cumprod(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Any:
    return store("cumprod", accumulated(scan.cumprod, a, axis, dtype), out)


@implements(numpy.nancumsum)
def nancumsum(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Any:
    return store("nancumsum", accumulated(scan.cumsum, filled(a, 0), axis, dtype), out)


@implements(numpy.nancumprod)
def nancumprod(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Any:
    return store("nancumprod", accumulated(scan.cumprod, filled(a, 1), axis, dtype), out)


def cumulative(
    name: str, operation: Any, start: int, x: Any, axis: int | None, dtype: Any, initial: bool
) -> Any:
    """A scan as the array API standard has it."""
    x = operand(x)
    if x.ndim > 1 and axis is None:
        raise ValueError(
            f"numpy.{name}: for arrays which have more than one dimension the `axis` argument is "
            "required."
        )
    result = accumulated(operation, x, axis, dtype)
    if not initial:
        return result
    axis = 0 if axis is None else normalize_axis_index(axis, result.ndim)
    shape = (*result.shape[:axis], 1, *result.shape[axis + 1 :])
    first = namespace(raw(result)).full(shape, start, dtype=result.dtype)
    return concat(first, result, axis=axis)


@implements(numpy.cumulative_sum)
def cumulative_sum(
    x: Any,
    /,
    *,
    axis: int | None = None,
    dtype: Any = None,
    out: Any = None,
    include_initial: bool = False,
) -> Any:
    result = cumulative("cumulative_sum", scan.cumsum, 0, x, axis, dtype, include_initial)
    return store("cumulative_sum", result, out)


@implements(numpy.cumulative_prod)
def cumulative_prod(
    x: Any,
    /,
    *,
    axis: int | None = None,
    dtype: Any = None,
    out: Any = None,
    include_initial: bool = False,
) -> Any:
    result = cumulative("cumulative_prod", scan.cumprod, 1, x, axis, dtype, include_initial)
    return store("cumulative_prod", result, out)


def differences(a: Any, axis: int) -> Any:
    """Each element less the one before."""
    minus = not_equal if a.dtype == bool else subtract
    return minus(part(a, axis, 1, None), part(a, axis, None, -1))


@implements(numpy.diff)
def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    if n == 0:
        return a
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    a = operand(a)
    if a.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = normalize_axis_index(axis, a.ndim)
    shape = (*a.shape[:axis], 1, *a.shape[axis + 1 :])
    parts = [operand(x) if x is not a else a for x in (prepend, a, append) if given(x)]
    if len(parts) > 1:
        parts = [broadcast_to(x, to=shape) if x.ndim == 0 else x for x in parts]
        a = concat(*parts, axis=axis)
    for _ in range(n):
        a = differences(a, axis)
    return a


@implements(numpy.ediff1d)
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    ary = ravel(operand(ary))
    parts = [differences(ary, 0)]
    for name, x in (("to_begin", to_begin), ("to_end", to_end)):
        if x is None:
            continue
        x = operand(x)
        if not numpy.can_cast(x.dtype, ary.dtype, casting="same_kind"):
            raise TypeError(
                f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule."
            )
        x = cast(ravel(x), ary.dtype)
        parts = [x, *parts] if name == "to_begin" else [*parts, x]
    return concat(*parts, axis=0) if len(parts) > 1 else parts[0]


@implements(numpy.trapezoid)
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    y = operand(y)
    if x is None:
        width = dx
    else:
        x = operand(x)
        width = differences(x, normalize_axis_index(axis, x.ndim) if x.ndim > 1 else 0)
    own = normalize_axis_index(axis, y.ndim)
    if x is not None and x.ndim == 1:
        width = reshape(width, to=(width.shape[0], *(1,) * (y.ndim - own - 1)))
    areas = width * (part(y, own, 1, None) + part(y, own, None, -1)) / 2.0
    # coordinates may have more axes than `y`: the axis is counted in what comes of both
    return linear.sum(areas, axis=(normalize_axis_index(axis, areas.ndim),), keepdims=False)


def uneven(distances: Any, axis: int, ndim: int) -> Any:
    """The gaps between coordinates along an axis, or the one gap where all are equal constants."""
    gaps = differences(floating(distances), 0)
    if not isinstance(distances, Array) and (gaps == gaps[0]).all():
        return gaps[0]
    return reshape(gaps, to=(*(1,) * axis, gaps.shape[0], *(1,) * (ndim - axis - 1)))


def spacings(f: Any, varargs: tuple[Any, ...], axes: tuple[int, ...]) -> list[Any]:
    """The spacing of each axis: a scalar, or the gaps between coordinates, to broadcast."""
    if not varargs:
        return [1.0] * len(axes)
    given_ones = [operand(x) for x in varargs]
    if len(varargs) == 1 and given_ones[0].ndim == 0:
        return given_ones * len(axes)
    if len(varargs) != len(axes):
        raise TypeError("invalid number of arguments")
    result = []
    for x, axis in zip(given_ones, axes, strict=True):
        if x.ndim > 1:
            raise ValueError("distances must be either scalars or 1d")
        if x.ndim and x.shape[0] != f.shape[axis]:
            raise ValueError(
                "when 1d, distances must match the length of the corresponding dimension"
            )
        result.append(uneven(x, axis, f.ndim) if x.ndim else x)
    return result


def weighted(weights: Any, f: Any, axis: int, starts: tuple[int, ...], length: int) -> Any:
    """The sum of slices of `length` elements, each times its weight."""
    total = None
    for w, start in zip(weights, starts, strict=True):
        stop = start + length
        term = w * part(f, axis, start, stop if stop else None)
        total = term if total is None else total + term
    return total


def edges(h: Any, axis: int) -> tuple[Any, Any]:
    """The weights of the first and of the last three elements in the derivative at either end."""
    if is_even(h):
        return (-1.5 / h, 2.0 / h, -0.5 / h), (0.5 / h, -2.0 / h, 1.5 / h)
    p, q = part(h, axis, 0, 1), part(h, axis, 1, 2)
    first = (-(2.0 * p + q) / (p * (p + q)), (p + q) / (p * q), -p / (q * (p + q)))
    p, q = part(h, axis, -2, -1), part(h, axis, -1, None)
    last = (q / (p * (p + q)), -(q + p) / (p * q), (2.0 * q + p) / (q * (p + q)))
    return first, last


def is_even(h: Any) -> bool:
    """Whether a spacing is a single number."""
    return getattr(h, "ndim", 0) == 0


def gradient_along(f: Any, h: Any, axis: int, order: int) -> Any:
    n = f.shape[axis]
    if n < order + 1:
        raise ValueError(
            "Shape of array too small to calculate a numerical gradient, at least "
            "(edge_order + 1) elements are required."
        )
    if is_even(h):
        middle = (part(f, axis, 2, None) - part(f, axis, None, -2)) / (2.0 * h)
    else:
        p, q = part(h, axis, None, -1), part(h, axis, 1, None)
        weights = (-q / (p * (p + q)), (q - p) / (p * q), p / (q * (p + q)))
        middle = weighted(weights, f, axis, (0, 1, 2), n - 2)
    if order == 1:
        start = part(f, axis, 1, 2) - part(f, axis, 0, 1)
        start = start / (h if is_even(h) else part(h, axis, 0, 1))
        end = part(f, axis, -1, None) - part(f, axis, -2, -1)
        end = end / (h if is_even(h) else part(h, axis, -1, None))
    else:
        first, last = edges(h, axis)
        start = weighted(first, f, axis, (0, 1, 2), 1)
        end = weighted(last, f, axis, (-3, -2, -1), 1)
    return cast(concat(start, middle, end, axis=axis), f.dtype)


@implements(numpy.gradient)
def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    f = floating(operand(f))
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    axes = tuple(range(f.ndim)) if axis is None else normalize_axis_tuple(axis, f.ndim)
    steps = spacings(f, varargs, axes)
    results = [gradient_along(f, h, a, edge_order) for a, h in zip(axes, steps, strict=True)]
    return results[0] if len(results) == 1 else tuple(results)
