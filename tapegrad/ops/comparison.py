"""Elementwise operations without a derivative: comparisons, logic, bits, and what a number is."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

from .define import elementwise
from .samples import Sample, complex_normal, normal, one, two


def integers(rng: Any, shape: tuple[int, ...]) -> Any:
    return rng.integers(0, 9, shape or 1).reshape(shape)[()]


def small_integers(rng: Any, shape: tuple[int, ...]) -> Any:
    """Integers that promote with single precision to single precision."""
    return integers(rng, shape).astype("int8")


def booleans(rng: Any, shape: tuple[int, ...]) -> Any:
    return integers(rng, shape) > 4


def dates(rng: Any, shape: tuple[int, ...]) -> Any:
    return integers(rng, shape).astype("datetime64[D]")


def special(rng: Any, shape: tuple[int, ...]) -> Any:
    """Infinities, NaN and both zeros among the numbers."""
    values = normal(rng, (6,))
    values[1:] = float("inf"), -float("inf"), float("nan"), 0.0, -0.0
    return rng.choice(values, shape or 1).reshape(shape)[()]


ordered = two((normal, normal), (integers, integers), (integers, normal))

# by the operators, which hold for what is no number too: nothing is equal to a string
equal = elementwise(
    "equal", forward=lambda _xp, x, y: x == y, operator=operator.eq, samples=ordered
)
not_equal = elementwise(
    "not_equal", forward=lambda _xp, x, y: x != y, operator=operator.ne, samples=ordered
)
less = elementwise("less", operator=operator.lt, samples=ordered)
less_equal = elementwise("less_equal", operator=operator.le, samples=ordered)
greater = elementwise("greater", operator=operator.gt, samples=ordered)
greater_equal = elementwise("greater_equal", operator=operator.ge, samples=ordered)

_logical = two((booleans, booleans), (normal, integers))
logical_and = elementwise("logical_and", samples=_logical)
logical_or = elementwise("logical_or", samples=_logical)
logical_xor = elementwise("logical_xor", samples=_logical)
logical_not = elementwise("logical_not", samples=one(booleans, normal))

_bits = two((booleans, booleans), (integers, integers))
bitwise_and = elementwise("bitwise_and", operator=operator.and_, samples=_bits)
bitwise_or = elementwise("bitwise_or", operator=operator.or_, samples=_bits)
bitwise_xor = elementwise("bitwise_xor", operator=operator.xor, samples=_bits)
bitwise_invert = elementwise("bitwise_invert", samples=one(booleans, integers))
bitwise_count = elementwise("bitwise_count", samples=one(integers))
bitwise_left_shift = elementwise(
    "bitwise_left_shift", operator=operator.lshift, samples=two((integers, integers))
)
bitwise_right_shift = elementwise(
    "bitwise_right_shift", operator=operator.rshift, samples=two((integers, integers))
)
gcd = elementwise("gcd", samples=two((integers, integers)))
lcm = elementwise("lcm", samples=two((integers, integers)))

isnan = elementwise("isnan", samples=one(special, complex_normal))
isinf = elementwise("isinf", samples=one(special, complex_normal))
isfinite = elementwise("isfinite", samples=one(special, complex_normal))
isposinf = elementwise("isposinf", samples=one(special))
isneginf = elementwise("isneginf", samples=one(special))
isnat = elementwise("isnat", samples=one(dates))
signbit = elementwise("signbit", samples=one(special))


def _isclose_samples(rng: Any) -> Iterator[Sample]:
    for equal_nan in (False, True):
        x = special(rng, (4, 3))
        yield (x, x[:, ::-1], 1e-5, 1e-8), {"equal_nan": equal_nan}
    yield (normal(rng, ()), normal(rng, (5,)), 0.1, 0.5), {"equal_nan": False}


isclose = elementwise(
    "isclose",
    forward=lambda xp, x, y, rtol, atol, *, equal_nan: xp.isclose(
        x, y, rtol=rtol, atol=atol, equal_nan=equal_nan
    ),
    samples=_isclose_samples,
)
