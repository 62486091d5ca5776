"""The distribution function of Student's t distribution, and its inverse.

Its derivative in the degrees of freedom is that of an incomplete beta function, or for many
degrees, where nearly all of that cancels, an integral of the derivative of the density.
"""

from __future__ import annotations

from typing import Any

from ..arithmetic import square
from ..comparison import isfinite
from ..complex import abs
from ..elementary import exp, expm1, log1p, sqrt
from ..linear import stop_gradient, sum
from ..rounding import sign
from ..samples import normal, positive, two, uniform
from ..selection import maximum, where
from .define import blockwise, constant, precise, precise_inverse, special, spread
from .densities import log_student_density
from .gamma import digamma_difference
from .incomplete import beta_slope_a, beta_slope_b
from .scores import DEPTH, POINT_WEIGHTS, POINTS

MANY = 30.0


def _by_beta(df: Any, t: Any) -> Any:
    """With the tail beyond t, which is I(df / 2, 1 / 2, z) / 2 for z = df / (df + t**2).

    It depends on `df` through the parameter, and through t**2 / df.
    """
    ratio = square(t) / df
    z, other = 1 / (1 + ratio), ratio / (1 + ratio)
    half, near = df * 0.5, other < 0.5
    slope = where(
        near,
        -beta_slope_b(0.5 + 0 * half, half, where(near, other, 0.5)),
        beta_slope_a(half, 0.5 + 0 * half, where(near, 0.5, z)),
    )
    by_ratio = exp(log_student_density(df, t)) * t * (-0.5 / df)
    return by_ratio - sign(t) * 0.25 * slope


def _by_integral(df: Any, t: Any) -> Any:
    """With the integral of the derivative from 0 to t, or for large t from t on, negated."""
    t, df = t + 0 * df, df + 0 * t
    size = abs(t)
    inner = size < 1.3
    growth = expm1(2 * DEPTH / (df + 1))
    far = sqrt(df * growth + square(size) * (1 + growth))
    start, end = where(inner, 0, size), where(inner, size, stop_gradient(far))
    s = spread(start) + spread(end - start) * constant(POINTS, t)
    nu = spread(df)
    w = square(s) / nu
    score = spread(digamma_difference(df * 0.5, 0.5) - 1 / df) - log1p(w)
    score = 0.5 * (score + (1 + 1 / nu) * (w / (1 + w)))
    values = exp(log_student_density(nu, s)) * score * constant(POINT_WEIGHTS, t)
    total = sum(values, axis=(values.ndim - 1,), keepdims=False) * (end - start)
    return sign(t) * where(inner, total, -total)


def _slope(df: Any, t: Any) -> Any:
    """The derivative of `stdtr` in `df`."""
    inside = isfinite(df) & isfinite(t) & (df > 0)
    nu, y = where(inside, df, 1), where(inside, t, 1)
    many = nu > MANY
    by_beta = _by_beta(where(many, MANY, nu), y)
    slope = where(many, _by_integral(maximum(nu, MANY), y), by_beta)
    return where(inside, slope, stdtr(df, t) * 0)


def student_slope(df: Any, t: Any) -> Any:
    return blockwise(_slope, df, t)


stdtr = special(
    "stdtr",
    precise(lambda df, t: student_slope(df, t)),
    precise(lambda df, t: exp(log_student_density(df, t))),
    samples=two((positive, normal), (uniform(4, 20), uniform(-9, 9)), (uniform(40, 90), normal)),
    doc="The distribution function of Student's t distribution.",
)
stdtrit = special(
    "stdtrit",
    precise_inverse(lambda t, df: -student_slope(df, t) / exp(log_student_density(df, t))),
    precise_inverse(lambda t, df: exp(-log_student_density(df, t))),
    samples=two((uniform(1, 9), uniform(0.1, 0.45)), (uniform(1, 9), uniform(0.55, 0.9))),
    doc="The inverse of `stdtr` in its second argument.",
)
