"""Tails of the gamma and beta distributions as integrals: what derivatives in parameters need.

With t = x exp(-v) (gamma) or logit(t) = logit(x) - v (beta), a tail is the integrand at its end
times the integral of exp(-f(v)) from 0 on, where f is convex and f(0) = 0. It is cut off where f is
above 42, and integrated by Gauss and Legendre's rule. The derivative of the logarithm of a tail in
a parameter is the mean of a logarithm over the tail, compared with its mean over everything. Where
the tail is the smaller one, nothing cancels, so that the relative error is about 1e-13.
"""

from __future__ import annotations

from typing import Any

import numpy

from ..arithmetic import square
from ..elementary import exp, expm1, log, log1p, sqrt
from ..linear import stop_gradient, sum
from ..selection import maximum, minimum, where
from .define import constant, spread
from .gamma import digamma_difference, log_minus_digamma
from .information import log_ratio

DEPTH = 42.0
POINTS, POINT_WEIGHTS = numpy.polynomial.legendre.leggauss(56)
POINTS = (POINTS + 1) / 2
POINT_WEIGHTS = POINT_WEIGHTS / 2


def _mean(weights: Any, values: Any, total: Any) -> Any:
    axis = (values.ndim - 1,)
    return sum(weights * values, axis=axis, keepdims=False) / total


def _gamma_depth(a: Any, x: Any, upper: Any) -> Any:
    """About where f of a gamma tail reaches `DEPTH`."""
    slope = 2 * (a - x) - DEPTH
    below = 4 * DEPTH / (slope + sqrt(square(slope) + 8 * DEPTH * a))
    rise = where(upper, x - a, 1)
    above = minimum(2 * DEPTH / (rise + sqrt(square(rise) + 2 * DEPTH * x)), log1p(DEPTH / x + 7))
    return where(upper, above, below)


def gamma_tail(a: Any, x: Any, upper: Any) -> tuple[Any, Any]:
    """The integral of a gamma tail, and the mean of `v` over it, counted away from the end."""
    a, x = a + 0 * x, x + 0 * a
    depth = stop_gradient(_gamma_depth(a, x, upper))
    side = where(upper, 1.0, -1.0)
    v = spread(depth) * constant(POINTS, x)
    out = spread(side) * v
    weights = exp(spread(a) * out - spread(x) * expm1(out)) * constant(POINT_WEIGHTS, x)
    total = sum(weights, axis=(v.ndim - 1,), keepdims=False)
    return depth * total, _mean(weights, v, total)


def gamma_score(a: Any, x: Any, upper: Any) -> Any:
    """The derivative in `a` of the logarithm of a gamma tail.

    The lower tail needs `a` above 1, the upper one `a` or `x`.
    """
    _, mean = gamma_tail(a, x, upper)
    return log_ratio(x, a) + log_minus_digamma(a) + where(upper, mean, -mean)


def _beta_log(v: Any, z: Any, other: Any) -> Any:
    """``log((1 - z) / (1 - t))`` negated, at distance `v` from the end `z`; `other` is 1 - z."""
    drop = z * expm1(-v)
    close = drop > -0.5
    return where(close, log1p(where(close, drop, 0)), log(where(close, 1, other + z * exp(-v))))


def _beta_depth(p: Any, q: Any, z: Any, other: Any) -> Any:
    """Where f of a beta tail reaches `DEPTH`, by Newton's iteration from its parabola at 0."""
    total = p + q
    end = (DEPTH - total * log(other)) / p
    slope = p * other - q * z
    v = 2 * DEPTH / (slope + sqrt(square(slope) + 2 * DEPTH * total * z * other))
    for _ in range(5):
        v = minimum(v, end)
        rest = DEPTH - p * v - total * _beta_log(v, z, other)
        small = z * exp(-v)
        v = maximum(v + rest / (p - total * small / (other + small)), 1e-3 * v)
    return minimum(v, end)


def beta_tail(p: Any, q: Any, z: Any, other: Any) -> tuple[Any, Any, Any]:
    """The integral of the lower beta tail up to `z`, and two means over it.

    These are of log(z / t) and of log((1 - z) / (1 - t)).
    """
    p, q = p + 0 * z, q + 0 * z
    depth = _beta_depth(*map(stop_gradient, (p, q, z, other)))
    v = spread(depth) * constant(POINTS, z)
    logs = _beta_log(v, spread(z), spread(other))
    weights = exp(-spread(p) * v - spread(p + q) * logs) * constant(POINT_WEIGHTS, z)
    total = sum(weights, axis=(v.ndim - 1,), keepdims=False)
    return depth * total, _mean(weights, v + logs, total), _mean(weights, logs, total)


def beta_scores(p: Any, q: Any, z: Any, other: Any) -> tuple[Any, Any]:
    """The derivatives in `p` and `q` of the logarithm of the lower beta tail, for `p` above 1."""
    _, first, second = beta_tail(p, q, z, other)
    by_p = log(z) - first + digamma_difference(p, q)
    return by_p, log(other) - second + digamma_difference(q, p)
