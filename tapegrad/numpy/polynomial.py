"""Polynomials by their coefficients, with NumPy's names."""

from __future__ import annotations

import warnings
from typing import Any

import numpy

from .. import errors
from ..backend import is_complex, is_inexact
from ..core.array import is_mapped, untracked
from ..core.record import raw
from ..ops import polynomial as ops
from ..ops.complex import real
from ..ops.contract import matmul
from ..ops.convolve import convolve_full
from ..ops.index import getitem
from ..ops.join import concat, stack
from ..ops.linear import cast, reshape
from ..ops.matrices import matrix_trace
from .dispatch import implements
from .interpolation import interp, unwrap
from .operands import operand

__all__ = [
    "interp",
    "poly",
    "polyadd",
    "polyder",
    "polydiv",
    "polyfit",
    "polyint",
    "polymul",
    "polysub",
    "polyval",
    "roots",
    "unwrap",
    "vander",
]


def coefficients(p: Any) -> Any:
    """An argument as a vector of coefficients."""
    p = operand(p)
    return p if p.ndim else reshape(p, to=(1,))


def trimmed(p: Any) -> Any:
    """Coefficients without leading zeros, where their values are known: NumPy drops these."""
    if is_mapped(p):
        return p
    if not p.size:
        return numpy.zeros(1, p.dtype)
    leading = min(int(numpy.argmax(numpy.append(raw(p) != 0, True))), p.size - 1)
    return getitem(p, key=(slice(leading, None),)) if leading else p


@implements(numpy.polyval)
def polyval(p: Any, x: Any) -> Any:
    if isinstance(x, numpy.poly1d):
        raise errors.no_rule("polyval with a poly1d as x")
    p, x = operand(p), operand(x)
    if p.dtype.kind == "b":
        p = cast(p, numpy.dtype(int))
    if p.ndim == 1:
        return ops.polyval(p, x)
    value = x * 0
    for i in range(len(p)):  # coefficients that are arrays themselves
        value = value * x + getitem(p, key=(i,))
    return value


def aligned(a1: Any, a2: Any) -> tuple[Any, Any]:
    """Two polynomials with equally many coefficients."""
    a1, a2 = coefficients(a1), coefficients(a2)
    n = max(a1.size, a2.size)
    padded = [
        p if p.size == n else concat(numpy.zeros(n - p.size, p.dtype), p, axis=0) for p in (a1, a2)
    ]
    return padded[0], padded[1]


@implements(numpy.polyadd)
def polyadd(a1: Any, a2: Any) -> Any:
    a1, a2 = aligned(a1, a2)
    return a1 + a2


@implements(numpy.polysub)
def polysub(a1: Any, a2: Any) -> Any:
    a1, a2 = aligned(a1, a2)
    return a1 - a2


@implements(numpy.polymul)
def polymul(a1: Any, a2: Any) -> Any:
    return convolve_full(trimmed(coefficients(a1)), trimmed(coefficients(a2)))


@implements(numpy.polydiv)
def polydiv(u: Any, v: Any) -> tuple[Any, Any]:
    u, v = coefficients(u) + 0.0, coefficients(v) + 0.0
    steps = u.size - v.size + 1
    dtype = numpy.result_type(u.dtype, v.dtype)
    if steps < 1:
        return untracked(numpy.zeros(1, dtype)), without_small(cast(u, dtype))
    first = getitem(v, key=(0,))
    scale = 1.0 / first
    tail = getitem(v, key=(slice(1, None),))
    rest = cast(u, dtype)
    quotient, rounding = [], []
    for _ in range(steps):
        leading = getitem(rest, key=(0,))
        factor = scale * leading
        quotient.append(factor)
        rounding.append(leading - factor * first)
        changed = getitem(rest, key=(slice(1, v.size),)) - factor * tail
        rest = concat(changed, getitem(rest, key=(slice(v.size, None),)), axis=0)
    if not is_mapped(rest):
        # NumPy keeps what rounding leaves of the coefficients that cancel, where it is not small
        rest = without_small(concat(stack(*rounding, axis=0), rest, axis=0))
    elif not rest.size:
        rest = untracked(numpy.zeros(1, dtype))
    return stack(*quotient, axis=0), rest


def without_small(r: Any) -> Any:
    """A remainder without the leading coefficients that NumPy takes for zero."""
    if is_mapped(r):
        return r
    values = raw(r)
    start = 0
    while start < values.size - 1 and numpy.allclose(values[start], 0, rtol=1e-14):
        start += 1
    return getitem(r, key=(slice(start, None),)) if start else r


@implements(numpy.polyder)
def polyder(p: Any, m: int = 1) -> Any:
    m = order_of("derivative", m)
    p = operand(p)
    for _ in range(m):
        p = getitem(p, key=(slice(None, -1),)) * numpy.arange(len(p) - 1, 0, -1)
    return p


@implements(numpy.polyint)
def polyint(p: Any, m: int = 1, k: Any = None) -> Any:
    m = order_of("integral", m)
    constants = coefficients(numpy.zeros(m) if k is None else k)
    if constants.size == 1 and m > 1:
        constants = constants * numpy.ones(m)
    if constants.size < m:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    p = operand(p)
    for i in range(m):
        scaled = p / numpy.arange(len(p), 0, -1)
        p = concat(scaled, getitem(constants, key=(slice(i, i + 1),)), axis=0)
    return p


def order_of(what: str, m: Any) -> int:
    """How often to differentiate or integrate."""
    if int(m) != m or m < 0:
        raise ValueError(f"Order of {what} must be positive")
    return int(m)


@implements(numpy.polyfit)
def polyfit(
    x: Any,
    y: Any,
    deg: int,
    rcond: Any = None,
    full: bool = False,
    w: Any = None,
    cov: bool | str = False,
) -> Any:
    for name, option in (("full", full), ("cov", cov), ("rcond", rcond is not None)):
        if option:
            raise errors.no_argument(
                "polyfit", f"{name}=", "Ask for the coefficients alone, or pass plain arrays."
            )
    x, y = operand(x) + 0.0, operand(y) + 0.0
    count = int(deg) + 1
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if y.ndim < 1 or y.ndim > 2:
        raise TypeError("expected 1D or 2D array for y")
    if x.shape[0] != y.shape[0]:
        raise TypeError("expected x and y to have same length")
    rows = vander(x, count)
    sides = y if y.ndim == 2 else reshape(y, to=(y.size, 1))
    if w is not None:
        w = operand(w) + 0.0
        if w.ndim != 1:
            raise TypeError("expected a 1-d array for weights")
        if w.shape[0] != y.shape[0]:
            raise TypeError("expected w and y to have the same length")
        weights = reshape(w, to=(w.size, 1))
        rows, sides = rows * weights, sides * weights
    values = raw(rows)
    scale = numpy.sqrt((values * values.conj()).real.sum(axis=0))  # cancels; its size is all
    rows = rows / scale
    rank = numpy.linalg.matrix_rank(raw(rows), rtol=len(x) * numpy.finfo(values.dtype).eps)
    if rank != count and not is_mapped(rows):
        message = "Polyfit may be poorly conditioned"
        warnings.warn(message, numpy.exceptions.RankWarning, stacklevel=2)
    fitted = ops.fit(rows, sides) / scale[:, None]
    return fitted if y.ndim == 2 else reshape(fitted, to=(count,))


@implements(numpy.vander)
def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    x = operand(x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    x = cast(x, numpy.promote_types(x.dtype, int))
    result = ops.powers(x, count=x.size if N is None else N)
    return getitem(result, key=(Ellipsis, slice(None, None, -1))) if increasing else result


@implements(numpy.poly)
def poly(seq_of_zeros: Any) -> Any:
    zeros = coefficients(seq_of_zeros)
    if zeros.ndim == 2 and zeros.shape[0] == zeros.shape[1] and zeros.size:
        return characteristic(zeros)
    if zeros.ndim != 1:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    zeros = cast(zeros, numpy.dtype(numpy.mintypecode(zeros.dtype.char)))
    result: Any = numpy.ones(1, dtype=zeros.dtype)
    for i in range(zeros.size):
        zero = getitem(zeros, key=(slice(i, i + 1),))
        result = convolve_full(result, concat(numpy.ones(1, zeros.dtype), -zero, axis=0))
    if is_complex(zeros.dtype) and not is_mapped(zeros):
        values = raw(zeros)
        if numpy.all(numpy.sort(values) == numpy.sort(values.conj())):
            result = real(result)
    return result


def characteristic(a: Any) -> Any:
    """The coefficients of a matrix's characteristic polynomial, by Faddeev and LeVerrier."""
    n = a.shape[0]
    a = a + 0.0
    eye = numpy.eye(n, dtype=a.dtype)
    found: list[Any] = [numpy.ones(1, dtype=a.dtype)]
    product = a
    for k in range(1, n + 1):
        found.append(reshape(matrix_trace(product), to=(1,)) / -k)
        if k < n:
            product = matmul(a, product + found[-1] * eye)
    return concat(*found, axis=0)


@implements(numpy.roots)
def roots(p: Any) -> Any:
    p = coefficients(p)
    if p.ndim != 1:
        raise ValueError("Input must be a rank-1 array.")
    trailing = 0
    if not is_mapped(p):
        nonzero = numpy.flatnonzero(raw(p))
        if not nonzero.size:
            return untracked(numpy.array([]))
        first, last = int(nonzero[0]), int(nonzero[-1])
        trailing = p.size - 1 - last
        p = getitem(p, key=(slice(first, last + 1),))
    if not is_inexact(p.dtype):
        p = cast(p, numpy.dtype(float))
    if p.size < 2:
        return untracked(numpy.zeros(trailing))
    found = ops.roots(p)
    if not is_complex(p.dtype) and not is_mapped(p) and not raw(found).imag.any():
        found = real(found)
    return concat(found, numpy.zeros(trailing, found.dtype), axis=0) if trailing else found
