"""Reductions of tensors: sums, means, variances, counts."""

from __future__ import annotations

import builtins
import math
import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy

from ..backend import add_reduce, nameless
from ..core.array import Array
from ..core.fast import structural_function
from ..core.op import table
from ..ops import linear, reduce
from . import errors
from .calls import attach, cast, in_single, on_arrays, silent
from .dtypes import as_numpy, defaults, dtype, of_numpy
from .tensor import Tensor, constant, wrap

__all__ = [
    "all",
    "any",
    "count_nonzero",
    "logsumexp",
    "mean",
    "nanmean",
    "nansum",
    "prod",
    "std",
    "std_mean",
    "sum",
    "var",
    "var_mean",
]

Dims = Any


def axes_of(x: Array, dim: Any) -> tuple[int, ...]:
    """The axes that `dim` names: all for None and for an empty sequence."""
    n = x.ndim
    if dim is None or (isinstance(dim, tuple | list) and not dim):
        return tuple(range(n))
    dims = tuple(dim) if isinstance(dim, tuple | list) else (dim,)
    axes = tuple(wrapped(d, n) for d in dims)
    if len(set(axes)) < len(axes):
        twice = next(a for a in axes if axes.count(a) > 1)
        raise RuntimeError(f"dim {twice} appears multiple times in the list of dims")
    return axes if n else ()


def wrapped(d: int, n: int) -> int:
    """An axis that may count from the end, as one that does not."""
    if type(d) is not int:
        d = number(d)
    low, high = (-n, n - 1) if n else (-1, 0)
    if not low <= d <= high:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{low}, {high}], but got {d})"
        )
    return d % n if n else 0


def number(d: Any) -> int:
    """An axis, given by anything that stands for an integer: a tensor, say."""
    return int(d.raw) if isinstance(d, Array) else operator.index(d)


fast_sum = silent(structural_function(table["sum"], Tensor))
fast_mean = silent(structural_function(table["mean"], Tensor))
plain_mean: Any = table["mean"].operator
ALL_AXES = [tuple(range(n)) for n in range(65)]


def quick(
    compute: Any, short: Callable[..., Any], general: Callable[..., Any], doc: str
) -> Callable[..., Any]:
    """A reduction that takes a short way for a floating-point tensor, and one axis or all.

    `compute` is of raw data, `short` records.
    """

    def function(
        input: Tensor,
        dim: Dims = None,
        keepdim: bool = False,
        *,
        dtype: dtype | None = None,
        out: Tensor | None = None,
    ) -> Tensor:
        if type(input) is Tensor and dtype is None and out is None:
            raw = input.raw
            if raw.dtype.char in "fdFD" and raw.size:
                if dim is None:
                    axis = ALL_AXES[raw.ndim]
                elif type(dim) is int and raw.shape:
                    axis = (wrapped(dim, raw.ndim),)
                else:
                    return general(input, dim, keepdim, dtype=dtype, out=out)
                if not input.slot:
                    return constant(compute(raw, axis=axis, keepdims=keepdim))
                result = short(input, axis=axis, keepdims=keepdim)
                return result if type(result) is Tensor else wrap(result)
        return general(input, dim, keepdim, dtype=dtype, out=out)

    function.__doc__ = doc
    return nameless(function)


def sum_of(input: Array, dim: Dims, keepdim: bool, *, dtype: dtype | None) -> Any:
    """The sum of any array, along any axes."""
    if dtype is not None:
        input = cast(input, as_numpy(dtype))
    elif input.dtype.kind in "biu":
        input = cast(input, as_numpy(int))
    return in_single(linear.sum)(input, axis=axes_of(input, dim), keepdims=keepdim)


sum_of.__name__ = "sum"
general_sum = on_arrays(sum_of)


@on_arrays
def general_mean(input: Array, dim: Dims, keepdim: bool, *, dtype: dtype | None) -> Any:
    """The mean of any array, along any axes."""
    if dtype is not None:
        input = cast(input, as_numpy(dtype))
    if input.dtype.kind in "biu":
        raise errors.mean_of_integers(of_numpy(input.dtype))
    axis = axes_of(input, dim)
    if not input.size:  # NumPy's mean warns of it, whatever is switched off
        return linear.sum(input, axis=axis, keepdims=keepdim) * math.nan
    return in_single(reduce.mean)(input, axis=axis, keepdims=keepdim)


sum = quick(
    add_reduce,
    fast_sum,
    general_sum,
    "The sum of all elements, or along the axes `dim`. Booleans and integers give int64.",
)
mean = quick(
    silent(plain_mean),  # NumPy's is written in Python
    fast_mean,
    general_mean,
    "The mean of all elements, or along the axes `dim`.",
)


@on_arrays
def nansum(
    input: Array, dim: Dims = None, keepdim: bool = False, *, dtype: dtype | None = None
) -> Any:
    """The sum of the elements that are not NaN."""
    if input.dtype.kind == "c":
        raise errors.no_complex_inputs("nansum")
    if input.dtype.kind in "fV":
        zero = input.dtype.type(0)
        input = table["where"].function(table["isnan"].function(input), zero, input)
    return sum_of(input, dim, keepdim, dtype=dtype)


@on_arrays
def nanmean(
    input: Array, dim: Dims = None, keepdim: bool = False, *, dtype: dtype | None = None
) -> Any:
    """The mean of the elements that are not NaN."""
    if input.dtype.kind == "c":
        raise errors.no_complex_inputs("nansum")
    if input.dtype.kind in "biu":
        raise errors.nanmean_of_integers(of_numpy(input.dtype))
    axis = axes_of(input, dim)
    there = cast(table["logical_not"].function(table["isnan"].function(input)), input.dtype)
    number = linear.sum(there, axis=axis, keepdims=keepdim)
    clean = table["where"].function(table["isnan"].function(input), 0, input)
    total = sum_of(clean, dim, keepdim, dtype=dtype)
    return total / number


@on_arrays
def prod(
    input: Array, dim: int | None = None, keepdim: bool = False, *, dtype: dtype | None = None
) -> Any:
    """The product of all elements, or along one axis. Booleans and integers give int64."""
    if dtype is not None:
        input = cast(input, as_numpy(dtype))
    elif input.dtype.kind in "biu":
        input = cast(input, as_numpy(int))
    result = in_single(reduce.prod)(input, axis=axes_of(input, dim), keepdims=keepdim)
    return cast(result, input.dtype)  # NumPy multiplies booleans as integers


def spread(
    name: str, x: Array, dim: Dims, unbiased: Any, correction: Any, keepdim: bool
) -> tuple[Array, tuple[int, ...]]:
    """`var` or `std` over axes, and these; the divisor is their size less the correction."""
    if x.dtype.kind in "biu":
        raise RuntimeError("std and var only support floating point and complex dtypes")
    if isinstance(dim, builtins.bool):  # var(input, unbiased)
        unbiased, dim = dim, None
    if correction is None:
        correction = 1 if unbiased is None else int(unbiased)
    axis = axes_of(x, dim)
    if reduce.count(x.shape, axis) <= correction:
        warnings.warn(errors.NO_FREEDOM.format(name=name), stacklevel=5)
    if not x.size:  # NumPy's mean warns of it, whatever is switched off
        return linear.sum(x, axis=axis, keepdims=keepdim) * math.nan, axis
    result = table[name].function(x, axis=axis, correction=correction, keepdims=keepdim)
    return result, axis


@on_arrays
@in_single
def var(
    input: Array,
    dim: Dims = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: Any = None,
) -> Any:
    """The variance; the divisor is the number of elements less `correction` (1 by default)."""
    return spread("var", input, dim, unbiased, correction, keepdim)[0]


@on_arrays
@in_single
def std(
    input: Array,
    dim: Dims = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: Any = None,
) -> Any:
    """The standard deviation, as `var`."""
    return spread("std", input, dim, unbiased, correction, keepdim)[0]


@on_arrays
@in_single
def var_mean(
    input: Array,
    dim: Dims = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: Any = None,
) -> Any:
    """The variance and the mean."""
    result, axis = spread("var", input, dim, unbiased, correction, keepdim)
    return result, reduce.mean(input, axis=axis, keepdims=keepdim)


@on_arrays
@in_single
def std_mean(
    input: Array,
    dim: Dims = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: Any = None,
) -> Any:
    """The standard deviation and the mean."""
    result, axis = spread("std", input, dim, unbiased, correction, keepdim)
    return result, reduce.mean(input, axis=axis, keepdims=keepdim)


@on_arrays
@in_single
def logsumexp(input: Array, dim: Dims, keepdim: bool = False) -> Any:
    """The logarithm of the sum of exponentials along the axes `dim`."""
    if input.dtype.kind in "biu":
        input = cast(input, defaults.real.dtype)
    return table["logsumexp"].function(input, axis=axes_of(input, dim), keepdims=keepdim)


def truth(name: str) -> Callable[..., Any]:
    """`all` or `any`."""

    @on_arrays
    def function(input: Array, dim: Dims = None, keepdim: bool = False) -> Any:
        axis = () if isinstance(dim, tuple | list) and not dim else axes_of(input, dim)
        small = input.dtype == numpy.uint8
        result = table[name].function(input != 0, axis=axis, keepdims=keepdim)
        return cast(result, input.dtype) if small else result

    function.__name__ = name
    return function


all = truth("all")
any = truth("any")


@on_arrays
def count_nonzero(input: Array, dim: Dims = None) -> Any:
    """The number of elements that are not zero."""
    return linear.sum(cast(input != 0, as_numpy(int)), axis=axes_of(input, dim), keepdims=False)


attach(
    "all any count_nonzero logsumexp mean nanmean nansum prod std sum var",
    globals(),
)
