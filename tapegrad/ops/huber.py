"""Huber's loss, of NumPy's floats without SciPy."""

from __future__ import annotations

from typing import Any

from numpy import ndarray

from ..backend import special as function_of
from .blocks import in_blocks
from .complex import abs
from .define import elementwise
from .samples import two, uniform
from .selection import clip, keep

_deltas = uniform(0.5, 1.5)
_within = uniform(-0.4, 0.4)


def _huber(xp: Any, delta: Any, r: Any) -> Any:
    """Of NumPy's floats without SciPy, in a few passes that stay in the cache."""
    if not (type(r) is ndarray and r.dtype.char in "fd" and type(delta) is float and delta >= 0):
        return function_of(xp, "huber")(delta, r)

    def bent(r: Any) -> Any:
        size = xp.abs(r)
        low = xp.minimum(size, delta)
        return low * (size - low * 0.5)

    return in_blocks(bent, r)


def _huber_by_r(g: Any, _out: Any, delta: Any, r: Any) -> Any:
    if type(delta) is float:
        return in_blocks(lambda g, r: g * clip(r, -delta, delta), g, r)
    return g * clip(r, -delta, delta)


huber = elementwise(
    "huber",
    lambda g, _out, delta, r: keep(g * (abs(r) - delta), abs(r) > delta),
    _huber_by_r,
    forward=_huber,
    steep=True,
    samples=two((_deltas, _within), (_deltas, uniform(2, 3)), (_deltas, uniform(-3, -2))),
    doc="`r**2 / 2` where `abs(r) <= delta`, beyond it `delta * (abs(r) - delta / 2)`.",
)
