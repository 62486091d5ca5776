"""Factors of matrices, with the names of `scipy.linalg`: Cholesky, LU, QR, SVD, Schur, polar."""

from __future__ import annotations

from typing import Any

import numpy
import scipy.linalg as original

from ... import errors
from ...backend import is_complex, namespace
from ...core.record import raw
from ...numpy.decompositions import orthogonal, take_columns
from ...numpy.dispatch import np
from ...numpy.reading import known
from ...ops import factorise
from ...ops import schur as schur_op
from ...ops.contract import matmul
from ...ops.factorise import inverse_order, take_rows
from ...ops.index import getitem
from ...ops.linear import cast
from ...ops.linear import sum as _sum
from ...ops.matrices import adjoint, split_columns, split_rows
from ...ops.matrices import conjugate as conjugated
from ...ops.svd import svd as svd_op
from ...ops.triangular import triangle
from ..dispatch import implements
from .operands import finite, square

__all__ = [
    "cho_factor",
    "cholesky",
    "lu",
    "lu_factor",
    "null_space",
    "orth",
    "orthogonal_procrustes",
    "polar",
    "qr",
    "qr_multiply",
    "rq",
    "schur",
    "subspace_angles",
    "svd",
    "svdvals",
]


@implements(original.cholesky)
def cholesky(
    a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> Any:
    """As SciPy's. The gradient is Hermitian, whichever triangle is read."""
    x = square(a, check_finite)
    return factorise.cholesky(x) if lower else adjoint(factorise.cholesky(adjoint(x)))


@implements(original.cho_factor)
def cho_factor(
    a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[Any, bool]:
    """As SciPy's, with zeros in the other triangle."""
    x = square(a, check_finite)
    return (factorise.cholesky(x) if lower else adjoint(factorise.cholesky(adjoint(x)))), lower


@implements(original.lu_factor)
def lu_factor(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> tuple[Any, Any]:
    packed, pivots, _ = factorise.lu(finite(a, check_finite))
    return packed, pivots


@implements(original.lu)
def lu(
    a: Any,
    permute_l: bool = False,
    overwrite_a: bool = False,
    check_finite: bool = True,
    p_indices: bool = False,
) -> Any:
    x = finite(a, check_finite)
    packed, _, order = factorise.lu(x)
    m, n = x.shape[-2:]
    k = min(m, n)
    xp = namespace(raw(x))
    lower = triangle(split_columns(packed, k)[0], lower=True, diagonal=0.0)
    lower = lower + xp.eye(m, k, dtype=x.dtype)
    upper = triangle(split_rows(packed, k)[0], lower=False, diagonal=1.0)
    back = inverse_order(order)
    if permute_l:
        return take_rows(lower, back), upper
    if p_indices:
        return cast(back, numpy.dtype(numpy.int32)), lower, upper
    eye = xp.broadcast_to(xp.eye(m, dtype=raw(x).real.dtype), (*x.shape[:-2], m, m))
    return take_rows(eye, back), lower, upper


@implements(original.qr)
def qr(
    a: Any,
    overwrite_a: bool = False,
    lwork: Any = None,
    mode: str = "full",
    pivoting: bool = False,
    check_finite: bool = True,
) -> tuple[Any, ...]:
    if mode == "raw":
        raise errors.not_in_scipy_face(
            "linalg.qr",
            'mode="raw"',
            'Householder vectors are LAPACK\'s own; use mode="economic", or qr_multiply.',
        )
    if mode not in ("full", "economic", "r"):
        raise ValueError("Mode argument should be one of ['full', 'r', 'economic', 'raw']")
    x = finite(a, check_finite)
    order: tuple[Any, ...] = ()
    if pivoting:
        order = (factorise.column_order(x),)
        x = take_columns(x, order[0])
    q, r = orthogonal(x, mode != "economic")
    return (r, *order) if mode == "r" else (q, r, *order)


@implements(original.rq)
def rq(
    a: Any,
    overwrite_a: bool = False,
    lwork: Any = None,
    mode: str = "full",
    check_finite: bool = True,
) -> Any:
    if mode not in ("full", "r", "economic"):
        raise ValueError("Mode argument should be one of ['full', 'r', 'economic']")
    x = finite(a, check_finite)
    q, r = orthogonal(adjoint(getitem(x, key=BACKWARDS)), mode != "economic")
    q, r = (getitem(adjoint(y), key=BACKWARDS) for y in (q, r))
    return r if mode == "r" else (r, q)


BACKWARDS = (Ellipsis, slice(None, None, -1), slice(None, None, -1))
"""Rows and columns in the opposite order: so a factor of the adjoint is one of the matrix."""


@implements(original.qr_multiply)
def qr_multiply(
    a: Any,
    c: Any,
    mode: str = "right",
    pivoting: bool = False,
    conjugate: bool = False,
    overwrite_a: bool = False,
    overwrite_c: bool = False,
) -> Any:
    if mode not in ("left", "right"):
        raise ValueError(f"Mode argument can only be 'left' or 'right' but not '{mode}'")
    c = finite(c)
    q, r, *order = qr(a, mode="economic", pivoting=pivoting)
    if conjugate:
        q = conjugated(q)
    return (matmul(q, c) if mode == "left" else matmul(c, q)), r, *order


@implements(original.svd)
def svd(
    a: Any,
    full_matrices: bool = True,
    compute_uv: bool = True,
    overwrite_a: bool = False,
    check_finite: bool = True,
    lapack_driver: str = "gesdd",
) -> Any:
    x = finite(a, check_finite)
    return svd_op(x, full=full_matrices) if compute_uv else svd_op(x, full=False)[1]


@implements(original.svdvals)
def svdvals(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    return svd_op(finite(a, check_finite), full=False)[1]


@implements(original.schur)
def schur(
    a: Any,
    output: str = "real",
    lwork: Any = None,
    overwrite_a: bool = False,
    sort: Any = None,
    check_finite: bool = True,
) -> tuple[Any, Any]:
    """As SciPy's. The eigenvalues must differ, and be real for a real output."""
    if output not in ("real", "complex", "r", "c"):
        raise ValueError("argument must be 'real', or 'complex'")
    if sort is not None:
        raise errors.not_in_scipy_face(
            "linalg.schur", "sort=", "Leave it out: an order of eigenvalues jumps."
        )
    x = square(a, check_finite)
    if output[0] == "c" and not is_complex(x.dtype):
        x = cast(x, numpy.result_type(x.dtype, numpy.complex64))
    return schur_op.schur(x)


@implements(original.polar)
def polar(a: Any, side: str = "right") -> tuple[Any, Any]:
    if side not in ("right", "left"):
        raise ValueError("`side` must be either 'right' or 'left'")
    x = finite(a)
    w, _, vh = svd_op(x, full=False)
    u = matmul(w, vh)
    return u, matmul(adjoint(u), x) if side == "right" else matmul(x, adjoint(u))


@implements(original.orthogonal_procrustes)
def orthogonal_procrustes(a: Any, b: Any, check_finite: bool = True) -> tuple[Any, Any]:
    a, b = finite(a, check_finite), finite(b, check_finite)
    if a.ndim != 2 or a.shape != b.shape:
        raise ValueError(f"the shapes of A and B differ ({a.shape} vs {b.shape})")
    u, values, vh = svd_op(matmul(adjoint(a), b), full=False)
    return matmul(u, vh), _sum(values, axis=(0,), keepdims=False)


# Ranges and null spaces: how many vectors there are depends on values


@implements(original.orth)
def orth(A: Any, rcond: Any = None) -> Any:
    x = finite(A)
    u, values, _ = svd_op(x, full=False)
    return split_columns(u, count_large(x, values, rcond, "scipy.linalg.orth"))[0]


@implements(original.null_space)
def null_space(
    A: Any,
    rcond: Any = None,
    *,
    overwrite_a: bool = False,
    check_finite: bool = True,
    lapack_driver: str = "gesdd",
) -> Any:
    x = finite(A, check_finite)
    _, values, vh = svd_op(x, full=True)
    return adjoint(split_rows(vh, count_large(x, values, rcond, "scipy.linalg.null_space"))[1])


@implements(original.subspace_angles)
def subspace_angles(A: Any, B: Any) -> Any:
    """As SciPy's. An angle of zero between subspaces that touch has no derivative."""
    q, p = orth(A), orth(B)
    if q.shape[0] != p.shape[0]:
        raise ValueError(
            f"A and B must have the same number of rows, got {q.shape[0]} and {p.shape[0]}"
        )
    along = matmul(adjoint(q), p)
    cosines = svd_op(along, full=False)[1]
    if q.shape[1] < p.shape[1]:
        q, p, along = p, q, adjoint(along)
    sines = svd_op(p - matmul(q, along), full=False)[1]
    # each where it is well conditioned; the smallest cosine belongs to the largest angle
    cosines, sines = np.minimum(cosines[::-1], 1), np.minimum(sines, 1)
    return np.where(cosines > sines, np.arcsin(sines), np.arccos(cosines))


def count_large(x: Any, values: Any, rcond: Any, function: str) -> int:
    """How many singular values are above `rcond` times the largest, in a single matrix."""
    if x.ndim != 2:
        raise errors.not_in_scipy_face(
            function.removeprefix("scipy."), "stacks", "Call it on one matrix at a time."
        )
    if rcond is None:
        rcond = float(numpy.finfo(values.dtype).eps) * max(x.shape)
    data = known(values, function)
    return int((data > data.max(initial=0.0) * rcond).sum())
