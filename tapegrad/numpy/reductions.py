"""Reductions: sums, products, extremes, truth values and positions."""

from __future__ import annotations

import warnings
from typing import Any

import numpy
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from ..backend import is_inexact, on_device
from ..core.array import Array
from ..ops import linear, locate, reduce
from ..ops.linear import broadcast_to, cast, reshape
from ..ops.selection import maximum, minimum, where
from .dispatch import implements
from .operands import operand, ravel
from .reading import is_mapped
from .ufuncs import store

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "count_nonzero",
    "max",
    "min",
    "prod",
    "ptp",
    "sum",
]

Axis = int | tuple[int, ...] | None

ALL_AXES = [tuple(range(n)) for n in range(65)]


def axes_of(axis: Axis, ndim: int) -> tuple[int, ...]:
    """`axis` as a sorted tuple of axes that are not negative."""
    if axis is None:
        return ALL_AXES[ndim]
    if type(axis) is int and -ndim <= axis < ndim:
        return (axis % ndim,)
    if ndim == 0 and axis in (0, -1):
        return ()  # NumPy's ufuncs let a scalar be reduced
    return tuple(sorted(normalize_axis_tuple(axis, ndim)))


def given(value: Any) -> bool:
    """Whether an argument was given: NumPy has a default of its own beside None."""
    return value is not None and value is not numpy._NoValue


def kept(keepdims: Any) -> bool:
    return keepdims is not numpy._NoValue and bool(keepdims)


def typed(x: Any, dtype: Any) -> Any:
    """`x` in the dtype that a reduction is asked to compute in.

    So is its result, for NumPy by itself adds up small integers and booleans in large ones.
    """
    return x if dtype is None else cast(operand(x), numpy.dtype(dtype))


def masked(x: Any, mask: Any, fill: Any) -> Any:
    """`x` with `fill` where the argument `where=` of a reduction is false."""
    if mask is True or mask is numpy._NoValue:
        return x
    mask = mask_for(x, mask)
    return where(mask, x, fill)


def mask_for(x: Any, mask: Any) -> Any:
    """The argument `where=` in the shape of `x`."""
    mask = operand(mask)
    if numpy.broadcast_shapes(mask.shape, x.shape) != x.shape:
        raise ValueError(
            f"where= of shape {mask.shape} does not broadcast to the array's shape {x.shape}."
        )
    return broadcast_to(mask, to=x.shape)


def values_of(x: Any) -> Any:
    """The values of `x`, or None where they are not known, or to be waited for on a device."""
    values = x.raw if isinstance(x, Array) else x
    return None if is_mapped(x) or on_device(values) else values


def warn(message: str) -> None:
    warnings.warn(message, RuntimeWarning, stacklevel=4)


def start(initial: Any, dtype: Any) -> Any:
    """The argument `initial=` in the dtype that a reduction computes in."""
    return cast(operand(initial), dtype)


def sum_of_all(a: Array) -> Array:
    """The sum of all elements."""
    return linear.sum(a, axis=ALL_AXES[a.raw.ndim], keepdims=False)


@implements(numpy.sum, short=sum_of_all)
def sum(
    a: Any,
    axis: Axis = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    if type(a) is Array and dtype is out is None and where is True and not given(initial):
        return linear.sum(a, axis=axes_of(axis, a.raw.ndim), keepdims=kept(keepdims))
    a = masked(typed(operand(a), dtype), where, 0)
    result = typed(linear.sum(a, axis=axes_of(axis, a.ndim), keepdims=kept(keepdims)), dtype)
    if given(initial):
        result = result + start(initial, result.dtype)
    return store("sum", typed(result, dtype), out)


@implements(numpy.prod)
def prod(
    a: Any,
    axis: Axis = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    a = masked(typed(operand(a), dtype), where, 1)
    result = typed(reduce.prod(a, axis=axes_of(axis, a.ndim), keepdims=kept(keepdims)), dtype)
    if given(initial):
        result = result * start(initial, result.dtype)
    return store("prod", typed(result, dtype), out)


def squeezed(x: Any, shape: tuple[int, ...], axis: tuple[int, ...], keepdims: bool) -> Any:
    """A result that has the reduced axes, without them unless `keepdims`."""
    return x if keepdims else reshape(x, to=reduce.kept_out(shape, axis))


def floating(x: Any) -> Any:
    """`x` in a dtype of floating point."""
    return x if is_inexact(x.dtype) else cast(x, numpy.dtype(float))


def extreme(
    operation: Any, larger: Any, a: Any, axis: Axis, keepdims: Any, initial: Any, where: Any
) -> Any:
    """The largest or smallest element; `larger` gives that of two."""
    a = operand(a)
    if not (where is True or where is numpy._NoValue):
        if not given(initial):
            name = "maximum" if larger is maximum else "minimum"
            raise ValueError(
                f"reduction operation {name!r} does not have an identity, so to use a where mask "
                "one has to specify 'initial'"
            )
        a = masked(a, where, start(initial, a.dtype))
    axis = axes_of(axis, a.ndim)
    keepdims = kept(keepdims)
    if given(initial):
        initial = start(initial, a.dtype)
    if given(initial) and not reduce.count(a.shape, axis):
        shape = tuple(1 if i in axis else n for i, n in enumerate(a.shape))
        return squeezed(broadcast_to(initial, to=shape), a.shape, axis, keepdims)
    result = operation(a, axis=axis, keepdims=keepdims)
    return larger(result, initial) if given(initial) else result


@implements(numpy.max, numpy.amax)
def max(
    a: Any,
    axis: Axis = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    return store("max", extreme(reduce.amax, maximum, a, axis, keepdims, initial, where), out)


@implements(numpy.min, numpy.amin)
def min(
    a: Any,
    axis: Axis = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    return store("min", extreme(reduce.amin, minimum, a, axis, keepdims, initial, where), out)


amax = max
amin = min


@implements(numpy.ptp)
def ptp(a: Any, axis: Axis = None, out: Any = None, keepdims: Any = False) -> Any:
    a = operand(a)
    axis = axes_of(axis, a.ndim)
    keepdims = kept(keepdims)
    highest = reduce.amax(a, axis=axis, keepdims=keepdims)
    return store("ptp", highest - reduce.amin(a, axis=axis, keepdims=keepdims), out)


@implements(numpy.all)
def all(
    a: Any, axis: Axis = None, out: Any = None, keepdims: Any = False, *, where: Any = True
) -> Any:
    a = masked(operand(a), where, True)
    return store(
        "all", locate.all_true(a, axis=axes_of(axis, a.ndim), keepdims=kept(keepdims)), out
    )


@implements(numpy.any)
def any(
    a: Any, axis: Axis = None, out: Any = None, keepdims: Any = False, *, where: Any = True
) -> Any:
    a = masked(operand(a), where, False)
    return store(
        "any", locate.any_true(a, axis=axes_of(axis, a.ndim), keepdims=kept(keepdims)), out
    )


@implements(numpy.count_nonzero)
def count_nonzero(a: Any, axis: Axis = None, *, keepdims: bool = False) -> Any:
    a = operand(a)
    return locate.count_nonzero(a, axis=axes_of(axis, a.ndim), keepdims=kept(keepdims))


def position(operation: Any, a: Any, axis: int | None, keepdims: Any) -> Any:
    """Where the extreme is, along an axis or in C order."""
    a = operand(a)
    keepdims = kept(keepdims)
    if axis is not None:
        if a.ndim == 0:
            normalize_axis_index(axis, 1)
            a = ravel(a)
            return reshape(operation(a, axis=0, keepdims=False), to=())
        return operation(a, axis=normalize_axis_index(axis, a.ndim), keepdims=keepdims)
    result = operation(ravel(a), axis=0, keepdims=False)
    return reshape(result, to=(1,) * a.ndim) if keepdims else result


@implements(numpy.argmax)
def argmax(a: Any, axis: int | None = None, out: Any = None, *, keepdims: Any = False) -> Any:
    return store("argmax", position(locate.argmax, a, axis, keepdims), out)


@implements(numpy.argmin)
def argmin(a: Any, axis: int | None = None, out: Any = None, *, keepdims: Any = False) -> Any:
    return store("argmin", position(locate.argmin, a, axis, keepdims), out)
