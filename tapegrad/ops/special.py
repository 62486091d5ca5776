"""`sinc` and the modified Bessel functions that NumPy has."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy

from ..core.op import Op
from .define import Function, define, elementwise
from .samples import Sample, normal, one, uniform
from .selection import where

SERIES = 30  # terms of the Taylor series of sinc, enough for |u| below `order + 2`


def _as_data(x: Any) -> Any:
    """An array of no axes as a scalar."""
    return x if x.ndim else x[()]


def _sinc(xp: Any, x: Any, *, order: int) -> Any:
    if not order:
        return xp.sinc(x)
    u = xp.asarray(x) * math.pi
    near = xp.abs(u) < order + 2
    out = xp.where(near, _sinc_near(u, order), _sinc_far(xp, xp.where(near, order + 2, u), order))
    return _as_data(out * math.pi**order)


def _sinc_near(u: Any, order: int) -> Any:
    """The derivative of sin(u) / u as the series of the integral of t**n cos(u t + n pi/2) dt."""
    square = u * u
    total = u * 0
    for m in range(SERIES if (order + SERIES) % 2 == 0 else SERIES + 1, -1, -2):
        sign = 1 if (order + m) % 4 == 0 else -1
        total = total * square + sign / (math.factorial(m) * (order + m + 1))
    return total * u if order % 2 else total


def _sinc_far(xp: Any, u: Any, order: int) -> Any:
    """By u s(n) + n s(n-1) = sin(u + n pi/2), which is stable upwards for `u` above the order."""
    sin, cos = xp.sin(u), xp.cos(u)
    out = sin / u
    for n in range(1, order + 1):
        wave = (sin, cos, -sin, -cos)[n % 4]
        out = (wave - n * out) / u
    return out


def _sinc_samples(rng: Any) -> Iterator[Sample]:
    for order in (0, 1, 2):
        for shape in ((), (4,), (2, 3)):
            yield (normal(rng, shape),), {"order": order}
    yield (5 * normal(rng, (6,)),), {"order": 3}
    yield (1e-9 * normal(rng, (3,)),), {"order": 0}


sinc: Function = define(
    Op(
        "sinc",
        forward=_sinc,
        vjp=(lambda g, _out, x, *, order: g * sinc(x, order=order + 1),),
        jvp=lambda tangents, _out, x, *, order: tangents[0] * sinc(x, order=order + 1),
        batch=lambda function, _mapped, x, *, order: function(x, order=order),
        samples=_sinc_samples,
        doc="The derivative of the given order of sin(pi x) / (pi x), exact at 0 too.",
    )
)


def _i1(xp: Any, x: Any) -> Any:
    size = xp.abs(xp.asarray(x))
    near = size < FAR
    out = xp.where(near, _i1_near(xp.where(near, size, 0)), _i1_far(xp, xp.where(near, FAR, size)))
    return _as_data(xp.copysign(out, x))


FAR = 30.0  # where the asymptotic series of i1 has become accurate


def _i1_near(x: Any) -> Any:
    """The power series, whose terms are all positive."""
    y = x * x / 4
    total = 1.0
    for k in range(65, 0, -1):
        total = 1 + y * total / (k * (k + 1))
    return x / 2 * total


def _i1_far(xp: Any, x: Any) -> Any:
    total = 1.0
    for k in range(20, 0, -1):
        total = 1 + total * ((2 * k - 1) ** 2 - 4) / (8 * k * x)
    half = xp.exp(x / 2)  # exp(x) may overflow before the result does
    return half / xp.sqrt(2 * math.pi * x) * total * half


def _i1_rule(g: Any, _out: Any, x: Any) -> Any:
    zero = x == 0
    return g * (i0(x) - where(zero, 0.5, i1(x) / where(zero, 1, x)))


i1 = elementwise(
    "i1",
    _i1_rule,
    forward=_i1,
    steep=True,
    samples=one(normal, uniform(-9, 9)),
    doc="The modified Bessel function of the first kind of order 1.",
)
i0 = elementwise(
    "i0",
    lambda g, _out, x: g * i1(x),
    forward=lambda xp, x: xp.i0(x)[()],
    operator=lambda x: numpy.i0(x)[()],
    steep=True,
    samples=one(normal, uniform(-9, 9)),
    doc="The modified Bessel function of the first kind of order 0.",
)
