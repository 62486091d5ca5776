"""Arithmetic, elementwise."""

from __future__ import annotations

import operator
from typing import Any

from .comparison import signbit, small_integers
from .define import Function, elementwise
from .rounding import floor_divide, rint
from .samples import away_from_zero, complex_normal, normal, one, two
from .selection import keep, where


def _complex_away(rng: Any, shape: tuple[int, ...]) -> Any:
    return away_from_zero(rng, shape) + 1j * normal(rng, shape)


_any = two(
    (normal, normal),
    (complex_normal, complex_normal),
    (normal, complex_normal),
    (small_integers, normal),
)
_quotients = two((normal, away_from_zero), (complex_normal, _complex_away), (normal, _complex_away))

add = elementwise(
    "add",
    lambda g, _out, _x, _y: g,
    lambda g, _out, _x, _y: g,
    operator=operator.add,
    samples=_any,
)
subtract = elementwise(
    "subtract",
    lambda g, _out, _x, _y: g,
    lambda g, _out, _x, _y: -g,
    operator=operator.sub,
    samples=_any,
)
multiply = elementwise(
    "multiply",
    lambda g, _out, _x, y: g * y,
    lambda g, _out, x, _y: g * x,
    operator=operator.mul,
    samples=_any,
)
divide = elementwise(
    "divide",
    lambda g, _out, _x, y: g / y,
    lambda g, _out, x, y: -(x / y * g / y),
    operator=operator.truediv,
    steep=True,
    samples=_quotients,
)
positive = elementwise(
    "positive", lambda g, _out, _x: g, operator=operator.pos, samples=one(normal, complex_normal)
)
negative = elementwise(
    "negative", lambda g, _out, _x: -g, operator=operator.neg, samples=one(normal, complex_normal)
)
reciprocal = elementwise(
    "reciprocal",
    lambda g, out, _x: -g * out * out,
    steep=True,
    samples=one(away_from_zero, _complex_away),
)
square = elementwise("square", lambda g, _out, x: g * (x + x), samples=one(normal, complex_normal))
cube = elementwise(
    "cube",
    lambda g, _out, x: g * (3 * x * x),
    forward=lambda _xp, x: x * x * x,
    operator=lambda x: x * x * x,
    samples=one(normal, complex_normal),
    doc="`x ** 3`, by two products: NumPy's general power takes a hundred times as long.",
)


def _many_times(rng: Any, shape: tuple[int, ...]) -> Any:
    return 7 * normal(rng, shape)


remainder = elementwise(
    "remainder",
    lambda g, _out, _x, _y: g,
    lambda g, _out, x, y: -g * floor_divide(x, y),
    operator=operator.mod,
    steep=True,
    samples=two((_many_times, away_from_zero)),
    doc="`x - y * floor(x / y)`, with the sign of `y`. At its jumps the derivative from within.",
)
fmod: Function = elementwise(
    "fmod",
    lambda g, _out, _x, _y: g,
    lambda g, _out, x, y: -g * rint((x - fmod(x, y)) / y),
    steep=True,
    samples=two((_many_times, away_from_zero)),
    doc="`x - y * trunc(x / y)`, with the sign of `x`. At its jumps the derivative from within.",
)
copysign = elementwise(
    "copysign",
    lambda g, out, x, _y: where(signbit(x) == signbit(out), g, -g),
    None,
    regular=True,
    samples=two((away_from_zero, away_from_zero)),
    doc="The size of `x` with the sign of `y`. Its derivative is 1 or -1, at zeros by their sign.",
)
heaviside = elementwise(
    "heaviside",
    None,
    lambda g, _out, x, _y: keep(g, x == 0),
    regular=True,
    samples=two((small_integers, normal), (away_from_zero, normal)),
    doc="0 where `x` is negative, 1 where it is positive, `y` where it is 0. Constant in `x`.",
)
