"""Functions that read elements at indices and by masks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
from numpy.lib.array_utils import normalize_axis_index

from ..backend import python_numbers
from ..core.array import Array
from ..ops.index import ARRAY, getitem
from ..ops.linear import reshape
from .dispatch import functions, implements, np
from .lists import assembled
from .reading import is_mapped, known, on_shapes, on_values
from .rearranging import rows, selected_along
from .shapes import recorded
from .subscript import readable
from .ufuncs import as_dtype, store

__all__ = [
    "choose",
    "compress",
    "extract",
    "ix_",
    "piecewise",
    "select",
    "take",
    "take_along_axis",
    "unravel_index",
]


def places(indices: Any, length: int, mode: str) -> Any:
    """Integer indices into `length` elements, brought into the range where `mode` says how."""
    array = readable(indices)
    if array.dtype == bool:
        array = array.astype(numpy.intp)
    if mode == "wrap":
        return array % length
    if mode == "clip":
        return np.clip(array, 0, length - 1)
    if mode != "raise":
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    return array


@implements(numpy.take)
def take(
    a: Any, indices: Any, axis: int | None = None, out: Any = None, mode: str = "raise"
) -> Any:
    """The slices of `a` at `indices` along an axis (None: the elements of the raveled array)."""
    x, axis = selected_along(recorded(a), axis)
    return store("take", rows(x, places(indices, x.shape[axis], mode), axis), out)


def beside(indices: Any, shape: tuple[int, ...], axis: int) -> list[Any]:
    """`indices` along an axis, with the index arrays of all other axes beside them."""
    ndim = len(shape)
    if indices.ndim != ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    return [
        indices if i == axis else numpy.arange(n).reshape((1,) * i + (n,) + (1,) * (ndim - i - 1))
        for i, n in enumerate(shape)
    ]


def along(x: Any, indices: Any, axis: int | None) -> tuple[Any, Any, int]:
    """Array, indices and axis of `take_along_axis`, checked; raveled where the axis is None."""
    indices = readable(indices)
    if indices.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    if axis is None:
        if indices.ndim != 1:
            raise ValueError("when axis=None, `indices` must have a single dimension.")
        return np.reshape(x, (x.size,)), indices, 0
    return x, indices, normalize_axis_index(axis, x.ndim)


@implements(numpy.take_along_axis)
def take_along_axis(arr: Any, indices: Any, axis: int | None = -1) -> Any:
    """Elements of `arr` at places along an axis that differ between its other axes."""
    x, indices, axis = along(recorded(arr), indices, axis)
    return getitem(x, *beside(indices, x.shape, axis), key=(ARRAY,) * x.ndim)


@implements(numpy.choose)
def choose(a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Any:
    """Element by element, the one of the `choices` that `a` numbers."""
    options = np.broadcast_arrays(recorded(a), *(recorded(c) for c in choices))
    number, *options = options
    count = len(options)
    number = places(number, count, mode)
    if mode == "raise" and not is_mapped(number):
        values = numpy.asarray(known(number, "choose"))
        if values.size and (values.min() < 0 or values.max() >= count):
            raise ValueError("invalid entry in choice array")
    stacked = np.stack(options)
    first = beside(reshape(number, to=(1, *number.shape)), stacked.shape, 0)
    result = getitem(stacked, *first, key=(ARRAY,) * stacked.ndim)
    return store("choose", getitem(result, key=(0,)), out)


@implements(numpy.compress)
def compress(condition: Any, a: Any, axis: int | None = None, out: Any = None) -> Any:
    """The slices of `a` along an axis for which a condition holds."""
    mask = numpy.asarray(known(condition, "the shape of a selection by a condition"))
    if mask.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    x, axis = selected_along(recorded(a), axis)
    return store("compress", rows(x, numpy.flatnonzero(mask), axis), out)


@implements(numpy.extract)
def extract(condition: Any, arr: Any) -> Any:
    """The elements of `arr` for which a condition holds."""
    mask = numpy.asarray(known(condition, "the shape of a selection by a condition"))
    x = recorded(arr)
    return rows(reshape(x, to=(x.size,)), numpy.flatnonzero(mask), 0)


@implements(numpy.select)
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """Element by element, the choice that belongs to the first condition that holds."""
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if len(condlist) == 0:
        raise ValueError("select with an empty condition list is not possible")
    conditions = [assembled(c) for c in condlist]
    for i, condition in enumerate(conditions):
        if condition.dtype != bool:
            raise TypeError(f"invalid entry {i} in condlist: should be boolean ndarray")
    weak = [c if type(c) in python_numbers else assembled(c) for c in (*choicelist, default)]
    dtype = np.result_type(*weak)
    options = [recorded(c) for c in choicelist]
    result = as_dtype(recorded(default), dtype)
    for condition, option in zip(reversed(conditions), reversed(options), strict=True):
        result = np.where(condition, as_dtype(option, dtype), result)
    return result


@implements(numpy.piecewise)
def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    """`x` through the function (or number) of the last condition that holds; zero elsewhere.

    A function gets the elements that its condition chose. Where the conditions differ between the
    lanes of `vmap` it gets all elements, and must work element by element.
    """
    x = recorded(x)
    if not isinstance(condlist, list | tuple) or (
        not isinstance(condlist[0], list | tuple | numpy.ndarray | Array) and x.ndim
    ):
        condlist = [condlist]
    conditions = [assembled(c).astype(bool) for c in condlist]
    functions_given = list(funclist)
    if len(functions_given) == len(conditions) + 1:
        rest = conditions[0]
        for condition in conditions[1:]:
            rest = rest | condition
        conditions.append(~rest)
    elif len(functions_given) != len(conditions):
        raise ValueError(
            f"with {len(conditions)} condition(s), either {len(conditions)} or "
            f"{len(conditions) + 1} functions are expected"
        )
    y = recorded(numpy.zeros_like(x.raw))
    for condition, function in zip(conditions, functions_given, strict=True):
        y = piece(x, y, condition, function, args, kw)
    return y


def piece(x: Any, y: Any, condition: Any, function: Any, args: Any, kw: Any) -> Any:
    """`y` with one function's values where its condition holds."""
    if is_mapped(condition) or x.ndim == 0:
        value = function(x, *args, **kw) if callable(function) else function
        return np.where(condition, as_dtype(recorded(value), x.dtype), y)
    chosen = x[condition]
    if not callable(function):
        y[condition] = function
    elif chosen.size:
        y[condition] = function(chosen, *args, **kw)
    return y


@implements(numpy.ix_)
def ix_(*args: Any) -> tuple[Any, ...]:
    """Index arrays of a grid from sequences of indices."""
    arrays = []
    for i, arg in enumerate(args):
        if numpy.ndim(arg) != 1:
            raise ValueError("Cross index must be 1 dimensional")
        x = readable(arg)
        if x.dtype == bool:
            x = numpy.flatnonzero(known(x, "the shape of a selection by a mask"))
        arrays.append(np.reshape(x, (1,) * i + (x.size,) + (1,) * (len(args) - i - 1)))
    return tuple(arrays)


@implements(numpy.unravel_index)
def unravel_index(indices: Any, shape: Any, order: str = "C") -> tuple[Any, ...]:
    """The coordinates of elements that are numbered in the order of an array's memory."""
    if not is_mapped(indices):
        return on_values(numpy.unravel_index)(indices, shape, order)
    sizes: Sequence[int] = (shape,) if isinstance(shape, int) else shape
    coordinates = []
    for n in sizes if order == "F" else reversed(sizes):
        coordinates.append(indices % n)
        indices = indices // n
    return tuple(coordinates if order == "F" else reversed(coordinates))


functions.update(
    (function, on_shapes(function))
    for function in (
        numpy.diag_indices_from,
        numpy.tril_indices_from,
        numpy.triu_indices_from,
    )
)
functions[numpy.ravel_multi_index] = on_values(numpy.ravel_multi_index)
