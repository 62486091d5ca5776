"""Powers. Conventions at edges are those in which JAX and PyTorch agree.

- The derivative with respect to the base is 0 where the exponent is 0, also at 0 ** 0.
- The derivative with respect to the exponent is 0 where the base is 0 and the exponent is not
  negative, also at 0 ** 0.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

from numpy import generic

from ..backend import namespace, python_numbers
from ..core.array import Array
from .complex import real
from .define import elementwise
from .elementary import log
from .linear import cast
from .samples import Sample, away_from_zero, complex_normal, normal, positive
from .selection import where


def _raised(x: Any, y: Any) -> Any:
    """``x ** y`` for a number `y`, with products where they are faster than NumPy's power."""
    if y == 1:
        return x
    if y == 2:
        return x * x
    return x * x * x if y == 3 else x**y


def _base_rule(g: Any, _out: Any, x: Any, y: Any) -> Any:
    if type(y) in python_numbers or isinstance(y, generic):
        return g * (y * _raised(x, y - 1)) if y else g * 0
    origin = (x == 0) & (y == 0)
    return g * (y * where(origin, 1, x) ** (y - 1))


def _number(x: Any, like: Any) -> Any:
    """A number in the dtype and on the device of an array."""
    data = like.raw if isinstance(like, Array) else like
    return namespace(data).asarray(x, dtype=data.dtype)[()]


def _exponent_rule(g: Any, out: Any, x: Any, y: Any) -> Any:
    flat = (x == 0) & (real(y) >= 0)
    x = _number(x, out) if type(x) in python_numbers else cast(x, out.dtype)
    return g * (out * log(where(flat, 1, x)))


def _samples(rng: Any) -> Iterator[Sample]:
    for a, b in (((), ()), ((4,), (4,)), ((2, 1), (3,)), ((3,), ())):
        yield (positive(rng, a), normal(rng, b)), {}
    yield (complex_normal(rng, (3,)), complex_normal(rng, (3,))), {}
    yield (positive(rng, (3,)), complex_normal(rng, (3,))), {}
    for y in (3, 3.0, -2, 0, 0.5, 1):
        yield (positive(rng, (2, 3)), y), {}
    yield (away_from_zero(rng, (4, 1)), rng.integers(-2, 4, (3,), "int8")), {}
    yield (2.0, normal(rng, (3,))), {}
    yield (rng.integers(1, 5, (3,), "int8"), normal(rng, (3,))), {}


pow = elementwise(
    "pow",
    _base_rule,
    _exponent_rule,
    forward=lambda _xp, x, y: x**y,  # of small integers, not always as NumPy's function of the name
    operator=operator.pow,
    steep=True,
    samples=_samples,
    doc=__doc__ or "",
)
