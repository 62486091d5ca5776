"""Elements of tensors by index, and what puts them there: gather, scatter, `index_*`, `take`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

from ..backend import namespace, on_device
from ..core.array import Array
from ..core.op import table
from ..ops.add_at import are_places
from ..ops.index import ARRAY, getitem
from ..ops.linear import reshape
from ..ops.selection import where
from ..ops.transfer import beside
from . import errors
from .calls import attach, cast, on_arrays, raw_of
from .dtypes import of_numpy
from .reductions import wrapped
from .subscript import split as split_key
from .tensor import Tensor, wrap

__all__ = [
    "gather",
    "index_add",
    "index_copy",
    "index_fill",
    "index_put",
    "index_reduce",
    "index_select",
    "put",
    "scatter",
    "scatter_add",
    "scatter_reduce",
    "take",
    "take_along_dim",
]

setitem = table["setitem"].function


def grid(index: Any, axis: int, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """The index arrays that place `index` along an axis, and every other place at itself."""
    places = []
    for a in range(index.ndim):
        if a == axis:
            places.append(index)
        else:
            own = beside(numpy.arange(index.shape[a]), index)
            places.append(own.reshape(tuple(-1 if i == a else 1 for i in range(index.ndim))))
    return tuple(places)


def checked(x: Array, index: Any, dim: int, name: str) -> tuple[Array, Any, int, tuple[int, ...]]:
    """A tensor and an index with at least one axis, the axis, and the shape of the result."""
    if index.dtype.kind not in "iu":
        raise errors.not_integer_index(name)
    n = max(x.ndim, 1)
    axis = wrapped(dim, n)
    shape = index.shape
    if index.size and x.ndim != index.ndim and max(index.ndim, 1) != n:
        raise errors.index_axes(name)
    if not x.ndim:
        x = reshape(x, to=(1,))
    if not index.ndim:
        index = reshape(index, to=(1,))
    values = index.raw if isinstance(index, Array) else index
    size = x.shape[axis]
    looked_at = values.size and not on_device(values)  # there it would be to wait
    if looked_at and not are_places(values.astype(numpy.intp, copy=False), size):
        bad = int(values.max() if values.max() >= size else values.min())
        raise errors.index_beyond(bad, axis, size)
    return x, index, axis, shape


@on_arrays
def gather(input: Any, dim: int, index: Any, *, sparse_grad: bool = False) -> Any:
    """The elements of an axis that `index` names, place by place."""
    x, places, axis, shape = checked(input, index, dim, "gather")
    if not places.size:
        return reshape(getitem(x, key=(slice(0, 0),)), to=shape) if x.size else x
    key = (ARRAY,) * places.ndim
    return reshape(getitem(x, *grid(places, axis, x.shape), key=key), to=shape)


def whole(source: Any, index: Any, dtype: Any) -> Any:
    """The part of a source that an index has places for, in a dtype."""
    if not isinstance(source, Array) and not hasattr(source, "shape"):
        return beside(numpy.full(index.shape, source, dtype), index)
    if not source.ndim:
        source = reshape(source, to=(1,) * index.ndim)
    part = tuple(slice(0, n) for n in index.shape)
    return cast(getitem(source, key=part), dtype)


def put_values(x: Any, key: tuple[Any, ...], places: tuple[Any, ...], values: Any) -> Any:
    """`x` with values written at places."""
    return setitem(x, values, *places, key=key)


def add_values(x: Any, key: tuple[Any, ...], places: tuple[Any, ...], values: Any) -> Any:
    """`x` with values added at places."""
    return x + table["scatter_add"].function(values, *places, key=key, to=x.shape)


def multiplied(x: Any, key: tuple[Any, ...], places: tuple[Any, ...], values: Any) -> Any:
    """`x` multiplied by the product of the values at each place."""
    return collected(x, key, places, values, "prod", True)


def scatter_of(
    x: Any, dim: int, index: Any, source: Any, name: str, how: Callable[..., Any]
) -> Any:
    """A scatter: `how` says what is done with the values."""
    own = x.shape
    x, places, axis, _ = checked(x, index, dim, name)
    if not places.size:
        return table["identity"].function(reshape(x, to=own))
    values = whole(source, places, x.dtype)
    result = how(x, (ARRAY,) * x.ndim, grid(places, axis, x.shape), values)
    return reshape(result, to=own)


REDUCTIONS: dict[str, Callable[..., Any]] = {"add": add_values, "multiply": multiplied}


def scatter(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Any = None,
    *,
    value: Any = None,
    reduce: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """`input` with the elements of `src` (or a number) at the places that `index` names.

    `reduce` is `"add"` or `"multiply"` for what is done with them instead.
    """
    source = value if src is None else src
    if isinstance(source, Tensor) and source.raw.dtype != input.raw.dtype and source.raw.ndim:
        raise errors.scatter_dtype("scatter")
    return scattered(input, dim, index, source, reduce, out=out)


@on_arrays
def scattered(x: Any, dim: int, index: Any, source: Any, reduce: str | None) -> Any:
    """`scatter` of the core's arrays."""
    if reduce is not None and reduce not in REDUCTIONS:
        raise RuntimeError("reduce argument must be either add or multiply.")
    how = put_values if reduce is None else REDUCTIONS[reduce]
    return scatter_of(x, dim, index, source, "scatter", how)


@on_arrays
def added(x: Any, dim: int, index: Any, src: Any) -> Any:
    """`scatter_add` of the core's arrays."""
    return scatter_of(x, dim, index, src, "scatter_add", add_values)


def scatter_add(
    input: Tensor, dim: int, index: Tensor, src: Tensor, *, out: Tensor | None = None
) -> Tensor:
    """`input` with the elements of `src` added at the places that `index` names."""
    if src.raw.dtype != input.raw.dtype:
        raise errors.scatter_dtype("scatter")
    return added(input, dim, index, src, out=out)


def collected(
    x: Any, key: tuple[Any, ...], places: tuple[Any, ...], values: Any, how: str, include: bool
) -> Any:
    """`x` with the values at each place reduced to one, with or without what was there."""
    ones = namespace(raw_of(values)).ones(getattr(values, "shape", ()), dtype=int)
    counts = table["scatter_add"].function(ones, *places, key=key, to=x.shape)
    touched = counts > 0
    if how in ("sum", "mean"):
        start = x if include else where(touched, 0, x)
        total = add_values(start, key, places, values)
        if how == "sum":
            return cast(total, x.dtype)
        number = where(touched, counts + int(include), 1)
        if x.dtype.kind in "iu":
            return table["floor_divide"].function(total, cast(number, x.dtype))
        return total / cast(number, x.dtype)
    return folded(x, key, places, values, how, include, touched)


def folded(
    x: Any,
    key: tuple[Any, ...],
    places: tuple[Any, ...],
    values: Any,
    how: str,
    include: bool,
    touched: Any,
) -> Any:
    """Products and extremes of the values at each place: sorted into rows, and these reduced."""
    shape = numpy.broadcast_shapes(*(p.shape for p in places))
    raws = [numpy.broadcast_to(p.raw if isinstance(p, Array) else p, shape) for p in places]
    flat = numpy.ravel_multi_index(raws, x.shape).reshape(-1)
    order = numpy.argsort(flat, kind="stable")
    targets, counts = numpy.unique(flat, return_counts=True)
    rows = numpy.repeat(numpy.arange(len(targets)), counts)
    starts = numpy.repeat(numpy.cumsum(counts) - counts, counts)
    columns = numpy.arange(len(flat)) - starts + int(include)
    width = int(counts.max()) + int(include)
    op = {"prod": "prod", "amax": "max", "amin": "min"}[how]
    neutral = {"prod": 1, "amax": lowest(x.dtype), "amin": highest(x.dtype)}[how]
    line = reshape(x, to=(x.size,))
    table_ = numpy.full((len(targets), width), neutral, x.dtype)
    given = getitem(reshape(values, to=(values.size,)), order, key=(ARRAY,))
    filled = setitem(table_, given, rows, columns, key=(ARRAY, ARRAY))
    if include:
        before = getitem(line, targets, key=(ARRAY,))
        filled = setitem(filled, before, key=(slice(None), 0))
    reduced = table[op].function(filled, axis=(1,), keepdims=False)
    return reshape(setitem(line, reduced, targets, key=(ARRAY,)), to=x.shape)


def lowest(d: Any) -> Any:
    """A number that no element is less than."""
    return -math.inf if d.kind in "fV" else False if d.kind == "b" else numpy.iinfo(d).min


def highest(d: Any) -> Any:
    """A number that no element is more than."""
    return math.inf if d.kind in "fV" else True if d.kind == "b" else numpy.iinfo(d).max


@on_arrays
def scatter_reduce(
    input: Any, dim: int, index: Any, src: Any, reduce: str, *, include_self: bool = True
) -> Any:
    """`input` with what `src` has for each place reduced: sum, prod, mean, amax, amin."""
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        raise errors.bad_reduction(reduce)

    def how(x: Any, key: Any, places: Any, values: Any) -> Any:
        return collected(x, key, places, values, reduce, include_self)

    return scatter_of(input, dim, index, src, "scatter_reduce", how)


def along(x: Any, dim: int, index: Any, name: str) -> tuple[Any, tuple[Any, ...], Any]:
    """A tensor with at least one axis, the key that indexes one of them, and the index."""
    if index.dtype.kind not in "iu":
        raise errors.not_integer_index(name)
    if index.ndim > 1:
        raise errors.index_not_vector(name)
    axis = wrapped(dim, max(x.ndim, 1))
    if not x.ndim:
        x = reshape(x, to=(1,))
    if not index.ndim:
        index = reshape(index, to=(1,))
    values = index.raw if isinstance(index, Array) else index
    size = x.shape[axis]
    looked_at = values.size and not on_device(values)  # there it would be to wait
    if looked_at and (values.min() < -size or values.max() >= size):
        raise errors.index_out_of_range(name)
    return x, (*(slice(None),) * axis, ARRAY), index


@on_arrays
def index_select(input: Any, dim: int, index: Any) -> Any:
    """The parts of an axis that a vector of indices names."""
    x, key, places = along(input, dim, index, "index_select")
    out = getitem(x, places, key=key)
    return reshape(out, to=()) if not input.ndim else out


@on_arrays
def index_add(input: Any, dim: int, index: Any, source: Any, *, alpha: Any = 1) -> Any:
    """`input` with parts of `source`, times `alpha`, added to the parts that an index names."""
    x, key, places = along(input, dim, index, "index_add")
    values = cast(source, x.dtype)
    if not (type(alpha) is int and alpha == 1):
        values = values * cast(alpha, x.dtype)
    if not values.ndim:
        values = reshape(values, to=(1,))
    return reshape(add_values(x, key, (places,), values), to=input.shape)


@on_arrays
def index_copy(input: Any, dim: int, index: Any, source: Any) -> Any:
    """`input` with parts of `source` in place of the parts that an index names."""
    if input.dtype != source.dtype:
        raise errors.copy_dtype(of_numpy(input.dtype), of_numpy(source.dtype))
    x, key, places = along(input, dim, index, "index_copy")
    values = source if source.ndim else reshape(source, to=(1,))
    return reshape(setitem(x, values, places, key=key), to=input.shape)


@on_arrays
def index_fill(input: Any, dim: int, index: Any, value: Any) -> Any:
    """`input` with a number in the parts that an index names."""
    x, key, places = along(input, dim, index, "index_fill")
    if isinstance(value, Array) and value.ndim:
        raise errors.value_with_axes(value.ndim)
    shape = getitem(x.raw if isinstance(x, Array) else x, places, key=key).shape
    values = table["broadcast_to"].function(beside(cast(value, x.dtype), x), to=shape)
    return reshape(setitem(x, values, places, key=key), to=input.shape)


@on_arrays
def index_reduce(
    input: Any, dim: int, index: Any, source: Any, reduce: str, *, include_self: bool = True
) -> Any:
    """`input` with parts of `source` reduced into the parts that an index names."""
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise errors.bad_reduction(reduce)
    x, key, places = along(input, dim, index, "index_reduce")
    axis = key.index(ARRAY)
    values = source if source.ndim else reshape(source, to=(1,))
    spread = numpy.asarray(places.raw if isinstance(places, Array) else places)
    shape = tuple(-1 if a == axis else 1 for a in range(x.ndim))
    spread = numpy.broadcast_to(spread.reshape(shape), values.shape)
    grid_ = grid(spread, axis, x.shape)
    full = (ARRAY,) * x.ndim
    return reshape(collected(x, full, grid_, values, reduce, include_self), to=input.shape)


def index_put(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """`input` with `values` at the places that a tuple of tensors names, or added there."""
    key = tuple(slice(None) if i is None else i for i in indices)
    _, static, places = split_key(input, key)
    return put_at(input, static, list(map(wrap, places)), values, accumulate)


@on_arrays
def put_at(x: Any, key: Any, places: Any, values: Any, accumulate: bool) -> Any:
    """`index_put` of the core's arrays."""
    if values.dtype != x.dtype:
        raise errors.put_dtype(of_numpy(x.dtype), of_numpy(values.dtype))
    shape = getitem(x.raw if isinstance(x, Array) else x, *places, key=tuple(key)).shape
    fitted = table["broadcast_to"].function(values, to=shape)
    how = add_values if accumulate else put_values
    return how(x, tuple(key), tuple(places), fitted)


def flat_places(x: Any, index: Any) -> Any:
    """Places in the flat tensor, which may count from the end."""
    if index.dtype.kind not in "iu":
        raise errors.not_integer_index("take")
    values = index.raw if isinstance(index, Array) else index
    looked_at = values.size and not on_device(values)
    if looked_at and (values.min() < -x.size or values.max() >= x.size):
        raise errors.take_beyond(x.size)
    return index


@on_arrays
def take(input: Any, index: Any) -> Any:
    """The elements of the flat tensor that an index names."""
    places = flat_places(input, index)
    return getitem(reshape(input, to=(input.size,)), places, key=(ARRAY,))


@on_arrays
def put(input: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    """`input` with the elements of `source` at places of the flat tensor, or added there."""
    places = flat_places(input, index)
    line = reshape(input, to=(input.size,))
    how = add_values if accumulate else put_values
    flat = reshape(places, to=(places.size,))
    result = how(line, (ARRAY,), (flat,), reshape(source, to=(source.size,)))
    return reshape(result, to=input.shape)


@on_arrays
def take_along_dim(input: Any, indices: Any, dim: int | None = None) -> Any:
    """The elements of an axis that `indices` names; the other axes broadcast."""
    if dim is None:
        flat = reshape(indices, to=(indices.size,))
        return getitem(reshape(input, to=(input.size,)), flat, key=(ARRAY,))
    axis = wrapped(dim, input.ndim)
    shape = list(
        numpy.broadcast_shapes(
            tuple(1 if a == axis else n for a, n in enumerate(input.shape)),
            tuple(1 if a == axis else n for a, n in enumerate(indices.shape)),
        )
    )
    spread = table["broadcast_to"].function
    shape[axis] = input.shape[axis]
    x = spread(input, to=tuple(shape))
    shape[axis] = indices.shape[axis]
    places = spread(indices, to=tuple(shape))
    return getitem(x, *grid(places, axis, x.shape), key=(ARRAY,) * x.ndim)


attach(
    "gather index_add index_copy index_fill index_put index_reduce index_select put scatter "
    "scatter_add scatter_reduce take take_along_dim",
    globals(),
    "index_add index_copy index_fill index_put index_reduce put scatter scatter_add scatter_reduce",
)
