"""Distributions whose distribution functions are elementary."""

from __future__ import annotations

import math
from typing import Any

from ...ops.complex import abs
from ...ops.elementary import atan2, cos, exp, expm1, log, log1p, sin, tan
from ...ops.selection import where
from ...ops.specials.logistic import expit, log_expit, logit
from .base import INFINITY
from .continuous import Continuous, Record

LOG_2 = math.log(2)
LOG_PI = math.log(math.pi)
POSITIVE = (0.0, INFINITY)


def log1mexp(z: Any) -> Any:
    """``log(1 - exp(-z))`` for positive `z`."""
    near = z < LOG_2
    small = log(-expm1(where(near, -z, -1)))
    return where(near, small, log1p(-exp(where(near, -1, -z))))


expon = Continuous(
    "expon",
    Record(
        log_density=lambda z: -z,
        below=lambda z: -expm1(-z),
        above=lambda z: exp(-z),
        log_below=log1mexp,
        log_above=lambda z: -z,
        quantile=lambda q: -log1p(-q),
        upper_quantile=lambda q: -log(q),
    ),
    support=POSITIVE,
)
pareto = Continuous(
    "pareto",
    Record(
        log_density=lambda z, b: log(b) - (b + 1) * log(z),
        density=lambda z, b: b * z ** (-b - 1),
        below=lambda z, b: -expm1(-b * log(z)),
        above=lambda z, b: z**-b,
        log_below=lambda z, b: log1mexp(b * log(z)),
        log_above=lambda z, b: -b * log(z),
        quantile=lambda q, b: exp(log1p(-q) / -b),
        upper_quantile=lambda q, b: q ** (-1 / b),
    ),
    shapes="b",
    support=(1.0, INFINITY),
    allowed=lambda b: b > 0,
)
uniform = Continuous(
    "uniform",
    Record(
        log_density=lambda z: 0.0 * z,
        density=lambda z: 0.0 * z + 1,
        below=lambda z: +z,
        above=lambda z: 1 - z,
        quantile=lambda q: +q,
        upper_quantile=lambda q: 1 - q,
    ),
    support=(0.0, 1.0),
)


def _laplace_below(z: Any) -> Any:
    right = z > 0
    return where(right, 1 - 0.5 * exp(where(right, -z, 0)), 0.5 * exp(where(right, 0, z)))


def _laplace_log_below(z: Any) -> Any:
    right = z > 0
    return where(right, log1p(-0.5 * exp(where(right, -z, 0))), z - LOG_2)


def _laplace_quantile(q: Any) -> Any:
    right = q > 0.5
    size = log(2 * where(right, 1 - q, q))
    return where(right, -size, size)


laplace = Continuous(
    "laplace",
    Record(
        log_density=lambda z: -abs(z) - LOG_2,
        density=lambda z: 0.5 * exp(-abs(z)),
        below=_laplace_below,
        above=lambda z: _laplace_below(-z),
        log_below=_laplace_log_below,
        log_above=lambda z: _laplace_log_below(-z),
        quantile=_laplace_quantile,
        upper_quantile=lambda q: -_laplace_quantile(q),
    ),
)
logistic = Continuous(
    "logistic",
    Record(
        log_density=lambda z: log_expit(z) + log_expit(-z),
        below=expit,
        above=lambda z: expit(-z),
        log_below=log_expit,
        log_above=lambda z: log_expit(-z),
        quantile=logit,
        upper_quantile=lambda q: -logit(q),
    ),
)


def _log_tail(z: Any) -> Any:
    """``log(1 - exp(-exp(-z)))``, also where ``exp(-z)`` is too small to tell."""
    far = z > 40
    return where(far, -z, log1mexp(exp(-where(far, 0, z))))


gumbel_r = Continuous(
    "gumbel_r",
    Record(
        log_density=lambda z: -z - exp(-z),
        below=lambda z: exp(-exp(-z)),
        above=lambda z: -expm1(-exp(-z)),
        log_below=lambda z: -exp(-z),
        log_above=_log_tail,
        quantile=lambda q: -log(-log(q)),
        upper_quantile=lambda q: -log(-log1p(-q)),
    ),
)
gumbel_l = Continuous(
    "gumbel_l",
    Record(
        log_density=lambda z: z - exp(z),
        below=lambda z: -expm1(-exp(z)),
        above=lambda z: exp(-exp(z)),
        log_below=lambda z: _log_tail(-z),
        log_above=lambda z: -exp(z),
        quantile=lambda q: log(-log1p(-q)),
        upper_quantile=lambda q: log(-log(q)),
    ),
)


def _cauchy_log_density(z: Any) -> Any:
    near = abs(z) < 1
    small, large = where(near, z, 0), where(near, 1, z)
    far = 2 * log(abs(large)) + log1p(1 / large / large)
    return -LOG_PI - where(near, log1p(small * small), far)


def _cauchy_upper_quantile(q: Any) -> Any:
    """The cotangent of pi q, by that of the nearest multiple of pi / 2."""
    middle = (q > 0.25) & (q < 0.75)
    right = q <= 0.25
    side = 1 / tan(math.pi * where(middle, 0.1, where(right, q, 1 - q)))
    return where(middle, tan(math.pi * where(middle, 0.5 - q, 0)), where(right, side, -side))


cauchy = Continuous(
    "cauchy",
    Record(
        log_density=_cauchy_log_density,
        density=lambda z: (1 / math.pi) / (1 + z * z),
        below=lambda z: atan2(1.0, -z) * (1 / math.pi),
        above=lambda z: atan2(1.0, z) * (1 / math.pi),
        quantile=lambda q: -_cauchy_upper_quantile(q),
        upper_quantile=_cauchy_upper_quantile,
    ),
)


def _wrapped_density(z: Any, c: Any) -> Any:
    half = sin(z * 0.5)
    spread = (1 - c) * (1 - c) + 4 * c * half * half  # 1 + c**2 - 2 c cos(z)
    return (1 - c) * (1 + c) / (2 * math.pi * spread)


def _wrapped_angle(z: Any, c: Any, side: int) -> Any:
    half = z * 0.5
    return atan2((1 + c) / (1 - c) * sin(half), side * cos(half)) * (1 / math.pi)


def _wrapped_quantile(q: Any, c: Any, side: int) -> Any:
    angle = math.pi * q
    return 2 * atan2((1 - c) / (1 + c) * sin(angle), side * cos(angle))


wrapcauchy = Continuous(
    "wrapcauchy",
    Record(
        log_density=lambda z, c: log(_wrapped_density(z, c)),
        density=_wrapped_density,
        below=lambda z, c: _wrapped_angle(z, c, 1),
        above=lambda z, c: _wrapped_angle(z, c, -1),
        quantile=lambda q, c: _wrapped_quantile(q, c, 1),
        upper_quantile=lambda q, c: _wrapped_quantile(q, c, -1),
    ),
    shapes="c",
    support=(0.0, 2 * math.pi),
    allowed=lambda c: (c > 0) & (c < 1),
)
