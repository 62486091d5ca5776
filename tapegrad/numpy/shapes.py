"""Shapes and axes: reshape, transpose, squeeze, broadcast and their like.

Where NumPy gives a view, these link their result to the argument, so that writes to one are seen in
the other.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Sequence
from operator import index
from typing import Any

import numpy
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from ..core.array import Array, untracked
from ..core.mutation import view_of
from ..ops.linear import broadcast_to as broadcast_op
from ..ops.linear import permute_dims as permute_op
from ..ops.linear import reshape as reshape_op
from .creation import duplicate
from .dispatch import implements
from .lists import assembled
from .reading import known

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_arrays",
    "broadcast_to",
    "expand_dims",
    "matrix_transpose",
    "moveaxis",
    "permute_dims",
    "ravel",
    "reshape",
    "rollaxis",
    "squeeze",
    "swapaxes",
    "transpose",
]


def recorded(x: Any) -> Array:
    """An argument as an `Array`: lists may have recorded arrays in them."""
    if isinstance(x, Array):
        return x
    x = assembled(x)
    return x if isinstance(x, Array) else untracked(x)


def viewed(function: Any, x: Array, **params: Any) -> Array:
    """A structural operation of `x`, linked to it where NumPy made a view."""
    return view_of(x, function.op, params, function(x, **params))


def shape_of(shape: Any, what: str) -> tuple[int, ...]:
    """A shape as a tuple of integers."""
    shape = known(shape, what)
    return (
        tuple(map(index, shape)) if isinstance(shape, Sequence | numpy.ndarray) else (index(shape),)
    )


def reshaped(x: Array, to: tuple[int, ...]) -> Array:
    """`x` in the shape `to`, in C order."""
    return viewed(reshape_op, x, to=to)


def permuted(x: Array, axes: tuple[int, ...]) -> Array:
    """`x` with axis `axes[i]` as its axis i."""
    return viewed(permute_op, x, axes=axes)


@implements(numpy.reshape)
def reshape(
    a: Any, /, shape: Any, order: str = "C", *, newshape: Any = None, copy: bool | None = None
) -> Array:
    """`a` in another shape; `order` is "C", "F" or "A"."""
    x = recorded(a)
    to = filled_in(x, shape_of(shape, "a shape"))
    fortran = order == "F" or (order == "A" and is_fortran(x))
    if order not in ("C", "F", "A"):
        raise ValueError("order must be one of 'C', 'F', or 'A'")
    result = (
        permuted(reshaped(reversed_axes(x), to[::-1]), axes_reversed(to))
        if fortran
        else (reshaped(x, to))
    )
    if copy:
        return duplicate(result)
    if copy is False and isinstance(x.raw, numpy.ndarray) and not is_view(result, x):
        raise ValueError("Unable to avoid creating a copy while reshaping as requested.")
    return result


def filled_in(x: Array, to: tuple[int, ...]) -> tuple[int, ...]:
    """A shape for the elements of `x`, with its -1 worked out."""
    if -1 in to:
        rest = math.prod(n for n in to if n != -1)
        if to.count(-1) == 1 and rest and not x.size % rest:
            return tuple(x.size // rest if n == -1 else n for n in to)
    elif math.prod(to) == x.size and min(to, default=0) >= 0:
        return to
    numpy.empty(x.shape, numpy.bool_).reshape(to)  # raises
    raise ValueError(f"cannot reshape array of size {x.size} into shape {to}")


def is_fortran(x: Array) -> bool:
    flags = numpy.asarray(x.raw).flags
    return flags.f_contiguous and not flags.c_contiguous


def is_view(result: Array, x: Array) -> bool:
    return numpy.may_share_memory(numpy.asarray(result.raw), numpy.asarray(x.raw))


def axes_reversed(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(range(len(shape) - 1, -1, -1))


def reversed_axes(x: Array) -> Array:
    """The transpose of `x`."""
    return permuted(x, axes_reversed(x.shape))


@implements(numpy.ravel)
def ravel(a: Any, order: str = "C") -> Array:
    """The elements of `a` in one dimension; `order` is "C", "F", "A" or "K"."""
    x = recorded(a)
    if order == "K":
        strides = numpy.asarray(x.raw).strides
        outermost_first = sorted(builtins.range(x.ndim), key=lambda i: -builtins.abs(strides[i]))
        x = permuted(x, tuple(outermost_first))
    elif order == "F" or (order == "A" and is_fortran(x)):
        x = reversed_axes(x)
    elif order not in ("C", "A"):
        raise ValueError("order must be one of 'C', 'F', 'A', or 'K'")
    if numpy.asarray(x.raw).flags.c_contiguous:
        return reshaped(x, (x.size,))
    return reshape_op(x, to=(x.size,))  # a copy, where `reshape` may find a view


@implements(numpy.transpose, numpy.permute_dims)
def transpose(a: Any, axes: Any = None) -> Array:
    """`a` with its axes reversed, or in the order `axes`."""
    x = recorded(a)
    if axes is None:
        return reversed_axes(x)
    axes = tuple(map(index, axes))
    if len(axes) != x.ndim:
        raise ValueError("axes don't match array")
    normal = tuple(normalize_axis_index(i, x.ndim) for i in axes)
    if len(set(normal)) != len(normal):
        raise ValueError("repeated axis in transpose")
    return permuted(x, normal)


permute_dims = transpose


@implements(numpy.matrix_transpose, numpy.linalg.matrix_transpose)
def matrix_transpose(x: Any, /) -> Array:
    """`x` with its last two axes exchanged."""
    x = recorded(x)
    if x.ndim < 2:
        raise ValueError(f"Input array must be at least 2-dimensional, but it is {x.ndim}")
    return swapaxes(x, -1, -2)


@implements(numpy.swapaxes)
def swapaxes(a: Any, axis1: int, axis2: int) -> Array:
    """`a` with two axes exchanged."""
    x = recorded(a)
    axes = list(range(x.ndim))
    i, j = normalize_axis_index(axis1, x.ndim), normalize_axis_index(axis2, x.ndim)
    axes[i], axes[j] = j, i
    return permuted(x, tuple(axes))


@implements(numpy.moveaxis)
def moveaxis(a: Any, source: Any, destination: Any) -> Array:
    """`a` with axes moved to other places, the others in their order."""
    x = recorded(a)
    sources = normalize_axis_tuple(source, x.ndim, "source")
    destinations = normalize_axis_tuple(destination, x.ndim, "destination")
    if len(sources) != len(destinations):
        raise ValueError(
            "`source` and `destination` arguments must have the same number of elements"
        )
    axes = [i for i in range(x.ndim) if i not in sources]
    for place, i in sorted(zip(destinations, sources, strict=True)):
        axes.insert(place, i)
    return permuted(x, tuple(axes))


@implements(numpy.rollaxis)
def rollaxis(a: Any, axis: int, start: int = 0) -> Array:
    """`a` with an axis moved to before `start`."""
    x = recorded(a)
    axis = normalize_axis_index(axis, x.ndim)
    start = normalize_axis_index(start + x.ndim if start < 0 else start, x.ndim + 1)
    axes = [i for i in range(x.ndim) if i != axis]
    axes.insert(start - (axis < start), axis)
    return permuted(x, tuple(axes))


@implements(numpy.expand_dims)
def expand_dims(a: Any, axis: Any) -> Array:
    """`a` with new axes of length 1."""
    x = recorded(a)
    count = x.ndim + (len(axis) if isinstance(axis, tuple | list) else 1)
    if type(axis) is int and -count <= axis < count:  # most often
        shape = x.raw.shape
        axis %= count
        return reshaped(x, (*shape[:axis], 1, *shape[axis:]))
    new = normalize_axis_tuple(axis, count)
    rest = iter(x.shape)
    return reshaped(x, tuple(1 if i in new else next(rest) for i in range(count)))


@implements(numpy.squeeze)
def squeeze(a: Any, axis: Any = None) -> Array:
    """`a` without axes of length 1."""
    x = recorded(a)
    if axis is None:
        return reshaped(x, tuple(n for n in x.shape if n != 1))
    if not x.ndim and not isinstance(axis, tuple):
        normalize_axis_index(axis, 1)  # NumPy takes a number for a vector, if not in a tuple
        return reshaped(x, ())
    gone = normalize_axis_tuple(axis, x.ndim)
    if any(x.shape[i] != 1 for i in gone):
        raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    return reshaped(x, tuple(n for i, n in enumerate(x.shape) if i not in gone))


@implements(numpy.broadcast_to)
def broadcast_to(array: Any, shape: Any, subok: bool = False) -> Array:
    """`array` repeated up to a shape; read-only, as NumPy's."""
    return viewed(broadcast_op, recorded(array), to=shape_of(shape, "a shape"))


@implements(numpy.broadcast_arrays)
def broadcast_arrays(*args: Any, subok: bool = False) -> tuple[Array, ...]:
    """All arrays, broadcast against each other."""
    arrays = [recorded(x) for x in args]
    shape = numpy.broadcast_shapes(*(x.shape for x in arrays))
    return tuple(x if x.shape == shape else broadcast_to(x, shape) for x in arrays)


def at_least(ndim: int, x: Array) -> Array:
    """`x` with axes of length 1 where NumPy's `atleast_...d` puts them."""
    shape = x.shape
    if len(shape) >= ndim:
        return x
    if ndim == 3 and shape:
        return reshaped(x, (1, *shape, 1) if len(shape) == 1 else (*shape, 1))
    return reshaped(x, (1,) * (ndim - len(shape)) + shape)


def at_least_function(original: Any, ndim: int) -> Callable[..., Any]:
    @implements(original)
    def function(*arrays: Any) -> Any:
        results = tuple(at_least(ndim, recorded(x)) for x in arrays)
        return results[0] if len(results) == 1 else results

    return function


atleast_1d = at_least_function(numpy.atleast_1d, 1)
atleast_2d = at_least_function(numpy.atleast_2d, 2)
atleast_3d = at_least_function(numpy.atleast_3d, 3)
