"""Logarithms and inverse hyperbolic functions.

``x = m * 2 ** k`` with m about 1, and ``log(m) = 2 * atanh(s)`` for ``s = (m - 1) / (m + 1)``, of
which a polynomial gives all but the first terms. Those are added in an order that loses little.
"""

from __future__ import annotations

import math

from llvmlite import ir

from .. import avx512
from ..avx512 import inverse
from ..pairs import Pair, exact_product, exact_sum, ordered_sum, root
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
    larger,
    polynomial,
    select,
    square_root,
)
from .exponential import LOG2_E, LOG_2, exp, exp2
from .registry import formula

SQRT_HALF = {DOUBLE: 0x3FE6A09E667F3BCD, SINGLE: 0x3F3504F3}  # as bits

ATANH = {  # (2 * atanh(s) / s - 2) / z in z = s * s, for s of m from sqrt(1/2) to sqrt(2)
    DOUBLE: (
        0.666666666666667,
        0.399999999998992,
        0.2857142862611452,
        0.22222211112104948,
        0.1818289077802613,
        0.15331666676597175,
        0.146171283998073,
    ),
    SINGLE: (0.666666865, 0.399887681, 0.295804679),
}

LOG2_OF_E = {  # as a sum of two floats, and likewise below
    DOUBLE: (1.4426950408889634, 2.0355273740931033e-17),
    SINGLE: (1.4426950216293335, 1.925963033500011e-08),
}
LOG10_OF_E = {
    DOUBLE: (0.4342944819032518, 1.098319650216765e-17),
    SINGLE: (0.4342944920063019, -1.0103049952192578e-08),
}
LOG10_OF_2 = {
    DOUBLE: (0.3010299956639812, -2.8037281277851704e-18),
    SINGLE: (0.3010300099849701, -1.432098883924482e-08),
}


def split(x: Value) -> Pair:
    """m and k of a positive `x`; m lies from sqrt(1/2) to sqrt(2)."""
    if avx512.applies(x):
        k = avx512.instruction(x, "getexp", [])
        m = avx512.instruction(x, "getmant", [ir.Constant(ir.IntType(32), 0)])  # from 1 to 2
        large = m > math.sqrt(2.0)
        return select(large, m * 0.5, m), select(large, k + 1.0, k)
    format = x.format
    offset = format.one - SQRT_HALF[x.element]
    shift = format.fraction + 2
    denormal = x < 2.0 ** (1 - format.bias)
    pattern = bits(select(denormal, x * 2.0**shift, x)) + offset
    m = from_bits((pattern & ((1 << format.fraction) - 1)) + SQRT_HALF[x.element])
    # an exponent in the lowest bits of 2 ** fraction becomes a float by a subtraction
    lowest = pattern >> format.fraction
    whole = from_bits(lowest | ((format.bias + format.fraction) << format.fraction))
    one = 2.0**format.fraction + format.bias
    return m, whole - select(denormal, whole.number(one + shift), one)


def series(f: Value) -> tuple[Value, Value]:
    """For log(1 + f): half of f squared, and what the logarithm has above ``f - half``."""
    s = f * inverse(f + 2.0)
    z = s * s
    half = f * f * 0.5
    return half, s * fma(z, polynomial(z, ATANH[f.element]), half)


def guarded(result: Value, x: Value) -> Value:
    """A logarithm of x with its values at zero, below, at infinity and at NaN."""
    below = select(x < 0.0, x.number(float("nan")), float("-inf"))
    return select(x <= 0.0, below, select(x < float("inf"), result, x))


def log_of(m: Value, k: Value, error: Value | None = None) -> Value:
    """log(2 ** k * (m + error)), with a small error."""
    high, low = LOG_2[m.element]
    f = m - 1.0 if error is None else (m - 1.0) + error
    half, rest = series(f)
    return fma(k, high, f - (half - fma(k, low, rest)))


@formula
def log(x: Value) -> Value:
    return guarded(log_of(*split(x)), x)


def log_pair(m: Value) -> Pair:
    """log(m) as a pair, good to about ten bits more than a float."""
    f = m - 1.0
    half, rest = series(f)
    missing = fma(f * 0.5, f, -half)
    high, low = ordered_sum(f, -half)
    return ordered_sum(high, low - missing + rest)


def times(pair: Pair, factor: Pair) -> Pair:
    """A product of pairs, itself to be added to something larger."""
    product, error = exact_product(pair[0], factor[0])
    return product, fma(pair[0], factor[1], fma(pair[1], factor[0], error))


def numbers(x: Value, table: dict[ir.Type, tuple[float, float]]) -> Pair:
    """A constant of a table as a pair."""
    high, low = table[x.element]
    return x.number(high), x.number(low)


@formula
def log2(x: Value) -> Value:
    m, k = split(x)
    product, rest = times(log_pair(m), numbers(x, LOG2_OF_E))
    total, error = exact_sum(k, product)
    return guarded(total + (error + rest), x)


@formula
def log10(x: Value) -> Value:
    m, k = split(x)
    product, rest = times(log_pair(m), numbers(x, LOG10_OF_E))
    high, low = LOG10_OF_2[x.element]
    whole, whole_rest = exact_product(k, high)
    total, error = exact_sum(whole, product)
    return guarded(total + (error + fma(k, low, whole_rest + rest)), x)


def log1p_of(x: Value, low: Value | None = None) -> Value:
    """log(1 + x + low) for a finite x above -1 and a low part much smaller than it."""
    total, error = exact_sum(x.number(1.0), x)
    if low is not None:
        error = error + low
    m, k = split(total)
    power = from_bits(bits(m) - bits(total) + x.format.one)  # 2 ** -k
    error = select(k > 2.0 * x.format.fraction, 0.0, error * power)
    return log_of(m, k, error)


@formula
def log1p(x: Value) -> Value:
    result = copy_sign(log1p_of(x), x)
    below = select(x < -1.0, x.number(float("nan")), float("-inf"))
    return select(x <= -1.0, below, select(x < float("inf"), result, x))


@formula
def asinh(x: Value) -> Value:
    size = absolute(x)
    large = size > 2.0 ** (x.format.fraction // 2 + 2)
    square = size * size
    high, low = ordered_sum(size, square / (square_root(square + 1.0) + 1.0))
    return copy_sign(log1p_or_log_of_twice(size, large, high, low), x)


@formula
def acosh(x: Value) -> Value:
    large = x > 2.0 ** (x.format.fraction // 2 + 2)
    above = x - 1.0
    square = times((above, x.number(0.0)), ordered_sum(x, x.number(1.0)))
    near, rest = root(square)
    high, low = exact_sum(above, near)
    low = low + rest
    result = log1p_or_log_of_twice(x, large, high, low)
    return select(x < 1.0, float("nan"), result)


def log1p_or_log_of_twice(x: Value, large: Value, high: Value, low: Value) -> Value:
    """log(2 * x) where x is large, else log(1 + high + low)."""
    total, error = exact_sum(x.number(1.0), high)
    total = select(large, x, total)
    m, k = split(total)
    power = from_bits(bits(m) - bits(total) + x.format.one)  # 2 ** -k
    error = select(large, 0.0, (error + low) * power)
    result = log_of(m, select(large, k + 1.0, k), error)
    return select(x < float("inf"), result, x)


@formula
def atanh(x: Value) -> Value:
    size = absolute(x)
    below, missing = ordered_sum(x.number(1.0), -size)
    inverse = 1.0 / below
    ratio = (size + size) * inverse
    rest = (fma(-ratio, below, size + size) - ratio * missing) * inverse
    result = copy_sign(log1p_of(ratio, rest) * 0.5, x)
    result = select(size < 1.0, result, copy_sign(x.number(float("inf")), x))
    return select(size < 2.0**-30, x, select(size <= 1.0, result, float("nan")))


@formula
def logaddexp(x: Value, y: Value) -> Value:
    """log(exp(x) + exp(y)); infinite where both are infinite and equal."""
    top = select(is_nan(x), x, select(is_nan(y), y, larger(x, y)))
    difference = select(x.equals(y), 0.0, x - y)
    return top + log1p_of(exp(-absolute(difference)))


@formula
def logaddexp2(x: Value, y: Value) -> Value:
    """log2(2 ** x + 2 ** y); infinite where both are infinite and equal."""
    top = select(is_nan(x), x, select(is_nan(y), y, larger(x, y)))
    difference = select(x.equals(y), 0.0, x - y)
    above = log1p_of(exp2(-absolute(difference))) * LOG2_E
    return top + select(difference.equals(0.0), 1.0, above)


@formula
def log_expit(x: Value) -> Value:
    """log(1 / (1 + exp(-x)))."""
    above = log1p_of(exp(-absolute(x)))
    return select(x < 0.0, x - above, -above)
