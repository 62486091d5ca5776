"""Linear systems, inverses and least squares, with the names of `scipy.linalg`."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy
import scipy.linalg as original

from ... import errors
from ...numpy.decompositions import lstsq as numpy_lstsq
from ...numpy.decompositions import matrix_rank, number
from ...numpy.norms import norm as numpy_norm
from ...ops import banded, determinant, factorise, least_squares, linalg, riccati
from ...ops.contract import transpose
from ...ops.factorise import inverse_order, take_rows
from ...ops.join import concat
from ...ops.linear import reshape
from ...ops.matrices import adjoint, columns, conjugate
from ...ops.matrix_functions import stein, sylvester
from ...ops.shape import diagonal
from ...ops.triangular import mirrored
from ...ops.triangular import solve_triangular as triangular
from ..dispatch import implements
from .operands import alike, finite, solved, square, stacked

__all__ = [
    "cho_solve",
    "det",
    "inv",
    "lstsq",
    "lu_solve",
    "norm",
    "pinv",
    "pinvh",
    "solve",
    "solve_continuous_are",
    "solve_continuous_lyapunov",
    "solve_discrete_are",
    "solve_discrete_lyapunov",
    "solve_lyapunov",
    "solve_sylvester",
    "solve_triangular",
]

TRANSPOSES = {0: "N", "N": "N", 1: "T", "T": "T", 2: "C", "C": "C"}


def transposition(trans: Any) -> str:
    if trans not in TRANSPOSES:
        raise ValueError(f"trans must be 0, 1 or 2, or 'N', 'T' or 'C', but is {trans!r}.")
    return TRANSPOSES[trans]


@implements(original.solve_triangular)
def solve_triangular(
    a: Any,
    b: Any,
    trans: Any = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> Any:
    a, b = square(a, check_finite), finite(b, check_finite)
    way = transposition(trans)
    if way == "C":
        a = conjugate(a)
    solve = partial(triangular, lower=bool(lower), transposed=way != "N", unit=bool(unit_diagonal))
    return solved(solve, a, b)


@implements(original.cho_solve)
def cho_solve(
    c_and_lower: Any, b: Any, overwrite_b: bool = False, check_finite: bool = True
) -> Any:
    c, lower = c_and_lower
    return solved(
        partial(with_cholesky, lower=bool(lower)), square(c, check_finite), finite(b, check_finite)
    )


def with_cholesky(c: Any, b: Any, *, lower: bool) -> Any:
    """The solutions by the lower factor, or by the upper one."""
    first = c if lower else conjugate(c)
    second = conjugate(c) if lower else c
    half = triangular(first, b, lower=lower, transposed=not lower, unit=False)
    return triangular(second, half, lower=lower, transposed=lower, unit=False)


@implements(original.lu_solve)
def lu_solve(
    lu_and_piv: Any,
    b: Any,
    trans: Any = 0,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> Any:
    packed, pivots = lu_and_piv
    packed, b = square(packed, check_finite), finite(b, check_finite)
    way = transposition(trans)
    order = factorise.row_order(pivots, rows=packed.shape[-1])
    if way == "C":
        packed = conjugate(packed)
    lower: Any = {"lower": True, "unit": True}
    upper: Any = {"lower": False, "unit": False}
    vector = b.ndim == 1
    if vector:
        b = columns(b)
    if b.shape[-2] != packed.shape[-1]:
        raise ValueError(f"Shapes of lu {tuple(packed.shape)} and b {tuple(b.shape)} differ.")
    if way == "N":
        half = solved(partial(triangular, transposed=False, **lower), packed, rows_of(b, order))
        x = solved(partial(triangular, transposed=False, **upper), packed, half)
    else:
        half = solved(partial(triangular, transposed=True, **upper), packed, b)
        x = solved(partial(triangular, transposed=True, **lower), packed, half)
        x = rows_of(x, inverse_order(order))
    return reshape(x, to=x.shape[:-1]) if vector else x


def rows_of(x: Any, order: Any) -> Any:
    """The rows of stacks of matrices in another order; the stacks broadcast."""
    stack = numpy.broadcast_shapes(x.shape[:-2], order.shape[:-1])
    order = stacked(order, (*stack, order.shape[-1]))
    return take_rows(stacked(x, (*stack, *x.shape[-2:])), order)


STRUCTURES = {
    None: "general",
    "gen": "general",
    "sym": "symmetric",
    "her": "hermitian",
    "pos": "positive definite",
    "general": "general",
    "diagonal": "diagonal",
    "tridiagonal": "tridiagonal",
    "banded": "general",
    "upper triangular": "upper triangular",
    "lower triangular": "lower triangular",
    "symmetric": "symmetric",
    "hermitian": "hermitian",
    "positive definite": "positive definite",
}


@implements(original.solve)
def solve(
    a: Any,
    b: Any,
    lower: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    assume_a: str | None = None,
    transposed: bool = False,
) -> Any:
    """As SciPy's. Of symmetric and Hermitian matrices the gradient is so, too."""
    a, b = square(a, check_finite), finite(b, check_finite)
    if assume_a not in STRUCTURES:
        raise ValueError(f"{assume_a} is not a recognized matrix structure")
    structure = STRUCTURES[assume_a]
    if structure == "positive definite":
        factor = factorise.cholesky(a if lower else adjoint(a))
        if transposed:
            factor = conjugate(factor)
        return solved(partial(with_cholesky, lower=True), factor, b)
    if structure in ("symmetric", "hermitian"):
        a = mirrored(a, lower=bool(lower), conjugates=structure == "hermitian")
    if structure in ("upper triangular", "lower triangular"):
        below = structure == "lower triangular"
        return solved(partial(triangular, lower=below, transposed=transposed, unit=False), a, b)
    if transposed:
        a = transpose(a)
    if structure == "diagonal":
        return solved(partial(by_band, side=0), a, b)
    return solved(partial(by_band, side=1) if structure == "tridiagonal" else linalg.solve, a, b)


def by_band(a: Any, b: Any, *, side: int) -> Any:
    """The solutions by the diagonals of matrices up to `side` beside the main one."""
    side = min(side, a.shape[-1] - 1)
    ab = band_of(a, side)
    return banded.solve_banded(ab, b, lower=side, upper=side, definite=False)


def band_of(a: Any, side: int) -> Any:
    parts = []
    for offset in range(side, -side - 1, -1):
        part = diagonal(a, offset=offset)
        zeros = numpy.zeros((*part.shape[:-1], abs(offset)), dtype=a.dtype)
        pieces = (zeros, part) if offset > 0 else (part, zeros)
        row = concat(*pieces, axis=part.ndim - 1) if offset else part
        parts.append(reshape(row, to=(*row.shape[:-1], 1, row.shape[-1])))
    return concat(*parts, axis=parts[0].ndim - 2)


# Matrix equations


@implements(original.solve_sylvester)
def solve_sylvester(a: Any, b: Any, q: Any) -> Any:
    a, b, q = square(a), square(b), finite(q)
    stack = numpy.broadcast_shapes(a.shape[:-2], b.shape[:-2], q.shape[:-2])
    return sylvester(*(stacked(x, (*stack, *x.shape[-2:])) for x in (a, b, q)))


@implements(original.solve_continuous_lyapunov)
def solve_continuous_lyapunov(a: Any, q: Any) -> Any:
    a = square(a)
    return solve_sylvester(a, adjoint(a), q)


solve_lyapunov = solve_continuous_lyapunov


@implements(original.solve_discrete_lyapunov)
def solve_discrete_lyapunov(a: Any, q: Any, method: str | None = None) -> Any:
    """The solutions x of a @ x @ a^H - x + q = 0, as SciPy's: by one system, or bilinear."""
    a, q = alike(square(a), finite(q))
    n = a.shape[-1]
    if method not in (None, "direct", "bilinear"):
        raise ValueError(f"Unknown solver {method}")
    if method == "direct" or (method is None and n < 10):
        if a.ndim != 2:
            raise errors.not_in_scipy_face(
                "linalg.solve_discrete_lyapunov", "stacks", 'Use method="bilinear".'
            )
        # the Kronecker product of a and conj(a), by rows
        products = reshape(a, to=(n, 1, n, 1)) * reshape(conjugate(a), to=(1, n, 1, n))
        system = numpy.eye(n * n, dtype=a.dtype) - reshape(products, to=(n * n, n * n))
        return reshape(linalg.solve(system, reshape(q, to=(n * n, 1))), to=(n, n))
    return stein(a, q)


@implements(original.solve_continuous_are)
def solve_continuous_are(
    a: Any, b: Any, q: Any, r: Any, e: Any = None, s: Any = None, balanced: bool = True
) -> Any:
    """As SciPy's. Of `q` and `r`, which are Hermitian, the gradients are so, too."""
    return riccati_of("continuous", a, b, q, r, e, s, balanced)


@implements(original.solve_discrete_are)
def solve_discrete_are(
    a: Any, b: Any, q: Any, r: Any, e: Any = None, s: Any = None, balanced: bool = True
) -> Any:
    """As SciPy's. Of `q` and `r`, which are Hermitian, the gradients are so, too."""
    return riccati_of("discrete", a, b, q, r, e, s, balanced)


def riccati_of(time: str, a: Any, b: Any, q: Any, r: Any, e: Any, s: Any, balanced: bool) -> Any:
    if e is not None or s is not None:
        raise errors.not_in_scipy_face(
            f"linalg.solve_{time}_are",
            "e= or s=",
            "Put them into a, b and q: solve(e, a) and solve(e, b); a - b @ solve(r, s.T) and "
            "q - s @ solve(r, s.T).",
        )
    solve = riccati.continuous_riccati if time == "continuous" else riccati.discrete_riccati
    inputs = alike(square(a), finite(b), square(q), square(r))
    stack = numpy.broadcast_shapes(*(x.shape[:-2] for x in inputs))
    inputs = [stacked(x, (*stack, *x.shape[-2:])) for x in inputs]
    return solve(*inputs, balanced=bool(balanced))


# Inverses and least squares


@implements(original.inv)
def inv(
    a: Any,
    overwrite_a: bool = False,
    check_finite: bool = True,
    *,
    assume_a: str | None = None,
    lower: bool = False,
) -> Any:
    x = square(a, check_finite)
    if assume_a in (None, "general", "gen"):
        return linalg.inv(x)
    eye = numpy.eye(x.shape[-1], dtype=x.dtype)
    return solve(x, eye, lower, assume_a=assume_a, check_finite=False)


@implements(original.det)
def det(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    return determinant.det(square(a, check_finite))


@implements(original.norm)
def norm(
    a: Any, ord: Any = None, axis: Any = None, keepdims: bool = False, check_finite: bool = True
) -> Any:
    finite(a, check_finite)
    return numpy_norm(a, ord, axis, keepdims)


@implements(original.pinv)
def pinv(
    a: Any,
    *,
    atol: Any = None,
    rtol: Any = None,
    return_rank: bool = False,
    check_finite: bool = True,
) -> Any:
    return pseudo_inverse("pinv", finite(a, check_finite), atol, rtol, return_rank)


@implements(original.pinvh)
def pinvh(
    a: Any,
    atol: Any = None,
    rtol: Any = None,
    lower: bool = True,
    return_rank: bool = False,
    check_finite: bool = True,
) -> Any:
    x = mirrored(square(a, check_finite), lower=bool(lower), conjugates=True)
    return pseudo_inverse("pinvh", x, atol, rtol, return_rank)


def pseudo_inverse(function: str, x: Any, atol: Any, rtol: Any, return_rank: bool) -> Any:
    if atol is not None and (numpy.ndim(atol) or atol != 0):
        raise errors.not_in_scipy_face(f"linalg.{function}", "atol=", "Use rtol=.")
    if rtol is None:
        rtol = max(x.shape[-2:]) * float(numpy.finfo(x.dtype).eps) if atol is None else 0.0
    rtol = number(f"linalg.{function}", rtol)
    inverse = least_squares.pinv(x, rtol=rtol)
    return (inverse, matrix_rank(x, rtol=rtol)) if return_rank else inverse


@implements(original.lstsq)
def lstsq(
    a: Any,
    b: Any,
    cond: Any = None,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    lapack_driver: str | None = None,
) -> Any:
    if lapack_driver == "gelsy":
        raise errors.not_in_scipy_face("linalg.lstsq", 'lapack_driver="gelsy"', "Leave it out.")
    a, b = finite(a, check_finite), finite(b, check_finite)
    if b.shape[:1] != a.shape[:1]:
        raise ValueError(
            f"Shape mismatch: a and b should have the same number of rows ({a.shape} "
            f"and {b.shape})."
        )
    if cond is None:
        cond = float(numpy.finfo(numpy.result_type(a.dtype, b.dtype)).eps)
    x, residuals, rank, values = numpy_lstsq(a, b, rcond=cond)
    if b.ndim == 1 and residuals.shape == (1,):
        residuals = reshape(residuals, to=())
    return x, residuals, rank, values
