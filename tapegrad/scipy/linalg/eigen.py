"""Eigenvalues and eigenvectors, with the names of `scipy.linalg`."""

from __future__ import annotations

from typing import Any

import numpy
import scipy.linalg as original

from ... import errors
from ...backend import is_complex
from ...numpy.decompositions import are_real
from ...numpy.reading import known
from ...ops import eigen, factorise
from ...ops.complex import real
from ...ops.contract import matmul
from ...ops.index import getitem
from ...ops.matrices import adjoint, conjugate
from ...ops.shape import embed_diagonal
from ...ops.triangular import mirrored, solve_from_right, solve_triangular
from ..dispatch import implements
from .operands import alike, finite, square, stacked

__all__ = ["eig", "eigh", "eigh_tridiagonal", "eigvals", "eigvalsh", "eigvalsh_tridiagonal"]


@implements(original.eigh)
def eigh(
    a: Any,
    b: Any = None,
    *,
    lower: bool = True,
    eigvals_only: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    type: int = 1,
    check_finite: bool = True,
    subset_by_index: Any = None,
    subset_by_value: Any = None,
    driver: str | None = None,
) -> Any:
    """As SciPy's, also for a positive definite `b`. The gradients are Hermitian."""
    values, vectors = pairs(a, b, lower, type, check_finite, driver)
    part = subset(values, subset_by_index, subset_by_value)
    if part is not None:
        values = getitem(values, key=(Ellipsis, part))
        vectors = getitem(vectors, key=(Ellipsis, part))
    return values if eigvals_only else (values, vectors)


def pairs(a: Any, b: Any, lower: bool, type: int, check_finite: bool, driver: str | None) -> Any:
    """All eigenvalues and eigenvectors, generalised where `b` is given."""
    a = square(a, check_finite)
    if b is None:
        return eigen.eigh(a, lower=lower, driver=driver or "evr")
    return generalised(a, square(b, check_finite), lower, type)


@implements(original.eigvalsh)
def eigvalsh(
    a: Any,
    b: Any = None,
    *,
    lower: bool = True,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    type: int = 1,
    check_finite: bool = True,
    subset_by_index: Any = None,
    subset_by_value: Any = None,
    driver: str | None = None,
) -> Any:
    values, _ = pairs(a, b, lower, type, check_finite, driver)
    part = subset(values, subset_by_index, subset_by_value)
    return values if part is None else getitem(values, key=(Ellipsis, part))


def generalised(a: Any, b: Any, lower: bool, kind: int) -> tuple[Any, Any]:
    """For Hermitian `a` and positive definite `b`, as LAPACK does it: by the factor of `b`."""
    if kind not in (1, 2, 3):
        raise ValueError('"type" keyword only accepts 1, 2, and 3.')
    a, b = alike(a, b)
    a = mirrored(a, lower=lower, conjugates=True)
    factor = factorise.cholesky(b if lower else adjoint(b))
    other = conjugate(factor)
    if kind == 1:
        inner = solve_triangular(factor, a, lower=True, transposed=False, unit=False)
        inner = solve_from_right(inner, other, lower=True, transposed=True)
    else:
        inner = matmul(matmul(adjoint(factor), a), factor)
    values, vectors = eigen.eigh(inner, lower=lower, driver="evd")
    if kind == 3:
        return values, matmul(factor, vectors)
    return values, solve_triangular(other, vectors, lower=True, transposed=True, unit=False)


def subset(values: Any, by_index: Any, by_value: Any) -> slice | None:
    """Which eigenvalues are asked for."""
    if by_index is not None and by_value is not None:
        raise ValueError("Either index or value subset can be requested.")
    if by_index is not None:
        first, last = by_index
        if not 0 <= first <= last < values.shape[-1]:
            raise ValueError(f"Requested eigenvalue indices are not valid: {by_index}.")
        return slice(int(first), int(last) + 1)
    if by_value is None:
        return None
    if values.ndim != 1:
        raise errors.not_in_scipy_face(
            "linalg.eigh", "subset_by_value of stacks", "Use subset_by_index."
        )
    low, high = by_value
    data = known(values, "subset_by_value of scipy.linalg.eigh")
    first, last = numpy.searchsorted(data, [low, high], side="right")
    return slice(int(first), int(last))


@implements(original.eig)
def eig(
    a: Any,
    b: Any = None,
    left: bool = False,
    right: bool = True,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    homogeneous_eigvals: bool = False,
) -> Any:
    if left:
        raise errors.not_in_scipy_face(
            "linalg.eig",
            "left=True",
            "Take the columns of inv(vr).conj().T, where vr are the right eigenvectors.",
        )
    x, values, vectors = eigenpairs("eig", a, b, check_finite, homogeneous_eigvals)
    if not right:
        return values
    return values, real(vectors) if are_real(x, values) else vectors


@implements(original.eigvals)
def eigvals(
    a: Any,
    b: Any = None,
    overwrite_a: bool = False,
    check_finite: bool = True,
    homogeneous_eigvals: bool = False,
) -> Any:
    return eigenpairs("eigvals", a, b, check_finite, homogeneous_eigvals)[1]


def eigenpairs(
    function: str, a: Any, b: Any, check_finite: bool, homogeneous: bool
) -> tuple[Any, Any, Any]:
    """The matrices, their eigenvalues and their eigenvectors; generalised where `b` is given."""
    if homogeneous:
        raise errors.not_in_scipy_face(
            f"linalg.{function}", "homogeneous_eigvals=True", "Leave it out."
        )
    a = square(a, check_finite)
    if b is None:
        return a, *eigen.eig(a)
    a, b = alike(a, square(b, check_finite))
    stack = numpy.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a, b = (stacked(x, (*stack, *x.shape[-2:])) for x in (a, b))
    return a, *eigen.general_eig(a, b)


@implements(original.eigh_tridiagonal)
def eigh_tridiagonal(
    d: Any,
    e: Any,
    eigvals_only: bool = False,
    select: Any = "a",
    select_range: Any = None,
    check_finite: bool = True,
    tol: float = 0.0,
    lapack_driver: str = "auto",
) -> Any:
    """As SciPy's, by a full matrix."""
    d, e = finite(d, check_finite), finite(e, check_finite)
    if is_complex(d.dtype) or is_complex(e.dtype):
        raise TypeError("Only real arrays currently supported")
    n = d.shape[-1]
    below = embed_diagonal(e, offset=-1, to=(n, n))
    above = embed_diagonal(e, offset=1, to=(n, n))
    full = embed_diagonal(d, offset=0, to=(n, n)) + below + above
    values, vectors = selected(full, select, select_range)
    return values if eigvals_only else (values, vectors)


def selected(full: Any, select: Any, select_range: Any) -> tuple[Any, Any]:
    """All eigenvalues and eigenvectors of a Hermitian matrix, or those in a range."""
    values, vectors = eigen.eigh(full, lower=True, driver="evr")
    if select in ("a", "all", 0):
        return values, vectors
    if select in ("i", "index", 2):
        part = subset(values, select_range, None)
    elif select in ("v", "value", 1):
        part = subset(values, None, select_range)
    else:
        raise ValueError("invalid argument for select")
    return getitem(values, key=(Ellipsis, part)), getitem(vectors, key=(Ellipsis, part))


@implements(original.eigvalsh_tridiagonal)
def eigvalsh_tridiagonal(
    d: Any,
    e: Any,
    select: Any = "a",
    select_range: Any = None,
    check_finite: bool = True,
    tol: float = 0.0,
    lapack_driver: str = "auto",
) -> Any:
    return eigh_tridiagonal(d, e, True, select, select_range, check_finite, tol, lapack_driver)
