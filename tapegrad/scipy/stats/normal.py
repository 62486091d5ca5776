"""The normal distribution, whole, truncated and generalised."""

from __future__ import annotations

import math
from typing import Any

import numpy

from ...ops.comparison import logical_not
from ...ops.complex import abs
from ...ops.elementary import exp, expm1, log, log1p, logaddexp
from ...ops.linear import stop_gradient, sum
from ...ops.selection import clip, maximum, where
from ...ops.specials.define import anywhere, constant, spread
from ...ops.specials.error import erf, log_ndtr, ndtr, ndtri, ndtri_exp, normal_density
from ...ops.specials.gamma import gammaln
from ...ops.specials.generalised import gennorm_tail
from ...ops.specials.incomplete import gammainccinv, gammaincinv, log_gammainc
from .continuous import Continuous, Record

LOG_SQRT_2_PI = 0.5 * math.log(2 * math.pi)
SQRT_HALF = math.sqrt(0.5)
NODES, WEIGHTS = numpy.polynomial.legendre.leggauss(12)


def _log_density(z: Any) -> Any:
    return z * z * -0.5 - LOG_SQRT_2_PI


norm = Continuous(
    "norm",
    Record(
        log_density=_log_density,
        density=normal_density,
        below=ndtr,
        above=lambda z: ndtr(-z),
        log_below=log_ndtr,
        log_above=lambda z: log_ndtr(-z),
        quantile=ndtri,
        upper_quantile=lambda q: -ndtri(q),
    ),
)


def log_difference(x: Any, y: Any) -> Any:
    """``log(exp(x) - exp(y))`` for `x` above `y`."""
    gap = y - x
    close = gap > -math.log(2)
    near = log(-expm1(where(close, gap, -1)))
    return x + where(close, near, log1p(-exp(where(close, -1, gap))))


def _narrow_log_mass(a: Any, b: Any) -> Any:
    """`log_mass` of an interval in which the density hardly changes, by Gauss and Legendre."""
    middle, half = 0.5 * (a + b), 0.5 * (b - a)
    u = spread(half) * constant(NODES, half)
    values = exp(-u * (spread(middle) + 0.5 * u)) * constant(WEIGHTS, half)
    integral = sum(values, axis=(values.ndim - 1,), keepdims=False) * half
    return _log_density(middle) + log(integral)


def log_mass(a: Any, b: Any) -> Any:
    """The logarithm of the normal probability of the interval from `a` to `b`, above `a`."""
    a, b = a + 0 * b, b + 0 * a
    right, left = a > 0, b <= 0
    narrow = (b - a) * (1 + maximum(abs(a), abs(b))) < 1
    beside = (right | left) & logical_not(narrow)
    middle = logical_not(right | left | narrow)
    out = 0.0 * a
    if anywhere(narrow):
        out = where(narrow, _narrow_log_mass(where(narrow, a, 0), where(narrow, b, 1)), out)
    if anywhere(beside):
        low = where(beside, where(right, -b, a), -2)
        high = where(beside, where(right, -a, b), -1)
        out = where(beside, log_difference(log_ndtr(high), log_ndtr(low)), out)
    if anywhere(middle):
        low, high = where(middle, a, -1), where(middle, b, 1)
        rest = ndtr(low) + ndtr(-high)
        most = rest < 0.5
        inner = 0.5 * (erf(high * SQRT_HALF) - erf(low * SQRT_HALF))
        centre = where(most, log1p(where(most, -rest, 0)), log(where(most, 1, inner)))
        out = where(middle, centre, out)
    return out


def or_complement(log_value: Any, log_other: Any) -> Any:
    """`log_value`, or where that is nearly 0 what follows from the complement's logarithm."""
    near = log_value > -0.1
    return where(near, log1p(-exp(where(near, log_other, -1))), log_value)


def _log_below(z: Any, a: Any, b: Any) -> Any:
    total = log_mass(a, b)
    return or_complement(log_mass(a, z) - total, log_mass(z, b) - total)


def _log_above(z: Any, a: Any, b: Any) -> Any:
    total = log_mass(a, b)
    return or_complement(log_mass(z, b) - total, log_mass(a, z) - total)


def _truncated_quantile(q: Any, a: Any, b: Any) -> Any:
    left = a < 0
    total = log_mass(a, b)
    from_left = logaddexp(log_ndtr(a), log(q) + total)
    from_right = logaddexp(log_ndtr(-b), log1p(-q) + total)
    out = ndtri_exp(where(left, from_left, from_right))
    out = where(left, out, -out)
    return out + stop_gradient(clip(out, a, b) - out)  # not beyond the ends by rounding


def _truncated_upper_quantile(q: Any, a: Any, b: Any) -> Any:
    return -_truncated_quantile(q, -b, -a)


truncnorm = Continuous(
    "truncnorm",
    Record(
        log_density=lambda z, a, b: _log_density(z) - log_mass(a, b),
        below=lambda z, a, b: exp(_log_below(z, a, b)),
        above=lambda z, a, b: exp(_log_above(z, a, b)),
        log_below=_log_below,
        log_above=_log_above,
        quantile=_truncated_quantile,
        upper_quantile=_truncated_upper_quantile,
    ),
    shapes="a b",
    support=lambda a, b: (a, b),
    allowed=lambda a, b: a < b,
)


def _sizes(z: Any) -> Any:
    """The absolute value, with slope 1 at 0."""
    return where(z < 0, -z, z)


def _one_side(beta: Any, z: Any) -> Any:
    return 0.5 * gennorm_tail(beta, _sizes(z))


def _generalised_below(z: Any, beta: Any) -> Any:
    tail = _one_side(beta, z)
    return where(z < 0, tail, 1 - tail)


def _generalised_log_below(z: Any, beta: Any) -> Any:
    left = z < 0
    tail = log1p(-where(left, 0, _one_side(beta, z)))
    deep = where(left, -z, 1)
    return where(left, log_gammainc(1 / beta, deep**beta, upper=True) - math.log(2), tail)


def _generalised_upper_quantile(q: Any, beta: Any) -> Any:
    above = q < 0.5
    tails = 2 * where(above, q, 1 - q)
    between = 1 - tails
    middle, centre = between < 0.5, between == 0
    power = gammaincinv(1 / beta, where(middle & logical_not(centre), between, 0.25))
    power = where(middle, power, gammainccinv(1 / beta, where(middle, 0.5, tails)))
    size = where(centre, between * exp(gammaln(1 + 1 / beta)), power ** (1 / beta))
    return where(above, size, -size)


gennorm = Continuous(
    "gennorm",
    Record(
        log_density=lambda z, beta: log(0.5 * beta) - gammaln(1 / beta) - abs(z) ** beta,
        below=_generalised_below,
        above=lambda z, beta: _generalised_below(-z, beta),
        log_below=_generalised_log_below,
        log_above=lambda z, beta: _generalised_log_below(-z, beta),
        quantile=lambda q, beta: -_generalised_upper_quantile(q, beta),
        upper_quantile=_generalised_upper_quantile,
    ),
    shapes="beta",
    allowed=lambda beta: beta > 0,
)
