"""Powers and roots."""

from __future__ import annotations

from ..pairs import Pair, exact_product, exact_sum, ordered_sum, root
from ..vector import (
    DOUBLE,
    SINGLE,
    Value,
    absolute,
    copy_sign,
    fma,
    horner,
    is_nan,
    is_negative,
    nearest,
    polynomial,
    select,
    square_root,
    to_double,
    to_single,
    truncated,
)
from .exponential import clamp, power_of_fraction, power_of_two, scale
from .logarithm import LOG2_OF_E, numbers, split, times
from .registry import formula

ATANH_TAIL = {  # (atanh(s) / s - 1 - z / 3) / z ** 2 in z = s * s
    DOUBLE: (
        0.20000000000000012,
        0.14285714285669143,
        0.11111111135601,
        0.09090904115640233,
        0.07692787990550393,
        0.06642959034716547,
        0.06457052053887044,
    ),
    SINGLE: (0.200000077, 0.142811149, 0.115242891),
}
THIRD = {  # as a sum of two floats
    DOUBLE: (0.3333333333333333, 1.850371707708594e-17),
    SINGLE: (0.3333333432674408, -9.934107758624577e-09),
}

CBRT = (  # cbrt(m) for m from sqrt(1/2) to sqrt(2)
    0.4233077964235478,
    1.0479306955437162,
    -0.8201573094839348,
    0.4955390366404781,
    -0.172186919831943,
    0.02556608271860522,
)

BEYOND = {DOUBLE: (-1077.0, 1025.0), SINGLE: (-152.0, 129.0)}  # 2 to these is 0 and inf
FAR = 2.0**64  # an exponent beyond which powers of anything but 1 are, too


def precise_log2(x: Value) -> Pair:
    """log2(x) of a positive number as a pair, good to about twelve bits more than a float."""
    m, k = split(x)
    f = m - 1.0
    below, missing = ordered_sum(x.number(2.0), f)
    inverse = 1.0 / below
    s = f * inverse
    s_low = (fma(-s, below, f) - s * missing) * inverse
    z, z_error = exact_product(s, s)
    z_low = fma(s + s, s_low, z_error)
    w, w_low = times((z, z_low), numbers(x, THIRD))
    w_low = fma(z * z, polynomial(z, ATANH_TAIL[x.element]), w_low)
    product, product_low = times((s, s_low), (w, w_low))
    high, rest = ordered_sum(s, product)
    low = (rest + product_low) + s_low
    high, low = ordered_sum(high + high, low + low)
    high, low = times((high, low), numbers(x, LOG2_OF_E))
    total, error = exact_sum(k, high)
    return ordered_sum(total, error + low)


def power_of_positive(x: Value, y: Value) -> Value:
    """x ** y for a positive, finite x."""
    y = clamp(y, -FAR, FAR)
    high, low = times(precise_log2(x), (y, y.number(0.0)))
    high = clamp(high, *BEYOND[x.element])
    n = nearest(high)
    r = (high - n) + select(absolute(low) < 1.0, low, 0.0)
    return scale(power_of_fraction(r), n)


@formula
def pow(x: Value, y: Value) -> Value:
    """x ** y with the values of C and NumPy: 1 for y = 0 and for x = 1, even beside NaN."""
    size = absolute(x)
    result = power_of_positive(size, y)
    extreme = size.equals(0.0) | size.equals(float("inf"))
    limit = select(size.equals(0.0) ^ (y < 0.0), 0.0, x.number(float("inf")))
    result = select(extreme, limit, result)
    half = y * 0.5
    whole = y.equals(truncated(y))
    odd = whole & half.differs(truncated(half))
    negative = is_negative(x)
    result = select(negative & odd, -result, result)
    result = select((x < 0.0) & ~whole & ~extreme, float("nan"), result)
    result = select(is_nan(x) | is_nan(y), float("nan"), result)
    return select(y.equals(0.0) | x.equals(1.0), 1.0, result)


@formula
def cbrt(x: Value) -> Value:
    size = absolute(x)
    m, k = split(size)
    third = nearest(k * (1.0 / 3.0))
    rest = k - third * 3.0  # -1, 0 or 1
    factor = select(rest > 0.0, rest.number(2.0 ** (1 / 3)), 1.0)
    near = horner(m, CBRT) * select(rest < 0.0, rest.number(0.5 ** (1 / 3)), factor)
    m = m * select(rest < 0.0, rest.number(0.5), select(rest > 0.0, rest.number(2.0), 1.0))
    if x.element == DOUBLE:  # of each step of Newton's, twice the digits
        near = near + near * ((m - near * near * near) / (m * 3.0))
    square, square_low = exact_product(near, near)
    cube, cube_low = exact_product(square, near)
    missing = (m - cube) - fma(square_low, near, cube_low)
    near = near + missing * near / (m * 3.0)
    result = copy_sign(near * power_of_two(third), x)
    return select((size > 0.0) & (size < float("inf")), result, x)


@formula
def sqrt(x: Value) -> Value:
    return square_root(x)


@formula
def hypot(x: Value, y: Value) -> Value:
    x, y = absolute(x), absolute(y)
    infinite = x.equals(float("inf")) | y.equals(float("inf"))
    if x.element != DOUBLE:
        wide, other = to_double(x), to_double(y)
        result = to_single(square_root(fma(wide, wide, other * other)))
    else:
        large, small = select(x < y, y, x), select(x < y, x, y)
        factor = select(
            large > 2.0**500,
            x.number(2.0**-600),
            select(large < 2.0**-450, x.number(2.0**600), 1.0),
        )
        inverse = select(
            large > 2.0**500,
            x.number(2.0**600),
            select(large < 2.0**-450, x.number(2.0**-600), 1.0),
        )
        large, small = large * factor, small * factor
        square, missing = exact_product(large, large)
        total, rest = ordered_sum(square, small * small)
        near, low = root((total, rest + missing))
        result = (near + low) * inverse
    result = select(is_nan(x) | is_nan(y), float("nan"), result)
    return select(infinite, float("inf"), result)
