"""Operations that choose, element by element: `where`, the larger, the smaller, `clip`.

Their rules choose too, and never multiply by a mask: an infinite cotangent of what was not chosen
must not become NaN.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .comparison import booleans, isnan
from .define import Function, elementwise
from .samples import Sample, complex_normal, normal, two


def _where(xp: Any, mask: Any, x: Any, y: Any) -> Any:
    out = xp.where(mask, x, y)
    return out if out.ndim else out[()]


def _where_samples(rng: Any) -> Iterator[Sample]:
    for mask, a, b in (((), (), ()), ((4,), (4,), (4,)), ((2, 1), (3,), ()), ((), (2,), (2, 1))):
        yield (booleans(rng, mask), normal(rng, a), normal(rng, b)), {}
    yield (booleans(rng, (3,)), complex_normal(rng, (3,)), normal(rng, (3,))), {}


where: Function = elementwise(
    "where",
    None,
    lambda g, _out, mask, _x, _y: where(mask, g, 0),
    lambda g, _out, mask, _x, _y: where(mask, 0, g),
    forward=_where,
    regular=True,
    samples=_where_samples,
    doc="`x` where `mask` is true, else `y`.",
)


def _guard(xp: Any, d: Any, g: Any) -> Any:
    poisoned = xp.isnan(d) & (g == 0)
    if xp.any(poisoned):
        return _where(xp, poisoned, xp.zeros_like(d), d)
    return d if d.shape == poisoned.shape else xp.broadcast_to(d, poisoned.shape)


def _guard_samples(rng: Any) -> Iterator[Sample]:
    for shape in ((), (4,), (2, 3)):
        yield (normal(rng, shape), normal(rng, shape)), {}


guard = elementwise(
    "guard",
    lambda g, _out, d, zero: where(isnan(d) & (zero == 0), 0, g),
    None,
    forward=_guard,
    regular=True,
    samples=_guard_samples,
    doc="`d`, with zeros where it is NaN although the cotangent it is proportional to is zero.",
)

_HALVES = "Where both are equal, each gets half of the cotangent."

maximum = elementwise(
    "maximum",
    lambda g, _out, x, y: where(x > y, g, where(x == y, g * 0.5, 0)),
    lambda g, _out, x, y: where(y > x, g, where(x == y, g * 0.5, 0)),
    regular=True,
    samples=two((normal, normal), (complex_normal, complex_normal)),
    doc=f"The larger of two, NaN if one is NaN. {_HALVES}",
)
minimum = elementwise(
    "minimum",
    lambda g, _out, x, y: where(x < y, g, where(x == y, g * 0.5, 0)),
    lambda g, _out, x, y: where(y < x, g, where(x == y, g * 0.5, 0)),
    regular=True,
    samples=two((normal, normal), (complex_normal, complex_normal)),
    doc=f"The smaller of two, NaN if one is NaN. {_HALVES}",
)


fmax = elementwise(
    "fmax",
    lambda g, _out, x, y: where((x > y) | _alone(x, y), g, where(x == y, g * 0.5, 0)),
    lambda g, _out, x, y: where((y > x) | _alone(y, x), g, where(x == y, g * 0.5, 0)),
    regular=True,
    samples=two((normal, normal)),
    doc=f"The larger of two, or the one that is not NaN, which then gets all. {_HALVES}",
)
fmin = elementwise(
    "fmin",
    lambda g, _out, x, y: where((x < y) | _alone(x, y), g, where(x == y, g * 0.5, 0)),
    lambda g, _out, x, y: where((y < x) | _alone(y, x), g, where(x == y, g * 0.5, 0)),
    regular=True,
    samples=two((normal, normal)),
    doc=f"The smaller of two, or the one that is not NaN, which then gets all. {_HALVES}",
)


def _alone(x: Any, y: Any) -> Any:
    """Where `x` is a number and `y` is NaN."""
    return (x == x) & isnan(y)


def _clip_samples(rng: Any) -> Iterator[Sample]:
    for x, low, high in (((), (), ()), ((6,), (), ()), ((3, 4), (4,), (3, 1)), ((), (4,), ())):
        yield (normal(rng, x) * 2, normal(rng, low) - 1, normal(rng, high) + 1), {}
    yield (normal(rng, (5,)), normal(rng, ()) + 4, normal(rng, ()) - 4), {}


clip = elementwise(
    "clip",
    lambda g, _out, x, low, high: where((x >= low) & (x <= high), g, 0),
    lambda g, _out, x, low, high: where((x < low) & (low <= high), g, 0),
    lambda g, _out, x, low, high: where((x > high) | (low > high), g, 0),
    regular=True,
    samples=_clip_samples,
    doc="`x` between two bounds. On a bound, `x` gets the whole cotangent (as in PyTorch; JAX "
    "gives half). Where the lower bound is above the upper, the upper is the result and gets all.",
)
