"""Norms of vectors and matrices, and condition numbers, with PyTorch's names."""

from __future__ import annotations

from typing import Any

import numpy

from ...backend import is_complex
from ...numpy.norms import of_matrices, of_vectors
from ...ops.complex import abs as absolute
from ...ops.einsum import permute
from ...ops.index import getitem
from ...ops.linalg import inv
from ...ops.linear import cast, reshape
from ...ops.linear import sum as sum_over
from ...ops.reduce import amax, amin
from ...ops.svd import svd
from .. import errors
from ..calls import in_single, on_arrays
from ..dtypes import as_numpy, dtype, of_numpy
from ..reductions import axes_of, wrapped
from ..refusals import refuse
from .operands import constant_of, inexact, marked, matrices, replaced, report_on, square

__all__ = ["cond", "matrix_norm", "norm", "vector_norm"]

Dims = Any


def in_dtype(x: Any, name: str, to: dtype | None) -> Any:
    """An argument as the numbers that a norm is computed in."""
    inexact(x, name)
    if to is None:
        return x
    target = numpy.dtype(as_numpy(to))
    if is_complex(x.dtype) != is_complex(target):
        raise errors.kind_of_norm(name, is_complex(x.dtype), to)
    if target.itemsize < x.dtype.itemsize:
        raise errors.narrowing(name, of_numpy(x.dtype), to)
    return cast(x, target)


def of_elements(x: Any, order: float, axes: tuple[int, ...], keepdim: bool) -> Any:
    """The norm of vectors."""
    if order == 0:  # a count: its gradient is zero
        size = absolute(x)
        ones = constant_of(size, cast(size != 0, size.dtype))
        return sum_over(ones, axis=axes, keepdims=keepdim)
    if (order < 0 or order == numpy.inf) and not all(x.shape[a] for a in axes):
        raise errors.empty_norm(order)
    return of_vectors(x, order, axes, keepdim)


@on_arrays
@in_single
def vector_norm(
    x: Any, ord: float = 2, dim: Dims = None, keepdim: bool = False, *, dtype: dtype | None = None
) -> Any:
    """The norm of order `ord` of all elements, or of those along axes: ``sum(|x|^p)^(1/p)``.

    The largest absolute value for ``inf``, the smallest for ``-inf``, the number of elements that
    are not zero for 0. The gradient at a zero vector is zero, and ties share it.
    """
    x = in_dtype(x, "linalg.vector_norm", dtype)
    return of_elements(x, float(ord), axes_of(x, dim), keepdim)


ORDERS = ("fro", "nuc", 1, -1, 2, -2, numpy.inf, -numpy.inf)


def of_matrix(x: Any, order: Any, axes: Any, keepdim: bool) -> Any:
    """The norm of matrices along two axes."""
    if order not in ORDERS:
        raise errors.bad_order("linalg.matrix_norm", order)
    first, second = (wrapped(d, x.ndim) for d in axes)
    if first == second:
        raise errors.same_dims(axes)
    if order in ("nuc", 2, -2):
        return of_singular_values(x, order, (first, second), keepdim)
    return of_matrices(x, order, (first, second), keepdim)


def of_singular_values(x: Any, order: Any, axes: tuple[int, int], keepdim: bool) -> Any:
    """The sum, the largest or the smallest of the singular values of matrices.

    At a zero its gradient is, as PyTorch's, that of the singular vectors found.
    """
    others = tuple(i for i in range(x.ndim) if i not in axes)
    values = svd(permute(x, (*others, *axes)), full=False)[1]
    if order == -2 and not values.shape[-1]:
        raise errors.empty_reduction("amin", -1)
    reduce = amin if order == -2 else amax if order == 2 and values.shape[-1] else sum_over
    result = reduce(values, axis=(values.ndim - 1,), keepdims=False)
    if not keepdim:
        return result
    return reshape(result, to=tuple(1 if i in axes else n for i, n in enumerate(x.shape)))


@on_arrays
@in_single
def matrix_norm(
    A: Any,
    ord: float | str = "fro",
    dim: Dims = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: dtype | None = None,
) -> Any:
    """The norm of matrices whose rows and columns lie along two axes.

    `ord`: "fro" (Frobenius), "nuc" (the sum of singular values), 2 and -2 (the largest and the
    smallest), 1 and -1 (the largest and smallest sum of a column), ``inf`` and ``-inf`` (of a row).
    """
    x = in_dtype(matrices(A, "linalg.matrix_norm"), "linalg.matrix_norm", dtype)
    return of_matrix(x, ord, dim, keepdim)


@on_arrays
@in_single
def norm(
    A: Any,
    ord: Any = None,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: dtype | None = None,
) -> Any:
    """A norm of vectors or matrices: of vectors for one axis in `dim`, of matrices for two.

    Without `ord`, the 2-norm of all elements, along any axes.
    """
    dims = None if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    if ord is None:
        x = in_dtype(A, "linalg.vector_norm", dtype)
        return of_elements(x, 2.0, axes_of(x, dims), keepdim)
    if dims is None:
        if A.ndim not in (1, 2):
            raise errors.norm_axes(A.ndim)
        dims = tuple(range(A.ndim))
    if len(dims) == 1 and not isinstance(ord, str):
        x = in_dtype(A, "linalg.vector_norm", dtype)
        return of_elements(x, float(ord), axes_of(x, dims), keepdim)
    if len(dims) != 2:
        raise errors.norm_dims(dims)
    return of_matrix(in_dtype(A, "linalg.matrix_norm", dtype), ord, dims, keepdim)


@on_arrays
def cond(A: Any, p: Any = None) -> Any:
    """The condition number: the largest by the smallest singular value, if `p` is None or 2.

    For other norms that of the matrix times that of its inverse: ``inf`` for a singular matrix.
    """
    if p in (None, 2, -2):
        values = svd(matrices(A, "linalg.cond"), full=False)[1]
        largest, smallest = (getitem(values, key=(Ellipsis, i)) for i in (0, -1))
        return smallest / largest if p == -2 else largest / smallest
    x = square(A, f"linalg.cond(ord={p})")
    if p not in ORDERS:
        raise errors.bad_order("linalg.cond", p)
    report = report_on(x)
    own, other = (of_matrix(y, p, (-2, -1), False) for y in (x, inv(replaced(x, report))))
    return marked(own * other, report, numpy.inf)


refuse(globals(), "linalg_svd_cpu", "half", "cond")
