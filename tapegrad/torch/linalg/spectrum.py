"""Eigenvalues and singular values, and what is computed by them, with PyTorch's names."""

from __future__ import annotations

from typing import Any

import numpy

from ...numpy.decompositions import hermitian_svd
from ...numpy.reading import known
from ...ops import eigen, least_squares
from ...ops.comparison import greater
from ...ops.index import getitem
from ...ops.join import stack
from ...ops.linear import reshape, stop_gradient
from ...ops.locate import count_nonzero
from ...ops.matrices import columns
from ...ops.reduce import amax
from ...ops.svd import svd as svd_op
from ...ops.triangular import mirrored
from .. import errors, return_types
from ..calls import on_arrays
from ..dtypes import of_numpy
from ..refusals import refuse
from .operands import converged, matrices, square

__all__ = ["eig", "eigh", "eigvals", "eigvalsh", "matrix_rank", "pinv", "svd", "svdvals"]


@on_arrays
def eig(A: Any) -> Any:
    """The eigenvalues and eigenvectors of square matrices, always complex.

    The gradient is right for what does not depend on the phase and length of eigenvectors.
    """
    return return_types.linalg_eig(*pairs(square(A, "linalg.eig"), "linalg.eig"))


@on_arrays
def eigvals(A: Any) -> Any:
    """The eigenvalues of square matrices, always complex."""
    return pairs(square(A, "linalg.eigvals"), "linalg.eigvals")[0]


def pairs(x: Any, name: str) -> tuple[Any, Any]:
    """The eigenvalues and eigenvectors of matrices that are not known to be Hermitian."""
    result: tuple[Any, Any] = converged(lambda: eigen.eig(x), name)
    return result


def hermitian(x: Any, triangle: str) -> tuple[Any, Any]:
    """The eigenvalues and eigenvectors of Hermitian matrices."""
    if triangle.upper() not in ("L", "U"):
        raise errors.bad_triangle(triangle)
    x, lower = square(x, "linalg.eigh"), triangle.upper() == "L"
    result: tuple[Any, Any] = converged(
        lambda: eigen.eigh(x, lower=lower, driver=""), "linalg.eigh"
    )
    return result


@on_arrays
def eigh(A: Any, UPLO: str = "L") -> Any:
    """The eigenvalues, ascending, and eigenvectors of Hermitian matrices.

    The lower triangle is read, or the upper one if `UPLO` is "U". The gradient is Hermitian.
    """
    return return_types.linalg_eigh(*hermitian(A, UPLO))


@on_arrays
def eigvalsh(A: Any, UPLO: str = "L") -> Any:
    """The eigenvalues of Hermitian matrices, ascending."""
    return hermitian(A, UPLO)[0]


def check_driver(driver: str | None) -> None:
    """Raise if an algorithm is named: there is one."""
    if driver is not None:
        raise errors.no_driver()


@on_arrays
def svd(A: Any, full_matrices: bool = True, *, driver: str | None = None) -> Any:
    """Singular values, descending, with left and right singular vectors: ``A = U @ diag(S) @ Vh``.

    U and Vh are square if `full_matrices`.
    """
    check_driver(driver)
    x = matrices(A, "linalg.svd")
    return return_types.linalg_svd(*converged(lambda: svd_op(x, full=full_matrices), "linalg.svd"))


@on_arrays
def svdvals(A: Any, *, driver: str | None = None) -> Any:
    """The singular values of matrices, descending."""
    check_driver(driver)
    x = matrices(A, "linalg.svd")
    return converged(lambda: svd_op(x, full=False), "linalg.svd")[1]


# Tolerances


def sizes_of(x: Any, symmetric: bool) -> Any:
    """The singular values; by the eigenvalues if matrices are Hermitian."""
    return hermitian_svd(x, False) if symmetric else svd_op(x, full=False)[1]


def relative_tolerance(x: Any, atol: Any, rtol: Any) -> Any:
    """The tolerance in parts of the largest singular value: PyTorch's default if `atol` is not
    given either."""
    if rtol is not None:
        return rtol
    return 0.0 if is_positive(atol) else max(x.shape[-2:]) * float(numpy.finfo(x.dtype).eps)


def is_positive(atol: Any) -> bool:
    """Whether an absolute tolerance is given that counts."""
    return atol is not None and bool((numpy.asarray(known(atol, "a tolerance")) > 0).any())


def aligned(tolerance: Any) -> Any:
    """A tolerance for each matrix, or one for all, beside singular values."""
    return columns(tolerance) if getattr(tolerance, "ndim", 0) else tolerance


@on_arrays
def matrix_rank(
    A: Any,
    tol: Any = None,
    hermitian: bool = False,
    *,
    atol: Any = None,
    rtol: Any = None,
) -> Any:
    """The number of singular values above ``max(atol, rtol * largest)``.

    `rtol` is the dtype's rounding times the longer side by default, 0 if `atol` is given. `tol`
    is an older name of `atol`. Tolerances are numbers, or tensors with one for each matrix.
    """
    x = stop_gradient(matrices(A, "torch.linalg.matrix_rank"))
    atol = tol if atol is None else atol
    rtol = relative_tolerance(x, atol, rtol)
    values = sizes_of(x, hermitian)
    if not values.shape[-1]:
        return numpy.zeros(values.shape[:-1], numpy.int64)
    level = amax(values, axis=(values.ndim - 1,), keepdims=True) * aligned(rtol)
    if atol is not None:
        least = aligned(atol)
        level = level * (level > least) + least * (level <= least)
    large = greater(values, level)
    return count_nonzero(large, axis=(large.ndim - 1,), keepdims=False)


@on_arrays
def pinv(
    A: Any,
    rcond: Any = None,
    hermitian: bool = False,
    *,
    atol: Any = None,
    rtol: Any = None,
) -> Any:
    """The pseudo-inverses of matrices.

    Singular values up to ``max(atol, rtol * largest)`` count as zero; the defaults are those of
    `matrix_rank`, and `rcond` is an older name of `rtol`. The derivative is that among matrices of
    the same rank.
    """
    if A.ndim < 2 or A.dtype.kind in "biu":
        raise errors.no_pseudo_inverse(of_numpy(A.dtype), A.shape)
    x = mirrored(A, lower=True, conjugates=True) if hermitian else A
    rtol = relative_tolerance(x, atol, rcond if rtol is None else rtol)
    parts = shares(x, atol, rtol)
    if parts.size < 2 or (parts == parts.flat[0]).all():
        return least_squares.pinv(x, rtol=float(parts.flat[0]) if parts.size else 0.0)
    m, n = x.shape[-2:]
    whole = numpy.broadcast_to(parts, x.shape[:-2])
    flat = reshape(x, to=(whole.size, m, n))
    inverses = (
        least_squares.pinv(getitem(flat, key=(i,)), rtol=float(part))
        for i, part in enumerate(whole.ravel())
    )
    return reshape(stack(*inverses, axis=0), to=(*whole.shape, n, m))


def shares(x: Any, atol: Any, rtol: Any) -> Any:
    """What part of the largest singular value counts as zero, for each matrix or for all."""
    relative = numpy.asarray(known(rtol, "a tolerance"))
    if not is_positive(atol):
        return relative
    largest = known(sizes_of(stop_gradient(x), False), "the absolute tolerance of pinv")
    largest = largest.max(-1, initial=0)
    absolute_part = numpy.divide(
        known(atol, "a tolerance"), largest, out=numpy.zeros_like(largest), where=largest > 0
    )
    return numpy.maximum(relative, absolute_part)


refuse(globals(), "linalg_eig_out_cpu", "half", "eig eigvals")
refuse(globals(), "linalg_eigh_cpu", "bool integer half", "eigh eigvalsh")
refuse(globals(), "linalg_svd_cpu", "half", "svd svdvals matrix_rank")
refuse(
    globals(),
    "linalg.pinv({kind}): expected a tensor with 2 or more dimensions of float, double, "
    "cfloat or cdouble types",
    "half",
    "pinv",
)
