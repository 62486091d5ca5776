"""Matrices that are made of vectors or blocks, with the names of `scipy.linalg`."""

from __future__ import annotations

from typing import Any

import numpy
import scipy.linalg as original

from ... import errors
from ...backend import is_complex
from ...core.array import is_mapped
from ...core.record import raw
from ...numpy.dispatch import np
from ...numpy.norms import inexact
from ...numpy.operands import operand, ravel
from ...ops.contract import matmul
from ...ops.index import getitem
from ...ops.join import concat
from ...ops.linear import reshape, stop_gradient
from ...ops.matrices import columns, conjugate, rows
from ...ops.shape import embed_diagonal
from ...ops.toeplitz import reverse, toeplitz_matrix
from ...ops.toeplitz import solve_toeplitz as solve
from ..dispatch import implements
from .operands import alike, finite

__all__ = [
    "block_diag",
    "circulant",
    "companion",
    "convolution_matrix",
    "diagsvd",
    "fiedler",
    "hankel",
    "khatri_rao",
    "leslie",
    "matmul_toeplitz",
    "solve_circulant",
    "solve_toeplitz",
    "toeplitz",
]

FIRST = (Ellipsis, slice(None, 1))
REST = (Ellipsis, slice(1, None))


def vector(function: str, x: Any) -> Any:
    """An argument as a vector."""
    x = operand(x)
    if x.ndim > 1:
        raise errors.not_in_scipy_face(
            f"linalg.{function}", "stacks of vectors", "Use tapegrad.vmap."
        )
    return ravel(x)


def diagonals(c: Any, r: Any) -> Any:
    """The values of a Toeplitz matrix from its lower left corner, by its first column and row."""
    c, r = alike(c, r)
    return concat(reverse(c), getitem(r, key=REST), axis=0)


@implements(original.toeplitz)
def toeplitz(c: Any, r: Any = None) -> Any:
    c = vector("toeplitz", c)
    r = conjugate(c) if r is None else vector("toeplitz", r)
    return toeplitz_matrix(diagonals(c, r), rows=c.size)


@implements(original.hankel)
def hankel(c: Any, r: Any = None) -> Any:
    c = vector("hankel", c)
    r = c * 0 if r is None else vector("hankel", r)
    c, r = alike(c, r)
    matrix = toeplitz_matrix(concat(c, getitem(r, key=REST), axis=0), rows=c.size)
    return getitem(matrix, key=(slice(None, None, -1),))


@implements(original.circulant)
def circulant(c: Any) -> Any:
    c = vector("circulant", c)
    turned = reverse(c)
    return toeplitz_matrix(
        concat(turned, getitem(turned, key=(slice(None, -1),)), axis=0), rows=c.size
    )


@implements(original.convolution_matrix)
def convolution_matrix(a: Any, n: int, mode: str = "full") -> Any:
    if n <= 0:
        raise ValueError("n must be a positive integer.")
    if mode not in ("full", "valid", "same"):
        raise ValueError("'mode' argument must be one of ('full', 'valid', 'same')")
    a = vector("convolution_matrix", a)
    m = a.size
    zeros = numpy.zeros(n - 1, dtype=a.dtype)
    full = toeplitz_matrix(concat(zeros, reverse(a), zeros, axis=0), rows=m + n - 1)
    if mode == "full":
        return full
    size = max(m, n) if mode == "same" else max(m, n) - min(m, n) + 1
    first = (min(m, n) - 1) // 2 if mode == "same" else min(m, n) - 1
    return getitem(full, key=(slice(first, first + size),))


@implements(original.solve_toeplitz)
def solve_toeplitz(c_or_cr: Any, b: Any, check_finite: bool = True) -> Any:
    c, r = column_and_row(c_or_cr)
    v = diagonals(finite(c, check_finite), finite(r, check_finite))
    b = finite(b, check_finite)
    if b.shape[:1] != c.shape or r.shape != c.shape:
        raise ValueError("Incompatible dimensions.")
    sides = reshape(b, to=(b.shape[0], b.size // b.shape[0]))
    return reshape(solve(v, sides), to=b.shape)


@implements(original.solve_circulant)
def solve_circulant(
    c: Any,
    b: Any,
    singular: str = "raise",
    tol: Any = None,
    caxis: int = -1,
    baxis: int = 0,
    outaxis: int = 0,
) -> Any:
    """As SciPy's, by Fourier transforms."""
    c, b = finite(c, False), finite(b, False)
    n = c.shape[caxis]
    if n != b.shape[baxis]:
        raise ValueError(f"Shapes of c {tuple(c.shape)} and b {tuple(b.shape)} are incompatible")
    spectrum = np.fft.fft(np.moveaxis(c, caxis, -1))
    sides = np.fft.fft(np.moveaxis(b, baxis, -1))
    sizes = np.abs(stop_gradient(spectrum))
    if tol is None:
        tol = np.max(sizes, axis=-1, keepdims=True) * n * numpy.finfo(numpy.float64).eps
    nothing = sizes <= tol
    if singular == "lstsq":
        spectrum = np.where(nothing, 1, spectrum)
        sides = np.where(nothing, 0, sides)
    elif not is_mapped(nothing) and raw(nothing).any():
        raise numpy.linalg.LinAlgError("near singular circulant matrix.")
    x = np.fft.ifft(sides / spectrum)
    return np.moveaxis(x if is_complex(c.dtype) or is_complex(b.dtype) else np.real(x), -1, outaxis)


@implements(original.matmul_toeplitz)
def matmul_toeplitz(
    c_or_cr: Any, x: Any, check_finite: bool = False, workers: int | None = None
) -> Any:
    c, r = column_and_row(c_or_cr)
    v = diagonals(finite(c, check_finite), finite(r, check_finite))
    x = finite(x, check_finite)
    return matmul(toeplitz_matrix(v, rows=c.size), x)


def column_and_row(c_or_cr: Any) -> tuple[Any, Any]:
    """The first column and the first row of a Toeplitz matrix, as vectors."""
    if isinstance(c_or_cr, tuple):
        c, r = c_or_cr
        return vector("solve_toeplitz", c), vector("solve_toeplitz", r)
    c = vector("solve_toeplitz", c_or_cr)
    return c, conjugate(c)


@implements(original.block_diag)
def block_diag(*arrs: Any) -> Any:
    if not arrs:
        raise ValueError("block_diag needs at least one array.")
    blocks = [rows_of(x) for x in arrs]
    blocks = alike(*blocks)
    width = sum(x.shape[1] for x in blocks)
    start = 0
    bands = []
    for x in blocks:
        end = start + x.shape[1]
        left, right = (numpy.zeros((x.shape[0], n), dtype=x.dtype) for n in (start, width - end))
        bands.append(concat(left, x, right, axis=1))
        start = end
    return concat(*bands, axis=0)


def rows_of(x: Any) -> Any:
    x = operand(x)
    if x.ndim > 2:
        raise errors.not_in_scipy_face("linalg.block_diag", "stacks of matrices", "Use vmap.")
    return x if x.ndim == 2 else reshape(x, to=(1, x.size))


@implements(original.companion)
def companion(a: Any) -> Any:
    a = inexact(vector("companion", a))
    if a.size < 2:
        raise ValueError("The length of `a` along the last axis must be at least 2.")
    first = -getitem(a, key=REST) / getitem(a, key=FIRST)
    n = a.size - 1
    return concat(rows(first), numpy.eye(n - 1, n, dtype=first.dtype), axis=0)


@implements(original.leslie)
def leslie(f: Any, s: Any) -> Any:
    f, s = alike(vector("leslie", f), vector("leslie", s))
    n = f.size
    if s.size != n - 1:
        raise ValueError("The length of s must be one less than the length of f")
    return concat(rows(f), embed_diagonal(s, offset=0, to=(n - 1, n)), axis=0)


@implements(original.fiedler)
def fiedler(a: Any) -> Any:
    a = vector("fiedler", a)
    return abs(columns(a) - rows(a))


@implements(original.khatri_rao)
def khatri_rao(a: Any, b: Any) -> Any:
    a, b = operand(a), operand(b)
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[1]:
        raise ValueError("The number of columns for both arrays should be equal.")
    (m, n), p = a.shape, b.shape[0]
    return reshape(reshape(a, to=(m, 1, n)) * reshape(b, to=(1, p, n)), to=(m * p, n))


@implements(original.diagsvd)
def diagsvd(s: Any, M: int, N: int) -> Any:
    s = vector("diagsvd", s)
    if s.size not in (M, N):
        raise ValueError("Length of s must be M or N.")
    return embed_diagonal(s, offset=0, to=(M, N))
