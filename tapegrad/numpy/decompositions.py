"""Decompositions and what is computed by them, with the names of `numpy.linalg`."""

from __future__ import annotations

import functools
from typing import Any

import numpy

from .. import errors
from ..backend import is_complex, namespace
from ..core.array import is_mapped
from ..core.record import raw
from ..ops import eigen, factorise, least_squares
from ..ops.arithmetic import multiply
from ..ops.comparison import greater
from ..ops.complex import abs as absolute
from ..ops.complex import conj, real
from ..ops.contract import matmul
from ..ops.index import getitem
from ..ops.join import concat
from ..ops.linear import broadcast_to, cast, reshape, stop_gradient
from ..ops.linear import sum as _sum
from ..ops.locate import any_true, count_nonzero
from ..ops.matrices import adjoint, columns, rows, split_columns
from ..ops.reduce import amax
from ..ops.rounding import sign
from ..ops.sort import argsort, take_along
from ..ops.svd import svd as svd_op
from ..ops.triangular import mirrored
from .dispatch import implements
from .norms import inexact
from .operands import operand

__all__ = [
    "cholesky",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "lstsq",
    "matrix_rank",
    "pinv",
    "qr",
    "svd",
    "svdvals",
]

EigResult: Any = type(numpy.linalg.eig(numpy.eye(1)))
EighResult: Any = type(numpy.linalg.eigh(numpy.eye(1)))
QRResult: Any = type(numpy.linalg.qr(numpy.eye(1)))
SVDResult: Any = type(numpy.linalg.svd(numpy.eye(1)))


@implements(numpy.linalg.cholesky)
def cholesky(a: Any, /, *, upper: bool = False) -> Any:
    x = inexact(a)
    if upper:  # this triangle is read, then
        return adjoint(factorise.cholesky(adjoint(x)))
    return factorise.cholesky(x)


# Eigenvalues


@implements(numpy.linalg.eigh)
def eigh(a: Any, UPLO: str = "L") -> Any:
    return EighResult(*hermitian_eigen(a, UPLO))


@implements(numpy.linalg.eigvalsh)
def eigvalsh(a: Any, UPLO: str = "L") -> Any:
    return hermitian_eigen(a, UPLO)[0]


def hermitian_eigen(a: Any, triangle: str) -> tuple[Any, Any]:
    if triangle.upper() not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return eigen.eigh(inexact(a), lower=triangle.upper() == "L", driver="")


@implements(numpy.linalg.eig)
def eig(a: Any) -> Any:
    """As NumPy's: before NumPy 2.5 real where the matrices and all eigenvalues are; else complex.

    In vmap always complex.
    """
    x = inexact(a)
    values, vectors = eigen.eig(x)
    if are_real(x, values):
        return EigResult(real(values), real(vectors))
    return EigResult(values, vectors)


@implements(numpy.linalg.eigvals)
def eigvals(a: Any) -> Any:
    x = inexact(a)
    values, _ = eigen.eig(x)
    return real(values) if are_real(x, values) else values


def are_real(x: Any, values: Any) -> bool:
    """Whether NumPy gives these eigenvalues of `x` as real numbers."""
    return (
        not is_complex(x.dtype)
        and not are_always_complex()
        and not is_mapped(values)
        and not namespace(raw(values)).any(raw(values).imag)
    )


@functools.cache
def are_always_complex() -> bool:
    """Whether NumPy gives complex eigenvalues even where all are real, as it does since 2.5."""
    return numpy.linalg.eigvals(numpy.ones((1, 1))).dtype.kind == "c"


# Singular values


@implements(numpy.linalg.svd)
def svd(
    a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> Any:
    x = inexact(a)
    if hermitian:
        return hermitian_svd(x, compute_uv)
    if not compute_uv:
        return svd_op(x, full=False)[1]
    return SVDResult(*svd_op(x, full=full_matrices))


def hermitian_svd(x: Any, vectors_too: bool) -> Any:
    """The singular values, descending, and vectors of Hermitian matrices, by their eigenvalues."""
    values, vectors = eigen.eigh(x, lower=True, driver="")
    sizes = absolute(values)
    order = getitem(argsort(sizes, axis=sizes.ndim - 1, stable=False), key=REVERSED)
    sizes = take_along(sizes, order, axis=sizes.ndim - 1, once=True)
    if not vectors_too:
        return sizes
    vectors = take_columns(vectors, order)
    signs = sign(take_along(values, order, axis=sizes.ndim - 1, once=True))
    return SVDResult(vectors, sizes, adjoint(multiply(vectors, rows(signs))))


REVERSED = (Ellipsis, slice(None, None, -1))


def take_columns(x: Any, order: Any) -> Any:
    """The columns of matrices in another order."""
    return take_along(x, broadcast_to(rows(order), to=x.shape), axis=x.ndim - 1, once=True)


@implements(numpy.linalg.svdvals)
def svdvals(x: Any, /) -> Any:
    return svd_op(inexact(x), full=False)[1]


@implements(numpy.linalg.matrix_rank)
def matrix_rank(
    A: Any,
    tol: Any = None,
    hermitian: bool = False,
    *,
    rtol: Any = None,
) -> Any:
    if rtol is not None and tol is not None:
        raise ValueError("`tol` and `rtol` can't be both set.")
    x = stop_gradient(inexact(A))
    if x.ndim < 2:
        return cast(any_true(x, axis=tuple(range(x.ndim)), keepdims=False), numpy.dtype(int))
    values = hermitian_svd(x, False) if hermitian else svd_op(x, full=False)[1]
    if tol is None:
        if rtol is None:
            rtol = max(x.shape[-2:]) * float(namespace(raw(x)).finfo(values.dtype).eps)
        some = values.shape[-1] > 0
        largest = amax(values, axis=(values.ndim - 1,), keepdims=True) if some else 0.0
        tol = largest * (columns(operand(rtol)) if getattr(rtol, "ndim", 0) else rtol)
    elif getattr(tol, "ndim", 0):
        tol = columns(operand(tol))
    large = greater(values, tol)
    return count_nonzero(large, axis=(large.ndim - 1,), keepdims=False)


# QR


@implements(numpy.linalg.qr)
def qr(a: Any, mode: str = "reduced") -> Any:
    if mode == "raw":
        raise errors.no_argument("linalg.qr", 'mode="raw"', 'Use mode="reduced" or "complete".')
    if mode not in ("reduced", "complete", "r"):
        raise ValueError(f"Unrecognized mode '{mode}'")
    q, r = orthogonal(inexact(a), mode == "complete")
    return r if mode == "r" else QRResult(q, r)


def orthogonal(x: Any, complete: bool) -> tuple[Any, Any]:
    """The QR factors of matrices of any shape."""
    if x.ndim < 2 or x.shape[-2] >= x.shape[-1]:
        return factorise.qr(x, complete=complete)
    square, others = split_columns(x, x.shape[-2])
    q, r = factorise.qr(square, complete=False)
    return q, concat(r, matmul(adjoint(q), others), axis=x.ndim - 1)


# Least squares


@implements(numpy.linalg.pinv)
def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = numpy._NoValue) -> Any:
    x = inexact(a)
    if rcond is None:
        rcond = 1e-15 if rtol is numpy._NoValue else rtol
    elif rtol is not numpy._NoValue:
        raise ValueError("`rtol` and `rcond` can't be both set.")
    if rcond is None:
        rcond = max(x.shape[-2:]) * numpy.finfo(x.dtype).eps
    if hermitian:
        x = mirrored(x, lower=True, conjugates=True)
    return least_squares.pinv(x, rtol=number("linalg.pinv", rcond))


def number(function: str, rtol: Any) -> float:
    """A tolerance as a number that a tape may keep."""
    if getattr(rtol, "ndim", 0):
        raise errors.no_argument(function, "an array of tolerances", "Pass one number for all.")
    return float(rtol)


@implements(numpy.linalg.lstsq)
def lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    """As NumPy's. In vmap the residuals are there whenever there are more rows than columns."""
    a, b = inexact(a), inexact(b)
    if a.ndim != 2:
        raise numpy.linalg.LinAlgError(
            f"{a.ndim}-dimensional array given. Array must be two-dimensional"
        )
    m, n = a.shape
    if b.shape[:1] != (m,):
        raise numpy.linalg.LinAlgError("Incompatible dimensions")
    if rcond is None:
        rcond = max(m, n) * numpy.finfo(a.dtype).eps
    sides = b if b.ndim == 2 else reshape(b, to=(m, 1))
    x, rank, values = least_squares.lstsq(a, sides, rtol=number("linalg.lstsq", rcond))
    left = sides - matmul(a, x)
    squares = left * conj(left) if is_complex(left.dtype) else left * left
    squares = real(squares) if is_complex(squares.dtype) else squares
    residuals = _sum(squares, axis=(0,), keepdims=False)
    if m <= n or (not is_mapped(rank) and raw(rank) < n):
        residuals = getitem(residuals, key=(slice(0, 0),))
    if b.ndim == 1:
        x = reshape(x, to=(n,))
    return x, residuals, rank, values
