"""Linear systems, inverses, determinants and least squares, with PyTorch's names."""

from __future__ import annotations

from typing import Any

import numpy

from ...backend import is_complex
from ...core.array import is_mapped
from ...core.record import raw
from ...numpy.linalg import solve_matrices
from ...ops import determinant, least_squares
from ...ops import linalg as ops
from ...ops.complex import real
from ...ops.contract import matmul, transpose
from ...ops.define import size_of
from ...ops.einsum import permute
from ...ops.factorise import inverse_order, take_rows
from ...ops.index import getitem
from ...ops.linear import broadcast_to, cast, reshape, stop_gradient
from ...ops.linear import sum as sum_over
from ...ops.matrices import adjoint, columns, conjugate
from ...ops.triangular import solve_triangular as triangular
from .. import errors, return_types
from ..calls import on_arrays
from ..reductions import wrapped
from ..refusals import refuse
from .factors import order_of
from .operands import (
    alike,
    check,
    computed,
    inexact,
    marked,
    matrices,
    replaced,
    report_on,
    square,
    stacked,
    system,
)

__all__ = [
    "det",
    "inv",
    "inv_ex",
    "lstsq",
    "lu_solve",
    "slogdet",
    "solve",
    "solve_ex",
    "solve_triangular",
    "tensorinv",
    "tensorsolve",
]


# Determinants


@on_arrays
def det(A: Any) -> Any:
    """The determinants of square matrices."""
    return determinant.det(square(A, "linalg.det"))


@on_arrays
def slogdet(A: Any) -> Any:
    """The signs of determinants and the logarithms of their absolute values.

    The sign of a complex determinant is of absolute value 1; that of a singular matrix is 0.
    """
    return return_types.linalg_slogdet(*determinant.slogdet(square(A, "linalg.slogdet")))


# Inverses and solutions


def inverse(x: Any) -> Any:
    """The inverses of square matrices; PyTorch's error for a singular one."""
    return computed(lambda: ops.inv(x), x, report_on, "linalg.inv", errors.not_invertible)


@on_arrays
def inv(A: Any) -> Any:
    """The inverses of square matrices. Raises `LinAlgError` for singular ones."""
    return inverse(square(A, "linalg.inv"))


@on_arrays
def inv_ex(A: Any, *, check_errors: bool = False) -> Any:
    """As `inv`, with a report in place of an error. The inverse of a singular matrix is NaN."""
    x = square(A, "linalg.inv")
    report = report_on(x)
    if check_errors:
        check(report, "linalg.inv_ex", errors.not_invertible)
    return return_types.linalg_inv_ex(marked(ops.inv(replaced(x, report)), report), report)


def is_vector(a: Any, b: Any) -> bool:
    """Whether the right hand sides are vectors, one for each matrix."""
    return bool(b.ndim == 1 or (b.ndim == a.ndim - 1 and b.shape == a.shape[:-1]))


def solutions(a: Any, b: Any, left: bool) -> Any:
    """The solutions x of ``a @ x = b``, or of ``x @ a = b``."""
    if is_vector(a, b):
        if not left:
            raise errors.vector_on_the_right()
        alike(a, b, "linalg.solve")
        if a.shape[-1] != b.shape[-1]:
            raise errors.sizes_of_system("linalg.solve", a.shape, (*b.shape, 1), left)
        solved = solve_matrices(a, columns(b))
        return reshape(solved, to=solved.shape[:-1])
    system(a, b, left, "linalg.solve")
    if left:
        return solve_matrices(a, b)
    return transpose(solve_matrices(transpose(a), transpose(b)))


@on_arrays
def solve(A: Any, B: Any, *, left: bool = True) -> Any:
    """The solutions X of ``A @ X = B``, or of ``X @ A = B`` if not `left`.

    `B` holds vectors if it has one axis, or the shape of `A` without the last axis; else matrices.
    Raises `LinAlgError` for singular matrices.
    """
    a = square(A, "linalg.solve")
    return computed(
        lambda: solutions(a, B, left), a, report_on, "torch.linalg.solve", errors.singular
    )


@on_arrays
def solve_ex(A: Any, B: Any, *, left: bool = True, check_errors: bool = False) -> Any:
    """As `solve`, with a report in place of an error. Solutions of singular systems are NaN."""
    a = square(A, "linalg.solve")
    report = report_on(a)
    if check_errors:
        check(report, "torch.linalg.solve_ex", errors.singular)
    result = solutions(replaced(a, report), B, left)
    stack = result.shape[: result.ndim - (1 if is_vector(a, B) else 2)]
    whole = report if report.shape == stack else broadcast_to(report, to=stack)
    return return_types.linalg_solve_ex(marked(result, whole), report)


@on_arrays
def solve_triangular(
    A: Any, B: Any, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Any:
    """The solutions X of ``A @ X = B`` (or ``X @ A = B``) for triangular matrices.

    Of `A` one triangle is read, without the diagonal if `unitriangular`.
    """
    name = "linalg.solve_triangular"
    a, b = square(A, name), matrices(B, name)
    system(a, b, left, name)
    a, b = stacked(a, b)
    unit = unitriangular
    if left:
        return triangular(a, b, lower=not upper, transposed=False, unit=unit)
    return transpose(triangular(a, transpose(b), lower=not upper, transposed=True, unit=unit))


@on_arrays
def lu_solve(LU: Any, pivots: Any, B: Any, *, left: bool = True, adjoint: bool = False) -> Any:
    """The solutions of systems by the factors that `lu_factor` gives.

    They are those of ``A @ X = B``, of ``X @ A = B`` if not `left`; of ``A.mH`` if `adjoint`.
    """
    packed, b = square(LU, "linalg.lu_solve"), matrices(B, "linalg.lu_solve")
    system(packed, b, left, "linalg.lu_solve")
    return by_factors(packed, pivots, b, left, adjoint)


def by_factors(packed: Any, pivots: Any, b: Any, left: bool, turned: bool) -> Any:
    """The solutions of systems by LU factors and pivots."""
    if not left:
        return adjoint(by_factors(packed, pivots, adjoint(b), True, not turned))
    order = order_of(pivots, packed.shape[-1])
    packed, b = stacked(packed, b)
    if order.shape != packed.shape[:-1]:
        order = broadcast_to(order, to=packed.shape[:-1])
    lower: Any = {"lower": True, "transposed": turned, "unit": True}
    upper: Any = {"lower": False, "transposed": turned, "unit": False}
    if turned:
        packed = conjugate(packed)
        half = triangular(packed, triangular(packed, b, **upper), **lower)
        return take_rows(half, inverse_order(order))
    return triangular(packed, triangular(packed, take_rows(b, order), **lower), **upper)


# Tensors as matrices


@on_arrays
def tensorinv(A: Any, ind: int = 2) -> Any:
    """The inverse of `A` as a map from its last axes to its first `ind` axes."""
    if ind <= 0:
        raise errors.not_positive_ind(ind)
    rows, n = A.shape[:ind], size_of(A.shape[ind:])
    if size_of(rows) != n:
        raise errors.tensor_sizes("ind", n, size_of(rows))
    x = reshape(inexact(A, "linalg.inv"), to=(n, n))
    return reshape(inverse(x), to=(*A.shape[ind:], *rows))


@on_arrays
def tensorsolve(A: Any, B: Any, dims: Any = None) -> Any:
    """The X with ``tensordot(A, X, dims=X.ndim) == B``; the axes `dims` are moved last before."""
    if dims is not None:
        last = [wrapped(d, A.ndim) for d in dims]
        A = permute(A, (*(i for i in range(A.ndim) if i not in last), *last))
    to = A.shape[B.ndim :]
    rows, n = size_of(A.shape[: B.ndim]), size_of(to)
    if rows != n:
        raise errors.tensor_sizes("other.ndim", n, rows)
    a, b = reshape(inexact(A, "linalg.solve"), to=(n, n)), reshape(B, to=(n,))
    solved = computed(
        lambda: solutions(a, b, True), a, report_on, "torch.linalg.solve", errors.singular
    )
    return reshape(solved, to=to)


# Least squares

DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


@on_arrays
def lstsq(A: Any, B: Any, rcond: float | None = None, *, driver: str | None = None) -> Any:
    """The X with the least ``norm(A @ X - B)``; the shortest of those.

    Singular values up to `rcond` times the largest count as zero, but for `driver="gels"`, which
    asks for full rank. As PyTorch's drivers do, "gels" gives no rank, "gelsd" and "gelss" alone
    give singular values, and "gelsy", the default, no residuals.
    """
    driver = "gelsy" if driver is None else driver
    if driver not in DRIVERS:
        raise errors.bad_driver(driver)
    a = matrices(A, "torch.linalg.lstsq")
    alike(a, B, "torch.linalg.lstsq")
    vector = is_vector(a, B)
    b = columns(B) if vector else B
    if a.shape[-2] != b.shape[-2]:
        raise errors.rows_of_least_squares()
    m, n = a.shape[-2:]
    a, b = stacked(a, b)
    tolerance = max(m, n) * float(numpy.finfo(a.dtype).eps) if rcond is None else float(rcond)
    x, rank, values = least_squares.lstsq(a, b, rtol=tolerance)
    full = not is_deficient(rank, min(m, n))
    if driver == "gels" and not full:
        raise errors.not_full_rank("torch.linalg.lstsq")
    values = stop_gradient(values)
    residuals = getitem(squares(reshape(x, to=(x.size,))), key=(slice(0, 0),))
    if driver != "gelsy" and m > n and full:
        left = matmul(a, x) - b
        residuals = sum_over(squares(left), axis=(left.ndim - 2,), keepdims=False)
    return return_types.linalg_lstsq(
        reshape(x, to=x.shape[:-1]) if vector else x,
        residuals,
        numpy.empty(0, numpy.int64) if driver == "gels" else cast(rank, numpy.dtype(numpy.int64)),
        values if driver in ("gelsd", "gelss") else numpy.empty(0, values.dtype),
    )


def is_deficient(rank: Any, full: int) -> bool:
    """Whether a matrix is known not to have full rank: in vmap, none is."""
    return not is_mapped(rank) and bool((raw(rank) < full).any())


def squares(x: Any) -> Any:
    """The squares of absolute values."""
    return real(x * conjugate(x)) if is_complex(x.dtype) else x * x


refuse(
    globals(),
    "linalg.inv: Low precision dtypes not supported. Got {kind}",
    "half",
    "inv inv_ex tensorinv",
)
refuse(
    globals(), "linalg.slogdet: Low precision dtypes not supported. Got {kind}", "half", "slogdet"
)
refuse(globals(), "lu_cpu", "half", "det solve solve_ex tensorsolve")
refuse(globals(), "linalg.lu_solve_cpu", "half", "lu_solve")
refuse(globals(), "triangular_solve_cpu", "bool integer half", "solve_triangular")
refuse(globals(), "This function doesn't handle types other than float and double", "half", "lstsq")
