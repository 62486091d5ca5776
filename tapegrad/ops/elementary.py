"""The elementary functions: exponentials, logarithms, roots, circular and hyperbolic functions.

Singular derivatives are infinite as in JAX and PyTorch: `sqrt` and `cbrt` at 0, `log` at 0, `asin`
and `acos` at 1 and -1, `acosh` at 1, `atanh` at 1 and -1.
"""

from __future__ import annotations

import math
from typing import Any

from ..backend import quiet
from .blocks import in_blocks
from .comparison import isinf
from .define import Function, elementwise
from .samples import complex_normal, normal, one, positive, two, uniform, unit
from .selection import where

LOG_2 = math.log(2)
LOG_10 = math.log(10)


def _right_half(rng: Any, shape: tuple[int, ...]) -> Any:
    return positive(rng, shape) + 1j * normal(rng, shape)


_everywhere = one(normal, complex_normal)
_logarithmic = one(positive, _right_half)

exp = elementwise("exp", lambda g, out, _x: g * out, steep=True, samples=_everywhere)
exp2 = elementwise("exp2", lambda g, out, _x: g * (out * LOG_2), steep=True, samples=_everywhere)
expm1 = elementwise("expm1", lambda g, out, _x: g + g * out, steep=True, samples=_everywhere)
log = elementwise("log", lambda g, _out, x: g / x, steep=True, samples=_logarithmic)
log2 = elementwise("log2", lambda g, _out, x: g / (x * LOG_2), steep=True, samples=_logarithmic)
log10 = elementwise("log10", lambda g, _out, x: g / (x * LOG_10), steep=True, samples=_logarithmic)
log1p = elementwise("log1p", lambda g, _out, x: g / (x + 1), steep=True, samples=_logarithmic)
sqrt = elementwise("sqrt", lambda g, out, _x: g / (out + out), steep=True, samples=_logarithmic)
cbrt = elementwise(
    "cbrt",
    lambda g, out, _x: g / (3 * out * out),
    steep=True,
    samples=one(positive, uniform(-3, -0.3)),
)

sin = elementwise("sin", lambda g, _out, x: g * cos(x), samples=_everywhere)
cos: Function = elementwise("cos", lambda g, _out, x: -g * sin(x), samples=_everywhere)
tan = elementwise("tan", lambda g, out, _x: g + g * out * out, samples=one(unit, complex_normal))
asin = elementwise(
    "asin",
    lambda g, _out, x: g / sqrt((1 - x) * (1 + x)),
    steep=True,
    samples=one(unit, complex_normal),
)
acos = elementwise(
    "acos",
    lambda g, _out, x: -g / sqrt((1 - x) * (1 + x)),
    steep=True,
    samples=one(unit, complex_normal),
)
atan = elementwise("atan", lambda g, _out, x: g / (1 + x * x), steep=True, samples=_everywhere)

sinh = elementwise("sinh", lambda g, _out, x: g * cosh(x), steep=True, samples=_everywhere)
cosh: Function = elementwise(
    "cosh", lambda g, _out, x: g * sinh(x), steep=True, samples=_everywhere
)
tanh = elementwise(  # in this order NumPy computes in one array, in place
    "tanh", lambda g, out, _x: -(g * out * out) + g, samples=_everywhere
)
asinh = elementwise(
    "asinh", lambda g, _out, x: g / sqrt(x * x + 1), steep=True, samples=_everywhere
)
acosh = elementwise(
    "acosh",
    lambda g, _out, x: g / (sqrt(x - 1) * sqrt(x + 1)),
    steep=True,
    samples=one(uniform(1.2, 4.0), complex_normal),
)
atanh = elementwise(
    "atanh",
    lambda g, _out, x: g / ((1 - x) * (1 + x)),
    steep=True,
    samples=one(unit, complex_normal),
)

degrees = elementwise("degrees", lambda g, _out, _x: g * (180 / math.pi), samples=one(normal))
radians = elementwise("radians", lambda g, _out, _x: g * (math.pi / 180), samples=one(normal))

_points = two((normal, normal))

hypot = elementwise(
    "hypot",
    lambda g, out, x, _y: g * (x / where(out == 0, 1, out)),
    lambda g, out, _x, y: g * (y / where(out == 0, 1, out)),
    steep=True,
    samples=_points,
    doc="The length of (x, y). Its derivative at (0, 0) is 0.",
)


def _over_square(x: Any, y: Any, z: Any) -> Any:
    """``z / (x**2 + y**2)`` without overflow, 0 where `x` and `y` are."""
    length = hypot(x, y)
    length = where(length == 0, 1, length)
    return z / length / length


atan2 = elementwise(
    "atan2",
    lambda g, _out, y, x: g * _over_square(y, x, x),
    lambda g, _out, y, x: -g * _over_square(y, x, y),
    steep=True,
    samples=_points,
    doc="The angle of the point (x, y), given as `atan2(y, x)`. Its derivative at (0, 0) is 0.",
)


def logistic(xp: Any, x: Any) -> Any:
    """`1 / (1 + exp(-x))` of raw data."""
    with quiet():  # of an overflow to infinity, whose reciprocal is 0
        return in_blocks(lambda x: 1 / (1 + xp.exp(-x)), x, kernel="sigmoid")


sigmoid: Function = elementwise(
    "sigmoid",
    lambda g, out, _x: in_blocks(lambda g, out: g * (out - out * out), g, out),
    forward=logistic,
    regular=True,
    samples=one(normal, uniform(-8, 8), complex_normal),
    doc="The logistic function `1 / (1 + exp(-x))`.",
)


def _share(x: Any, y: Any, scale: float = 1) -> Any:
    """The weight of `x` in a sum of exponentials: one half where both are the same infinity."""
    return sigmoid(where(isinf(x) & (x == y), 0, x - y) * scale)


logaddexp = elementwise(
    "logaddexp",
    lambda g, _out, x, y: g * _share(x, y),
    lambda g, _out, x, y: g * _share(y, x),
    steep=True,
    samples=_points,
    doc="`log(exp(x) + exp(y))`. Two equal infinities share the cotangent equally.",
)
logaddexp2 = elementwise(
    "logaddexp2",
    lambda g, _out, x, y: g * _share(x, y, LOG_2),
    lambda g, _out, x, y: g * _share(y, x, LOG_2),
    steep=True,
    samples=_points,
    doc="`log2(2**x + 2**y)`. Two equal infinities share the cotangent equally.",
)
