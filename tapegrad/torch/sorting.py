"""Sorted tensors, order statistics, sets and counts."""

from __future__ import annotations

import math
from typing import Any

import numpy

from ..backend import namespace
from ..core.op import table
from ..numpy import quantiles
from ..numpy.reading import known
from ..ops import linear
from ..ops import sort as sorting
from ..ops.index import getitem
from . import errors, return_types
from .calls import SINGLE, attach, cast, is_half, on_arrays, raw_of
from .dtypes import of_numpy
from .extremes import check_order, not_empty
from .reductions import wrapped
from .refusals import lacking, refuse
from .tensor import Tensor, wrap

__all__ = [
    "argsort",
    "bucketize",
    "isin",
    "kthvalue",
    "median",
    "mode",
    "msort",
    "nanmedian",
    "nanquantile",
    "quantile",
    "searchsorted",
    "sort",
    "topk",
    "unique",
    "unique_consecutive",
]


def order_of(x: Any, axis: int, descending: bool) -> Any:
    """The places that sort an axis; of equals, the first one first."""
    check_order("sort", x)
    if is_half(x):  # NumPy doesn't know where the NaNs of bfloat16 go
        x = cast(x, SINGLE)
    if not descending:
        return sorting.argsort(x, axis=axis, stable=True)
    turn = (*(slice(None),) * axis, slice(None, None, -1))
    reverse = sorting.argsort(getitem(x, key=turn), axis=axis, stable=True)
    return x.shape[axis] - 1 - getitem(reverse, key=turn)


@on_arrays
def sort(input: Any, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    """The elements sorted along an axis, and where they were."""
    axis = wrapped(dim, input.ndim)
    if not input.ndim:
        return return_types.sort(table["identity"].function(input), numpy.int64(0))
    places = order_of(input, axis, descending)
    return return_types.sort(sorting.take_along(input, places, axis=axis, once=True), places)


@on_arrays
def argsort(input: Any, dim: int = -1, descending: bool = False, *, stable: bool = False) -> Any:
    """The places that sort an axis."""
    axis = wrapped(dim, input.ndim)
    return order_of(input, axis, descending) if input.ndim else numpy.int64(0)


def msort(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements sorted along the first axis."""
    return sort(input, 0)[0]


@on_arrays
def topk(input: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """The `k` largest (or smallest) elements of an axis, and where they are."""
    axis = wrapped(dim, input.ndim)
    if not input.ndim:
        return return_types.topk(table["identity"].function(input), numpy.int64(0))
    if not 0 <= k <= input.shape[axis]:
        raise RuntimeError("selected index k out of range")
    places = order_of(input, axis, largest)
    places = getitem(places, key=(*(slice(None),) * axis, slice(0, k)))
    return return_types.topk(sorting.take_along(input, places, axis=axis, once=True), places)


def element(kind: Any, x: Any, place: int, axis: int, keepdim: bool) -> Any:
    """The element at a place of the sorted axis, and where it is."""
    order = order_of(x, axis, False)
    at = getitem(order, key=(*(slice(None),) * axis, slice(place, place + 1)))
    return found(kind, x, at, axis, keepdim)


def found(kind: Any, x: Any, at: Any, axis: int, keepdim: bool) -> Any:
    """Elements at places of an axis, with the places."""
    values = sorting.take_along(x, at, axis=axis, once=True)
    if not keepdim:
        to = (*x.shape[:axis], *x.shape[axis + 1 :])
        values, at = linear.reshape(values, to=to), linear.reshape(at, to=to)
    return kind(values, at)


@on_arrays
def kthvalue(input: Any, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    """The `k`-th smallest element of an axis, and where it is."""
    axis = wrapped(dim, input.ndim)
    if not input.ndim:
        return return_types.kthvalue(table["identity"].function(input), numpy.int64(0))
    not_empty(input, dim, "kthvalue")
    if not 1 <= k <= input.shape[axis]:
        raise RuntimeError("kthvalue(): selected number k out of range for dimension")
    return element(return_types.kthvalue, input, k - 1, axis, keepdim)


def middle(x: Any, axis: int, skip: bool) -> Any:
    """The place of the median of each line: the lower of two; of a NaN, unless it is skipped."""
    order = order_of(x, axis, False)
    n = x.shape[axis]
    raw = numpy.asarray(raw_of(x))
    if raw.dtype.kind not in "fV":
        return getitem(order, key=(*(slice(None),) * axis, slice((n - 1) // 2, (n - 1) // 2 + 1)))
    nans = numpy.isnan(raw)
    count = nans.sum(axis=axis, keepdims=True)
    if skip:
        place = numpy.maximum(n - count - 1, 0) // 2
    else:
        first = numpy.argmax(nans, axis=axis, keepdims=True)
        place = numpy.full(count.shape, (n - 1) // 2)
        lines = numpy.take_along_axis(numpy.asarray(raw_of(order)), place, axis)
        return numpy.where(count > 0, first, lines)
    return sorting.take_along(order, place, axis=axis, once=True)


def median_of(skip: bool) -> Any:
    """`median` or `nanmedian`."""
    kind = return_types.nanmedian if skip else return_types.median

    @on_arrays
    def along(x: Any, dim: int, keepdim: bool) -> Any:
        axis = wrapped(dim, x.ndim)
        if not x.ndim:
            return kind(table["identity"].function(x), numpy.int64(0))
        not_empty(x, dim, "median")
        return found(kind, x, middle(x, axis, skip), axis, keepdim)

    @on_arrays
    def whole(x: Any) -> Any:
        if not x.size:
            return x.dtype.type(math.nan if x.dtype.kind in "fV" else 0)
        flat = linear.reshape(x, to=(x.size,))
        return found(kind, flat, middle(flat, 0, skip), 0, False).values

    def function(
        input: Tensor, dim: int | None = None, keepdim: bool = False, *, out: Any = None
    ) -> Any:
        if dim is None:
            return whole(input)
        return along(input, dim, keepdim) if out is None else along(input, dim, keepdim, out=out)

    refuse({"median": whole}, "median_cpu", "bool", "median")
    refuse({"median": along}, "median_out", "bool complex", "median")
    return function


median = median_of(False)
nanmedian = median_of(True)


@on_arrays
def mode(input: Any, dim: int = -1, keepdim: bool = False) -> Any:
    """The element that is most frequent along an axis, the smallest of several, and its place."""
    axis = wrapped(dim, input.ndim)
    if not input.ndim:
        return return_types.mode(table["identity"].function(input), numpy.int64(0))
    not_empty(input, dim, "mode")
    raw = numpy.moveaxis(numpy.asarray(raw_of(input)), axis, -1)
    lines = raw.reshape(-1, raw.shape[-1])
    places = numpy.empty(len(lines), numpy.int64)
    for i, line in enumerate(lines):
        values, counts = numpy.unique(line, return_counts=True)
        places[i] = numpy.flatnonzero(line == values[counts.argmax()])[-1]
    at = numpy.expand_dims(places.reshape(raw.shape[:-1]), axis)
    return found(return_types.mode, input, at, axis, keepdim)


def quantile_of(skip: bool) -> Any:
    """`quantile` or `nanquantile`."""
    name = "nanquantile" if skip else "quantile"
    compute = quantiles.nanquantile if skip else quantiles.quantile

    @on_arrays
    def function(
        input: Any,
        q: Any,
        dim: int | None = None,
        keepdim: bool = False,
        *,
        interpolation: str = "linear",
    ) -> Any:
        if input.dtype.kind != "f":
            raise RuntimeError(f"{name}() input tensor must be either float or double dtype")
        if interpolation not in ("linear", "lower", "higher", "midpoint", "nearest"):
            raise errors.bad_interpolation(name, interpolation)
        at = raw_of(q)
        if numpy.any((numpy.asarray(at) < 0) | (numpy.asarray(at) > 1)):
            raise RuntimeError(f"{name}() q values must be in the range [0, 1]")
        axis = None if dim is None else wrapped(dim, input.ndim)
        if not input.size:
            raise RuntimeError(f"{name}() input tensor must be non-empty")
        if not input.ndim:
            input, axis = linear.reshape(input, to=(1,)), 0
            keepdim = False
        shares = cast(q, input.dtype)
        result = compute(input, shares, axis=axis, method=interpolation, keepdims=keepdim)
        return cast(result, input.dtype)

    function.__name__ = name
    return function


quantile = quantile_of(False)
nanquantile = quantile_of(True)


@on_arrays
def searchsorted(
    sorted_sequence: Any,
    input: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Any = None,
) -> Any:
    """Where elements would go in sorted lines: before equals, or after if `right`."""
    edges = raw_of(sorted_sequence)
    xp = namespace(edges)
    values = xp.asarray(raw_of(input))
    if sorter is not None:
        edges = xp.take_along_axis(edges, raw_of(sorter), -1)
    where: Any = "right" if right or side == "right" else "left"
    to = numpy.int32 if out_int32 else numpy.int64
    if edges.ndim <= 1:
        return xp.searchsorted(edges.reshape(-1), values, where).astype(to)
    if not values.size:
        return xp.zeros(values.shape, dtype=to)
    lines = edges.reshape(-1, edges.shape[-1])
    rows = values.reshape(len(lines), -1)
    found_ = [xp.searchsorted(line, row, where) for line, row in zip(lines, rows, strict=True)]
    return xp.stack(found_).astype(to).reshape(values.shape)


def bucketize(
    input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False, out: Any = None
) -> Tensor:
    """The number of the interval between boundaries that each element falls in."""
    if boundaries.raw.ndim != 1:
        raise errors.boundaries_axes(boundaries.raw.ndim)
    return searchsorted(boundaries, input, out_int32=out_int32, right=right, out=out)


def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The different elements, sorted; or different parts along an axis."""
    raw = known(input, "unique")
    if raw.dtype.kind == "c":
        raise errors.not_for("unique", of_numpy(raw.dtype))
    xp = namespace(raw)
    raw = xp.asarray(raw)
    axis = None if dim is None else wrapped(dim, raw.ndim)
    values, inverse, counts = xp.unique(
        raw, return_inverse=True, return_counts=True, axis=axis, equal_nan=False
    )
    inverse = inverse.reshape(raw.shape if axis is None else -1).astype(numpy.int64)
    parts = [wrap(values)]
    if return_inverse:
        parts.append(wrap(inverse))
    if return_counts:
        parts.append(wrap(counts.astype(numpy.int64)))
    return parts[0] if len(parts) == 1 else tuple(parts)


def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """The elements (or parts along an axis) that differ from the one before."""
    raw = numpy.asarray(known(input, "unique_consecutive"))
    lacking("unique", "complex", raw)
    shape = raw.shape
    if dim is None:
        lines = raw.reshape(-1, 1)
    else:
        axis = wrapped(dim, raw.ndim)
        lines = numpy.moveaxis(raw, axis, 0)
        lines = lines.reshape(shape[axis], math.prod(lines.shape[1:]))
    fresh = numpy.ones(len(lines), bool)
    fresh[1:] = (lines[1:] != lines[:-1]).any(axis=1)
    starts = numpy.flatnonzero(fresh)
    values = raw.reshape(-1)[starts] if dim is None else raw.take(starts, axis=axis)
    inverse = numpy.cumsum(fresh) - 1
    parts = [wrap(values)]
    if return_inverse:
        parts.append(wrap(inverse.reshape(shape) if dim is None else inverse))
    if return_counts:
        parts.append(wrap(numpy.diff(numpy.append(starts, len(lines)))))
    return parts[0] if len(parts) == 1 else tuple(parts)


@on_arrays
def isin(
    elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False
) -> Any:
    """Whether elements are among others."""
    first, second = raw_of(elements), raw_of(test_elements)
    return namespace(first, second).isin(first, second, invert=invert)


attach(
    "argsort isin kthvalue median mode msort nanmedian nanquantile "
    "quantile sort topk unique unique_consecutive",
    globals(),
)

refuse(globals(), "{name}_cpu", "bool", "kthvalue")
refuse(globals(), "Unsupported input type encountered for isin(): {kind}", "bool complex", "isin")
refuse(
    globals(),
    "quantile() input tensor must be either float or double dtype",
    "half",
    "quantile nanquantile",
)
refuse(globals(), "topk does not support bool dtypes on CPU", "bool", "topk")
refuse(globals(), "topk does not support complex dtypes on CPU", "complex", "topk")
refuse(globals(), "Sort does not support complex dtypes on CPU", "complex", "sort argsort")
refuse(globals(), "searchsorted_out_cpu", "bool complex", "searchsorted")
