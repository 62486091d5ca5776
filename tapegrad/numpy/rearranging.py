"""Turning, rolling, repeating, cutting out and putting in: the same elements in other places."""

from __future__ import annotations

import math
from operator import index
from typing import Any

import numpy
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from ..core.array import Array, untracked
from ..ops.index import ARRAY, EVERYTHING, getitem
from ..ops.join import concat
from ..ops.linear import broadcast_to, reshape
from ..ops.shape import roll as roll_op
from .creation import duplicate
from .dispatch import implements, np
from .reading import known
from .shapes import recorded, reshaped, shape_of, swapaxes
from .subscript import get
from .ufuncs import as_dtype

__all__ = [
    "delete",
    "flip",
    "fliplr",
    "flipud",
    "insert",
    "meshgrid",
    "repeat",
    "resize",
    "roll",
    "rot90",
    "tile",
    "trim_zeros",
]

REVERSED = slice(None, None, -1)


def rows(x: Any, places: Any, axis: int) -> Any:
    """The slices of `x` along an axis that an index array names."""
    return getitem(x, places, key=(*(EVERYTHING,) * axis, ARRAY))


def selected_along(x: Any, axis: int | None) -> tuple[Any, int]:
    """An array and the axis along which to select: raveled for None.

    One without axes counts as a vector of one element, as in NumPy.
    """
    if axis is None or not x.ndim:
        x = reshape(x, to=(x.size,))
    return x, 0 if axis is None else normalize_axis_index(axis, x.ndim)


@implements(numpy.flip)
def flip(m: Any, axis: Any = None) -> Array:
    """`m` in the other direction along some axes (None: all); a view, as NumPy's."""
    x = recorded(m)
    turned = range(x.ndim) if axis is None else normalize_axis_tuple(axis, x.ndim)
    return get(x, tuple(REVERSED if i in turned else EVERYTHING for i in range(x.ndim)))


@implements(numpy.fliplr)
def fliplr(m: Any) -> Array:
    """`m` with its columns in the other order."""
    x = recorded(m)
    if x.ndim < 2:
        raise ValueError("Input must be >= 2-d.")
    return get(x, (EVERYTHING, REVERSED))


@implements(numpy.flipud)
def flipud(m: Any) -> Array:
    """`m` with its rows in the other order."""
    x = recorded(m)
    if x.ndim < 1:
        raise ValueError("Input must be >= 1-d.")
    return get(x, (REVERSED,))


@implements(numpy.rot90)
def rot90(m: Any, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Array:
    """`m` turned by `k` quarters in the plane of two axes."""
    x = recorded(m)
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    if not all(-x.ndim <= a < x.ndim for a in axes):
        raise ValueError(f"Axes={axes} out of range for array of ndim={x.ndim}.")
    first, second = (a % x.ndim for a in axes)
    if first == second:
        raise ValueError("Axes must be different.")
    turns = k % 4
    if turns == 0:
        return get(x, (EVERYTHING,))
    if turns == 2:
        return flip(x, (first, second))
    if turns == 1:
        return swapaxes(flip(x, second), first, second)
    return flip(swapaxes(x, first, second), second)


@implements(numpy.roll)
def roll(a: Any, shift: Any, axis: Any = None) -> Array:
    """`a` moved on along axes (None: as if raveled), round the end."""
    x = recorded(a)
    shift = known(shift, "how far to roll")
    if axis is None:
        total = sum(map(int, numpy.ravel(shift)))
        return reshape(roll_op(reshape(x, to=(x.size,)), shift=(total,), axis=(0,)), to=x.shape)
    axes = normalize_axis_tuple(axis, x.ndim, allow_duplicate=True)
    pairs = numpy.broadcast(shift, axes)
    if pairs.ndim > 1:
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    shifts, places = (
        zip(*((int(s), int(i)) for s, i in pairs), strict=True) if pairs.size else ((), ())
    )
    return roll_op(x, shift=shifts, axis=places) if places else duplicate(x)


@implements(numpy.repeat)
def repeat(a: Any, repeats: Any, axis: int | None = None) -> Array:
    """Every element of `a` several times, along an axis (None: of the raveled array)."""
    x = recorded(a)
    counts = numpy.asarray(known(repeats, "how often to repeat"))
    x, axis = selected_along(x, axis)
    shape = x.shape
    if counts.size != 1:
        return rows(x, numpy.repeat(numpy.arange(shape[axis]), counts), axis)
    count = index(counts.reshape(())[()])
    if count < 0:
        raise ValueError("repeats may not contain negative values.")
    lead, rest = shape[: axis + 1], shape[axis + 1 :]
    spread = broadcast_to(reshape(x, to=(*lead, 1, *rest)), to=(*lead, count, *rest))
    return reshape(spread, to=(*shape[:axis], shape[axis] * count, *rest))


@implements(numpy.tile)
def tile(A: Any, reps: Any) -> Array:
    """`A` laid side by side as often as `reps` says for each axis."""
    x = recorded(A)
    times = shape_of(reps, "how often to repeat")
    ndim = max(x.ndim, len(times))
    shape = (1,) * (ndim - x.ndim) + x.shape
    times = (1,) * (ndim - len(times)) + times
    pairs = list(zip(times, shape, strict=True))
    split = reshape(x, to=tuple(n for _, length in pairs for n in (1, length)))
    spread = broadcast_to(split, to=tuple(n for pair in pairs for n in pair))
    return duplicate(reshape(spread, to=tuple(count * length for count, length in pairs)))


@implements(numpy.resize)
def resize(a: Any, new_shape: Any) -> Array:
    """The elements of `a`, over and over again, in a new shape."""
    x = recorded(a)
    to = shape_of(new_shape, "a shape")
    if any(n < 0 for n in to):
        raise ValueError("all elements of `new_shape` must be non-negative")
    if x.size == 0 or math.prod(to) == 0:
        return untracked(numpy.zeros(to, dtype=x.dtype))
    return rows(reshape(x, to=(x.size,)), numpy.resize(numpy.arange(x.size), to), 0)


@implements(numpy.delete)
def delete(arr: Any, obj: Any, axis: int | None = None) -> Array:
    """`arr` without the slices that `obj` names along an axis (None: of the raveled array)."""
    x = recorded(arr)
    if axis is None:
        x, axis = reshape(x, to=(x.size,)), 0
    axis = normalize_axis_index(axis, x.ndim)
    kept = numpy.delete(numpy.arange(x.shape[axis]), known(obj, "what to delete"))
    return rows(x, kept, axis)


@implements(numpy.insert)
def insert(arr: Any, obj: Any, values: Any, axis: int | None = None) -> Array:
    """`arr` with `values` put in before the places `obj` along an axis."""
    x = recorded(arr)
    if axis is None:
        x, axis = reshape(x, to=(x.size,)), 0
    axis = normalize_axis_index(axis, x.ndim)
    length = x.shape[axis]
    where = known(obj, "where to insert")
    one = not isinstance(where, slice) and numpy.ndim(where) == 0
    if isinstance(where, slice):
        where = numpy.arange(length)[where]
    elif numpy.asarray(where).dtype == bool:
        where = numpy.flatnonzero(where)
    values = as_dtype(recorded(values), x.dtype)
    if values.ndim < x.ndim:
        values = reshaped(values, (1,) * (x.ndim - values.ndim) + values.shape)
    if one:  # NumPy takes the first axis of the values as that of insertion
        values = numpy.moveaxis(values, 0, axis) if axis else values
        count = values.shape[axis]
    else:
        count = numpy.size(where)
        if count == 1:
            count = values.shape[axis]
    values = broadcast_to(values, to=(*x.shape[:axis], count, *x.shape[axis + 1 :]))
    order = numpy.insert(numpy.arange(length), where, length + numpy.arange(count))
    return rows(concat(x, values, axis=axis), order, axis)


@implements(numpy.trim_zeros)
def trim_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> Array:
    """`filt` without the zeros at its beginning and end."""
    x = recorded(filt)
    data = numpy.asarray(known(x, "trim_zeros, which looks for zeros,"))
    trim = trim.lower()
    if trim not in ("fb", "bf", "f", "b"):
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    axes = range(x.ndim) if axis is None else normalize_axis_tuple(axis, x.ndim)
    key = []
    for i in range(x.ndim):
        others = tuple(k for k in range(x.ndim) if k != i)
        places = numpy.flatnonzero((data != 0).any(axis=others))
        first, last = (places[0], places[-1] + 1) if places.size else (x.shape[i],) * 2
        start = int(first) if "f" in trim and i in axes else 0
        stop = int(last) if "b" in trim and i in axes else x.shape[i]
        if not places.size and i in axes:
            start = stop = 0
        key.append(slice(start, stop))
    return get(x, tuple(key))


@implements(numpy.meshgrid)
def meshgrid(
    *xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy"
) -> tuple[Array, ...]:
    """Coordinate arrays of a grid, from the coordinates along each axis."""
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    xs = [recorded(x) for x in xi]
    axes = list(range(len(xs)))
    if indexing == "xy" and len(xs) > 1:
        axes[:2] = 1, 0
    grids = [
        reshaped(x, tuple(x.size if k == i else 1 for k in range(len(xs))))
        for i, x in zip(axes, xs, strict=True)
    ]
    if not sparse and grids:
        grids = list(np.broadcast_arrays(*grids))
    return tuple(duplicate(g) for g in grids) if copy else tuple(grids)
