"""Sorting and searching. What only gives positions has no derivative."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.lib.array_utils import normalize_axis_index

from ..backend import is_complex
from ..ops import sort as ops
from ..ops.index import ARRAY, getitem
from ..ops.linear import cast
from .dispatch import functions, implements
from .operands import operand, ravel
from .reading import on_values, read
from .reductions import values_of

__all__ = [
    "argpartition",
    "argsort",
    "digitize",
    "lexsort",
    "partition",
    "searchsorted",
    "sort",
    "sort_complex",
]

VALUES = (numpy.argwhere, numpy.flatnonzero, numpy.nonzero)
"""Positions whose number depends on the values."""

functions.update((function, on_values(function)) for function in VALUES)


def line(a: Any, axis: int | None) -> tuple[Any, int]:
    """An array and the axis to sort it along: of the elements in C order, if it is None."""
    a = operand(a)
    return (ravel(a), 0) if axis is None else (a, normalize_axis_index(axis, a.ndim))


def is_stable(kind: Any, order: Any, stable: bool | None) -> bool:
    """Whether the arguments of a sort ask that equal elements keep their order; checked."""
    if order is not None:
        raise ValueError("Cannot specify order when the array has no fields.")
    if kind is not None and stable is not None:
        raise ValueError("`kind` and `stable` parameters can't be provided at the same time.")
    if kind not in (None, "quicksort", "heapsort", "stable", "mergesort"):
        raise ValueError(
            f"sort kind must be one of 'quicksort', 'heapsort' or 'stable', not {kind!r}"
        )
    return bool(stable) or kind in ("stable", "mergesort")


@implements(numpy.sort)
def sort(
    a: Any,
    axis: int | None = -1,
    kind: Any = None,
    order: Any = None,
    *,
    stable: bool | None = None,
) -> Any:
    stable = is_stable(kind, order, stable)
    a, axis = line(a, axis)
    return ops.sort(a, axis=axis, stable=stable)


@implements(numpy.argsort)
def argsort(
    a: Any,
    axis: int | None = -1,
    kind: Any = None,
    order: Any = None,
    *,
    stable: bool | None = None,
) -> Any:
    stable = is_stable(kind, order, stable)
    a = operand(a)
    if a.ndim == 0:  # NumPy sorts no scalar, but gives the position of one
        a = ravel(a)
    a, axis = line(a, axis)
    return ops.argsort(a, axis=axis, stable=stable)


@implements(numpy.sort_complex)
def sort_complex(a: Any) -> Any:
    a, axis = line(a, -1)
    a = ops.sort(a, axis=axis)
    if is_complex(a.dtype):
        return a
    narrow = a.dtype.char in "bhBH"  # as NumPy has it: single precision becomes double
    return cast(a, numpy.dtype("F" if narrow else "G" if a.dtype.char == "g" else "D"))


def places(kth: Any, n: int) -> tuple[int, ...]:
    """The argument `kth` of a partition as a tuple of indices that are not negative."""
    wanted = numpy.atleast_1d(numpy.asarray(kth))
    if wanted.dtype.kind not in "iu":
        raise TypeError("Partition index must be integer")
    if not n:
        return (0,)  # of no elements, NumPy checks none
    for k in wanted:
        if not -n <= k < n:
            raise ValueError(f"kth(={k}) out of bounds ({n})")
    return tuple(int(k) % n for k in wanted)


@implements(numpy.partition)
def partition(
    a: Any, kth: Any, axis: int | None = -1, kind: str = "introselect", order: Any = None
) -> Any:
    is_stable(None, order, None)
    a, axis = line(a, axis)
    return ops.partition(a, axis=axis, kth=places(kth, a.shape[axis]))


@implements(numpy.argpartition)
def argpartition(
    a: Any, kth: Any, axis: int | None = -1, kind: str = "introselect", order: Any = None
) -> Any:
    is_stable(None, order, None)
    a, axis = line(a, axis)
    return ops.argpartition(a, axis=axis, kth=places(kth, a.shape[axis]))


@implements(numpy.lexsort)
def lexsort(keys: Any, axis: int = -1) -> Any:
    keys = [operand(key) for key in keys]
    if not keys:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    return ops.lexsort(*keys, axis=normalize_axis_index(axis, keys[0].ndim))


@implements(numpy.searchsorted)
def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    a = operand(a)
    if sorter is not None:
        a = getitem(a, operand(sorter), key=(ARRAY,))
    return ops.searchsorted(a, operand(v), side={"l": "left", "r": "right"}.get(side, side))


@implements(numpy.digitize)
def digitize(x: Any, bins: Any, right: bool = False) -> Any:
    x, bins = operand(x), operand(bins)
    if is_complex(x.dtype):
        raise TypeError("x may not be complex")
    values = values_of(bins)
    if values is None:
        values = read(bins, "the direction of numpy.digitize's bins")
    steps = numpy.diff(values)
    side = "left" if right else "right"
    if (steps >= 0).all():
        return ops.searchsorted(bins, x, side=side)
    if (steps > 0).any():
        raise ValueError("bins must be monotonically increasing or decreasing")
    flipped = getitem(bins, key=(slice(None, None, -1),))
    return bins.shape[0] - ops.searchsorted(flipped, x, side=side)
