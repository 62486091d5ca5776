"""Cholesky, QR and LU factors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy

from ..backend import namespace
from ..core.op import Op
from . import lapack
from .contract import matmul, transpose
from .define import Function, define
from .join import concat
from .linear import broadcast_to, reshape
from .matrices import adjoint, conjugate, hermitian, split_columns, split_rows
from .samples import Sample, complex_normal, normal
from .sort import argsort, take_along
from .triangular import solve_from_right, solve_triangular, triangle

# Cholesky


def _half(x: Any) -> Any:
    """The lower triangle, with half the diagonal: what of a Hermitian change goes to one factor."""
    return triangle(x, lower=True, diagonal=0.5)


def _cholesky_rule(g: Any, out: Any, _x: Any) -> Any:
    if type(g) is numpy.ndarray and type(out) is numpy.ndarray:
        pulled = lapack.pull_cholesky(out, g)
        if pulled is not None:
            return pulled
    inner = _half(matmul(transpose(out), g))
    left = solve_triangular(out, inner, lower=True, transposed=True, unit=False)
    return hermitian(solve_from_right(left, conjugate(out), lower=True))


def _cholesky_jvp(tangents: tuple[Any, ...], out: Any, _x: Any) -> Any:
    left = solve_triangular(out, hermitian(tangents[0]), lower=True, transposed=False, unit=False)
    both = solve_from_right(left, conjugate(out), lower=True, transposed=True)
    return matmul(out, _half(both))


cholesky: Function = define(
    Op(
        "cholesky",
        forward=lambda xp, x: xp.linalg.cholesky(x),
        vjp=(_cholesky_rule,),
        jvp=_cholesky_jvp,
        steep=True,
        batch=lambda function, _mapped, x: function(x),
        samples=lambda rng: (
            ((abs(normal(rng, (2, 1, 1))) + 1,), {}),
            ((abs(normal(rng, (1, 1))) + 1 + 0j,), {}),
        ),
        doc="The lower triangular l with l @ l^H = x. Of `x` the lower triangle is read. The "
        "derivative is for Hermitian changes, and the gradient Hermitian, as in JAX and PyTorch.",
    )
)


# QR


def _qr_rule(g: Any, out: Any, shape_x: Any, *, complete: bool) -> Any:
    g_q, g_r = g
    q, r = out
    n = shape_x[-1]
    if complete and q.shape[-1] > n:
        q, rest = split_columns(q, n)
        r = split_rows(r, n)[0]
        if g_r is not None:
            g_r = split_rows(g_r, n)[0]
        if g_q is not None:  # the rest turns against the change of the first
            g_q, g_rest = split_columns(g_q, n)
            g_q = g_q - conjugate(matmul(rest, matmul(transpose(g_rest), q)))
    inner = None if g_r is None else matmul(g_r, transpose(r))
    if g_q is not None:
        along = matmul(transpose(q), g_q)
        inner = -along if inner is None else inner - along
    half = triangle(inner, lower=False, diagonal=0.5)
    total = matmul(conjugate(q), half + adjoint(half))
    if g_q is not None:
        total = total + g_q
    return solve_from_right(total, r, lower=False, transposed=True)


def _qr_jvp(tangents: tuple[Any, ...], out: Any, shape_x: Any, *, complete: bool) -> Any:
    q, r = out
    n = shape_x[-1]
    rest = None
    if complete and q.shape[-1] > n:
        q, rest = split_columns(q, n)
        r, zeros = split_rows(r, n)
    scaled = solve_from_right(tangents[0], r, lower=False)
    along = matmul(adjoint(q), scaled)
    low = triangle(along, lower=True, diagonal=0.5)
    turning = low - adjoint(low)
    change_q = scaled + matmul(q, turning - along)
    change_r = matmul(along - turning, r)
    if rest is not None:
        change = -matmul(q, matmul(adjoint(change_q), rest))
        change_q = concat(change_q, change, axis=change_q.ndim - 1)
        change_r = concat(change_r, zeros, axis=change_r.ndim - 2)
    return change_q, change_r


def _qr_forward(xp: Any, x: Any, *, complete: bool) -> Any:
    return tuple(xp.linalg.qr(x, mode="complete" if complete else "reduced"))


def _qr_samples(rng: Any) -> Iterator[Sample]:
    for domain, shape, complete in (
        (normal, (2, 2), True),
        (normal, (3, 2), False),
        (normal, (2, 3, 2), False),
        (complex_normal, (3, 2), False),
    ):
        yield (domain(rng, shape),), {"complete": complete}


qr: Function = define(
    Op(
        "qr",
        forward=_qr_forward,
        vjp=(_qr_rule,),
        jvp=_qr_jvp,
        steep=True,
        batch=lambda function, _mapped, x, *, complete: function(x, complete=complete),
        samples=_qr_samples,
        outputs=2,
        doc="The orthogonal and the upper triangular factors of matrices with no more columns than "
        "rows; with a whole basis if `complete`. The derivative needs independent columns.",
    )
)


# LU


def take_rows(x: Any, order: Any) -> Any:
    """The rows of matrices in another order."""
    index = reshape(order, to=(*order.shape, 1))
    return take_along(x, broadcast_to(index, to=x.shape), axis=x.ndim - 2, once=True)


def inverse_order(order: Any) -> Any:
    """The permutation that undoes another."""
    return argsort(order, axis=order.ndim - 1, stable=True)


def _split(packed: Any) -> tuple[Any, Any, Any]:
    """Of LU factors the square, and what is below and to the right of it."""
    k = min(packed.shape[-2:])
    left, right = split_columns(packed, k)
    return *split_rows(left, k), right


TRANSPOSED: dict[str, Any] = {"lower": True, "transposed": True, "unit": True}
"""For systems of the transposed lower factor."""

PLAIN: dict[str, Any] = {"lower": True, "transposed": False, "unit": True}


def _lu_rule(g: Any, out: Any, _x: Any) -> Any:
    packed, _, order = out
    square, below, right = _split(packed)
    g_square, g_below, g_right = _split(g[0])
    m, n = packed.shape[-2:]
    g_lower = triangle(g_square, lower=True, diagonal=0.0)
    g_upper = triangle(g_square, lower=False, diagonal=1.0)
    if m > n:
        g_below = solve_from_right(g_below, square, lower=False, transposed=True)
        g_upper = g_upper - matmul(transpose(below), g_below)
    if n > m:
        g_right = solve_triangular(square, g_right, **TRANSPOSED)
        g_lower = g_lower - matmul(g_right, transpose(right))
    lower = triangle(square, lower=True, diagonal=0.0)  # and ones, which add g_lower itself
    upper = triangle(square, lower=False, diagonal=1.0)
    g_lower = triangle(g_lower, lower=True, diagonal=0.0)
    g_lower = g_lower + matmul(transpose(lower), g_lower)
    g_upper = matmul(triangle(g_upper, lower=False, diagonal=1.0), transpose(upper))
    inner = triangle(g_lower, lower=True, diagonal=0.0) + triangle(
        g_upper, lower=False, diagonal=1.0
    )
    left = solve_triangular(square, inner, **TRANSPOSED)
    total = solve_from_right(left, square, lower=False, transposed=True)
    if m > n:
        total = concat(total, g_below, axis=total.ndim - 2)
    if n > m:
        total = concat(total, g_right, axis=total.ndim - 1)
    return take_rows(total, inverse_order(order))


def _lu_jvp(tangents: tuple[Any, ...], out: Any, _x: Any) -> Any:
    packed, pivots, order = out
    m, n = packed.shape[-2:]
    square, below, right = _split(packed)
    t_square, t_below, t_right = _split(take_rows(tangents[0], order))
    inner = solve_triangular(square, t_square, **PLAIN)
    inner = solve_from_right(inner, square, lower=False)
    strict = triangle(inner, lower=True, diagonal=0.0)
    lower = strict + matmul(triangle(square, lower=True, diagonal=0.0), strict)
    upper = matmul(
        triangle(inner, lower=False, diagonal=1.0), triangle(square, lower=False, diagonal=1.0)
    )
    change = lower + upper
    if m > n:
        moved = solve_from_right(t_below - matmul(below, upper), square, lower=False)
        change = concat(change, moved, axis=change.ndim - 2)
    if n > m:
        moved = solve_triangular(square, t_right - matmul(lower, right), **PLAIN)
        change = concat(change, moved, axis=change.ndim - 1)
    return change, pivots * 0, order * 0


def _lu_samples(rng: Any) -> Iterator[Sample]:
    for domain, shape in (
        (normal, (2, 2)),
        (normal, (3, 2)),
        (normal, (2, 2, 3)),
        (complex_normal, (2, 2)),
    ):
        yield (domain(rng, shape) + 3 * namespace().eye(*shape[-2:]),), {}


lu: Function = define(
    Op(
        "lu",
        forward=lapack.factor_lu,
        vjp=(_lu_rule,),
        jvp=_lu_jvp,
        steep=True,
        batch=lambda function, _mapped, x: function(x),
        samples=_lu_samples,
        outputs=3,
        doc="LU factors with partial pivoting, both in one matrix; LAPACK's pivots; and the order "
        "that they put the rows in. The pivots are constants.",
    )
)


row_order: Function = define(
    Op(
        "row_order",
        forward=lapack.on_host(lapack.permutation_of),
        vjp=None,
        jvp=None,
        batch=lambda function, _mapped, pivots, *, rows: function(pivots, rows=rows),
        samples=lambda rng: (
            ((namespace().asarray([2, 2, 2]),), {"rows": 4}),
            ((namespace().asarray([[1, 1], [0, 1]]),), {"rows": 2}),
        ),
        doc="The order that LAPACK's pivots put rows in.",
    )
)


@lapack.on_host
def _column_order(x: Any) -> Any:
    from scipy.linalg import qr as decompose

    order = numpy.empty((*x.shape[:-2], x.shape[-1]), dtype=numpy.int32)
    for i in numpy.ndindex(x.shape[:-2]):
        order[i] = decompose(x[i], mode="r", pivoting=True)[1]
    return order


column_order: Function = define(
    Op(
        "column_order",
        forward=_column_order,
        vjp=None,
        jvp=None,
        batch=lambda function, _mapped, x: function(x),
        samples=lambda rng: (((normal(rng, (3, 3)),), {}), ((normal(rng, (2, 2, 3)),), {})),
        doc="The order of columns that QR with pivoting takes, largest first.",
    )
)
