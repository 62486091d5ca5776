"""The distribution function of von Mises' distribution, its inverse, and of the generalised normal.

Derivatives in the concentration are integrals of the derivative of the density, by Gauss and
Legendre's rule.
"""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any

from ..complex import abs
from ..define import Function, elementwise
from ..elementary import acos, cos, exp
from ..linear import stop_gradient, sum
from ..rounding import rint, sign
from ..samples import positive, two, uniform, unit
from ..selection import maximum, where
from .bessel_fixed import i0e, i1e
from .define import blockwise, constant, precise, precise_inverse, spread
from .logistic import cosm1
from .scores import DEPTH, POINT_WEIGHTS, POINTS

TURN = 2 * math.pi


def vonmises_density(kappa: Any, x: Any) -> Any:
    """The density of von Mises' distribution."""
    return exp(kappa * cosm1(x)) / (TURN * i0e(kappa))


def _vonmises_slope(kappa: Any, x: Any) -> Any:
    """The derivative of the distribution function in `kappa`.

    It is the integral of the density's from 0 to x, or for large x from x to pi, negated.
    """
    kappa, x = kappa + 0 * x, x + 0 * kappa
    x = x - TURN * rint(x * (1 / TURN))
    size = abs(x)
    mean = i1e(kappa) / i0e(kappa)
    inner = cos(size) > mean
    far = acos(maximum(cos(size) - DEPTH / maximum(kappa, 1e-300), -1.0))
    start, end = where(inner, 0, size), where(inner, size, stop_gradient(far))
    t = spread(start) + spread(end - start) * constant(POINTS, x)
    values = vonmises_density(spread(kappa), t) * (cos(t) - spread(mean))
    values = values * constant(POINT_WEIGHTS, x)
    total = sum(values, axis=(values.ndim - 1,), keepdims=False) * (end - start)
    return sign(x) * where(inner, total, -total)


def vonmises_slope(kappa: Any, x: Any) -> Any:
    return blockwise(_vonmises_slope, kappa, x)


def _vonmises(method: str) -> Function:
    """A method of SciPy's distribution as a function of the concentration and the argument."""

    def forward(_xp: Any, kappa: Any, x: Any) -> Any:
        out = getattr(import_module("scipy.stats").vonmises, method)(x, kappa)
        dtype = getattr(x, "dtype", None)
        return out.astype(dtype) if dtype is not None and dtype.kind == "f" else out

    return forward


vonmises_cdf = elementwise(
    "vonmises_cdf",
    precise(lambda kappa, x: vonmises_slope(kappa, x)),
    precise(lambda kappa, x: vonmises_density(kappa, x)),
    forward=_vonmises("cdf"),
    samples=two((positive, uniform(-3, 3)), (uniform(5, 30), unit)),
    doc="The distribution function of von Mises' distribution, by SciPy.",
)
vonmises_ppf = elementwise(
    "vonmises_ppf",
    precise_inverse(lambda x, kappa: -vonmises_slope(kappa, x) / vonmises_density(kappa, x)),
    precise_inverse(lambda x, kappa: 1 / vonmises_density(kappa, x)),
    forward=_vonmises("ppf"),
    samples=two((positive, uniform(0.1, 0.9))),
    doc="The inverse of `vonmises_cdf` in its second argument, by SciPy.",
)
