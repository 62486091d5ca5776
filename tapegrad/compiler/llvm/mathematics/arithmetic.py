"""Elementary arithmetic with NumPy's values at NaN, zeros and infinities."""

from __future__ import annotations

import math

from ..vector import (
    Value,
    absolute,
    any_lane,
    copy_sign,
    fma,
    intrinsic,
    is_nan,
    larger,
    nearest,
    select,
    smaller,
    truncated,
)
from .registry import formula


@formula
def add(x: Value, y: Value) -> Value:
    return x + y


@formula
def subtract(x: Value, y: Value) -> Value:
    return x - y


@formula
def multiply(x: Value, y: Value) -> Value:
    return x * y


@formula
def divide(x: Value, y: Value) -> Value:
    return x / y


@formula
def negative(x: Value) -> Value:
    return -x


@formula
def reciprocal(x: Value) -> Value:
    return 1.0 / x


@formula
def square(x: Value) -> Value:
    return x * x


@formula
def abs(x: Value) -> Value:
    return absolute(x)


@formula
def fabs(x: Value) -> Value:
    return absolute(x)


@formula
def sign(x: Value) -> Value:
    return select(x > 0.0, 1.0, select(x < 0.0, -1.0, select(x.equals(0.0), 0.0, x)))


@formula
def heaviside(x: Value, y: Value) -> Value:
    return select(x > 0.0, 1.0, select(x < 0.0, 0.0, select(is_nan(x), x, y)))


@formula
def copysign(x: Value, y: Value) -> Value:
    return copy_sign(x, y)


@formula
def degrees(x: Value) -> Value:
    return x * (180.0 / math.pi)


@formula
def radians(x: Value) -> Value:
    return x * (math.pi / 180.0)


@formula
def floor(x: Value) -> Value:
    return intrinsic("floor", x.type, x)


@formula
def ceil(x: Value) -> Value:
    return intrinsic("ceil", x.type, x)


@formula
def trunc(x: Value) -> Value:
    return truncated(x)


@formula
def rint(x: Value) -> Value:
    return nearest(x)


@formula
def maximum(x: Value, y: Value) -> Value:
    """The larger one; NaN where one is NaN."""
    return select(is_nan(x), x, larger(x, y))


@formula
def minimum(x: Value, y: Value) -> Value:
    """The smaller one; NaN where one is NaN."""
    return select(is_nan(x), x, smaller(x, y))


@formula
def fmax(x: Value, y: Value) -> Value:
    """The larger one; the other one where one is NaN."""
    return select(is_nan(y), x, larger(x, y))


@formula
def fmin(x: Value, y: Value) -> Value:
    """The smaller one; the other one where one is NaN."""
    return select(is_nan(y), x, smaller(x, y))


@formula
def fmod(x: Value, y: Value) -> Value:
    """What is left of `x` when whole multiples of `y` are taken off, exactly; signed like `x`."""
    builder, size, unit = x.builder, absolute(x), absolute(y)
    count = truncated(size / unit)
    # exact, since the rest has no finer digits than the two; one multiple too many at worst
    rest = fma(-count, unit, size)
    quick = copy_sign(select(rest < 0.0, rest + unit, rest), x)
    good = (count < 2.0**x.format.fraction) & (unit < float("inf"))
    before = builder.block
    with builder.if_then(any_lane(~good), likely=False):
        library = builder.frem(x.ir, y.ir)  # the C library's fmod, lane by lane
        within = builder.block
    phi = builder.phi(x.type)
    phi.add_incoming(quick.ir, before)
    phi.add_incoming(library, within)
    return x.new(phi)


@formula
def remainder(x: Value, y: Value) -> Value:
    """`x` modulo `y`: signed like `y`."""
    rest = fmod(x, y)
    moved = select((y < 0.0) ^ (rest < 0.0), rest + y, rest)
    return select(rest.equals(0.0), copy_sign(rest, y), moved)


@formula
def floor_divide(x: Value, y: Value) -> Value:
    """The whole number of times that `y` goes into `x`, rounded down."""
    ratio = x / y
    rest = fmod(x, y)
    count = (x - rest) / y
    count = select(rest.differs(0.0) & ((y < 0.0) ^ (rest < 0.0)), count - 1.0, count)
    below = intrinsic("floor", x.type, count)
    below = select(count - below > 0.5, below + 1.0, below)
    result = select(count.equals(0.0), copy_sign(x.number(0.0), ratio), below)
    return select(y.equals(0.0), ratio, result)
