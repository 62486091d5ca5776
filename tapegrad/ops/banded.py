"""Systems of banded matrices, on the matrices' diagonals alone.

A band holds the diagonals of a square matrix as rows, as in LAPACK: `ab[upper + i - j, j]` is the
element (i, j). Its unused corners are not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy

from ..backend import namespace
from ..core.op import Op
from .define import Function, define
from .lapack import on_host
from .matrices import stacked_batch
from .samples import Sample, complex_normal, normal


def places(n: int, offset: int) -> tuple[slice, slice]:
    """The rows and the columns of the diagonal `offset` of a square matrix."""
    return slice(max(-offset, 0), n - max(offset, 0)), slice(max(offset, 0), n - max(-offset, 0))


def shapes(rng: Any) -> Iterator[tuple[Any, Any, dict[str, int]]]:
    """Bands of matrices far from singular, what has as many rows, and parameters."""
    for domain, stack, n, lower, upper in (
        (normal, (), 4, 1, 2),
        (normal, (2,), 3, 1, 0),
        (complex_normal, (), 3, 0, 1),
    ):
        ab = domain(rng, (*stack, lower + upper + 1, n))
        ab[..., upper, :] += 4
        yield ab, domain(rng, (*stack, n, 2)), {"lower": lower, "upper": upper}


def samples_of_two(rng: Any) -> Iterator[Sample]:
    for ab, x, params in shapes(rng):
        yield (ab, x), params


# The transposed band


def _turn_forward(xp: Any, ab: Any, *, lower: int, upper: int) -> Any:
    n = ab.shape[-1]
    out = xp.zeros(ab.shape, dtype=ab.dtype)
    for d in range(-min(lower, n - 1), min(upper, n - 1) + 1):
        rows, columns = places(n, d)
        out[..., lower + d, rows] = ab[..., upper - d, columns]
    return out


turn_band: Function = define(
    Op(
        "turn_band",
        forward=_turn_forward,
        vjp=(lambda g, _out, _ab, *, lower, upper: turn_band(g, lower=upper, upper=lower),),
        jvp="linear",
        batch=lambda function, _mapped, ab, **params: function(ab, **params),
        samples=lambda rng: (((ab,), params) for ab, _, params in shapes(rng)),
        doc="The band of the transposed matrix; zeros in its unused corners.",
    ),
    structural=True,
)


# Products


def _matmul_forward(xp: Any, ab: Any, x: Any, *, lower: int, upper: int) -> Any:
    n = ab.shape[-1]
    out = xp.zeros(x.shape, dtype=xp.result_type(ab, x))
    for d in range(-min(lower, n - 1), min(upper, n - 1) + 1):
        rows, columns = places(n, d)
        out[..., rows, :] += ab[..., upper - d, columns, None] * x[..., columns, :]
    return out


band_matmul: Function = define(
    Op(
        "band_matmul",
        forward=_matmul_forward,
        vjp=(
            lambda g, _out, _ab, x, **band: band_product(g, x, **band),
            lambda g, _out, ab, _x, *, lower, upper: band_matmul(
                turn_band(ab, lower=lower, upper=upper), g, lower=upper, upper=lower
            ),
        ),
        jvp="multilinear",
        batch=stacked_batch,
        samples=samples_of_two,
        promote=True,
        doc="The product of a banded matrix and a matrix.",
    )
)


def _product_forward(xp: Any, x: Any, y: Any, *, lower: int, upper: int) -> Any:
    n = x.shape[-2]
    shape = (*x.shape[:-2], lower + upper + 1, n)
    out = xp.zeros(shape, dtype=xp.result_type(x, y))
    for d in range(-min(lower, n - 1), min(upper, n - 1) + 1):
        rows, columns = places(n, d)
        out[..., upper - d, columns] = xp.sum(x[..., rows, :] * y[..., columns, :], axis=-1)
    return out


def _product_samples(rng: Any) -> Iterator[Sample]:
    for _, x, params in shapes(rng):
        yield (x, 1.5 - x * x), params


band_product: Function = define(
    Op(
        "band_product",
        forward=_product_forward,
        vjp=(
            lambda g, _out, _x, y, **band: band_matmul(g, y, **band),
            lambda g, _out, x, _y, *, lower, upper: band_matmul(
                turn_band(g, lower=lower, upper=upper), x, lower=upper, upper=lower
            ),
        ),
        jvp="multilinear",
        batch=stacked_batch,
        samples=_product_samples,
        promote=True,
        doc="The band of x @ y^T.",
    )
)


# Systems


@on_host
def _solve_forward(ab: Any, b: Any, *, lower: int, upper: int, definite: bool) -> Any:
    from scipy.linalg import solve_banded as solve
    from scipy.linalg import solveh_banded as solve_definite

    out = numpy.empty(b.shape, dtype=numpy.result_type(ab, b))
    for i in numpy.ndindex(ab.shape[:-2]):
        if definite:
            out[i] = solve_definite(ab[i][upper:], b[i], lower=True)
        else:
            out[i] = solve((lower, upper), ab[i], b[i])
    return out


def _solve_rule(
    g: Any,
    out: Any,
    ab: Any,
    _b: Any,
    *,
    wanted: tuple[bool, ...],
    lower: int,
    upper: int,
    definite: bool,
) -> tuple[Any, Any]:
    turned = turn_band(ab, lower=lower, upper=upper)
    g_b = solve_banded(turned, g, lower=upper, upper=lower, definite=definite)
    g_ab = -band_product(g_b, out, lower=lower, upper=upper) if wanted[0] else None
    return g_ab, g_b


def _solve_jvp(
    tangents: tuple[Any, ...], out: Any, ab: Any, _b: Any, *, definite: bool, **band: int
) -> Any:
    change_ab, change = tangents
    if change_ab is not None:
        moved = band_matmul(change_ab, out, **band)
        change = -moved if change is None else change - moved
    return solve_banded(ab, change, definite=definite, **band)


def _solve_samples(rng: Any) -> Iterator[Sample]:
    for ab, b, params in shapes(rng):
        yield (ab, b), {**params, "definite": False}
    yield (
        (namespace().asarray([[2.0, 3.0]]), normal(rng, (2, 1))),
        {
            "lower": 0,
            "upper": 0,
            "definite": True,
        },
    )


solve_banded: Function = define(
    Op(
        "solve_banded",
        forward=_solve_forward,
        vjp=_solve_rule,
        joint=True,
        jvp=_solve_jvp,
        steep=True,
        batch=stacked_batch,
        samples=_solve_samples,
        promote=True,
        doc="The solutions x of a @ x = b for banded matrices `a`; if `definite`, these are "
        "Hermitian and positive definite.",
    )
)
