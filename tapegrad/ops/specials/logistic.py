"""The logistic function and its kin, Box and Cox's powers, and exponentials near zeros."""

from __future__ import annotations

import math
from typing import Any

from ..arithmetic import square
from ..comparison import isinf
from ..complex import abs
from ..define import Function
from ..elementary import exp, log, log1p, sin
from ..power import pow as power
from ..samples import normal, one, positive, two, uniform, unit
from ..selection import where
from .define import special


def polynomial(coefficients: list[float], x: Any) -> Any:
    """The polynomial with these coefficients, from the constant on, by Horner's rule."""
    total = coefficients[-1]
    for c in reversed(coefficients[:-1]):
        total = total * x + c
    return total


expit: Function = special(
    "expit",
    lambda g, out, x: g * (out * expit(-x)),
    regular=True,
    kernel=True,
    samples=one(normal, uniform(-40, 40)),
    doc="The logistic function `1 / (1 + exp(-x))`.",
)
log_expit = special(
    "log_expit",
    lambda g, _out, x: g * expit(-x),
    regular=True,
    kernel=True,
    samples=one(normal, uniform(-40, 40)),
    doc="The logarithm of `expit`.",
)
logit = special(
    "logit",
    lambda g, _out, p: g / p + g / (1 - p),  # a product would underflow in the next derivative
    samples=one(uniform(0.05, 0.95)),
    doc="`log(p / (1 - p))`, the inverse of `expit`.",
)
softplus = special(
    "softplus",
    lambda g, _out, x: g * expit(x),
    elsewhere=lambda xp, x: xp.logaddexp(x, 0),
    regular=True,
    samples=one(normal, uniform(-40, 40)),
    doc="`log(1 + exp(x))`.",
)

NEAR = 1.0
EXPREL = [1 / math.factorial(k + 1) for k in range(20)]
EXPREL_SLOPE = [(k + 1) / math.factorial(k + 2) for k in range(20)]
LOG1PREL = [(-1) ** k / (k + 1) for k in range(26)]
LOG1PREL_SLOPE = [(-1) ** (k + 1) * (k + 1) / (k + 2) for k in range(26)]


def exprel_slope(x: Any) -> Any:
    """The derivative of ``expm1(x) / x``, by its power series near 0; 0 at -inf, inf at inf."""
    near = abs(x) < NEAR
    series = polynomial(EXPREL_SLOPE, where(near, x, 0))
    infinite = isinf(x)
    far = where(near | infinite, -NEAR, x)
    direct = (exp(far) * (1 - 1 / far) + 1 / far) / far
    return where(near, series, where(infinite, exp(x), direct))


def log1prel_slope(w: Any) -> Any:
    """The derivative of ``log1p(w) / w``, by its power series near 0."""
    near = abs(w) < 0.2
    series = polynomial(LOG1PREL_SLOPE, where(near, w, 0))
    far = where(near, 0.5, w)
    return where(near, series, (1 / (1 + far) - log1p(far) / far) / far)


def log_over_gap(z: Any) -> Any:
    """``log(z) / (z - 1)``, by the power series near 1, so that derivatives hold there."""
    near = abs(z - 1) < 0.2
    series = polynomial(LOG1PREL, where(near, z - 1, 0))
    far = where(near, 2, z)
    return where(near, series, log(far) / (far - 1))


exprel = special(
    "exprel",
    lambda g, _out, x: g * exprel_slope(x),
    samples=one(normal, uniform(-1e-3, 1e-3), uniform(-9, 9)),
    doc="`expm1(x) / x`, 1 at 0.",
)
cosm1 = special("cosm1", lambda g, _out, x: -g * sin(x), samples=one(normal), doc="`cos(x) - 1`.")
sindg = special(
    "sindg",
    lambda g, _out, x: g * (cosdg(x) * (math.pi / 180)),
    samples=one(uniform(-200, 200)),
    doc="The sine of an angle in degrees.",
)
cosdg: Function = special(
    "cosdg",
    lambda g, _out, x: -g * (sindg(x) * (math.pi / 180)),
    samples=one(uniform(-200, 200)),
    doc="The cosine of an angle in degrees.",
)
tandg = special(
    "tandg",
    lambda g, out, _x: g * ((1 + square(out)) * (math.pi / 180)),
    samples=one(uniform(-80, 80)),
    doc="The tangent of an angle in degrees.",
)
cotdg = special(
    "cotdg",
    lambda g, out, _x: g * ((1 + square(out)) * (-math.pi / 180)),
    samples=one(uniform(10, 170)),
    doc="The cotangent of an angle in degrees.",
)
exp10 = special(
    "exp10",
    lambda g, out, _x: g * (out * math.log(10)),
    samples=one(unit),
    doc="10 to the power `x`.",
)


def _by_power(g: Any, size: Any, power: Any) -> Any:
    """The derivative in `power` of ``expm1(power * size) / power``, for the logarithm `size`.

    Where the size is -inf, the number raised is 0, and the power positive.
    """
    zero = size == -math.inf
    inside = where(zero, 0, size)
    square_inside = square(inside)
    at_zero = 1 / square(where(zero, power, 1))
    return g * where(zero, at_zero, square_inside * exprel_slope(power * inside))


def _safe_log(x: Any) -> Any:
    """``log(x)``, -inf at 0 without a warning."""
    return where(x == 0, -math.inf, log(where(x == 0, 1, x)))


_powers = two((positive, normal), (positive, uniform(-1e-3, 1e-3)))

boxcox = special(
    "boxcox",
    lambda g, _out, x, power: g * x ** (power - 1),
    lambda g, _out, x, power: _by_power(g, _safe_log(x), power),
    samples=_powers,
    doc="`(x**power - 1) / power`, `log(x)` at power 0.",
)
boxcox1p = special(
    "boxcox1p",
    lambda g, _out, x, power: g * (1 + x) ** (power - 1),
    lambda g, _out, x, power: _by_power(g, log1p(x), power),
    samples=_powers,
    doc="`((1 + x)**power - 1) / power`, `log1p(x)` at power 0.",
)
_transformed = two((unit, unit), (unit, uniform(-1e-3, 1e-3)))
inv_boxcox = special(
    "inv_boxcox",
    lambda g, out, y, power: g * (out / (1 + power * y)),
    lambda g, out, y, power: g * (out * square(y) * log1prel_slope(power * y)),
    samples=_transformed,
    doc="The inverse of `boxcox`: `(1 + power * y) ** (1 / power)`.",
)
inv_boxcox1p = special(
    "inv_boxcox1p",
    lambda g, out, y, power: g * ((1 + out) / (1 + power * y)),
    lambda g, out, y, power: g * ((1 + out) * square(y) * log1prel_slope(power * y)),
    samples=_transformed,
    doc="The inverse of `boxcox1p`.",
)

powm1 = special(
    "powm1",
    lambda g, _out, x, y: g * (y * power(x, where(y == 0, 1, y - 1))),  # not out + 1
    lambda g, _out, x, y: g * (power(x, y) * log(where((x == 0) & (y >= 0), 1, x))),
    samples=two((positive, normal)),
    doc="`x**y - 1`, accurate where the power is near 1.",
)
