"""The integrands of the incomplete gamma and beta functions and of Student's, accurately.

For large parameters they are computed from Stirling's formula, in which what would cancel has
cancelled.
"""

from __future__ import annotations

import math
from typing import Any

from ..arithmetic import square
from ..comparison import logical_and
from ..complex import abs
from ..elementary import exp, log, log1p
from ..selection import minimum, where
from .gamma import LARGE, betaln, gammaln, stirling
from .information import xlog1py, xlogy

LOG_2_PI = math.log(2 * math.pi)


def log_gamma_ratio(a: Any, b: Any) -> Any:
    """``gammaln(a + b) - gammaln(a)`` for positive `a` and `a + b`."""
    b = b + 0 * a
    large = logical_and(a > LARGE, a + b > LARGE)
    far, step = where(large, a, LARGE), where(large, b, 0)
    near = where(large, 1, a)
    ratio = (far + step - 0.5) * log1p(step / far) + step * (log(far) - 1)
    ratio = ratio + stirling(far + step) - stirling(far)
    return where(large, ratio, gammaln(near + where(large, 0, b)) - gammaln(near))


def log_gamma_density(a: Any, x: Any) -> Any:
    """``log(x**(a - 1) * exp(-x) / gamma(a))`` for positive `a`, `x` not negative."""
    large = logical_and(a > LARGE, x > 0)
    far, y = where(large, a, LARGE), where(large, x, LARGE)
    u = (y - far) / far
    close = u > -0.5
    ratio = where(close, log1p(where(close, u, 0)), log(y) - log(far))
    body = far * (ratio - u) + 0.5 * (log(far) - LOG_2_PI) - stirling(far) - log(y)
    near = where(large, 1, a)
    z = where(large, 1, x)
    return where(large, body, xlogy(near - 1, z) - z - gammaln(near))


def gamma_density(a: Any, x: Any) -> Any:
    """``x**(a - 1) * exp(-x) / gamma(a)`` for positive `a`, `x` not negative."""
    return exp(log_gamma_density(a, x))


def log_beta_density(a: Any, b: Any, x: Any) -> Any:
    """``log(x**(a - 1) * (1 - x)**(b - 1) / beta(a, b))`` for positive parameters, x in (0, 1)."""
    large = logical_and(logical_and(a > LARGE, b > LARGE), logical_and(x > 0, x < 1))
    p, q, z = where(large, a, LARGE), where(large, b, LARGE), where(large, x, 0.5)
    total = p + q
    excess = z * q - (1 - z) * p  # by how much z is above the mean, times the total
    close = abs(excess) < 0.5 * minimum(p, q)
    near = where(close, excess, 0)
    by_p = where(close, log1p(near / p), log(z * (total / p)))
    by_q = where(close, log1p(-near / q), log1p(-z) + log(total / q))
    body = p * by_p + q * by_q
    body = body + 0.5 * (log(p) + log(q / total) - LOG_2_PI) - log(z) - log1p(-z)
    body = body + stirling(total) - stirling(p) - stirling(q)
    p, q, z = where(large, 1, a), where(large, 1, b), where(large, 0.5, x)
    return where(large, body, xlogy(p - 1, z) + xlog1py(q - 1, -z) - betaln(p, q))


def beta_density(a: Any, b: Any, x: Any) -> Any:
    """``x**(a - 1) * (1 - x)**(b - 1) / beta(a, b)`` for positive `a` and `b`, `x` from 0 to 1."""
    return exp(log_beta_density(a, b, x))


def log_student_density(df: Any, t: Any) -> Any:
    """The logarithm of the density of Student's distribution."""
    half = df * 0.5
    return (
        log_gamma_ratio(half, 0.5) - 0.5 * log(math.pi * df) - (half + 0.5) * log1p(square(t) / df)
    )
