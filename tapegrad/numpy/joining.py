"""Joining and splitting arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from operator import index
from typing import Any

import numpy
from numpy.lib.array_utils import normalize_axis_index

from ..core.array import Array
from ..ops.index import EVERYTHING
from ..ops.join import concat as concat_op
from ..ops.join import stack as stack_op
from .dispatch import implements, np
from .reading import known
from .shapes import at_least, recorded, reshaped, reversed_axes
from .subscript import get
from .ufuncs import as_dtype, store

__all__ = [
    "append",
    "array_split",
    "block",
    "column_stack",
    "concat",
    "concatenate",
    "dsplit",
    "dstack",
    "hsplit",
    "hstack",
    "row_stack",
    "split",
    "stack",
    "unstack",
    "vsplit",
    "vstack",
]


def listed(name: str, arrays: Any) -> list[Array]:
    """The arrays of a sequence (or the rows of an array)."""
    if not isinstance(arrays, Iterable):
        raise TypeError(f"numpy.{name}: arrays must be a sequence, not {type(arrays).__name__}")
    return [recorded(x) for x in arrays]


def joined(
    name: str, operation: Any, arrays: list[Array], axis: int, out: Any, dtype: Any, casting: str
) -> Any:
    """Join arrays by `concat` or `stack`, with NumPy's options."""
    if dtype is not None:
        if out is not None:
            raise TypeError(
                f"{name}() only takes `out` or `dtype` as an argument, but both were provided."
            )
        for x in arrays:
            if not np.can_cast(x.dtype, dtype, casting):
                raise TypeError(
                    f"Cannot cast array data from {x.dtype!r} to {numpy.dtype(dtype)!r} according "
                    f"to the rule {casting!r}"
                )
        arrays = [as_dtype(x, numpy.dtype(dtype)) for x in arrays]
    return store(name, operation(*arrays, axis=axis), out)


@implements(numpy.concatenate)
def concatenate(
    arrays: Any,
    /,
    axis: int | None = 0,
    out: Any = None,
    *,
    dtype: Any = None,
    casting: str = "same_kind",
) -> Any:
    """Arrays one after the other along an axis; all raveled where `axis` is None."""
    xs = listed("concatenate", arrays)
    if not xs:
        raise ValueError("need at least one array to concatenate")
    if axis is None:
        xs, axis = [reshaped(x, (x.size,)) for x in xs], 0
    elif any(x.ndim == 0 for x in xs):
        raise ValueError("zero-dimensional arrays (at position 0) cannot be concatenated")
    axis = normalize_axis_index(axis, xs[0].ndim)
    return joined("concatenate", concat_op, xs, axis, out, dtype, casting)


concat = concatenate


@implements(numpy.stack)
def stack(
    arrays: Any, axis: int = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind"
) -> Any:
    """Arrays of one shape along a new axis."""
    xs = listed("stack", arrays)
    if not xs:
        raise ValueError("need at least one array to stack")
    if len({x.shape for x in xs}) > 1:
        raise ValueError("all input arrays must have the same shape")
    axis = normalize_axis_index(axis, xs[0].ndim + 1)
    return joined("stack", stack_op, xs, axis, out, dtype, casting)


@implements(numpy.vstack)
def vstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    """Arrays one below the other."""
    rows = [at_least(2, x) for x in listed("vstack", tup)]
    return concatenate(rows, 0, dtype=dtype, casting=casting)


row_stack = vstack


@implements(numpy.hstack)
def hstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    """Arrays beside each other."""
    xs = [at_least(1, x) for x in listed("hstack", tup)]
    return concatenate(xs, int(bool(xs) and xs[0].ndim > 1), dtype=dtype, casting=casting)


@implements(numpy.dstack)
def dstack(tup: Any) -> Any:
    """Arrays along a third axis."""
    return concatenate([at_least(3, x) for x in listed("dstack", tup)], 2)


@implements(numpy.column_stack)
def column_stack(tup: Any) -> Any:
    """Vectors as the columns of a matrix."""
    xs = listed("column_stack", tup)
    return concatenate([x if x.ndim > 1 else reversed_axes(at_least(2, x)) for x in xs], 1)


@implements(numpy.block)
def block(arrays: Any) -> Any:
    """An array from nested lists of blocks."""
    depth, ndim = measured(arrays)
    result = assembled_blocks(arrays, depth, max(depth, ndim))
    return result.copy() if depth == 0 else result


def measured(arrays: Any) -> tuple[int, int]:
    """How deep a nested list of blocks is, and the most axes that a block has."""
    if isinstance(arrays, tuple):
        raise TypeError(
            "arrays is a tuple. Only lists can be used to arrange blocks, and np.block does not "
            "allow implicit conversion from tuple to ndarray."
        )
    if not isinstance(arrays, list):
        return 0, numpy.ndim(arrays)
    if not arrays:
        raise ValueError("List at arrays cannot be empty")
    inner = [measured(part) for part in arrays]
    depths = {depth for depth, _ in inner}
    if len(depths) > 1:
        raise ValueError(f"List depths are mismatched: {sorted(depths)} occur in one list.")
    return depths.pop() + 1, max(ndim for _, ndim in inner)


def assembled_blocks(arrays: Any, depth: int, ndim: int) -> Any:
    if depth == 0:
        x = recorded(arrays)
        return reshaped(x, (1,) * (ndim - x.ndim) + x.shape) if x.ndim < ndim else x
    return concatenate([assembled_blocks(part, depth - 1, ndim) for part in arrays], -depth)


@implements(numpy.append)
def append(arr: Any, values: Any, axis: int | None = None) -> Any:
    """`arr` followed by `values`; both raveled where `axis` is None."""
    return concatenate((recorded(arr), recorded(values)), axis)


@implements(numpy.array_split)
def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    """Pieces of an array, of almost equal length or cut at indices; views, as NumPy's."""
    x = recorded(ary)
    cuts = known(indices_or_sections, "where to split")
    axis = normalize_axis_index(axis, x.ndim)
    length = x.shape[axis]
    if numpy.ndim(cuts):
        ends = [0, *map(index, cuts), length]
    else:
        sections = int(cuts)
        if sections <= 0:
            raise ValueError("number sections must be larger than 0.")
        each, extra = divmod(length, sections)
        ends = [i * each + min(i, extra) for i in range(sections + 1)]
    lead = (EVERYTHING,) * axis
    return [get(x, (*lead, slice(start, stop))) for start, stop in pairwise(ends)]


@implements(numpy.split)
def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    """As `array_split`, but into equal pieces only."""
    x = recorded(ary)
    cuts = known(indices_or_sections, "where to split")
    if not numpy.ndim(cuts) and x.shape[axis] % int(cuts):
        raise ValueError("array split does not result in an equal division")
    return array_split(x, cuts, axis)


def splitter(original: Any, least: int, axis_of: Callable[[int], int]) -> Callable[..., Any]:
    """`hsplit` and its like: a split along an axis that the number of axes decides."""
    name = original.__name__

    @implements(original)
    def function(ary: Any, indices_or_sections: Any) -> list[Array]:
        x = recorded(ary)
        if x.ndim < least:
            raise ValueError(f"{name} only works on arrays of {least} or more dimensions")
        return split(x, indices_or_sections, axis_of(x.ndim))

    return function


hsplit = splitter(numpy.hsplit, 1, lambda ndim: int(ndim > 1))
vsplit = splitter(numpy.vsplit, 2, lambda ndim: 0)
dsplit = splitter(numpy.dsplit, 3, lambda ndim: 2)


@implements(numpy.unstack)
def unstack(x: Any, /, *, axis: int = 0) -> tuple[Array, ...]:
    """The slices of an array along an axis."""
    x = recorded(x)
    if x.ndim == 0:
        raise ValueError("Input array must be at least 1-d.")
    axis = normalize_axis_index(axis, x.ndim)
    lead = (EVERYTHING,) * axis
    return tuple(get(x, (*lead, i)) for i in range(x.shape[axis]))
