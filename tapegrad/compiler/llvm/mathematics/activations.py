"""Activations of networks, as eager kernels and compiled loops compute them."""

from __future__ import annotations

import math

from ..vector import DOUBLE, Value, absolute, fma, select
from .arithmetic import maximum
from .exponential import exp
from .gauss import erf, erfc
from .logarithm import log1p
from .registry import composite

SQRT_HALF = math.sqrt(0.5)
SLOPE, CUBIC = math.sqrt(2 / math.pi), 0.044715


@composite
def sigmoid(x: Value) -> Value:
    """The logistic function."""
    return 1.0 / (exp(-x) + 1.0)


@composite
def silu(x: Value) -> Value:
    """x times its logistic function."""
    return x * sigmoid(x)


@composite
def normal_integral(x: Value) -> Value:
    """The integral of the normal density up to x; in double precision near 0 too."""
    if x.element == DOUBLE:
        return erfc(x * -SQRT_HALF) * 0.5
    return fma(erf(x * SQRT_HALF), 0.5, x.number(0.5))


@composite
def gelu(x: Value) -> Value:
    """x times the normal integral."""
    return x * normal_integral(x)


def bent(x: Value) -> Value:
    """Twice what the hyperbolic tangent is taken of in place of the normal integral."""
    return x * fma(x * x, 2 * SLOPE * CUBIC, x.number(2 * SLOPE))


@composite
def gelu_tanh(x: Value) -> Value:
    """x times a logistic function near the normal integral, which is (1 + tanh) / 2."""
    return x * sigmoid(bent(x))


@composite
def softplus_of(x: Value) -> Value:
    """log(1 + exp(x))."""
    return log1p(exp(-absolute(x))) + maximum(x, x.number(0.0))


@composite
def mish(x: Value) -> Value:
    """x times the hyperbolic tangent of `softplus_of(x)`."""
    e = exp(select(x < 20.0, x, 20.0))
    n = e * (e + 2.0)
    return x * (n / (n + 2.0))
