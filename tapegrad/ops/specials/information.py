"""Products with logarithms, entropies, and a loss between quadratic and linear."""

from __future__ import annotations

from typing import Any

from ..arithmetic import square
from ..comparison import logical_not
from ..complex import abs
from ..define import Function, elementwise
from ..elementary import hypot, log, log1p
from ..samples import complex_normal, normal, one, positive, two, uniform
from ..selection import keep, where
from .define import special


def log_ratio(x: Any, y: Any) -> Any:
    """``log(x / y)``, accurate where the two are close and where the quotient would overflow."""
    near = abs(x - y) < 0.5 * y
    close = log1p(where(near, (x - y) / where(near, y, 1), 0))
    return where(near, close, log(where(near, 1, x)) - log(where(near, 1, y)))


def _over(x: Any, y: Any) -> Any:
    """``x / y``, 0 where `x` is."""
    return x / where(x == 0, 1, y)


xlogy = special(
    "xlogy",
    lambda g, _out, _x, y: g * log(y),
    lambda g, _out, x, y: g * _over(x, y),
    samples=two((normal, positive), (complex_normal, complex_normal)),
    doc="`x * log(y)`, 0 where `x` is 0. There it is constant in `y`.",
)
xlog1py = special(
    "xlog1py",
    lambda g, _out, _x, y: g * log1p(y),
    lambda g, _out, x, y: g * _over(x, 1 + y),
    samples=two((normal, positive), (complex_normal, complex_normal)),
    doc="`x * log1p(y)`, 0 where `x` is 0. There it is constant in `y`.",
)


def _entr_rule(g: Any, _out: Any, x: Any) -> Any:
    inside = logical_not(x < 0)  # or NaN
    return keep(g * (-1 - log(where(inside, x, 1))), inside)


entr = special(
    "entr",
    _entr_rule,
    samples=one(positive),
    doc="`-x * log(x)`, -inf where `x` is negative. Its derivative at 0 is inf, below it 0.",
)
rel_entr = special(
    "rel_entr",
    lambda g, _out, x, y: g * (log_ratio(x, y) + 1),
    lambda g, _out, x, y: -g * _over(x, y),
    samples=two((positive, positive)),
    doc="`x * log(x / y)`, 0 where `x` is 0 and `y` is not negative.",
)
kl_div = special(
    "kl_div",
    lambda g, _out, x, y: g * log_ratio(x, y),
    lambda g, _out, x, y: g * _over(y - x, y),
    samples=two((positive, positive)),
    doc="`x * log(x / y) - x + y`.",
)

_deltas = uniform(0.5, 1.5)


def _pseudo_huber_by_delta(g: Any, _out: Any, delta: Any, r: Any) -> Any:
    size = hypot(delta, r)
    size = where(size == 0, 1, size)
    return g * (square(r) / size) * square(r / (size + abs(delta)))


def _size(x: Any, y: Any) -> Any:
    size = hypot(x, y)
    return where(size == 0, 1, size)


def _unit_part(xp: Any, x: Any, y: Any) -> Any:
    size = xp.where((x == 0) & (y == 0), 1, xp.hypot(x, y))
    return xp.where(xp.isinf(x) & ~xp.isinf(y), xp.sign(x), x / size)[()]


unit_part: Function = elementwise(
    "unit_part",
    lambda g, _out, x, y: g * (square(unit_part(y, x)) / _size(x, y)),
    lambda g, out, x, y: -g * (out * unit_part(y, x) / _size(x, y)),
    forward=_unit_part,
    steep=True,
    samples=two((normal, normal)),
    doc="`x / hypot(x, y)`, 0 at (0, 0). Its derivatives do not cancel, as those of a quotient do.",
)

pseudo_huber = special(
    "pseudo_huber",
    _pseudo_huber_by_delta,
    lambda g, _out, delta, r: g * (abs(delta) * unit_part(r, delta)),
    samples=two((_deltas, normal)),
    doc="`delta**2 * (sqrt(1 + (r / delta)**2) - 1)`.",
)
