"""Norms of vectors and matrices, with the names of `numpy.linalg`."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.lib.array_utils import normalize_axis_tuple

from ..backend import is_inexact
from ..core.array import Array
from ..ops.comparison import not_equal
from ..ops.complex import abs as absolute
from ..ops.einsum import permute
from ..ops.index import getitem
from ..ops.linalg import inv
from ..ops.linear import cast, reshape
from ..ops.linear import sum as _sum
from ..ops.norm import length
from ..ops.power import pow as power
from ..ops.reduce import amax, amin
from ..ops.selection import where
from ..ops.svd import svd
from .dispatch import implements
from .operands import operand
from .reading import converted

__all__ = ["cond", "matrix_norm", "norm", "vector_norm"]


def inexact(x: Any) -> Any:
    """An argument as an array of floating point."""
    x = operand(x)
    return x if is_inexact(x.dtype) else cast(x, numpy.dtype(float))


def order_of(order: Any) -> Any:
    """Which norm: a number that is known, since there is no derivative with respect to it."""
    return converted(order, "the order of a norm") if isinstance(order, Array) else order


@implements(numpy.linalg.norm)
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    x, ord = inexact(x), order_of(ord)
    if axis is None:
        axes = tuple(range(x.ndim))
        if ord is None:
            return length(x, axis=axes, keepdims=keepdims)
    else:
        axes = normalize_axis_tuple(axis, x.ndim)
    if len(axes) == 1:
        return of_vectors(x, ord, axes, keepdims)
    if len(axes) == 2:
        return of_matrices(x, ord, axes, keepdims)
    raise ValueError("Improper number of dimensions to norm.")


@implements(numpy.linalg.vector_norm)
def vector_norm(
    x: Any,
    /,
    *,
    axis: Any = None,
    keepdims: bool = False,
    ord: Any = 2,
) -> Any:
    x, ord = inexact(x), order_of(ord)
    axes = tuple(range(x.ndim)) if axis is None else normalize_axis_tuple(axis, x.ndim)
    return of_vectors(x, ord, axes, keepdims)


@implements(numpy.linalg.matrix_norm)
def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    x, ord = inexact(x), order_of(ord)
    return of_matrices(x, ord, normalize_axis_tuple((-2, -1), x.ndim), keepdims)


@implements(numpy.linalg.cond)
def cond(x: Any, p: Any = None) -> Any:
    x, p = inexact(x), order_of(p)
    if p in (None, 2, -2):
        values = svd(x, full=False)[1]
        largest, smallest = (getitem(values, key=(Ellipsis, i)) for i in (0, -1))
        return smallest / largest if p == -2 else largest / smallest
    return norm(x, p, (-2, -1)) * norm(inv(x), p, (-2, -1))


def of_vectors(x: Any, order: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    """The p-norm of all elements over some axes."""
    if isinstance(order, str):
        raise ValueError(f"Invalid norm order {order!r} for vectors")
    options: Any = {"axis": axes, "keepdims": keepdims}
    if order is None or order == 2:
        return length(x, **options)
    size = absolute(x)
    if order == numpy.inf:
        return largest(size, **options)
    if order == -numpy.inf:
        return amin(size, **options)
    if order == 0:
        return _sum(cast(not_equal(x, 0), size.dtype), **options)
    if order == 1:
        return _sum(size, **options)
    if order < 1:  # the derivative of a power at 0 is infinite: 0 is chosen, as for abs
        zero = size == 0
        terms = where(zero, 0 if order > 0 else numpy.inf, power(where(zero, 1, size), order))
    else:
        terms = power(size, order)
    total = _sum(terms, **options)
    zero = total == 0
    return where(zero, 0, power(where(zero, 1, total), 1 / order))


def of_singular_values(x: Any, order: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    """The sum, the largest or the smallest of the singular values of matrices."""
    others = tuple(a for a in range(x.ndim) if a not in axes)
    values = svd(permute(x, (*others, *axes)), full=False)[1]
    values = absolute(values)  # at a zero, as that of a norm, the derivative is zero
    reduce = {"nuc": _sum, 2: largest, -2: amin}[order]
    result = reduce(values, axis=(values.ndim - 1,), keepdims=False)
    if not keepdims:
        return result
    return reshape(result, to=tuple(1 if a in axes else n for a, n in enumerate(x.shape)))


def largest(x: Any, *, axis: tuple[int, ...], keepdims: bool) -> Any:
    """The largest of numbers that are not negative; of none, 0."""
    reduce = amax if all(x.shape[a] for a in axis) else _sum
    return reduce(x, axis=axis, keepdims=keepdims)


def of_matrices(x: Any, order: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    """The norm of matrices whose rows and columns lie along two axes."""
    rows, columns = axes
    if order in (None, "fro", "f"):
        return length(x, axis=axes, keepdims=keepdims)
    if order in ("nuc", 2, -2):
        return of_singular_values(x, order, axes, keepdims)
    if order in (1, -1):
        summed, rest = rows, columns
    elif order in (numpy.inf, -numpy.inf):
        summed, rest = columns, rows
    else:
        raise ValueError("Invalid norm order for matrices.")
    sums = _sum(absolute(x), axis=(summed,), keepdims=True)
    extreme = (largest if order > 0 else amin)(sums, axis=(rest,), keepdims=True)
    if keepdims:
        return extreme
    return reshape(extreme, to=tuple(n for a, n in enumerate(x.shape) if a not in axes))
