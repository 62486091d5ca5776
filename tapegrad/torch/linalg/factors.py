"""Factors of matrices, with PyTorch's names: Cholesky, QR, LU, and LDL for Hermitian ones."""

from __future__ import annotations

from typing import Any

import numpy

from ...core.record import raw
from ...numpy.decompositions import orthogonal
from ...ops import factorise
from ...ops.definite import indefinite_order
from ...ops.factorise import inverse_order, row_order, take_rows
from ...ops.ldl import ldl, ldl_systems
from ...ops.linear import broadcast_to, cast
from ...ops.matrices import adjoint, split_columns, split_rows
from ...ops.triangular import triangle
from .. import errors, return_types
from ..calls import on_arrays
from ..refusals import refuse
from .operands import (
    INFO,
    alike,
    check,
    computed,
    eye,
    marked,
    matrices,
    pivot_report,
    replaced,
    square,
    stacked,
)

__all__ = [
    "cholesky",
    "cholesky_ex",
    "ldl_factor",
    "ldl_factor_ex",
    "ldl_solve",
    "lu",
    "lu_factor",
    "lu_factor_ex",
    "qr",
]


def lower_factor(x: Any, upper: bool) -> Any:
    """The Cholesky factor of matrices of which one triangle is read."""
    return adjoint(factorise.cholesky(adjoint(x))) if upper else factorise.cholesky(x)


def definite_report(x: Any, upper: bool) -> Any:
    """The report on Cholesky factors: the order of the first minor that is not definite."""
    return cast(indefinite_order(adjoint(x) if upper else x), INFO)


@on_arrays
def cholesky(A: Any, *, upper: bool = False) -> Any:
    """The lower triangular L with ``A = L @ L.mH``, or the upper triangular ``L.mH``.

    Of the Hermitian matrices `A`, the triangle of that name is read. Their gradient is Hermitian.
    Raises `LinAlgError` where a matrix is not positive definite.
    """
    x = square(A, "linalg.cholesky")
    return computed(
        lambda: lower_factor(x, upper),
        x,
        lambda data: definite_report(data, upper),
        "linalg.cholesky",
        errors.not_positive_definite,
    )


@on_arrays
def cholesky_ex(A: Any, *, upper: bool = False, check_errors: bool = False) -> Any:
    """As `cholesky`, with a report in place of an error.

    The factor of a matrix that is not positive definite is NaN.
    """
    x = square(A, "linalg.cholesky")
    report = definite_report(x, upper)
    if check_errors:
        check(report, "linalg.cholesky_ex", errors.not_positive_definite)
    factor = lower_factor(replaced(x, report), upper)
    return return_types.linalg_cholesky_ex(marked(factor, report), report)


@on_arrays
def qr(A: Any, mode: str = "reduced") -> Any:
    """An orthogonal Q and an upper triangular R with ``A = Q @ R``.

    `mode` is "reduced", "complete" (Q is square), or "r" (Q is empty).
    """
    if mode not in ("reduced", "complete", "r"):
        raise errors.bad_mode(mode)
    q, r = orthogonal(matrices(A, "linalg.qr"), mode == "complete")
    return return_types.linalg_qr(numpy.empty(0, A.dtype) if mode == "r" else q, r)


def check_pivoting(name: str, pivot: bool) -> None:
    """Raise if LU factors are to be computed without pivoting."""
    if not pivot:
        raise errors.no_pivoting(name)


def unpacked(packed: Any, order: Any) -> tuple[Any, Any, Any]:
    """The permutation and the triangular factors that packed LU factors stand for."""
    m, n = packed.shape[-2:]
    k = min(m, n)
    lower = triangle(split_columns(packed, k)[0], lower=True, diagonal=0.0) + eye(packed, m, k)
    upper = triangle(split_rows(packed, k)[0], lower=False, diagonal=1.0)
    rows = broadcast_to(eye(packed, m, m), to=(*packed.shape[:-2], m, m))
    return take_rows(rows, inverse_order(order)), lower, upper


@on_arrays
def lu(A: Any, *, pivot: bool = True) -> Any:
    """``A = P @ L @ U`` with a permutation and triangular factors, by partial pivoting."""
    check_pivoting("linalg.lu", pivot)
    packed, _, order = factorise.lu(matrices(A, "linalg.lu"))
    return return_types.linalg_lu(*unpacked(packed, order))


def packed_factors(x: Any, name: str, pivot: bool) -> tuple[Any, Any, Any]:
    """LU factors in one matrix, PyTorch's pivots, and a report."""
    check_pivoting(name, pivot)
    packed, pivots, _ = factorise.lu(matrices(x, name))
    return packed, cast(pivots + 1, INFO), pivot_report(packed)


@on_arrays
def lu_factor(A: Any, *, pivot: bool = True) -> Any:
    """LU factors in one matrix, and pivots: what `lu_solve` takes.

    Raises for matrices by whose factors nothing can be solved.
    """
    packed, pivots, report = packed_factors(A, "linalg.lu_factor", pivot)
    check(report, "torch.linalg.lu_factor", errors.zero_pivot)
    return return_types.linalg_lu_factor(packed, pivots)


@on_arrays
def lu_factor_ex(A: Any, *, pivot: bool = True, check_errors: bool = False) -> Any:
    """As `lu_factor`, with a report in place of an error."""
    packed, pivots, report = packed_factors(A, "linalg.lu_factor", pivot)
    if check_errors:
        check(report, "torch.linalg.lu_factor_ex", errors.zero_pivot)
    return return_types.linalg_lu_factor_ex(packed, pivots, report)


def order_of(pivots: Any, rows: int) -> Any:
    """The order of rows that PyTorch's pivots make."""
    return row_order(pivots - 1, rows=rows)


@on_arrays
def ldl_factor(A: Any, *, hermitian: bool = False) -> Any:
    """Factors ``L D L.mT`` (or ``L D L.mH``) of symmetric (or Hermitian) matrices.

    They are LAPACK's, for `ldl_solve`, and without derivative.
    """
    packed, pivots, report = ldl(square(A, "torch.linalg.ldl_factor_ex"), hermitian=hermitian)
    check(report, "torch.linalg.ldl_factor", errors.zero_block)
    return return_types.linalg_ldl_factor(packed, pivots)


@on_arrays
def ldl_factor_ex(A: Any, *, hermitian: bool = False, check_errors: bool = False) -> Any:
    """As `ldl_factor`, with a report in place of an error."""
    x = square(A, "torch.linalg.ldl_factor_ex")
    packed, pivots, report = ldl(x, hermitian=hermitian)
    if check_errors:
        check(report, "torch.linalg.ldl_factor_ex", errors.zero_block)
    return return_types.linalg_ldl_factor_ex(packed, pivots, report)


@on_arrays
def ldl_solve(LD: Any, pivots: Any, B: Any, *, hermitian: bool = False) -> Any:
    """The solutions of systems by the factors that `ldl_factor` gives."""
    name = "torch.linalg.ldl_solve"
    packed, sides = square(LD, name), matrices(B, name)
    alike(packed, sides, name, "LD B")
    if packed.shape[-1] != sides.shape[-2]:
        raise errors.sizes_of_system(name, packed.shape, sides.shape, True)
    packed, sides = stacked(packed, sides)
    if raw(pivots).shape != packed.shape[:-1]:
        pivots = broadcast_to(pivots, to=packed.shape[:-1])
    return ldl_systems(packed, pivots, sides, hermitian=hermitian)


refuse(globals(), "lu_cpu", "bool integer half", "lu lu_factor lu_factor_ex")
refuse(globals(), "cholesky_cpu", "half", "cholesky cholesky_ex")
refuse(globals(), "geqrf_cpu", "half", "qr")
refuse(globals(), "ldl_factor_kernel_cpu", "half", "ldl_factor ldl_factor_ex")
refuse(globals(), "ldl_solve_kernel_cpu", "half", "ldl_solve")
