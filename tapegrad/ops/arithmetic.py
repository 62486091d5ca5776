"""Arithmetic, elementwise."""

from __future__ import annotations

import operator
from typing import Any

from .define import elementwise

add = elementwise(
    "add",
    lambda g, _out, _x, _y: g,
    lambda g, _out, _x, _y: g,
    operator=operator.add,
)
subtract = elementwise(
    "subtract",
    lambda g, _out, _x, _y: g,
    lambda g, _out, _x, _y: -g,
    operator=operator.sub,
)
multiply = elementwise(
    "multiply",
    lambda g, _out, _x, y: g * y,
    lambda g, _out, x, _y: g * x,
    operator=operator.mul,
)
divide = elementwise(
    "divide",
    lambda g, _out, _x, y: g / y,
    lambda g, out, _x, y: -g * out / y,
    operator=operator.truediv,
)
negative = elementwise("negative", lambda g, _out, _x: -g, operator=operator.neg)
exp = elementwise("exp", lambda g, out, _x: g * out)
log = elementwise("log", lambda g, _out, x: g / x)
sin = elementwise("sin", lambda g, _out, x: g * cos(x))
cos = elementwise("cos", lambda g, _out, x: -g * sin(x))
tanh = elementwise("tanh", lambda g, out, _x: g * (1 - out * out))
sqrt = elementwise("sqrt", lambda g, out, _x: g * 0.5 / out)
square = elementwise("square", lambda g, _out, x: g * 2 * x)
greater = elementwise("greater", operator=operator.gt)
where = elementwise(
    "where",
    None,
    lambda g, _out, mask, _x, _y: where(mask, g, 0),
    lambda g, _out, mask, _x, _y: where(mask, 0, g),
)


def _guard(xp: Any, d: Any, g: Any) -> Any:
    poisoned = xp.isnan(d) & (g == 0)
    return xp.where(poisoned, xp.zeros_like(d), d) if xp.any(poisoned) else d


guard = elementwise(
    "guard",
    lambda g, _out, d, zero: where(isnan(d) & (zero == 0), 0, g),
    None,
    forward=_guard,
    doc="`d`, with zeros where it is NaN although the cotangent it is proportional to is zero.",
)
isnan = elementwise("isnan")
