"""Elementwise steps: rounding, signs and the parts of a number. Their derivative is zero.

Also `ldexp` and the fractional parts, which are linear between the steps.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

from .comparison import integers, special
from .define import Function, elementwise
from .samples import Sample, away_from_zero, complex_normal, normal, one, two

sign = elementwise(
    "sign",
    samples=one(normal, special, complex_normal),
    doc="-1, 0 or 1; for complex numbers, the number of size 1 (as a constant for derivatives).",
)
ceil = elementwise("ceil", samples=one(normal))
floor = elementwise("floor", samples=one(normal))
trunc = elementwise("trunc", samples=one(normal))
rint = elementwise("rint", samples=one(normal, complex_normal))
floor_divide = elementwise(
    "floor_divide",
    operator=operator.floordiv,
    samples=two((normal, away_from_zero), (integers, away_from_zero)),
)
spacing = elementwise("spacing", samples=one(normal))
nextafter = elementwise(
    "nextafter",
    lambda g, _out, _x, _y: g,
    None,
    regular=True,
    samples=two((normal, normal)),
    doc="The next number after `x` towards `y`: by `x` the derivative is 1.",
)


def _round_samples(rng: Any) -> Iterator[Sample]:
    for decimals in (0, 1, -1):
        yield (normal(rng, (2, 3)) * 20,), {"decimals": decimals}
    yield (normal(rng, ()),), {"decimals": 2}
    yield (complex_normal(rng, (3,)),), {"decimals": 1}


def _round(xp: Any, x: Any, *, decimals: int) -> Any:
    return xp.round(x, decimals=decimals) if decimals else xp.round(x)


round = elementwise(
    "round", forward=_round, samples=_round_samples, doc="`x` rounded to `decimals` decimal places."
)


def _exponents(rng: Any, shape: tuple[int, ...]) -> Any:
    return integers(rng, shape) - 4


ldexp: Function = elementwise(
    "ldexp",
    lambda g, _out, _x, exponent: ldexp(g, exponent),
    None,
    steep=True,
    samples=two((normal, _exponents)),
    doc="`x * 2 ** exponent`, exactly.",
)
exponent_of = elementwise(
    "exponent_of",
    forward=lambda xp, x: xp.frexp(x)[1],
    samples=one(normal),
    doc="The second result of `frexp`: the power of two of which `x` is less than one times.",
)
mantissa_of = elementwise(
    "mantissa_of",
    lambda g, _out, x: ldexp(g, -exponent_of(x)),
    forward=lambda xp, x: xp.frexp(x)[0],
    steep=True,
    samples=one(away_from_zero),
    doc="The first result of `frexp`: `x` times a power of two, in size from 0.5 to 1.",
)
whole_of = elementwise(
    "whole_of",
    forward=lambda xp, x: xp.modf(x)[1],
    samples=one(normal),
    doc="The second result of `modf`: what precedes the point, as a floating-point number.",
)
fraction_of = elementwise(
    "fraction_of",
    lambda g, _out, _x: g,
    forward=lambda xp, x: xp.modf(x)[0],
    samples=one(normal),
    doc="The first result of `modf`: what follows the point, with the sign of `x`.",
)
