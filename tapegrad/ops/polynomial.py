"""Polynomials by their coefficients, highest power first, and fits by least squares."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..backend import is_complex, namespace
from ..core.op import Op
from ..core.record import raw
from .contract import matmul, transpose
from .define import Function, define, looped, size_of
from .einsum import contract
from .index import getitem
from .join import concat
from .linalg import solve
from .linear import cast, reshape, sum
from .matrices import conjugate
from .samples import Sample, complex_normal, normal

HEAD = (Ellipsis, slice(None, -1))


def degrees(x: Any, count: int) -> Any:
    """The numbers count - 1, ..., 1, 0, in the dtype of `x`."""
    return namespace(raw(x)).arange(count, dtype=x.dtype)[::-1]


def derivative(p: Any) -> Any:
    """The coefficients of a polynomial's derivative."""
    return getitem(p, key=HEAD) * degrees(p, p.shape[-1])[:-1]


def _powers_forward(xp: Any, x: Any, *, count: int) -> Any:
    columns = [xp.ones_like(x)]
    for _ in range(count - 1):
        columns.append(columns[-1] * x)
    return xp.stack(columns[::-1], axis=-1) if count else xp.zeros((*x.shape, 0), dtype=x.dtype)


def _slopes(x: Any, count: int) -> Any:
    """The derivatives of `powers`."""
    xp = namespace(raw(x))
    end = xp.zeros((*x.shape, min(count, 1)), dtype=x.dtype)
    if count < 2:
        return end
    return concat(powers(x, count=count - 1) * degrees(x, count)[:-1], end, axis=x.ndim)


def _powers_rule(g: Any, _out: Any, x: Any, *, count: int) -> Any:
    return sum(g * _slopes(x, count), axis=(x.ndim,), keepdims=False)


def _powers_jvp(tangents: tuple[Any, ...], _out: Any, x: Any, *, count: int) -> Any:
    return reshape(tangents[0], to=(*x.shape, 1)) * _slopes(x, count)


powers: Function = define(
    Op(
        "powers",
        forward=_powers_forward,
        vjp=(_powers_rule,),
        jvp=_powers_jvp,
        batch=lambda function, _mapped, x, *, count: function(x, count=count),
        samples=lambda rng: (
            ((domain(rng, shape),), {"count": count})
            for domain, shape, count in (
                (normal, (3,), 4),
                (normal, (), 3),
                (normal, (2,), 1),
                (complex_normal, (2,), 3),
            )
        ),
        doc="Along a new last axis, the powers count - 1, ..., 1, 0 of `x`.",
    )
)


def _polyval_forward(xp: Any, p: Any, x: Any) -> Any:
    value = xp.zeros_like(x)
    for coefficient in p:
        value = value * x + coefficient
    return value if value.ndim else value[()]


def _polyval_rule_p(g: Any, _out: Any, p: Any, x: Any) -> Any:
    rows = powers(reshape(x, to=(size_of(x.shape),)), count=p.shape[0])
    return matmul(reshape(g, to=(size_of(x.shape),)), rows)


def _polyval_rule_x(g: Any, _out: Any, p: Any, x: Any) -> Any:
    return g * polyval(derivative(p), x)


def _polyval_jvp(tangents: tuple[Any, ...], _out: Any, p: Any, x: Any) -> Any:
    change_p, change_x = tangents
    total = None if change_p is None else polyval(change_p, x)
    if change_x is not None:
        slope = change_x * polyval(derivative(p), x)
        total = slope if total is None else total + slope
    return total


def _polyval_batch(function: Any, mapped: tuple[bool, ...], p: Any, x: Any) -> Any:
    if not mapped[0]:
        return function(p, x)
    names = tuple(range(x.ndim - mapped[1]))
    rows = powers(x, count=p.shape[1])
    lanes = ("lane",) if mapped[1] else ()
    return contract((rows, p), ((*lanes, *names, "k"), ("lane", "k")), ("lane", *names))


def _polyval_samples(rng: Any) -> Iterator[Sample]:
    for n, shape in ((3, (2, 3)), (4, ()), (1, (2,)), (2, (3,))):
        yield (normal(rng, (n,)), normal(rng, shape)), {}
    yield (complex_normal(rng, (3,)), normal(rng, (2,))), {}


polyval: Function = define(
    Op(
        "polyval",
        forward=_polyval_forward,
        vjp=(_polyval_rule_p, _polyval_rule_x),
        jvp=_polyval_jvp,
        batch=_polyval_batch,
        samples=_polyval_samples,
        promote=True,
        doc="The values of the polynomial with coefficients `p` at the elements of `x`.",
    )
)


def _roots_forward(xp: Any, p: Any) -> Any:
    n = p.shape[0] - 1
    companion = xp.eye(n, k=-1, dtype=p.dtype)
    companion[0, :] = -p[1:] / p[0]
    return xp.linalg.eigvals(companion) + 0j


def _root_slopes(p: Any, out: Any) -> Any:
    """The derivatives of the roots (rows) with respect to the coefficients (columns)."""
    n = out.shape[0]
    slopes = polyval(derivative(p), out)
    return -powers(out, count=n + 1) / reshape(slopes, to=(n, 1))


def _roots_rule(g: Any, out: Any, p: Any) -> Any:
    pulled = matmul(g, _root_slopes(p, out))
    return pulled if is_complex(p.dtype) else cast(pulled, p.dtype)


def _roots_jvp(tangents: tuple[Any, ...], out: Any, p: Any) -> Any:
    return matmul(_root_slopes(p, out), tangents[0])


def _roots_samples(_rng: Any) -> Iterator[Sample]:
    for p in ([1.0, -1.5, -2.0, 0.5], [2.0, 1.0, 3.0], [1.0 + 1j, 2.0, 0.5j]):
        yield (namespace().asarray(p),), {}


roots: Function = define(
    Op(
        "roots",
        forward=_roots_forward,
        vjp=(_roots_rule,),
        jvp=_roots_jvp,
        batch=looped,
        steep=True,
        samples=_roots_samples,
        doc="The roots, complex, of the polynomial with coefficients `p`, the first one not zero. "
        "The derivatives of multiple roots are infinite.",
    )
)


def adjoint(x: Any) -> Any:
    """The conjugate transpose."""
    return conjugate(transpose(x))


def _fit_rule(g: Any, out: Any, a: Any, b: Any, *, wanted: tuple[bool, ...]) -> tuple[Any, Any]:
    opposite = conjugate(a)
    u = solve(matmul(transpose(a), opposite), g)
    g_b = matmul(opposite, u)
    if not wanted[0]:
        return None, g_b
    rest = conjugate(b - matmul(a, out))
    return matmul(rest, adjoint(u)) - matmul(g_b, transpose(out)), g_b


def _fit_jvp(tangents: tuple[Any, ...], out: Any, a: Any, b: Any) -> Any:
    change_a, change_b = tangents
    moved = change_b
    if change_a is not None:
        shift = matmul(change_a, out)
        moved = -shift if moved is None else moved - shift
    total = matmul(adjoint(a), moved)
    if change_a is not None:
        total = total + matmul(adjoint(change_a), b - matmul(a, out))
    return solve(matmul(adjoint(a), a), total)


def _fit_samples(rng: Any) -> Iterator[Sample]:
    for domain, rows, columns, sides in (
        (normal, 5, 2, 1),
        (normal, 4, 3, 2),
        (complex_normal, 4, 2, 1),
    ):
        yield (domain(rng, (rows, columns)), domain(rng, (rows, sides))), {}


fit: Function = define(
    Op(
        "fit",
        forward=lambda xp, a, b: xp.linalg.lstsq(a, b, rcond=None)[0],
        vjp=_fit_rule,
        joint=True,
        jvp=_fit_jvp,
        steep=True,
        batch=looped,
        samples=_fit_samples,
        promote=True,
        doc="The x with the least squares of a @ x - b, for a matrix `a` of full column rank.",
    )
)
