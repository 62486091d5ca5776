"""Linear systems with a banded matrix.

The matrix A with `lower` diagonals below and `upper` ones above the main one is kept as SciPy does:
row ``upper + i - j`` and column j of `ab` hold ``A[i, j]``. Its elements outside of A count for
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

from ..core.op import Op
from .define import Function, define, looped
from .linear import permute_dims, reshape
from .samples import Sample, complex_normal, normal


def transposed_bands(xp: Any, ab: Any, lower: int, upper: int) -> Any:
    """The bands of the transposed matrix, which has `upper` diagonals below the main one."""
    n = ab.shape[1]
    out = xp.zeros_like(ab)
    for row in range(lower + upper + 1):
        d = row - upper  # i - j, of elements A[j + d, j]
        start, stop = max(0, -d), min(n, n - d)
        out[lower - d, start + d : stop + d] = ab[row, start:stop]
    return out


def _solve_forward(xp: Any, ab: Any, b: Any, *, lower: int, upper: int, transposed: bool) -> Any:
    if transposed:
        ab, lower, upper = transposed_bands(xp, ab, lower, upper), upper, lower
    if not b.size:
        return xp.zeros(b.shape, dtype=xp.result_type(ab, b))
    return import_module("scipy.linalg").solve_banded((lower, upper), ab, b, check_finite=False)


def _rule_bands(
    g: Any, out: Any, ab: Any, _b: Any, *, lower: int, upper: int, transposed: bool
) -> Any:
    h = solve_banded(ab, g, lower=lower, upper=upper, transposed=not transposed)
    x, h = (h, out) if transposed else (out, h)
    return -outer_bands(h, x, lower=lower, upper=upper)


def _rule_right(
    g: Any, _out: Any, ab: Any, _b: Any, *, lower: int, upper: int, transposed: bool
) -> Any:
    return solve_banded(ab, g, lower=lower, upper=upper, transposed=not transposed)


def _solve_jvp(tangents: tuple[Any, ...], out: Any, ab: Any, _b: Any, **params: Any) -> Any:
    t_ab, t_b = tangents
    right = t_b
    if t_ab is not None:
        moved = band_product(t_ab, out, **params)
        right = -moved if t_b is None else t_b - moved
    return solve_banded(ab, right, **params)


def _solve_batch(
    function: Function, mapped: tuple[bool, ...], ab: Any, b: Any, **params: Any
) -> Any:
    if mapped[0]:
        return looped(function, mapped, ab, b, **params)
    lanes, n, m = b.shape
    columns = reshape(permute_dims(b, axes=(1, 0, 2)), to=(n, lanes * m))
    out = function(ab, columns, **params)
    return permute_dims(reshape(out, to=(n, lanes, m)), axes=(1, 0, 2))


def _samples(rng: Any) -> Iterator[Sample]:
    for domain in (normal, complex_normal):
        for lower, upper, n, m, transposed in (
            (1, 1, 4, 2, False),
            (1, 1, 4, 1, True),
            (2, 1, 5, 1, False),
            (0, 2, 3, 2, True),
        ):
            ab = domain(rng, (lower + upper + 1, n))
            ab[upper] += 6
            params = {"lower": lower, "upper": upper, "transposed": transposed}
            yield (ab, domain(rng, (n, m))), params


solve_banded: Function = define(
    Op(
        "solve_banded",
        forward=_solve_forward,
        vjp=(_rule_bands, _rule_right),
        jvp=_solve_jvp,
        batch=_solve_batch,
        samples=_samples,
        promote=True,
        doc="The solutions x of ``A x = b`` for the columns of `b`; of ``A.T x = b`` if "
        "`transposed`.",
    )
)


def _product_forward(xp: Any, ab: Any, x: Any, *, lower: int, upper: int, transposed: bool) -> Any:
    n = ab.shape[1]
    out = xp.zeros(x.shape, dtype=xp.result_type(ab, x))
    for row in range(lower + upper + 1):
        d = row - upper
        start, stop = max(0, -d), min(n, n - d)
        source, target = slice(start, stop), slice(start + d, stop + d)
        if transposed:
            source, target = target, source
        out[target] += ab[row, start:stop, None] * x[source]
    return out


def _product_rule_bands(
    g: Any, _out: Any, _ab: Any, x: Any, *, lower: int, upper: int, transposed: bool
) -> Any:
    if transposed:
        g, x = x, g
    return outer_bands(g, x, lower=lower, upper=upper)


def _product_rule_x(
    g: Any, _out: Any, ab: Any, _x: Any, *, lower: int, upper: int, transposed: bool
) -> Any:
    return band_product(ab, g, lower=lower, upper=upper, transposed=not transposed)


band_product: Function = define(
    Op(
        "band_product",
        forward=_product_forward,
        vjp=(_product_rule_bands, _product_rule_x),
        jvp="multilinear",
        batch=_solve_batch,
        samples=_samples,
        promote=True,
        doc="The product ``A x`` with the columns of `x`; ``A.T x`` if `transposed`.",
    )
)


def _outer_forward(xp: Any, x: Any, y: Any, *, lower: int, upper: int) -> Any:
    n = x.shape[0]
    out = xp.zeros((lower + upper + 1, n), dtype=xp.result_type(x, y))
    for row in range(lower + upper + 1):
        d = row - upper
        start, stop = max(0, -d), min(n, n - d)
        out[row, start:stop] = xp.sum(x[start + d : stop + d] * y[start:stop], axis=1)
    return out


def _outer_rule_x(g: Any, _out: Any, _x: Any, y: Any, *, lower: int, upper: int) -> Any:
    return band_product(g, y, lower=lower, upper=upper, transposed=False)


def _outer_rule_y(g: Any, _out: Any, x: Any, _y: Any, *, lower: int, upper: int) -> Any:
    return band_product(g, x, lower=lower, upper=upper, transposed=True)


def _outer_samples(rng: Any) -> Iterator[Sample]:
    for domain, lower, upper, m in ((normal, 1, 1, 2), (complex_normal, 2, 0, 1)):
        yield (domain(rng, (4, m)), domain(rng, (4, m))), {"lower": lower, "upper": upper}


outer_bands: Function = define(
    Op(
        "outer_bands",
        forward=_outer_forward,
        vjp=(_outer_rule_x, _outer_rule_y),
        jvp="multilinear",
        batch=looped,
        samples=_outer_samples,
        promote=True,
        doc="The bands of ``x @ y.T``.",
    )
)
