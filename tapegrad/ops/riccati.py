"""Algebraic Riccati equations, of continuous and of discrete time.

A solution is differentiated by its equation: along a change it solves a linear equation of the
closed loop, which is stable. Changes of `q` and `r` are Hermitian, and so are their gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy

from ..core.op import Op
from .contract import matmul, transpose
from .define import Function, define
from .lapack import on_host
from .linalg import solve
from .matrices import adjoint, conjugate, hermitian, stacked_batch
from .matrix_functions import stein, sylvester
from .samples import Sample, normal


def solver(name: str) -> Callable[..., Any]:
    """The forward for stacks of matrices of a solver of SciPy."""

    def compute(*inputs: Any, balanced: bool) -> Any:
        from scipy import linalg

        a = inputs[0]
        out = numpy.empty(a.shape, dtype=numpy.result_type(*inputs))
        for i in numpy.ndindex(a.shape[:-2]):
            out[i] = getattr(linalg, name)(*(x[i] for x in inputs), balanced=balanced)
        return out

    return on_host(compute)


def pulled(y: Any, side: Any, gain: Any) -> tuple[Any, Any, Any, Any]:
    """The cotangents of a, b, q and r, from that of the residual."""
    turned = transpose(gain)
    return side, -matmul(side, turned), y, matmul(matmul(conjugate(gain), y), turned)


def pushed(tangents: tuple[Any, ...], left: Any, gain: Any) -> Any:
    """The change of the residual, with `left` on the left of that of the closed loop."""
    change_a, change_b, change_q, change_r = tangents
    total = None if change_q is None else hermitian(change_q)
    if change_r is not None:
        part = matmul(matmul(adjoint(gain), hermitian(change_r)), gain)
        total = part if total is None else total + part
    if change_b is not None:
        moved = matmul(change_b, gain)
        change_a = -moved if change_a is None else change_a - moved
    if change_a is not None:
        part = matmul(left, change_a)
        part = part + adjoint(part)
        total = part if total is None else total + part
    return total


def _samples(rng: Any) -> Iterator[Sample]:
    a, b, q, r = (normal(rng, (1, 1)) for _ in range(4))
    yield (a, b, q * q, r * r + 1), {"balanced": True}
    stack = normal(rng, (2, 1, 1))
    yield (stack, stack + 2, stack * stack, stack * stack + 1), {"balanced": False}


# Continuous time


def _continuous_loop(x: Any, a: Any, b: Any, r: Any) -> tuple[Any, Any]:
    gain = solve(r, matmul(adjoint(b), x))
    return gain, a - matmul(b, gain)


def _continuous_rule(
    g: Any, out: Any, a: Any, b: Any, _q: Any, r: Any, *, wanted: tuple[bool, ...], balanced: bool
) -> tuple[Any, ...]:
    gain, loop = _continuous_loop(out, a, b, r)
    y = sylvester(conjugate(loop), transpose(loop), -hermitian(g))
    return pulled(y, matmul(conjugate(out), y) * 2, gain)


def _continuous_jvp(
    tangents: tuple[Any, ...], out: Any, a: Any, b: Any, _q: Any, r: Any, *, balanced: bool
) -> Any:
    gain, loop = _continuous_loop(out, a, b, r)
    return sylvester(adjoint(loop), loop, -pushed(tangents, out, gain))


continuous_riccati: Function = define(
    Op(
        "continuous_riccati",
        forward=solver("solve_continuous_are"),
        vjp=_continuous_rule,
        joint=True,
        jvp=_continuous_jvp,
        steep=True,
        batch=stacked_batch,
        samples=_samples,
        promote=True,
        doc="The stabilising solutions x of a^H @ x + x @ a - x @ b @ r^-1 @ b^H @ x + q = 0.",
    )
)


# Discrete time


def _discrete_loop(x: Any, a: Any, b: Any, r: Any) -> tuple[Any, Any]:
    across = matmul(adjoint(b), x)
    gain = solve(r + matmul(across, b), matmul(across, a))
    return gain, a - matmul(b, gain)


def _discrete_rule(
    g: Any, out: Any, a: Any, b: Any, _q: Any, r: Any, *, wanted: tuple[bool, ...], balanced: bool
) -> tuple[Any, ...]:
    gain, loop = _discrete_loop(out, a, b, r)
    y = stein(conjugate(loop), hermitian(g))
    side = matmul(conjugate(out), matmul(conjugate(loop), y)) * 2
    return pulled(y, side, gain)


def _discrete_jvp(
    tangents: tuple[Any, ...], out: Any, a: Any, b: Any, _q: Any, r: Any, *, balanced: bool
) -> Any:
    gain, loop = _discrete_loop(out, a, b, r)
    turned = adjoint(loop)
    return stein(turned, pushed(tangents, matmul(turned, out), gain))


discrete_riccati: Function = define(
    Op(
        "discrete_riccati",
        forward=solver("solve_discrete_are"),
        vjp=_discrete_rule,
        joint=True,
        jvp=_discrete_jvp,
        steep=True,
        batch=stacked_batch,
        samples=_samples,
        promote=True,
        doc="The stabilising solutions x of a^H @ x @ a - x + q = "
        "a^H @ x @ b @ (r + b^H @ x @ b)^-1 @ b^H @ x @ a.",
    )
)
