"""Toeplitz matrices, by the values on their diagonals.

A vector of m + n - 1 values stands for the matrix of m rows whose element (i, j) is the value
m - 1 - i + j: from the lower left corner up and to the right.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy
from numpy.lib.stride_tricks import sliding_window_view

from ..core.op import Op
from .contract import matmul, transpose
from .define import Function, define
from .index import getitem
from .lapack import on_host
from .matrices import stacked_batch
from .samples import Sample, complex_normal, normal


def _matrix_forward(xp: Any, v: Any, *, rows: int) -> Any:
    columns = v.shape[-1] - rows + 1
    if xp is numpy:
        return sliding_window_view(v, columns, axis=-1)[..., ::-1, :].copy()
    at = (rows - 1 - xp.arange(rows))[:, None] + xp.arange(columns)
    flat = xp.take(v, xp.reshape(at, (-1,)), axis=-1)
    return xp.reshape(flat, (*v.shape[:-1], rows, columns))


toeplitz_matrix: Function = define(
    Op(
        "toeplitz_matrix",
        forward=_matrix_forward,
        vjp=(lambda g, _out, _v, *, rows: diagonal_sums(g),),
        jvp="linear",
        batch=lambda function, _mapped, v, *, rows: function(v, rows=rows),
        samples=lambda rng: (
            ((normal(rng, (5,)),), {"rows": 3}),
            ((normal(rng, (2, 4)),), {"rows": 3}),
            ((complex_normal(rng, (4,)),), {"rows": 1}),
        ),
        doc="The Toeplitz matrices of `rows` rows with given values on their diagonals.",
    ),
    structural=True,
)


def _sums_forward(xp: Any, x: Any) -> Any:
    *stack, m, n = x.shape
    # with as many zeros behind every row, a row of m + n elements moves on by one when the array is
    # read in rows of m + n - 1
    padded = xp.concat([xp.flip(x, axis=-2), xp.zeros((*stack, m, m), dtype=x.dtype)], axis=-1)
    flat = xp.reshape(padded, (*stack, m * (m + n)))[..., : m * (m + n - 1)]
    return xp.sum(xp.reshape(flat, (*stack, m, m + n - 1)), axis=-2)


diagonal_sums: Function = define(
    Op(
        "diagonal_sums",
        forward=_sums_forward,
        vjp=(lambda g, _out, shape: toeplitz_matrix(g, rows=shape[-2]),),
        jvp="linear",
        batch=lambda function, _mapped, x: function(x),
        samples=lambda rng: (
            ((normal(rng, (3, 3)),), {}),
            ((normal(rng, (2, 3, 2)),), {}),
            ((complex_normal(rng, (1, 4)),), {}),
        ),
        doc="The sums of the diagonals of matrices: the transpose of `toeplitz_matrix`.",
    ),
    structural=True,
)


@on_host
def _solve_forward(v: Any, b: Any) -> Any:
    from scipy.linalg import solve_toeplitz as solve

    n = b.shape[-2]
    out = numpy.empty(b.shape, dtype=numpy.result_type(v, b))
    for i in numpy.ndindex(v.shape[:-1]):
        out[i] = solve((v[i][n - 1 :: -1], v[i][n - 1 :]), b[i])
    return out


def reverse(v: Any) -> Any:
    """Vectors from their ends."""
    return getitem(v, key=(Ellipsis, slice(None, None, -1)))


def _solve_rule(g: Any, out: Any, v: Any, _b: Any, *, wanted: tuple[bool, ...]) -> tuple[Any, Any]:
    g_b = solve_toeplitz(reverse(v), g)
    return -diagonal_sums(matmul(g_b, transpose(out))) if wanted[0] else None, g_b


def _solve_jvp(tangents: tuple[Any, ...], out: Any, v: Any, _b: Any) -> Any:
    change_v, change = tangents
    if change_v is not None:
        moved = matmul(toeplitz_matrix(change_v, rows=out.shape[-2]), out)
        change = -moved if change is None else change - moved
    return solve_toeplitz(v, change)


def _solve_samples(rng: Any) -> Iterator[Sample]:
    for domain, stack, n in ((normal, (), 3), (normal, (2,), 2), (complex_normal, (), 2)):
        v = domain(rng, (*stack, 2 * n - 1))
        v[..., n - 1] += 5
        yield (v, domain(rng, (*stack, n, 2))), {}


solve_toeplitz: Function = define(
    Op(
        "solve_toeplitz",
        forward=_solve_forward,
        vjp=_solve_rule,
        joint=True,
        jvp=_solve_jvp,
        steep=True,
        batch=stacked_batch,
        samples=_solve_samples,
        promote=True,
        doc="The solutions x of a @ x = b for Toeplitz matrices `a`, in the time of n^2.",
    )
)
