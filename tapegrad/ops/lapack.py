"""Routines of BLAS and LAPACK that SciPy gives access to; what stands in for them without SciPy."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy

from .. import errors
from ..backend import on_device, scipy_module

PREFIXES = {"f": "s", "d": "d", "F": "c", "D": "z"}

OF_BLAS = ("gemm", "trsm")


@functools.cache
def routine(name: str, char: str) -> Callable[..., Any] | None:
    """A routine of BLAS or LAPACK for a type; None for other types and without SciPy."""
    if char not in PREFIXES:
        return None
    try:
        from scipy.linalg import blas, lapack
    except ImportError:
        return None
    found: Callable[..., Any] = getattr(blas if name in OF_BLAS else lapack, PREFIXES[char] + name)
    return found


def on_host(compute: Callable[..., Any]) -> Callable[..., Any]:
    """The forward of an operation that NumPy and SciPy alone compute, from a function of ndarrays.

    Arrays of a library without a device of its own are converted for it, and the results back.
    """

    @functools.wraps(compute)
    def forward(xp: Any, *inputs: Any, **params: Any) -> Any:
        if xp is numpy:
            return compute(*inputs, **params)
        if any(map(on_device, inputs)):
            raise errors.not_on_device(compute.__name__.lstrip("_"), xp.__name__)
        out = compute(*map(numpy.asarray, inputs), **params)
        return tuple(map(xp.asarray, out)) if isinstance(out, tuple) else xp.asarray(out)

    return forward


# Triangular systems


def solve_triangular(xp: Any, a: Any, b: Any, *, lower: bool, transposed: bool, unit: bool) -> Any:
    """The solutions of triangular systems for stacks of equal shape.

    Of `a` one triangle is read, without its diagonal if that is said to be `unit`.
    """
    dtype = xp.result_type(a, b)
    if on_device(a):
        return _solve_on_device(xp, a, b, lower, transposed, unit)
    if not unit and not xp.all(xp.linalg.diagonal(a) != 0):
        raise numpy.linalg.LinAlgError("Singular matrix")
    trsm = routine("trsm", dtype.char) if xp is numpy else None
    if trsm is None or b.size == 0:
        return _solve_full(xp, a, b, lower, transposed, unit)
    a, b = a.astype(dtype, copy=False), b.astype(dtype, copy=False)
    if a.ndim == 2:
        return _solve_one(trsm, a, b, lower, transposed, unit)
    out = xp.empty(b.shape, dtype=dtype)
    for i in numpy.ndindex(a.shape[:-2]):
        out[i] = _solve_one(trsm, a[i], b[i], lower, transposed, unit)
    return out


def _solve_one(
    trsm: Callable[..., Any], a: Any, b: Any, lower: bool, transposed: bool, unit: bool
) -> Any:
    # the transpose of an array in C order is in the order of Fortran, which LAPACK reads
    if not (a.flags.f_contiguous and not a.flags.c_contiguous):
        a, lower, transposed = a.T, not lower, not transposed
    if b.flags.f_contiguous:
        return trsm(1.0, a, b, lower=lower, trans_a=transposed, diag=unit)
    return trsm(1.0, a, b.T, side=1, lower=lower, trans_a=not transposed, diag=unit).T


def _solve_on_device(xp: Any, a: Any, b: Any, lower: bool, transposed: bool, unit: bool) -> Any:
    """Infinite where a matrix is singular: to look whether one is would be to wait."""
    if a.ndim > 2 or b.size == 0:
        return _solve_full(xp, a, b, lower, transposed, unit)
    solve = scipy_module(xp, "linalg").solve_triangular
    return solve(a, b, trans=int(transposed), lower=lower, unit_diagonal=unit)


def _solve_full(xp: Any, a: Any, b: Any, lower: bool, transposed: bool, unit: bool) -> Any:
    k = 1 if unit else 0
    full = xp.tril(a, k=-k) if lower else xp.triu(a, k=k)
    if unit:
        full = full + xp.eye(a.shape[-1], dtype=a.dtype)
    return xp.linalg.solve(xp.matrix_transpose(full) if transposed else full, b)


# LU factors

FEW_ROWS = 16
"""Matrices with fewer rows are solved anew faster than by factors, in stacks by far."""


def has_factors(x: Any) -> bool:
    """Whether systems of these matrices are solved by factors that are kept."""
    return (
        type(x) is numpy.ndarray
        and x.ndim >= 2
        and x.shape[-2] == x.shape[-1] >= FEW_ROWS
        and routine("getrf", x.dtype.char) is not None
    )


def factor(a: Any) -> tuple[Any, Any]:
    """LU factors in one matrix, and LAPACK's pivots."""
    getrf: Any = routine("getrf", a.dtype.char)
    if a.ndim == 2 and a.size:
        return getrf(a)[:2]
    *stack, m, n = a.shape
    packed = transposed(numpy.empty((*stack, n, m), dtype=a.dtype))  # as LAPACK orders it
    pivots = numpy.empty((*stack, min(m, n)), dtype=numpy.int32)
    for i in numpy.ndindex(*stack):
        if a[i].size:
            packed[i], pivots[i] = factor(a[i])
    return packed, pivots


def transposed(x: Any) -> Any:
    return x.swapaxes(-1, -2)


@on_host
def factor_lu(a: Any) -> tuple[Any, Any, Any]:
    """As `factor`, and the permutation of rows that the pivots are."""
    if routine("getrf", "d") is None:
        raise errors.no_scipy("the LU factorisation")
    if routine("getrf", a.dtype.char) is None:
        a = a.astype(numpy.result_type(a.dtype.char if a.dtype.kind == "c" else "f", "d"))
    packed, pivots = factor(a)
    return packed, pivots, permutation_of(pivots, a.shape[-2])


def solve_factored(packed: Any, pivots: Any, b: Any, transposed: bool) -> Any:
    """The solutions of systems by LU factors."""
    if not numpy.diagonal(packed, 0, -2, -1).all():
        raise numpy.linalg.LinAlgError("Singular matrix")
    getrs: Any = routine("getrs", packed.dtype.char)
    if packed.ndim == 2:
        return getrs(packed, pivots, b, trans=int(transposed))[0]
    out = numpy.empty(b.shape, dtype=b.dtype)
    for i in numpy.ndindex(packed.shape[:-2]):
        out[i] = getrs(packed[i], pivots[i], b[i], trans=int(transposed))[0]
    return out


def inverse_factored(packed: Any, pivots: Any) -> Any:
    """The inverses of matrices by LU factors."""
    getri: Any = routine("getri", packed.dtype.char)
    if packed.ndim == 2:
        inverse, singular = getri(packed, pivots, lwork=BLOCK * packed.shape[0])
        if singular:
            raise numpy.linalg.LinAlgError("Singular matrix")
        return inverse
    out = numpy.empty(packed.shape, dtype=packed.dtype)
    for i in numpy.ndindex(packed.shape[:-2]):
        out[i] = inverse_factored(packed[i], pivots[i])
    return out


def slogdet_factored(packed: Any, pivots: Any) -> tuple[Any, Any]:
    """The signs of determinants and the logarithms of their sizes by LU factors."""
    on_diagonal = numpy.diagonal(packed, 0, -2, -1)
    swaps = (pivots != numpy.arange(pivots.shape[-1])).sum(-1)
    with numpy.errstate(divide="ignore"):  # the logarithm of 0 is meant
        size = numpy.log(numpy.abs(on_diagonal)).sum(-1)
    sign = numpy.sign(on_diagonal).prod(-1) * (1 - 2 * (swaps % 2)).astype(packed.dtype)
    return sign, size


def permutation_of(pivots: Any, rows: int) -> Any:
    """The permutation that LAPACK's pivots make of `rows` rows: row i was row `result[i]`."""
    order = numpy.empty((*pivots.shape[:-1], rows), dtype=numpy.int64)
    for i in numpy.ndindex(pivots.shape[:-1]):
        row = list(range(rows))
        for k, pivot in enumerate(pivots[i].tolist()):
            row[k], row[pivot] = row[pivot], row[k]
        order[i] = row
    return order


# Cholesky factors

BLOCK = 64


def inverse_lower(factor: Any) -> Any:
    """The inverse of a lower triangle, with zeros above, in the order of Fortran.

    By halves down to blocks, in half the time that LAPACK takes for a matrix of 200 rows.
    """
    n = factor.shape[0]
    if n <= BLOCK:
        trtri: Any = routine("trtri", factor.dtype.char)
        return trtri(factor, lower=1)[0]
    first, second = slice(0, n // 2), slice(n // 2, n)
    out = numpy.zeros((n, n), dtype=factor.dtype, order="F")
    out[first, first] = top = inverse_lower(factor[first, first])
    out[second, second] = bottom = inverse_lower(factor[second, second])
    out[second, first] = -(bottom @ (factor[second, first] @ top))
    return out


def pull_cholesky(factor: Any, g: Any) -> Any:
    """The symmetric cotangent of a real matrix, for `g` that of its Cholesky factor.

    By blocks, in about twice the operations of the factorisation (Murray 2016): a fraction of what
    solving by the whole factor from both sides takes. None for other types and without SciPy.
    """
    trsm = routine("trsm", factor.dtype.char)
    if trsm is None or factor.dtype.kind == "c" or factor.ndim != 2 or g.dtype != factor.dtype:
        return None
    n = factor.shape[-1]
    out = numpy.tril(g)
    half = numpy.tri(min(n, BLOCK), dtype=g.dtype)
    numpy.fill_diagonal(half, 0.5)
    for start in range((n - 1) // BLOCK * BLOCK, -1, -BLOCK):
        stop = min(start + BLOCK, n)
        block = slice(start, stop)
        before, corner, below = factor[block, :start], factor[block, block], factor[stop:, block]
        upper = numpy.asfortranarray(corner.T)
        g_corner = out[block, block]
        if stop < n:
            g_below = trsm(1.0, upper, out[stop:, block].T)  # by the corner, from the right
            out[stop:, block] = g_below.T
            g_corner = g_corner - g_below @ below
        inner = corner.T @ (g_corner * (half[: stop - start, : stop - start] != 0))
        inner *= half[: stop - start, : stop - start]
        inner = trsm(1.0, upper, trsm(1.0, upper, inner + inner.T).T)
        out[block, block] = inner / 2
        if start:
            if stop < n:
                out[stop:, :start] -= g_below.T @ before
                out[block, :start] -= g_below @ factor[stop:, :start]
            out[block, :start] -= inner @ before
    return (out + out.T) / 2
