"""Skewed distributions beside the normal one; not all of their functions have derivatives here."""

from __future__ import annotations

import math
from typing import Any

import numpy

from ...ops.elementary import exp, log, log1p, logaddexp, sqrt
from ...ops.linear import cast, stop_gradient, sum
from ...ops.selection import where
from ...ops.specials.define import constant, double, spread
from ...ops.specials.error import hazard, log_ndtr
from .base import INFINITY
from .continuous import Continuous, Record
from .normal import log_difference, norm, or_complement

LOG_2 = math.log(2)
DEEP = 40.0  # what is below exp(-40) of the rest does not count
NODES, WEIGHTS = numpy.polynomial.legendre.leggauss(32)
NODES, WEIGHTS = (NODES + 1) / 2, WEIGHTS / 2  # for the interval from 0 to 1


def _skew_log_density(z: Any, a: Any) -> Any:
    return LOG_2 + norm.record.log_density(z) + log_ndtr(a * z)


def _skew_log_tail(z: Any, a: Any) -> Any:
    """The logarithm of the probability below `z`, where `z` is not positive and `a` not negative.

    Left of `z` the density falls off at least as fast as ``exp(-rate * s - s**2 / 2)``: up to where
    that is below rounding, it is integrated by Gauss and Legendre, to 1e-14.
    """
    rate = a * hazard(a * z) - z
    length = stop_gradient(2 * DEEP / (rate + sqrt(rate * rate + 2 * DEEP)))
    s = spread(length) * constant(NODES, length)
    far = log_ndtr(spread(a) * (spread(z) - s)) - spread(log_ndtr(a * z))
    values = exp(s * (spread(z) - 0.5 * s) + far) * constant(WEIGHTS, length)
    return (
        _skew_log_density(z, a)
        + log(sum(values, axis=(values.ndim - 1,), keepdims=False))
        + (log(length))
    )


def _skew_log_below(z: Any, a: Any) -> Any:
    dtype = getattr(z, "dtype", numpy.dtype(float))
    z, a = double(z + 0 * a), double(a + 0 * z)
    left = z <= 0  # right of 0, this is the complement of the probability above
    y, slant = where(left, z, -z), where(left, a, -a)
    down = slant < 0
    tail = _skew_log_tail(y, where(down, -slant, slant))
    whole = LOG_2 + log_ndtr(y)  # of both slants together
    tail = where(down, whole + log1p(-exp(tail - whole)), tail)
    return cast(where(left, tail, log1p(-exp(where(left, -1, tail)))), dtype)


skewnorm = Continuous(
    "skewnorm",
    Record(
        log_density=_skew_log_density,
        below=lambda z, a: exp(_skew_log_below(z, a)),
        above=lambda z, a: exp(_skew_log_below(-z, -a)),
        log_below=_skew_log_below,
        log_above=lambda z, a: _skew_log_below(-z, -a),
    ),
    shapes="a",
    allowed=lambda a: a == a,
)
exponnorm = Continuous(
    "exponnorm",
    Record(
        log_density=lambda z, k: (0.5 / k - z) / k + log_ndtr(z - 1 / k) - log(k),
    ),
    shapes="K",
    allowed=lambda k: k > 0,
)


def _inverse_gauss_terms(z: Any, mu: Any) -> tuple[Any, Any, Any]:
    """The arguments of the two normal probabilities, and the logarithm of the second's factor."""
    root = sqrt(z)
    return (z / mu - 1) / root, -(z / mu + 1) / root, 2 / mu


def _inverse_gauss_logs(z: Any, mu: Any) -> tuple[Any, Any]:
    """The logarithms of the probabilities below and above, each where it is small."""
    first, second, weight = _inverse_gauss_terms(z, mu)
    log_second = weight + log_ndtr(second)
    below = logaddexp(log_ndtr(first), log_second)
    return below, log_difference(log_ndtr(-first), log_second)


def _inverse_gauss_log_below(z: Any, mu: Any) -> Any:
    return or_complement(*_inverse_gauss_logs(z, mu))


def _inverse_gauss_log_above(z: Any, mu: Any) -> Any:
    return or_complement(*_inverse_gauss_logs(z, mu)[::-1])


invgauss = Continuous(
    "invgauss",
    Record(
        log_density=lambda z, mu: (
            -0.5 * (math.log(2 * math.pi) + 3 * log(z)) - (z / mu - 1) * (z / mu - 1) / (2 * z)
        ),
        below=lambda z, mu: exp(_inverse_gauss_log_below(z, mu)),
        above=lambda z, mu: exp(_inverse_gauss_log_above(z, mu)),
        log_below=_inverse_gauss_log_below,
        log_above=_inverse_gauss_log_above,
    ),
    shapes="mu",
    support=(0.0, INFINITY),
    allowed=lambda mu: mu > 0,
)
