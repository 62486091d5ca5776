"""Activations of neural networks, one entry each."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy

from ...backend import on_device, quiet, special
from ...core.op import Op
from ..arithmetic import square
from ..blocks import in_blocks
from ..define import Function, define, elementwise
from ..elementary import exp, logistic, sigmoid, tanh
from ..linear import cast
from ..samples import Sample, away_from_zero, complex_normal, normal, one, uniform
from ..selection import minimum, where

NORMAL = 1 / math.sqrt(2 * math.pi)
WIDEST = 6.0
"""Beyond this, the normal integral is 0 or 1 in single precision, and at it what is fitted."""
HALF_LOGIT = (
    0.7978849415075913,
    0.03633308432152143,
    -3.259464515401939e-05,
    -5.5306355079344944e-05,
    3.964778171038913e-06,
    -1.3226635269244018e-07,
    1.7562633283353998e-09,
)
"""The polynomial P for which (1 + tanh(x P(x**2))) / 2 is the normal integral, up to 1e-7.

Fitted to (log Phi(x) - log Phi(-x)) / (2 x) by weighted least squares in Chebyshev's basis.
"""


def _integral(xp: Any, x: Any) -> Any:
    if xp is numpy and x.dtype == numpy.float32:
        return in_blocks(_integral_of_single, x)
    return special(xp, "ndtr")(x)


def _integral_of_single(x: Any) -> Any:
    x = numpy.minimum(numpy.maximum(x, -WIDEST), WIDEST)
    squares = x * x
    total = squares * HALF_LOGIT[-1]
    for c in HALF_LOGIT[-2:0:-1]:
        total += c
        total *= squares
    total += HALF_LOGIT[0]
    total *= x
    return numpy.tanh(total) * 0.5 + 0.5


def density(x: Any) -> Any:
    """The density of the normal distribution."""
    return exp(square(x) * -0.5) * NORMAL


normal_integral: Function = elementwise(
    "normal_integral",
    lambda g, _out, x: g * density(x),
    forward=_integral,
    samples=one(normal),
    doc="The integral of the normal density up to `x`.",
)


def _gelu_slope(g: Any, x: Any) -> Any:
    return g * (normal_integral(x) + x * density(x))


def _gelu(xp: Any, x: Any) -> Any:
    with quiet():  # of -inf, whose result is NaN
        return in_blocks(lambda x: x * _integral(xp, x), x, kernel="gelu")


gelu = elementwise(
    "gelu",
    lambda g, _out, x: in_blocks(_gelu_slope, g, x, kernel="gelu_gradient"),
    forward=_gelu,
    samples=one(normal),
    doc="`x` times the normal integral up to `x`.",
)

SLOPE = math.sqrt(2 / math.pi)
CUBIC = 0.044715


def _bent(x: Any) -> Any:
    """What the hyperbolic tangent is taken of in place of the normal integral."""
    return x * (x * x * (SLOPE * CUBIC) + SLOPE)


def _gelu_tanh_slope(g: Any, x: Any) -> Any:
    t = tanh(_bent(x))
    slope = x * x * (1.5 * SLOPE * CUBIC) + 0.5 * SLOPE
    return g * (0.5 + 0.5 * t + x * slope * (1 - t * t))


def _gelu_tanh(xp: Any, x: Any) -> Any:
    with quiet():
        return in_blocks(lambda x: x * (xp.tanh(_bent(x)) * 0.5 + 0.5), x, kernel="gelu_tanh")


gelu_tanh = elementwise(
    "gelu_tanh",
    lambda g, _out, x: in_blocks(_gelu_tanh_slope, g, x, kernel="gelu_tanh_gradient"),
    forward=_gelu_tanh,
    samples=one(normal),
    doc="`gelu` with a hyperbolic tangent in place of the normal integral.",
)


def _silu_slope(g: Any, x: Any) -> Any:
    s = sigmoid(x)
    return g * (s + x * (s - s * s))


def _silu(xp: Any, x: Any) -> Any:
    with quiet():
        return in_blocks(lambda x: x * logistic(xp, x), x, kernel="silu")


silu = elementwise(
    "silu",
    lambda g, _out, x: in_blocks(_silu_slope, g, x, kernel="silu_gradient"),
    forward=_silu,
    samples=one(normal, complex_normal),
    doc="`x` times its logistic function.",
)


def _softplus(xp: Any, x: Any) -> Any:
    def bent(x: Any) -> Any:
        return xp.log1p(xp.exp(-xp.abs(x))) + xp.maximum(x, 0)

    return in_blocks(bent, x, kernel="softplus_of")


def _mish_slope(g: Any, x: Any) -> Any:
    t = tanh(softplus_of(x))
    return g * (t + x * sigmoid(x) * (1 - t * t))


softplus_of: Function = elementwise(
    "softplus_of",
    lambda g, _out, x: g * sigmoid(x),
    forward=_softplus,
    regular=True,
    samples=one(normal, uniform(-30, 30)),
    doc="`log(1 + exp(x))`, without overflow.",
)


def _mish(xp: Any, x: Any) -> Any:
    with quiet():
        return in_blocks(lambda x: x * xp.tanh(_softplus(xp, x)), x, kernel="mish")


mish = elementwise(
    "mish",
    lambda g, _out, x: in_blocks(_mish_slope, g, x),
    forward=_mish,
    samples=one(normal),
    doc="`x` times the hyperbolic tangent of `softplus_of(x)`.",
)


def _same_batch(function: Function, _mapped: tuple[bool, ...], x: Any, **params: Any) -> Any:
    return function(x, **params)


USUAL = (1.0, 20.0)
"""PyTorch's defaults for `beta` and `threshold`."""


def _softplus_samples(rng: Any) -> Iterator[Sample]:
    for shape in ((), (4,), (2, 3)):
        yield (normal(rng, shape),), {"beta": 1.0, "threshold": 20.0}
    yield (normal(rng, (6,)),), {"beta": 3.0, "threshold": 0.5}


def _softplus_rule(g: Any, _out: Any, x: Any, *, beta: float, threshold: float) -> Any:
    def pulled(g: Any, x: Any) -> Any:
        scaled = x * beta
        return where(scaled > threshold, g, g * sigmoid(scaled))

    usual = (beta, threshold) == USUAL
    return in_blocks(pulled, g, x, kernel="softplus_above_gradient" if usual else None)


def _softplus_forward(xp: Any, x: Any, *, beta: float, threshold: float) -> Any:
    def bent(x: Any) -> Any:
        scaled = x * beta
        return xp.where(scaled > threshold, x, _softplus(xp, scaled) / beta)[()]

    usual = (beta, threshold) == USUAL
    return in_blocks(bent, x, kernel="softplus_above" if usual else None)


softplus = define(
    Op(
        "softplus_above",
        forward=_softplus_forward,
        vjp=(_softplus_rule,),
        jvp=lambda tangents, _out, x, **params: _softplus_rule(tangents[0], None, x, **params),
        batch=_same_batch,
        samples=_softplus_samples,
        doc="`log(1 + exp(beta * x)) / beta`; `x` itself where `beta * x` is above a threshold.",
    ),
    structural=True,
)


def _elu_forward(xp: Any, x: Any, *, alpha: float, scale: float, inner: float) -> Any:
    zero = 0 if on_device(x) else xp.asarray(0, dtype=x.dtype)

    def bent(x: Any) -> Any:
        if inner < 0:
            return xp.maximum(x, zero) * scale + xp.expm1(xp.minimum(x, zero) * inner) * alpha
        half = xp.tanh(xp.minimum(x, zero) * (0.5 * inner))
        low = half / (1 - half) * (2 * alpha * scale)  # expm1, which takes ten times as long
        return xp.maximum(x, zero) * scale + low

    return in_blocks(bent, x)


def _elu_rule(g: Any, _out: Any, x: Any, *, alpha: float, scale: float, inner: float) -> Any:
    low = alpha * scale * inner

    def pulled(g: Any, x: Any) -> Any:
        slope = exp(minimum(x, 0.0) * inner) * low
        if low != scale:  # the exponential is 1 where x is positive
            slope = slope + cast(x > 0, x.dtype) * (scale - low)
        return g * slope

    return in_blocks(pulled, g, x)


def _elu_samples(rng: Any) -> Iterator[Sample]:
    for shape in ((), (4,), (2, 3)):
        yield (away_from_zero(rng, shape),), {"alpha": 1.5, "scale": 1.2, "inner": 0.7}


elu = define(
    Op(
        "elu",
        forward=_elu_forward,
        vjp=(_elu_rule,),
        jvp=lambda tangents, _out, x, **params: _elu_rule(tangents[0], None, x, **params),
        batch=_same_batch,
        samples=_elu_samples,
        doc="`scale * x` for positive `x`, else `scale * alpha * (exp(inner * x) - 1)`. Its "
        "derivative at 0 is the one from below.",
    ),
    structural=True,
)


def _leaky_forward(xp: Any, x: Any, *, slope: float) -> Any:
    if 0 < slope <= 1:
        return xp.maximum(x, x * slope)
    return xp.where(x > 0, x, x * slope)[()]


def _leaky_rule(g: Any, _out: Any, x: Any, *, slope: float) -> Any:
    return in_blocks(lambda g, x: g * (cast(x > 0, x.dtype) * (1 - slope) + slope), g, x)


def _leaky_samples(rng: Any) -> Iterator[Sample]:
    for shape, slope in (((), 0.1), ((4,), -0.5), ((2, 3), 2.0)):
        yield (away_from_zero(rng, shape),), {"slope": slope}


leaky_relu = define(
    Op(
        "leaky_relu",
        forward=_leaky_forward,
        vjp=(_leaky_rule,),
        jvp=lambda tangents, _out, x, *, slope: _leaky_rule(tangents[0], None, x, slope=slope),
        batch=_same_batch,
        samples=_leaky_samples,
        doc="`x` where it is positive, else `slope * x`. Its derivative at 0 is `slope`.",
    ),
    structural=True,
)
