"""Exponentials and hyperbolic functions.

All stand on one reduction: ``x = n * log(2) + r`` with a whole n and |r| <= log(2) / 2, where a
polynomial gives exp(r) and the exponent of a float gives 2 ** n. The polynomials are Chebyshev
fits.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy

from .. import avx512
from ..avx512 import inverse
from ..pairs import Pair, ordered_sum, quotient
from ..vector import (
    DOUBLE,
    SINGLE,
    Value,
    absolute,
    copy_sign,
    fma,
    from_bits,
    nearest,
    nearest_of_product,
    polynomial,
    select,
    whole_bits,
)
from .registry import formula

LOG2_E = 1.4426950408889634
LOG_2 = {  # log(2) as a sum of two floats
    DOUBLE: (0.6931471805599453, 2.3190468138462996e-17),
    SINGLE: (0.6931471824645996, -1.9046542121259336e-09),
}

EXP = {  # (exp(r) - 1 - r) / r ** 2 for |r| <= log(2) / 2
    DOUBLE: (
        0.5000000000000001,
        0.16666666666666669,
        0.04166666666662399,
        0.008333333333330051,
        0.0013888888917281794,
        0.00019841269863105968,
        2.480152119021773e-05,
        2.7557268378684192e-06,
        2.7620138719733994e-07,
        2.5100424157005067e-08,
    ),
    SINGLE: (0.5, 0.166665763, 0.0416665561, 0.00836320315, 0.00139262131),
}

EXP2 = {  # (2 ** r - 1) / r for |r| <= 1 / 2
    DOUBLE: (
        0.6931471805599453,
        0.2402265069591007,
        0.05550410866482163,
        0.00961812910762848,
        0.001333355814640647,
        0.00015403530393370734,
        1.5252733841556773e-05,
        1.3215486808705563e-06,
        1.0178057087733941e-07,
        7.0548973041554995e-09,
        4.4558179083360645e-10,
        2.5729324177362305e-11,
    ),
    SINGLE: (
        0.693147182,
        0.240226507,
        0.0555041097,
        0.00961805694,
        0.0013333502,
        0.000154614449,
        1.52973244e-05,
    ),
}


TANH = {  # (tanh(x) - x) / x ** 3 in x * x, for |x| up to 0.55
    DOUBLE: (
        -0.3333333333333333,
        0.13333333333332703,
        -0.05396825396742142,
        0.021869488493092518,
        -0.00886323438457671,
        0.0035921102042911148,
        -0.0014556604371294875,
        0.0005889291909515755,
        -0.00023461438521470235,
        8.507979756524806e-05,
        -2.0579619058830006e-05,
    ),
    SINGLE: (-0.333333313, 0.13333112, -0.0539091341, 0.0213075913, -0.00660685124),
}


class Range(NamedTuple):
    """Arguments beyond which nothing changes any more."""

    exp: tuple[float, float]
    exp2: tuple[float, float]
    expm1: tuple[float, float]
    cosh: float
    tanh: float
    tiny: float
    """Below it, the odd functions here are the identity."""


RANGE = {
    DOUBLE: Range((-745.2, 709.8), (-1075.2, 1024.0), (-40.0, 709.8), 710.6, 20.0, 2.0**-56),
    SINGLE: Range((-104.0, 88.8), (-150.2, 128.0), (-18.0, 88.8), 89.5, 10.0, 2.0**-27),
}


def clamp(x: Value, low: float, high: float) -> Value:
    """`x` between two numbers; NaN stays NaN."""
    x = select(x < low, low, x)
    return select(x > high, high, x)


def reduce(x: Value) -> tuple[Value, Value, Value]:
    """n and r, for an `x` within the range of exp, and what was lost in rounding r."""
    high, low = LOG_2[x.element]
    n, _ = nearest_of_product(x, LOG2_E)
    exact = fma(n, -high, x)
    r = fma(n, -low, exact)
    return n, r, fma(n, -low, exact - r)


def above_r(r: Value, rest: Value) -> Value:
    """exp(r) - 1 - r + rest for a reduced r."""
    return fma(r * r, polynomial(r, EXP[r.element]), rest)


def power_of_e(r: Value) -> Value:
    """exp(r) for a reduced r."""
    return fma(r, fma(r, polynomial(r, EXP[r.element]), 1.0), 1.0)


def power_of_two(n: Value) -> Value:
    """2 ** n for a whole n within the range of the exponent."""
    format = n.format
    return from_bits((whole_bits(n) << format.fraction) + format.one)


def scale(x: Value, n: Value) -> Value:
    """x * 2 ** n for an x from 2 ** -9 to 2 and a whole n, rounded once if it is denormal."""
    format = x.format
    if avx512.applies(x):
        return avx512.instruction(x, "scalef", [n.ir])
    # keep off the limits of the exponent, and make up for it by a second product
    small = n < 12 - format.bias
    shift = format.fraction + 2
    kept = n + select(small, n.number(shift), -1.0)
    return x * power_of_two(kept) * select(small, x.number(2.0**-shift), 2.0)


@formula
def exp(x: Value) -> Value:
    low, high = RANGE[x.element].exp
    vanishes = x < low  # set apart: an underflow takes a hundred times as long as all the rest
    if avx512.applies(x):
        n, r, _ = reduce(select(x > high, high, x))
        return avx512.instruction(power_of_e(r), "scalef", [n.ir], where=~vanishes)
    x = select(vanishes, 0.0, x)
    n, r, _ = reduce(select(x > high, high, x))
    return select(vanishes, 0.0, scale(power_of_e(r), n))


def exp_parts(x: Value, rest: Value | None = None) -> tuple[Value, Pair]:
    """n, and exp(x + rest) / 2 ** n as a pair that may be added up; the rest is much smaller."""
    n, r, lost = reduce(clamp(x, *RANGE[x.element].exp))
    if rest is not None:
        r, lost = ordered_sum(r, lost + rest)
    high, low = ordered_sum(r.number(1.0), r)
    return n, (high, low + above_r(r, lost))


@formula
def exp2(x: Value) -> Value:
    x = clamp(x, *RANGE[x.element].exp2)
    n = nearest(x)
    r = x - n
    return scale(power_of_fraction(r), n)


def power_of_fraction(r: Value) -> Value:
    """2 ** r for |r| <= 1 / 2."""
    first, *others = EXP2[r.element]
    return fma(r * r, polynomial(r, others), r * first) + 1.0


def shifted_expm1(x: Value, shift: int) -> Pair:
    """(exp(x) - 1) / 2 ** shift as a pair; it overflows later, and loses bits of denormals."""
    n, r, rest = reduce(x)
    high, low = ordered_sum(r, above_r(r, rest))
    power = power_of_two(n - float(shift))
    minus = power - 2.0**-shift
    total = fma(power, high, minus)
    return total, fma(power, low, fma(power, high, minus - total))


@formula
def expm1(x: Value) -> Value:
    limits = RANGE[x.element]
    high, low = shifted_expm1(clamp(x, *limits.expm1), 1)
    return select(absolute(x) < limits.tiny, x, (high + low) * 2.0)


@formula
def sinh(x: Value) -> Value:
    limits = RANGE[x.element]
    size = clamp(absolute(x), 0.0, limits.cosh)
    quarter, rest = shifted_expm1(size, 2)
    half = quarter + (quarter / fma(quarter, 4.0, 1.0) + rest)
    return select(size < limits.tiny, x, copy_sign(half + half, x))


@formula
def cosh(x: Value) -> Value:
    n, r, _ = reduce(clamp(absolute(x), 0.0, RANGE[x.element].cosh))
    quarter = power_of_e(r) * power_of_two(n - 2.0)
    half = quarter + 0.0625 / quarter
    return half + half


STEP = 19 / 64
"""The distance of the points that tanh is expanded about."""


@functools.cache
def tanh_pieces() -> tuple[tuple[float, ...], ...]:
    """tanh(k * STEP + r), for each k of a table and |r| up to half a step, as seven polynomials'
    coefficients of each order, through the Chebyshev points; ``r + ...`` for k = 0 and r >= 0."""
    count = 7
    points = numpy.cos(numpy.pi * (numpy.arange(count) + 0.5) / count)
    values = numpy.tanh(STEP * (numpy.arange(avx512.ENTRIES) + points[:, None] / 2))
    orders = numpy.linalg.solve(numpy.vander(points, increasing=True), values)
    orders /= (STEP / 2) ** numpy.arange(count)[:, None]
    near = STEP / 4 * (1 + numpy.cos(numpy.pi * (numpy.arange(count - 2) + 0.5) / (count - 2)))
    above = (numpy.tanh(near) - near) / near**2
    orders[:, 0] = 0, 1, *numpy.linalg.solve(numpy.vander(near, increasing=True), above)
    return tuple(tuple(map(float, order)) for order in orders)


def tanh_by_pieces(x: Value) -> Value:
    """For single precision, with AVX-512."""
    limit = (avx512.ENTRIES - 0.6) * STEP  # where tanh is 1
    size = absolute(x)
    size = select(size > limit, limit, size)
    n, place = nearest_of_product(size, 1 / STEP)
    r = fma(n, -STEP, size)
    *orders, total = (avx512.looked_up(place, order) for order in tanh_pieces())
    for order in reversed(orders):
        total = fma(total, r, order)
    return copy_sign(total, x)


@formula
def tanh(x: Value) -> Value:
    if avx512.applies(x) and x.element == SINGLE:
        return tanh_by_pieces(x)
    limits = RANGE[x.element]
    size = absolute(x)
    size = select(size > limits.tanh, limits.tanh, size)
    square = size * size
    near = fma(size * square, polynomial(square, TANH[x.element]), size)
    n, r, _ = reduce(size + size)
    far = fma(inverse(scale(power_of_e(r), n) + 1.0), -2.0, 1.0)
    return copy_sign(select(size < 0.55, near, far), x)


@formula
def expit(x: Value) -> Value:
    """1 / (1 + exp(-x))."""
    n, (high, low) = exp_parts(-absolute(x))
    e = scale(high + low, n)
    return quotient((select(x < 0.0, e, 1.0), e.number(0.0)), ordered_sum(e.number(1.0), e))
