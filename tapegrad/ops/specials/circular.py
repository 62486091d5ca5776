"""The distribution function of von Mises' distribution on the circle, and its inverse.

Both, and the derivatives in the concentration, are integrals of the density or of its derivative
by Gauss and Legendre's rule, accurate in the tails. (SciPy takes a normal distribution for
concentrations above 50.)
"""

from __future__ import annotations

import math
from typing import Any

from ..complex import abs
from ..define import elementwise
from ..elementary import acos, cos, exp, log, sqrt
from ..linear import stop_gradient, sum
from ..rounding import rint, sign
from ..samples import positive, two, uniform, unit
from ..selection import maximum, minimum, where
from .bessel_fixed import i0e, i1e
from .define import blockwise, constant, double, precise, precise_inverse, spread
from .error import ndtri
from .logistic import cosm1
from .scores import DEPTH, POINT_WEIGHTS, POINTS

TURN = 2 * math.pi


def vonmises_density(kappa: Any, x: Any) -> Any:
    """The density of von Mises' distribution."""
    return exp(kappa * cosm1(x)) / (TURN * i0e(kappa))


def _end(kappa: Any, size: Any) -> Any:
    """Where beyond `size` the density has become negligible, pi at most."""
    lowest = cos(size) - DEPTH / maximum(kappa, 1e-300)
    return stop_gradient(acos(maximum(lowest, -1.0)))


def _nodes(start: Any, end: Any) -> Any:
    return spread(start) + spread(end - start) * constant(POINTS, start)


def _integral(values: Any, start: Any, end: Any) -> Any:
    weighted = values * constant(POINT_WEIGHTS, start)
    return sum(weighted, axis=(values.ndim - 1,), keepdims=False) * (end - start)


def _reduced(x: Any) -> tuple[Any, Any]:
    """An angle between -pi and pi, and how many turns it lacks."""
    turns = rint(x * (1 / TURN))
    return x - TURN * turns, turns


def _vonmises_slope(kappa: Any, x: Any) -> Any:
    """The derivative of the distribution function in `kappa`.

    It is the integral of the density's from 0 to x, or for large x from x to pi, negated.
    """
    kappa, x = kappa + 0 * x, x + 0 * kappa
    x, _ = _reduced(x)
    size = abs(x)
    mean = i1e(kappa) / i0e(kappa)
    inner = cos(size) > mean
    start, end = where(inner, 0, size), where(inner, size, _end(kappa, size))
    t = _nodes(start, end)
    values = vonmises_density(spread(kappa), t) * (cos(t) - spread(mean))
    total = _integral(values, start, end)
    return sign(x) * where(inner, total, -total)


def vonmises_slope(kappa: Any, x: Any) -> Any:
    return blockwise(_vonmises_slope, kappa, x)


def _tail(kappa: Any, size: Any) -> Any:
    """The probability of angles from `size` to pi."""
    end = _end(kappa, size)
    return _integral(vonmises_density(spread(kappa), _nodes(size, end)), size, end)


def _below(kappa: Any, x: Any) -> Any:
    kappa, x = kappa + 0 * x, x + 0 * kappa
    x, turns = _reduced(x)
    tail = _tail(kappa, abs(x))
    return where(x < 0, tail, 1 - tail) + turns


def _quantile(kappa: Any, q: Any) -> Any:
    """By Newton's iteration for the logarithm of the tail, which is concave."""
    kappa, q = kappa + 0 * q, q + 0 * kappa
    target = minimum(q, 1 - q)
    low, high = 0 * q, 0 * q + math.pi
    size = minimum(-ndtri(target) / sqrt(maximum(kappa, 0.3)), 3.0)
    for _ in range(60):
        tail = _tail(kappa, size)
        above = tail < target
        low, high = where(above, low, size), where(above, size, high)
        step = log(maximum(tail, 1e-300) / target) * tail / vonmises_density(kappa, size)
        moved = size + step
        previous, size = size, where((moved > low) & (moved < high), moved, 0.5 * (low + high))
        if bool((abs(size - previous) <= 1e-15 * size).all()):
            break
    return where(q < 0.5, -size, size)


def _forward(compute: Any) -> Any:
    """The forward of an operation that computes in double precision."""

    def forward(xp: Any, kappa: Any, x: Any) -> Any:
        dtype = xp.result_type(kappa, x)
        out = blockwise(compute, double(kappa), double(x))
        return out.astype(dtype) if dtype.kind == "f" and dtype != out.dtype else out

    return forward


vonmises_cdf = elementwise(
    "vonmises_cdf",
    precise(lambda kappa, x: vonmises_slope(kappa, x)),
    precise(lambda kappa, x: vonmises_density(kappa, x)),
    forward=_forward(_below),
    samples=two((positive, uniform(-3, 3)), (uniform(60, 90), unit)),
    doc="The distribution function of von Mises' distribution.",
)
vonmises_ppf = elementwise(
    "vonmises_ppf",
    precise_inverse(lambda x, kappa: -vonmises_slope(kappa, x) / vonmises_density(kappa, x)),
    precise_inverse(lambda x, kappa: 1 / vonmises_density(kappa, x)),
    forward=_forward(_quantile),
    samples=two((positive, uniform(0.1, 0.9))),
    doc="The inverse of `vonmises_cdf` in its second argument.",
)
