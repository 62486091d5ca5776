"""Incomplete elliptic integrals and Jacobi's elliptic functions, also in the parameter m = k**2."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy

from ...backend import as_data
from ...backend import special as function_of
from ...core.array import Array
from ...core.op import Op
from ..complex import abs
from ..define import Function, define
from ..elementary import cos, sin, sqrt
from ..linear import broadcast_to, cast, stop_gradient, sum
from ..matrices import stacked_batch
from ..rounding import rint
from ..samples import Sample, normal, two, uniform
from ..selection import where
from .define import constant, double, precise, special, spread

NODES, WEIGHTS = numpy.polynomial.legendre.leggauss(32)
NODES, WEIGHTS = (NODES + 1) / 2, WEIGHTS / 2  # for the interval from 0 to 1


def _moment(phi: Any, m: Any, power: int) -> Any:
    """The integral of ``sin(t)**2 * (1 - m * sin(t)**2)**(-power / 2)`` from 0 to `phi`.

    By quadrature, to 1e-15 where ``abs(m) * sin(t)**2 <= 0.9`` all the way.
    """
    turns = stop_gradient(rint(phi / math.pi))
    total = _within(phi - turns * math.pi, m, power)
    return total + 2 * turns * _within(phi * 0 + math.pi / 2, m, power)


def _within(phi: Any, m: Any, power: int) -> Any:
    s = sin(spread(phi) * constant(NODES, phi))
    squares = s * s
    root = sqrt(1 - spread(m) * squares)
    terms = squares / (root if power == 1 else root * root * root)
    return phi * sum(terms * constant(WEIGHTS, phi), axis=(terms.ndim - 1,), keepdims=False)


def _is_smooth(phi: Any, m: Any) -> Any:
    """Where `_moment` is accurate."""
    s = where(abs(phi) <= math.pi / 2, sin(phi), 1.0)
    return abs(m) * s * s <= 0.9


def first_in_parameter(phi: Any, m: Any) -> Any:
    """The derivative of `ellipkinc` in `m`."""
    phi, m = _alike(phi, m)
    near = _is_smooth(phi, m)
    far = where(near, 0.75, m)
    rest = 1 - far
    s = sin(phi)
    by_others = (ellipeinc(phi, far) - rest * ellipkinc(phi, far)) / far
    by_others = (by_others - s * cos(phi) / sqrt(1 - far * s * s)) / (2 * rest)
    return where(near, _moment(phi, where(near, m, 0), 3) / 2, by_others)


def second_in_parameter(phi: Any, m: Any) -> Any:
    """The derivative of `ellipeinc` in `m`."""
    phi, m = _alike(phi, m)
    near = _is_smooth(phi, m)
    far = where(near, 0.75, m)
    by_others = (ellipeinc(phi, far) - ellipkinc(phi, far)) / (2 * far)
    return where(near, _moment(phi, where(near, m, 0), 1) / -2, by_others)


def _alike(x: Any, y: Any) -> tuple[Any, Any]:
    """Both with the shape that they have together."""
    return x + 0 * y, y + 0 * x


def _root(phi: Any, m: Any) -> Any:
    s = sin(phi)
    return sqrt(1 - m * s * s)


ellipkinc: Function = special(
    "ellipkinc",
    lambda g, _out, phi, m: g / _root(phi, m),
    precise(first_in_parameter),
    samples=two((normal, uniform(-3, 0.9)), (uniform(-9, 9), uniform(-0.4, 0.4))),
    doc="The incomplete elliptic integral of the first kind, of an angle and m = k**2.",
)
ellipeinc: Function = special(
    "ellipeinc",
    lambda g, _out, phi, m: g * _root(phi, m),
    precise(second_in_parameter),
    samples=two((normal, uniform(-3, 0.9)), (uniform(-9, 9), uniform(-0.4, 0.4))),
    doc="The incomplete elliptic integral of the second kind, of an angle and m = k**2.",
)


# Jacobi's functions


def _in_argument(out: Any, m: Any) -> tuple[Any, ...]:
    sn, cn, dn, _ = out
    return cn * dn, -sn * dn, -m * sn * cn, dn


def _in_parameter(out: Any, m: Any) -> tuple[Any, ...]:
    sn, cn, dn, ph = out
    turn = -dn * cast(first_in_parameter(double(ph), double(m)), dn.dtype)
    return cn * turn, -sn * turn, -(sn * sn / 2 + m * sn * cn * turn) / dn, turn


def _rule(derivatives: Any) -> Any:
    def rule(g: Any, out: Any, _u: Any, m: Any) -> Any:
        total = None
        for cotangent, derivative in zip(g, derivatives(out, m), strict=True):
            if cotangent is not None:
                term = cotangent * derivative
                total = term if total is None else total + term
        return total

    return rule


def _jvp(tangents: tuple[Any, ...], out: Any, _u: Any, m: Any) -> tuple[Any, ...]:
    total: tuple[Any, ...] | None = None
    for t, derivatives in zip(tangents, (_in_argument, _in_parameter), strict=True):
        if t is not None:
            terms = tuple(t * d for d in derivatives(out, m))
            total = terms if total is None else tuple(map(lambda a, b: a + b, total, terms))
    assert total is not None
    return total


def _samples(rng: Any) -> Iterator[Sample]:
    for shape in ((), (4,), (2, 3)):
        yield (normal(rng, shape), uniform(0.05, 0.9)(rng, shape)), {}


_ellipj: Function = define(
    Op(
        "ellipj",
        forward=lambda xp, u, m: function_of(xp, "ellipj")(u, m),
        vjp=(_rule(_in_argument), _rule(_in_parameter)),
        jvp=_jvp,
        batch=stacked_batch,
        promote=True,
        steep=True,
        outputs=4,
        samples=_samples,
        doc="Jacobi's elliptic functions sn, cn, dn and the amplitude, for arrays of equal shape.",
    )
)


def ellipj(u: Any, m: Any) -> tuple[Any, ...]:
    """Jacobi's elliptic functions sn, cn, dn and the amplitude, of an argument and m = k**2."""
    u, m = (x if isinstance(x, Array) else as_data(x) for x in (u, m))
    shape = numpy.broadcast_shapes(u.shape, m.shape)
    u, m = (x if x.shape == shape else broadcast_to(x, to=shape) for x in (u, m))
    found: tuple[Any, ...] = _ellipj(u, m)
    return found
