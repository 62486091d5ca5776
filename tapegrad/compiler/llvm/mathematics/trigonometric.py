"""Sine, cosine, tangent and their inverses.

``x = m * pi / 2 + r`` with r known to about twice the digits of a float, so that results near zero
are as good as any. Numbers up to a limit are reduced by three parts of pi / 2 (Cody and Waite's
way), larger ones by as many bits of 2 / pi as they need (Payne and Hanek's), lane by lane.
"""

from __future__ import annotations

import math

from ..pairs import Pair, exact_product, exact_sum, ordered_sum, quotient, root
from ..vector import (
    DOUBLE,
    SINGLE,
    Value,
    absolute,
    bits,
    copy_sign,
    fma,
    from_bits,
    is_nan,
    is_negative,
    nearest_of_product,
    polynomial,
    select,
)
from .exponential import clamp
from .large_angle import HALF_PI, reduce_large
from .registry import formula, twins

FAR = 2.0**60  # an argument from which on the arc tangent is pi / 2
LIMIT = {DOUBLE: 2.0**30, SINGLE: 2.0**16}
"""Up to here three parts of pi / 2 are enough."""

SIN = {  # (sin(r) - r) / r ** 3 in z = r * r, for |r| up to pi / 4
    DOUBLE: (
        -0.16666666666666666,
        0.008333333333330792,
        -0.00019841269836524034,
        2.7557315981668386e-06,
        -2.5051106811092675e-08,
        1.5916337145800986e-10,
    ),
    SINGLE: (-0.166666642, 0.00833273306, -0.000195846747),
}
COS = {  # (cos(r) - 1 + z / 2) / z ** 2 in z = r * r, for |r| up to pi / 4
    DOUBLE: (
        0.041666666666666664,
        -0.00138888888888873,
        2.4801587298618963e-05,
        -2.755731719610653e-07,
        2.0876130607423073e-09,
        -1.1381511265957515e-11,
    ),
    SINGLE: (0.0416666642, -0.00138882885, 2.45447191e-05),
}
ATAN = {  # (atan(t) - t) / t ** 3 in z = t * t, for |t| up to 7 / 16
    DOUBLE: (
        -0.33333333333333326,
        0.19999999999987542,
        -0.14285714283106518,
        0.1111111089752817,
        -0.0909090008527781,
        0.07692085055405296,
        -0.06663210380706376,
        0.058474998272790506,
        -0.05032889184241904,
        0.03779796827451681,
        -0.01751735640649518,
    ),
    SINGLE: (-0.333333313, 0.199993104, -0.142564207, 0.106668867, -0.0621136501),
}
ATAN_HALF = {
    DOUBLE: (0.4636476090008061, 2.2698777452961687e-17),
    SINGLE: (0.46364760398864746, 5.01215868808913e-09),
}
ASIN = {  # (asin(t) - t) / t ** 3 in z = t * t, for |t| up to 1 / 2
    DOUBLE: (
        0.16666666666666669,
        0.07499999999998389,
        0.04464285714644605,
        0.0303819441312372,
        0.022372173243832207,
        0.017352385393480947,
        0.013971325328728771,
        0.011478047472510145,
        0.010330370295404406,
        0.005424230839804001,
        0.017493569476248205,
        -0.014999855783811349,
        0.02886097438799853,
    ),
    SINGLE: (0.166666657, 0.0750009567, 0.0445989892, 0.0311060008, 0.0171215869, 0.0337402821),
}


def reduce(x: Value) -> tuple[Value, Value, Value]:
    """For an `x` that is not negative, an integer whose lowest bits are those of m, and r with what
    was lost in rounding it."""
    first, second, third = HALF_PI[x.element]
    m, whole = nearest_of_product(x, 2.0 / math.pi)
    near = fma(m, -first, x)  # exact
    product, product_rest = exact_product(m, second)
    r = near - product
    rest = (near - r) - product  # exact, since the first part's lowest digit is above all of these
    rest = rest - fma(m, third, product_rest)
    return reduce_large(x, x > LIMIT[x.element], (whole, r, rest))


def sine(r: Value, rest: Value) -> Pair:
    """sin(r + rest) for |r| up to pi / 4, the larger summand first."""
    z = r * r
    return r, fma(r * z, polynomial(z, SIN[r.element]), rest)


def cosine(r: Value, rest: Value) -> Pair:
    """cos(r + rest), likewise."""
    z = r * r
    half = z * 0.5
    high, low = ordered_sum(r.number(1.0), -half)
    return high, low + fma(z * z, polynomial(z, COS[r.element]), -(r * rest))


def chosen(mask: Value, x: Pair, y: Pair) -> Pair:
    return select(mask, x[0], y[0]), select(mask, x[1], y[1])


def turned(value: Value, sign: Value) -> Value:
    """A value with the other sign where the highest bit of an integer is set."""
    return from_bits(bits(value) ^ (sign & -(1 << (value.format.bits - 1))))


@twins("sin", "cos")
def sine_and_cosine(x: Value) -> tuple[Value, Value]:
    m, r, rest = reduce(absolute(x))
    odd = (m & 1).differs(0)
    high, low = sine(r, rest)
    s, z = high + low, fma(r, r, (r + r) * rest)
    c = fma(z, fma(z, polynomial(z, COS[x.element]), -0.5), 1.0)
    top = x.format.bits - 2  # where the bit goes that tells the halves of a turn apart
    first = turned(select(odd, c, s), (m << top) ^ bits(x))
    return first, turned(select(odd, s, c), (m + 1) << top)


@formula
def sin(x: Value) -> Value:
    return sine_and_cosine(x)[0]


@formula
def cos(x: Value) -> Value:
    return sine_and_cosine(x)[1]


@formula
def tan(x: Value) -> Value:
    m, r, rest = reduce(absolute(x))
    sin, cos = ordered_sum(*sine(r, rest)), ordered_sum(*cosine(r, rest))
    odd = (m & 1).differs(0)
    negative_sin = -sin[0], -sin[1]
    ratio = quotient(chosen(odd, cos, sin), chosen(odd, negative_sin, cos))
    return turned(ratio, bits(x))


def atan_of_ratio(top: Value, bottom: Value) -> Pair:
    """atan(top / bottom) for 0 <= top <= bottom, as a pair."""
    # atan(top / bottom) = atan(c) + atan((top - c * bottom) / (bottom + c * top))
    near_half, near_one = top > bottom * (7 / 16), top > bottom * (11 / 16)

    def chosen(at_one: float, at_half: float) -> Value:
        return select(near_one, top.number(at_one), select(near_half, top.number(at_half), 0.0))

    centre = chosen(1.0, 0.5)
    t = fma(-centre, bottom, top) / fma(centre, top, bottom)
    z = t * t
    half, quarter = ATAN_HALF[top.element], [part / 2 for part in HALF_PI[top.element]]
    high, low = chosen(quarter[0], half[0]), chosen(quarter[1], half[1])
    # the larger summand first: high where it is not zero, else t
    rest = fma(t * z, polynomial(z, ATAN[top.element]), low)
    total, missing = exact_sum(high, t)
    return total, missing + rest


@formula
def atan(x: Value) -> Value:
    size = clamp(absolute(x), 0.0, FAR)
    beyond = size > 1.0
    one = x.number(1.0)
    angle, low = atan_of_ratio(select(beyond, one, size), select(beyond, size, one))
    high, rest = HALF_PI[x.element][:2]
    total, missing = ordered_sum(x.number(high), -angle)
    angle = select(beyond, total + (missing + (rest - low)), angle + low)
    return copy_sign(angle, x)


@formula
def atan2(x: Value, y: Value) -> Value:
    """The angle of the point that has `x` as its height and `y` as its width: numpy.arctan2."""
    height, width = absolute(x), absolute(y)
    steep = height > width
    top, bottom = select(steep, width, height), select(steep, height, width)
    # keep off overflow and denormals, 0 / 0 and inf / inf
    level = x.format.bias - 2
    factor = select(
        bottom > 2.0**level / 8,
        x.number(2.0**-8),
        select(bottom < 2.0**-level * 2.0**60, x.number(2.0 ** (x.format.bias // 2)), 1.0),
    )
    both = top.equals(float("inf"))
    top, bottom = select(both, 1.0, top * factor), select(both, 1.0, bottom * factor)
    bottom = select(bottom.equals(0.0), 1.0, bottom)
    top = select(bottom.equals(float("inf")), 0.0, top)
    bottom = select(bottom.equals(float("inf")), 1.0, bottom)
    angle, low = atan_of_ratio(top, bottom)
    first, second, _ = HALF_PI[x.element]
    steep_angle, missing = ordered_sum(x.number(first), -angle)
    angle, low = select(steep, steep_angle, angle), select(steep, missing + (second - low), low)
    left = is_negative(y)
    turned, missing = ordered_sum(x.number(2 * first), -angle)
    angle, low = select(left, turned, angle), select(left, missing + (2 * second - low), low)
    return select(is_nan(x) | is_nan(y), float("nan"), copy_sign(angle + low, x))


def arc_sine_part(x: Value) -> tuple[Value, Value, Value]:
    """Whether |x| > 1/2, and asin of it or of sqrt((1 - |x|) / 2) as a pair."""
    size = absolute(x)
    steep = size > 0.5
    square = select(steep, fma(size, -0.5, 0.5), size * size)
    near, missing = root((square, square * 0.0))
    t, low = select(steep, near, size), select(steep, missing, 0.0)
    angle, rest = ordered_sum(t, fma(t * square, polynomial(square, ASIN[x.element]), low))
    return steep, angle, rest


@formula
def asin(x: Value) -> Value:
    steep, angle, rest = arc_sine_part(x)
    first, second, _ = HALF_PI[x.element]
    total, missing = ordered_sum(x.number(first), angle * -2.0)
    angle = select(steep, total + (missing + fma(rest, -2.0, second)), angle + rest)
    return copy_sign(angle, x)


@formula
def acos(x: Value) -> Value:
    steep, angle, rest = arc_sine_part(x)
    first, second, _ = HALF_PI[x.element]
    negative = x < 0.0
    signed, signed_rest = select(negative, -angle, angle), select(negative, -rest, rest)
    central, missing = ordered_sum(x.number(first), -signed)
    central = central + (missing + (second - signed_rest))
    turned, missing = ordered_sum(x.number(2 * first), angle * -2.0)
    turned = turned + (missing + fma(rest, -2.0, 2 * second))
    return select(steep, select(negative, turned, (angle + rest) * 2.0), central)
