"""Skewed distributions beside the normal one; not all of their functions have derivatives here."""

from __future__ import annotations

import math
from typing import Any

from ...ops.elementary import exp, log, logaddexp, sqrt
from ...ops.specials.error import log_ndtr
from .base import INFINITY
from .continuous import Continuous, Record
from .normal import log_difference, norm, or_complement

LOG_2 = math.log(2)


skewnorm = Continuous(
    "skewnorm",
    Record(
        log_density=lambda z, a: LOG_2 + norm.record.log_density(z) + log_ndtr(a * z),
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
