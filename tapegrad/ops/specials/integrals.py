"""Exponential, trigonometric and elliptic integrals, the dilogarithm, and Lambert's W."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy

from ...backend import is_complex
from ...backend import special as function_of
from ..complex import abs
from ..define import Function, elementwise
from ..elementary import cos, cosh, exp, sin, sinh
from ..samples import Sample, complex_normal, normal, one, positive, uniform
from ..selection import maximum, where
from ..special import sinc
from .define import special, special_tuple, undifferentiable
from .logistic import log_over_gap, polynomial


def _complex_right(rng: Any, shape: tuple[int, ...]) -> Any:
    return positive(rng, shape) + 1j * normal(rng, shape)


expi = special(
    "expi",
    lambda g, _out, x: g * (exp(x) / x),
    samples=one(positive, uniform(-3, -0.3), _complex_right),
    doc="The exponential integral Ei.",
)
exp1 = special(
    "exp1",
    lambda g, _out, x: -g * (exp(-x) / x),
    samples=one(positive, _complex_right),
    doc="The exponential integral E of order 1.",
)


def _expn_rule(g: Any, out: Any, n: Any, x: Any) -> Any:
    whole = n >= 1
    by_recurrence = (exp(-x) + (1 - n) * where(whole, 0, out)) / x  # SciPy has no order below 0
    return -g * where(whole, expn(maximum(n - 1, 0), x), by_recurrence)


def _orders(rng: Any) -> Iterator[Sample]:
    yield (1, positive(rng, (4,))), {}
    yield (0, positive(rng, ())), {}
    yield (numpy.array([[2], [5]]), positive(rng, (2, 3))), {}


expn: Function = special(
    "expn",
    undifferentiable("expn", "n", "it is defined for whole orders only"),
    _expn_rule,
    samples=_orders,
    doc="The exponential integral E of order `n`.",
)


def _sine_over(x: Any) -> Any:
    """``sin(x) / x``, with all derivatives at 0 where `x` is real."""
    if is_complex(x.dtype):
        return sin(x) / x
    return sinc(x * (1 / math.pi), order=0)


EVEN = [1 / math.factorial(2 * k + 1) for k in range(10)]


def _hyperbolic_sine_over(x: Any) -> Any:
    near = abs(x) < 1
    y = where(near, x, 0)
    return where(near, polynomial(EVEN, y * y), sinh(where(near, 1, x)) / where(near, 1, x))


sici = special_tuple(
    "sici",
    2,
    lambda _out, x: (_sine_over(x), cos(x) / x),
    samples=one(positive, uniform(3, 12), _complex_right),
    doc="The sine and cosine integrals Si and Ci.",
)
shichi = special_tuple(
    "shichi",
    2,
    lambda _out, x: (_hyperbolic_sine_over(x), cosh(x) / x),
    samples=one(positive, uniform(3, 12), _complex_right),
    doc="The hyperbolic sine and cosine integrals Shi and Chi.",
)
spence = special(
    "spence",
    lambda g, _out, z: -g * log_over_gap(z),
    samples=one(positive, uniform(0.9, 1.1), _complex_right),
    doc="The dilogarithm, the integral of log(t) / (1 - t) from 1 to `z`.",
)

# Elliptic integrals


def _hypergeometric(factor: float, a: float, b: float, c: float) -> list[float]:
    """Coefficients of the power series of ``factor * hyp2f1(a, b, c, m)``."""
    coefficients = [factor]
    for k in range(25):
        coefficients.append(coefficients[-1] * (a + k) * (b + k) / ((c + k) * (1 + k)))
    return coefficients


DIFFERENCE = _hypergeometric(math.pi / 4, 0.5, 1.5, 2)


def _difference(m: Any) -> Any:
    """``(ellipk(m) - ellipe(m)) / m``, by its power series near 0."""
    near = abs(m) < 0.2
    series = polynomial(DIFFERENCE, where(near, m, 0))
    far = where(near, 0.5, m)
    return where(near, series, (ellipk(far) - ellipe(far)) / far)


ellipk: Function = special(
    "ellipk",
    lambda g, out, m: g * (out - _difference(m)) / (2 * (1 - m)),
    samples=one(uniform(0.1, 0.9), uniform(-5, 0.1), uniform(-1e-3, 1e-3)),
    doc="The complete elliptic integral of the first kind, of the parameter m = k**2.",
)
ellipe: Function = special(
    "ellipe",
    lambda g, _out, m: g * (-0.5 * _difference(m)),
    samples=one(uniform(0.1, 0.9), uniform(-5, 0.1), uniform(-1e-3, 1e-3)),
    doc="The complete elliptic integral of the second kind, of the parameter m = k**2.",
)


def _rest_near_1(p: Any, out: Any) -> Any:
    """``K - (K - E) / m`` for m = 1 - p, where K is `out`; also for small `p`."""
    far = p < 0.5
    q = where(far, p, 0.25)
    left = (ellipem1(q) - q * out) / (1 - q)
    return where(far, left, out - _difference(where(far, 0.5, 1 - p)))


ellipem1: Function = elementwise(
    "ellipem1",
    lambda g, _out, p: g * (ellipkm1(p) - _rest_near_1(p, ellipkm1(p))) * 0.5,
    forward=lambda xp, p: function_of(xp, "ellipe")(1 - p),
    steep=True,
    samples=one(uniform(0.05, 0.9), uniform(1e-3, 2e-3)),
    doc="`ellipe(1 - p)`, whose derivatives are accurate for small `p`.",
)
ellipkm1: Function = special(
    "ellipkm1",
    lambda g, out, p: -g * _rest_near_1(p, out) / (2 * p),
    samples=one(uniform(0.05, 0.9), uniform(1e-3, 2e-3), uniform(0.99, 1.01)),
    doc="`ellipk(1 - p)`, accurate for small `p`.",
)

# Lambert's W


def _lambertw_samples(rng: Any) -> Iterator[Sample]:
    yield (_complex_right(rng, (4,)), 0), {}
    yield (_complex_right(rng, ()), 1), {}
    yield (complex_normal(rng, (2, 3)) + 3, numpy.array([0, 1, -1])), {}


lambertw = elementwise(
    "lambertw",
    lambda g, out, _z, _k: g * (exp(-out) / (1 + out)),
    None,
    forward=lambda xp, z, k: function_of(xp, "lambertw")(z, k),
    steep=True,
    samples=_lambertw_samples,
    doc="The branch `k` of the inverse of `w * exp(w)`. Infinite derivative at -1/e on branch 0.",
)
wrightomega = special(
    "wrightomega",
    lambda g, out, _z: g * (out / (1 + out)),
    samples=one(normal, _complex_right),
    doc="The solution of `w + log(w) = z`.",
)
