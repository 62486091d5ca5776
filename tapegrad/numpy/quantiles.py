"""Medians, quantiles and percentiles, from one sort.

A quantile lies between two neighbours in the sorted data, at a virtual index that the method
says; its derivative goes to these two, and through the virtual index to `q` where that is recorded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from ..backend import has_nan, is_complex, is_inexact, namespace
from ..core.array import Array
from ..core.record import raw
from ..ops import linear, locate, reduce, scan
from ..ops import sort as sorting
from ..ops.comparison import isnan, logical_not
from ..ops.index import ARRAY, getitem
from ..ops.linear import broadcast_to, cast, permute_dims, reshape
from ..ops.rounding import ceil, floor, rint
from ..ops.selection import maximum, minimum, where
from .dispatch import implements
from .means import weights_for
from .operands import operand, ravel
from .reductions import Axis, axes_of, kept, values_of, warn
from .ufuncs import store

__all__ = [
    "median",
    "nanmedian",
    "nanpercentile",
    "nanquantile",
    "percentile",
    "quantile",
]

NAN = float("nan")


def _inverted(i: Any) -> Any:
    below = floor(i)
    return maximum(where(i == below, below, below + 1), 0)


def _closest(i: Any) -> Any:
    below = floor(i)
    return maximum(where((i == below) & (below % 2 == 1), below, below + 1), 0)


DISCRETE: dict[str, Callable[[Any, Any], Any]] = {
    "inverted_cdf": lambda n, q: _inverted(n * q - 1),
    "closest_observation": lambda n, q: _closest(n * q - 1.5),
    "lower": lambda n, q: floor((n - 1) * q),
    "higher": lambda n, q: ceil((n - 1) * q),
    "nearest": lambda n, q: rint((n - 1) * q),
}
"""By method: the index in the sorted data of the element to take."""


def between(alpha: float, beta: float) -> Callable[[Any, Any], Any]:
    """The virtual index of a method of Hyndman and Fan."""
    return lambda n, q: n * q + (alpha + q * (1 - alpha - beta)) - 1


CONTINUOUS: dict[str, Callable[[Any, Any], Any]] = {
    "averaged_inverted_cdf": lambda n, q: n * q - 1,
    "interpolated_inverted_cdf": between(0, 1),
    "hazen": between(0.5, 0.5),
    "weibull": between(0, 0),
    "linear": lambda n, q: (n - 1) * q,
    "median_unbiased": between(1 / 3, 1 / 3),
    "normal_unbiased": between(3 / 8, 3 / 8),
    "midpoint": lambda n, q: 0.5 * (floor((n - 1) * q) + ceil((n - 1) * q)),
}
"""By method: the virtual index, whose neighbours are interpolated."""


def share_of_upper(method: str, index: Any, below: Any) -> Any:
    """What the upper neighbour counts."""
    if method == "averaged_inverted_cdf":
        return where(index == below, 0.5, 1.0)
    if method == "midpoint":
        return where(index == below, 0.0, 0.5)
    return index - below


def interpolated(low: Any, high: Any, t: Any) -> Any:
    """From `low` to `high` by the share `t`, with NumPy's rounding."""
    step = high - low
    late = t >= 0.5
    values = values_of(late)
    if values is not None and numpy.all(values):
        return high - step * (1 - t)
    early = low + step * t
    if values is not None and not numpy.any(values):
        return early
    return where(late, high - step * (1 - t), early)


class Sorted:
    """The data of a quantile, its reduced axes as one at the end, with the order that sorts them.

    `count` is how many elements there are in each slice, without NaN if these are left out; then it
    may differ between the slices, and has a last axis of length 1.
    """

    def __init__(self, a: Any, axis: tuple[int, ...], skip_nan: bool) -> None:
        self.data = reduce.merge_axes(a, axis) if a.ndim else reshape(a, to=(1,))
        self.last = self.data.ndim - 1
        order = sorting.argsort(self.data, axis=self.last, stable=False)
        self.order = order.raw if isinstance(order, Array) and not order.slot else order
        self.skip_nan = skip_nan and is_inexact(a.dtype)
        self.count: Any = self.data.shape[-1]
        self.missing: Any = None  # slices whose result is NaN
        if is_inexact(a.dtype):
            values = values_of(self.data)
            if values is None or has_nan(values):
                self.find_missing()

    def find_missing(self) -> None:
        nans = isnan(self.data)
        axis = (self.last,)
        if self.skip_nan:
            numbers = cast(logical_not(nans), numpy.dtype(numpy.intp))
            self.count = linear.sum(numbers, axis=axis, keepdims=True)
            self.missing = self.count == 0
        else:
            self.missing = locate.any_true(nans, axis=axis, keepdims=True)

    def at(self, index: Any) -> Any:
        """The elements at integer indices of the sorted data."""
        index = minimum(maximum(index, 0), maximum(self.count - 1, 0))
        index = cast(index, numpy.dtype(numpy.intp))
        if index.ndim == 1:
            positions = getitem(self.order, index, key=(Ellipsis, ARRAY))
        else:
            index = broadcast_to(index, to=(*self.data.shape[:-1], index.shape[-1]))
            positions = sorting.take_along(self.order, index, axis=self.last)
        return sorting.take_along(self.data, positions, axis=self.last)

    def finished(self, result: Any) -> Any:
        return result if self.missing is None else where(self.missing, NAN, result)

    def quantile(self, q: Any, method: str, weak: bool) -> Any:
        """The quantiles for a vector `q`, along the last axis."""
        count = self.count if isinstance(self.count, int) else cast(self.count, q.dtype)
        if method in DISCRETE:
            return self.finished(self.at(DISCRETE[method](count, q)))
        index = CONTINUOUS[method](count, q)
        below = floor(index)
        share = share_of_upper(method, index, below)
        exact = weak and is_inexact(self.data.dtype)  # a Python number decides no dtype
        share = cast(share, self.data.dtype if exact else q.dtype)
        return self.finished(interpolated(self.at(below), self.at(below + 1), share))

    def weighted(self, q: Any, weights: Any) -> Any:
        """The quantiles of the inverted distribution function of weighted data."""
        if self.missing is not None and self.skip_nan:
            weights = where(isnan(self.data), 0, weights)
        weights = cast(sorting.take_along(weights, self.order, axis=self.last), numpy.dtype(float))
        total = scan.cumsum(weights, axis=self.last, reverse=False)
        share = total / getitem(total, key=(Ellipsis, slice(-1, None)))
        values = values_of(share)
        if values is not None and self.missing is None and numpy.isnan(values).any():
            raise ValueError("Weights included NaN, inf or were all zero.")
        share = where(share == 0, -1, cast(share, q.dtype))  # never the answer, also for q = 0
        below = reshape(share, to=(*share.shape, 1)) < q
        index = linear.sum(cast(below, numpy.dtype(numpy.intp)), axis=(self.last,), keepdims=False)
        return self.finished(self.at(index))


def placed(result: Any, q_shape: tuple[int, ...], rest: tuple[int, ...]) -> Any:
    """Results with the quantiles last, with the axes of `q` first."""
    n = result.ndim - 1
    if q_shape and n:
        result = permute_dims(result, axes=(n, *range(n)))
    return reshape(result, to=(*q_shape, *rest))


def compute(
    name: str,
    a: Any,
    q: Any,
    scale: float,
    axis: Axis,
    method: str,
    keepdims: Any,
    weights: Any,
    skip_nan: bool,
) -> Any:
    """What all functions of this file but the medians do."""
    a = operand(a)
    if is_complex(a.dtype):
        raise TypeError("a must be an array of real numbers")
    weak = type(q) in (int, float)
    q = operand(q)
    if method == "linear" and scale == 1 and not is_inexact(q.dtype):
        method = "lower"  # 0 and 1 as whole numbers need no neighbour, which may be infinite
    q = q / scale if scale != 1 or not is_inexact(q.dtype) else q
    values = values_of(q)
    if values is not None and not numpy.all((values >= 0) & (values <= 1)):
        raise ValueError(
            "Quantiles must be in the range [0, 1]"
            if scale == 1
            else "Percentiles must be in the range [0, 100]"
        )
    if method not in DISCRETE and method not in CONTINUOUS:
        known = ", ".join(sorted({*DISCRETE, *CONTINUOUS}))
        raise ValueError(f"numpy.{name}: {method!r} is not a valid method. Use one of {known}.")
    axes = axes_of(axis, a.ndim)
    if skip_nan and not a.size:  # NumPy does not look at q then
        return reduce.mean(a, axis=axes, keepdims=kept(keepdims))
    data = Sorted(a, axes, skip_nan)
    flat = ravel(q)
    if weights is None:
        result = data.quantile(flat, method, weak)
    elif method != "inverted_cdf":
        raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
    else:
        weights = broadcast_to(weights_for(a, axis, operand(weights)), to=a.shape)
        values = values_of(weights)
        if values is not None and numpy.any(values < 0):
            raise ValueError("Weights must be non-negative.")
        result = data.weighted(flat, reduce.merge_axes(weights, axes))
    if skip_nan:
        warn_if_empty(data)
    return placed(result, q.shape, result_shape(a, axes, keepdims))


def result_shape(a: Any, axes: tuple[int, ...], keepdims: Any) -> tuple[int, ...]:
    if kept(keepdims):
        return tuple(1 if i in axes else n for i, n in enumerate(a.shape))
    return reduce.kept_out(a.shape, axes)


def warn_if_empty(data: Sorted) -> None:
    values = None if data.missing is None else values_of(data.missing)
    if values is not None and numpy.any(values):
        warn("All-NaN slice encountered")


@implements(numpy.quantile)
def quantile(
    a: Any,
    q: Any,
    axis: Axis = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: Any = False,
    *,
    weights: Any = None,
) -> Any:
    result = compute("quantile", a, q, 1, axis, method, keepdims, weights, False)
    return store("quantile", result, out)


@implements(numpy.percentile)
def percentile(
    a: Any,
    q: Any,
    axis: Axis = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: Any = False,
    *,
    weights: Any = None,
) -> Any:
    result = compute("percentile", a, q, 100, axis, method, keepdims, weights, False)
    return store("percentile", result, out)


@implements(numpy.nanquantile)
def nanquantile(
    a: Any,
    q: Any,
    axis: Axis = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: Any = False,
    *,
    weights: Any = None,
) -> Any:
    result = compute("nanquantile", a, q, 1, axis, method, keepdims, weights, True)
    return store("nanquantile", result, out)


@implements(numpy.nanpercentile)
def nanpercentile(
    a: Any,
    q: Any,
    axis: Axis = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: Any = False,
    *,
    weights: Any = None,
) -> Any:
    result = compute("nanpercentile", a, q, 100, axis, method, keepdims, weights, True)
    return store("nanpercentile", result, out)


def middle(a: Any, axis: Axis, keepdims: Any, skip_nan: bool) -> Any:
    """The mean of the one or two elements in the middle."""
    a = operand(a)
    axes = axes_of(axis, a.ndim)
    if not reduce.count(a.shape, axes):
        return reduce.mean(a, axis=axes, keepdims=kept(keepdims))
    data = Sorted(a, axes, skip_nan)
    if isinstance(data.count, int):
        half, odd = divmod(data.count, 2)
        wanted = [half] if odd else [half - 1, half]
        result = data.at(namespace(raw(a)).asarray(wanted))
        result = reduce.mean(result, axis=(data.last,), keepdims=True)
    else:
        lower, upper = data.at((data.count - 1) // 2), data.at(data.count // 2)
        result = where((data.count % 2) == 1, lower, (lower + upper) / 2)
        warn_if_empty(data)
    return placed(data.finished(result), (), result_shape(a, axes, keepdims))


@implements(numpy.median)
def median(
    a: Any,
    axis: Axis = None,
    out: Any = None,
    overwrite_input: bool = False,
    keepdims: Any = False,
) -> Any:
    return store("median", middle(a, axis, keepdims, False), out)


@implements(numpy.nanmedian)
def nanmedian(
    a: Any,
    axis: Axis = None,
    out: Any = None,
    overwrite_input: bool = False,
    keepdims: Any = False,
) -> Any:
    return store("nanmedian", middle(a, axis, keepdims, True), out)
