"""Means, variances and averages."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.lib.array_utils import normalize_axis_tuple

from ..backend import is_complex, is_inexact
from ..ops import linear, reduce
from ..ops.complex import conj, real
from ..ops.elementary import sqrt
from ..ops.linear import broadcast_to, cast, permute_dims, reshape
from ..ops.selection import maximum, where
from .dispatch import implements
from .operands import operand
from .reductions import (
    Axis,
    axes_of,
    floating,
    given,
    kept,
    mask_for,
    masked,
    squeezed,
    typed,
    values_of,
    warn,
)
from .ufuncs import store

__all__ = ["average", "mean", "std", "var"]


def count_of(x: Any, axis: tuple[int, ...], mask: Any) -> Any:
    """How many elements each result of a reduction comes from, with the reduced axes kept."""
    if mask is True or mask is numpy._NoValue:
        return reduce.count(x.shape, axis)
    return linear.sum(cast(mask_for(x, mask), numpy.dtype(numpy.intp)), axis=axis, keepdims=True)


def as_divisor(count: Any, dtype: Any) -> Any:
    """A count such that an array of `dtype` keeps its dtype when divided by it."""
    return count if isinstance(count, int | float) else cast(count, numpy.finfo(dtype).dtype)


def quotient(x: Any, count: Any, message: str) -> Any:
    """`x / count` with NaN, and NumPy's warning, where nothing is counted."""
    empty = count <= 0
    values = values_of(empty)
    if values is not None and not numpy.any(values):
        return x / as_divisor(count, x.dtype)
    if values is not None:
        warn(message)
    return where(empty, float("nan"), x / as_divisor(where(empty, 1, count), x.dtype))


@implements(numpy.mean)
def mean(
    a: Any,
    axis: Axis = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    where: Any = True,
) -> Any:
    a = typed(operand(a), dtype)
    axis = axes_of(axis, a.ndim)
    keepdims = kept(keepdims)
    if where is True or where is numpy._NoValue:
        result = reduce.mean(a, axis=axis, keepdims=keepdims)
    else:
        result = masked_mean(a, axis, where, "Mean of empty slice.")
        result = squeezed(result, a.shape, axis, keepdims)
    return store("mean", typed(result, dtype), out)


def masked_mean(a: Any, axis: tuple[int, ...], mask: Any, message: str) -> Any:
    """The mean of the elements where `mask` is true, with the reduced axes kept."""
    a = floating(a)
    total = linear.sum(masked(a, mask, 0), axis=axis, keepdims=True)
    return quotient(total, count_of(a, axis, mask), message)


def spread(
    operation: Any,
    a: Any,
    axis: Axis,
    dtype: Any,
    ddof: float,
    keepdims: Any,
    where: Any,
    mean: Any,
    correction: Any,
) -> Any:
    """The variance, or its square root, as `operation` says."""
    if given(correction):
        if ddof != 0:
            raise ValueError("ddof and correction can't be provided simultaneously.")
        ddof = correction
    a = operand(a)
    if dtype is not None and is_complex(numpy.dtype(dtype)) and not is_complex(a.dtype):
        within = numpy.finfo(dtype).dtype
        parts = (axis, within, ddof, keepdims, where, mean, numpy._NoValue)
        return cast(spread(operation, a, *parts), numpy.dtype(dtype))
    a = typed(a, dtype)
    axis = axes_of(axis, a.ndim)
    keepdims = kept(keepdims)
    if (where is True or where is numpy._NoValue) and not given(mean):
        if reduce.count(a.shape, axis) <= ddof:
            warn("Degrees of freedom <= 0 for slice")
        return operation(a, axis=axis, keepdims=keepdims, correction=ddof)
    result = masked_variance(a, axis, where, ddof, mean)
    if operation is reduce.std:
        result = root(result)
    return squeezed(result, a.shape, axis, keepdims)


def masked_variance(a: Any, axis: tuple[int, ...], mask: Any, ddof: float, mean: Any) -> Any:
    """The variance of the elements where `mask` is true, with the reduced axes kept."""
    a = floating(a)
    count = count_of(a, axis, mask)
    if not given(mean):
        total = linear.sum(masked(a, mask, 0), axis=axis, keepdims=True)
        mean = total / as_divisor(maximum(count, 1), a.dtype)
    deviations = masked(a - mean, mask, 0)
    if is_complex(a.dtype):
        squares = real(deviations * conj(deviations))
    else:
        squares = deviations * deviations
    total = linear.sum(squares, axis=axis, keepdims=True)
    return quotient(total, count - ddof, "Degrees of freedom <= 0 for slice.")


def root(x: Any) -> Any:
    """The square root, with derivative 0 at 0."""
    zero = x == 0
    return where(zero, 0, sqrt(where(zero, 1, x)))


@implements(numpy.var)
def var(
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
    result = spread(reduce.var, a, axis, dtype, ddof, keepdims, where, mean, correction)
    return store("var", result, out)


@implements(numpy.std)
def std(
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
    result = spread(reduce.std, a, axis, dtype, ddof, keepdims, where, mean, correction)
    return store("std", result, out)


@implements(numpy.average)
def average(
    a: Any,
    axis: Axis = None,
    weights: Any = None,
    returned: bool = False,
    *,
    keepdims: Any = False,
) -> Any:
    a = operand(a)
    axes = axes_of(axis, a.ndim)
    keepdims = kept(keepdims)
    if weights is None:
        result = reduce.mean(a, axis=axes, keepdims=keepdims)
        total: Any = numpy.asarray(reduce.count(a.shape, axes), result.dtype)[()]
    else:
        weights = weights_for(a, axis, operand(weights))
        dtype = numpy.result_type(a.dtype, weights.dtype, *(() if is_inexact(a.dtype) else ("f8",)))
        weights = cast(weights, dtype)
        total = linear.sum(broadcast_to(weights, to=a.shape), axis=axes, keepdims=keepdims)
        values = values_of(total)
        if values is not None and numpy.any(values == 0):
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        result = linear.sum(cast(a, dtype) * weights, axis=axes, keepdims=keepdims) / total
    if not returned:
        return result
    return result, total if total.shape == result.shape else broadcast_to(total, to=result.shape)


def weights_for(a: Any, axis: Axis, weights: Any) -> Any:
    """The weights of an average such that they broadcast against the array."""
    if weights.shape == a.shape:
        return weights
    if axis is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    axes = normalize_axis_tuple(axis, a.ndim)
    if weights.shape != tuple(a.shape[i] for i in axes):
        raise ValueError(
            "Shape of weights must be consistent with shape of a along specified axis."
        )
    order = sorted(range(len(axes)), key=axes.__getitem__)
    weights = permute_dims(weights, axes=tuple(order))
    return reshape(weights, to=tuple(n if i in axes else 1 for i, n in enumerate(a.shape)))
