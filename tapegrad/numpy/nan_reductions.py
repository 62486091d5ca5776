"""Reductions that leave NaN out: the cotangent of an element that is NaN is exactly zero."""

from __future__ import annotations

from typing import Any

import numpy

from ..backend import is_inexact
from ..ops import locate, reduce
from ..ops.comparison import isnan, logical_not
from ..ops.selection import fmax, fmin, where
from .dispatch import functions, implements
from .operands import operand
from .reductions import Axis, extreme, position, values_of
from .ufuncs import store

__all__ = [
    "nanargmax",
    "nanargmin",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
]


def filled(a: Any, fill: float) -> Any:
    """`a` with `fill` in place of NaN."""
    a = operand(a)
    return where(isnan(a), fill, a) if is_inexact(a.dtype) else a


def numbers(a: Any, mask: Any) -> Any:
    """The argument `where=` of a reduction that leaves NaN out."""
    if not is_inexact(a.dtype):
        return mask
    there = logical_not(isnan(a))
    return there if mask is True or mask is numpy._NoValue else there & mask


@implements(numpy.nansum)
def nansum(
    a: Any,
    axis: Axis = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    return functions[numpy.sum](filled(a, 0), axis, dtype, out, keepdims, initial, where)


@implements(numpy.nanprod)
def nanprod(
    a: Any,
    axis: Axis = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    return functions[numpy.prod](filled(a, 1), axis, dtype, out, keepdims, initial, where)


@implements(numpy.nanmean)
def nanmean(
    a: Any,
    axis: Axis = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    *,
    where: Any = True,
) -> Any:
    a = operand(a)
    return functions[numpy.mean](a, axis, dtype, out, keepdims, where=numbers(a, where))


@implements(numpy.nanvar)
def nanvar(
    a: Any,
    axis: Axis = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: Any = False,
    *,
    where: Any = True,
    mean: Any = None,
    correction: Any = None,
) -> Any:
    a = operand(a)
    mask = numbers(a, where)
    return functions[numpy.var](
        a, axis, dtype, out, ddof, keepdims, where=mask, mean=mean, correction=correction
    )


@implements(numpy.nanstd)
def nanstd(
    a: Any,
    axis: Axis = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: Any = False,
    *,
    where: Any = True,
    mean: Any = None,
    correction: Any = None,
) -> Any:
    a = operand(a)
    mask = numbers(a, where)
    return functions[numpy.std](
        a, axis, dtype, out, ddof, keepdims, where=mask, mean=mean, correction=correction
    )


@implements(numpy.nanmax)
def nanmax(
    a: Any,
    axis: Axis = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    return store("nanmax", extreme(reduce.nanmax, fmax, a, axis, keepdims, initial, where), out)


@implements(numpy.nanmin)
def nanmin(
    a: Any,
    axis: Axis = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    return store("nanmin", extreme(reduce.nanmin, fmin, a, axis, keepdims, initial, where), out)


def check_some_number(a: Any, axis: int | None) -> None:
    """Raise, where the values are known, if there is nothing but NaN."""
    values = values_of(a)
    if values is not None and numpy.any(numpy.all(numpy.isnan(values), axis=axis)):
        raise ValueError("All-NaN slice encountered")


@implements(numpy.nanargmax)
def nanargmax(a: Any, axis: int | None = None, out: Any = None, *, keepdims: Any = False) -> Any:
    check_some_number(a, axis)
    result = position(locate.argmax, filled(a, -float("inf")), axis, keepdims)
    return store("nanargmax", result, out)


@implements(numpy.nanargmin)
def nanargmin(a: Any, axis: int | None = None, out: Any = None, *, keepdims: Any = False) -> Any:
    check_some_number(a, axis)
    result = position(locate.argmin, filled(a, float("inf")), axis, keepdims)
    return store("nanargmin", result, out)
