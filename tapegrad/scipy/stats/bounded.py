"""Distributions of elementary functions on an interval or on a half line, and of quotients."""

from __future__ import annotations

import math
from typing import Any

from ...ops.elementary import atan2, exp, log, log1p, logaddexp, sqrt, tan, tanh
from ...ops.selection import where
from ...ops.specials.error import erf, erfinv, log_ndtr, ndtr, ndtri
from ...ops.specials.gamma import betaln
from ...ops.specials.incomplete import betainc, betainccinv, betaincinv, log_betainc
from ...ops.specials.information import xlogy
from ...ops.specials.logistic import expit, log_expit, logit
from .base import INFINITY, Function
from .continuous import Continuous, Record
from .elementary import POSITIVE
from .normal import or_complement

LOG_2 = math.log(2)
LOG_PI = math.log(math.pi)
SQRT_2 = math.sqrt(2)


halfnorm = Continuous(
    "halfnorm",
    Record(
        log_density=lambda z: 0.5 * (LOG_2 - LOG_PI) - z * z * 0.5,
        below=lambda z: erf(z * (1 / SQRT_2)),
        above=lambda z: 2 * ndtr(-z),
        log_above=lambda z: or_complement(LOG_2 + log_ndtr(-z), log(erf(z * (1 / SQRT_2)))),
        quantile=lambda q: SQRT_2 * erfinv(q),
        upper_quantile=lambda q: -ndtri(q * 0.5),
    ),
    support=POSITIVE,
)
halflogistic = Continuous(
    "halflogistic",
    Record(
        log_density=lambda z: LOG_2 + log_expit(z) + log_expit(-z),
        below=lambda z: tanh(z * 0.5),
        above=lambda z: 2 * expit(-z),
        log_above=lambda z: or_complement(LOG_2 + log_expit(-z), log(tanh(z * 0.5))),
        quantile=lambda q: log1p(q) - log1p(-q),
        upper_quantile=lambda q: -logit(q * 0.5),
    ),
    support=POSITIVE,
)
halfcauchy = Continuous(
    "halfcauchy",
    Record(
        log_density=lambda z: LOG_2 - LOG_PI - log1p(z * z),
        below=lambda z: atan2(z, 1.0) * (2 / math.pi),
        above=lambda z: atan2(1.0, z) * (2 / math.pi),
        quantile=lambda q: _half_tangent(q, 1 - q),
        upper_quantile=lambda q: _half_tangent(1 - q, q),
    ),
    support=POSITIVE,
)


def _half_tangent(q: Any, rest: Any) -> Any:
    """``tan(pi q / 2)``, for the smaller of `q` and what is missing from 1."""
    near = q < 0.5
    right = tan(math.pi / 2 * where(near, 0.5, rest))
    return where(near, tan(math.pi / 2 * where(near, q, 0.5)), 1 / right)


def _secant_below(z: Any) -> Any:
    left = z < 0
    return atan2(exp(where(left, z, 0)), exp(where(left, 0, -z))) * (2 / math.pi)


def _secant_log_below(z: Any) -> Any:
    right = z > 0
    near = log1p(-_secant_below(where(right, -z, -1)))
    left = where(right, -1, z)
    far = left < -20  # where the arc tangent is its argument
    tail = where(far, left + LOG_2 - LOG_PI, log(_secant_below(where(far, -1, left))))
    return where(right, near, tail)


hypsecant = Continuous(
    "hypsecant",
    Record(
        log_density=lambda z: LOG_2 - LOG_PI - logaddexp(z, -z),
        below=_secant_below,
        above=lambda z: _secant_below(-z),
        log_below=_secant_log_below,
        log_above=lambda z: _secant_log_below(-z),
        quantile=lambda q: log(_half_tangent(q, 1 - q)),
        upper_quantile=lambda q: log(_half_tangent(1 - q, q)),
    ),
)


def _within(inside: Function) -> Function:
    """A function of z and of the place of a peak, from one of z, the peak, and which side."""
    return lambda z, c: inside(z, c, z < c)


def _triangle_log_density(z: Any, c: Any, left: Any) -> Any:
    height = where(left, z, 1 - z)
    return LOG_2 + log(height) - log(where(left, c, where(left, 0.5, 1 - c)))


def _triangle_below(z: Any, c: Any, left: Any) -> Any:
    rest = 1 - z
    return where(left, z * z / where(left, c, 1), 1 - rest * rest / where(left, 1, 1 - c))


def _triangle_above(z: Any, c: Any, left: Any) -> Any:
    rest = 1 - z
    return where(left, 1 - z * z / where(left, c, 1), rest * rest / where(left, 1, 1 - c))


def _triangle_quantile(q: Any, c: Any) -> Any:
    left = q < c
    falling = 1 - sqrt((1 - c) * where(left, 0.5, 1 - q))
    return where(left, sqrt(c * where(left, q, 0.5)), falling)


def _triangle_upper_quantile(q: Any, c: Any) -> Any:
    right = q < 1 - c
    rising = sqrt(c * where(right, 0.5, 1 - q))
    return where(right, 1 - sqrt((1 - c) * where(right, q, 0.5)), rising)


triang = Continuous(
    "triang",
    Record(
        log_density=_within(_triangle_log_density),
        below=_within(_triangle_below),
        above=_within(_triangle_above),
        quantile=_triangle_quantile,
        upper_quantile=_triangle_upper_quantile,
    ),
    shapes="c",
    support=(0.0, 1.0),
    allowed=lambda c: (c >= 0) & (c <= 1),
)
loguniform = Continuous(
    "loguniform",
    Record(
        log_density=lambda z, a, b: -log(z) - log(log(b / a)),
        below=lambda z, a, b: log(z / a) / log(b / a),
        above=lambda z, a, b: log(b / z) / log(b / a),
        quantile=lambda q, a, b: a * exp(q * log(b / a)),
        upper_quantile=lambda q, a, b: b * exp(-q * log(b / a)),
    ),
    shapes="a b",
    support=lambda a, b: (a, b),
    allowed=lambda a, b: (a > 0) & (b > a),
)


def _quotient_log_below(z: Any, a: Any, b: Any) -> Any:
    """By the share of the smaller of the two terms of ``1 + z``."""
    small = z < 1
    low, high = where(small, z, 1), where(small, 1, z)
    return where(
        small,
        log_betainc(a, b, low / (1 + low)),
        log_betainc(b, a, 1 / (1 + high), upper=True),
    )


def _quotient_log_above(z: Any, a: Any, b: Any) -> Any:
    return _quotient_log_below(1 / z, b, a)


betaprime = Continuous(
    "betaprime",
    Record(
        log_density=lambda z, a, b: xlogy(a - 1, z) - (a + b) * log1p(z) - betaln(a, b),
        below=lambda z, a, b: betainc(a, b, 1 / (1 + 1 / z)),
        above=lambda z, a, b: betainc(b, a, 1 / (1 + z)),
        log_below=_quotient_log_below,
        log_above=_quotient_log_above,
        quantile=lambda q, a, b: betaincinv(a, b, q) / betainccinv(b, a, q),
        upper_quantile=lambda q, a, b: betainccinv(a, b, q) / betaincinv(b, a, q),
    ),
    shapes="a b",
    support=POSITIVE,
    allowed=lambda a, b: (a > 0) & (b > 0),
)


def _halved(function: Any) -> Function:
    """A function of the quotient of two means of squares, from one of the sums' quotient."""
    return lambda z, m, n: function(z * m / n, m * 0.5, n * 0.5)


def _halved_quantile(function: Function) -> Function:
    return lambda q, m, n: function(q, m * 0.5, n * 0.5) * n / m


f = Continuous(
    "f",
    Record(
        log_density=lambda z, m, n: (
            xlogy(m * 0.5 - 1, z)
            + m * 0.5 * log(m / n)
            - (m + n) * 0.5 * log1p(z * m / n)
            - betaln(m * 0.5, n * 0.5)
        ),
        below=_halved(betaprime.record.below),
        above=_halved(betaprime.record.above),
        log_below=_halved(betaprime.record.log_below),
        log_above=_halved(betaprime.record.log_above),
        quantile=_halved_quantile(betaprime.record.quantile),
        upper_quantile=_halved_quantile(betaprime.record.upper_quantile),
    ),
    shapes="dfn dfd",
    support=POSITIVE,
    allowed=lambda m, n: (m > 0) & (n > 0) & (n < INFINITY),
)
