"""Operations that choose, element by element: `where`, the larger, the smaller, `clip`.

Their rules choose too (`keep`): a cotangent of what was not chosen becomes zero, were it infinite.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy
from numpy import ndarray

from ..backend import on_device
from .comparison import booleans, isnan, logical_not
from .define import Function, elementwise
from .fused import fused
from .samples import Sample, complex_normal, normal, one, two


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
    lambda g, _out, mask, _x, _y: keep(g, mask),
    lambda g, _out, mask, _x, _y: keep(g, logical_not(mask)),
    forward=_where,
    regular=True,
    samples=_where_samples,
    doc="`x` where `mask` is true, else `y`.",
)


def _keep(xp: Any, g: Any, mask: Any) -> Any:
    if type(g) is type(mask) is ndarray and g.size > FEW and g.shape == mask.shape:
        bits = BITS.get(g.dtype)
        if bits is not None and mask.dtype == bool and g.flags.c_contiguous:
            # a ninth of the time of a select by an irregular mask
            out = mask.view(numpy.int8).astype(bits)
            numpy.negative(out, out=out)
            out &= g.view(bits)
            return out.view(g.dtype)
    return _where(xp, mask, g, 0)


FEW = 500
"""Up to so many elements, one NumPy call takes less time than four quick ones."""

BITS = {numpy.dtype(f"f{n}"): numpy.dtype(f"i{n}") for n in (2, 4, 8)}
"""Integers of as many bits as floating-point numbers."""


def _keep_samples(rng: Any) -> Iterator[Sample]:
    for shape, mask in (((), ()), ((4,), (4,)), ((2, 3), (3,))):
        yield (normal(rng, shape), booleans(rng, mask)), {}
    yield (normal(rng, (5,)), rng.integers(0, 2, (5,))), {}


keep: Function = elementwise(
    "keep",
    lambda g, _out, _kept, mask: keep(g, mask),
    None,
    forward=_keep,
    regular=True,
    samples=_keep_samples,
    doc="`g` where `mask` is true, else 0.",
)


def _where_larger(xp: Any, g: Any, x: Any, y: Any) -> Any:
    out, tie = _keep(xp, g, x > y), x == y
    if xp is numpy and not numpy.count_nonzero(tie):
        return out
    return out + _keep(xp, g * 0.5, tie)


def _where_larger_samples(rng: Any) -> Iterator[Sample]:
    for shape in ((), (4,), (2, 3)):
        yield tuple(normal(rng, shape) for _ in range(3)), {}
    yield (normal(rng, (9,)), rng.integers(0, 2, (9,)), rng.integers(0, 2, (9,))), {}


where_larger: Function = elementwise(
    "where_larger",
    lambda g, _out, _kept, x, y: where_larger(g, x, y),
    None,
    None,
    forward=_where_larger,
    regular=True,
    samples=_where_larger_samples,
    doc="`g` where `x` is larger than `y`, half of it where both are equal, else 0.",
)


def _guard(xp: Any, d: Any, g: Any) -> Any:
    if on_device(d):  # where to look would be to wait
        return fused(lambda d, g: xp.where(xp.isnan(d) & (g == 0), 0, d), d, g)
    poisoned = xp.isnan(d) & (g == 0)
    if xp.any(poisoned):
        return _where(xp, poisoned, xp.zeros_like(d), d)
    return d if d.shape == poisoned.shape else xp.broadcast_to(d, poisoned.shape)


def _guard_samples(rng: Any) -> Iterator[Sample]:
    for shape in ((), (4,), (2, 3)):
        yield (normal(rng, shape), normal(rng, shape)), {}


guard = elementwise(
    "guard",
    lambda g, _out, d, zero: keep(g, logical_not(isnan(d) & (zero == 0))),
    None,
    forward=_guard,
    regular=True,
    samples=_guard_samples,
    doc="`d`, with zeros where it is NaN although the cotangent it is proportional to is zero.",
)

_HALVES = "Where both are equal, each gets half of the cotangent."

maximum = elementwise(
    "maximum",
    lambda g, _out, x, y: where_larger(g, x, y),
    lambda g, _out, x, y: where_larger(g, y, x),
    regular=True,
    samples=two((normal, normal), (complex_normal, complex_normal)),
    doc=f"The larger of two, NaN if one is NaN. {_HALVES}",
)
minimum = elementwise(
    "minimum",
    lambda g, _out, x, y: where_larger(g, y, x),
    lambda g, _out, x, y: where_larger(g, x, y),
    regular=True,
    samples=two((normal, normal), (complex_normal, complex_normal)),
    doc=f"The smaller of two, NaN if one is NaN. {_HALVES}",
)


fmax = elementwise(
    "fmax",
    lambda g, _out, x, y: where_larger(g, x, y) + keep(g, isnan(y)),
    lambda g, _out, x, y: where_larger(g, y, x) + keep(g, isnan(x) & (y == y)),
    regular=True,
    samples=two((normal, normal)),
    doc=f"The larger of two, or the one that is not NaN, which then gets all (of two NaNs, the "
    f"first). {_HALVES}",
)
fmin = elementwise(
    "fmin",
    lambda g, _out, x, y: where_larger(g, y, x) + keep(g, isnan(y)),
    lambda g, _out, x, y: where_larger(g, x, y) + keep(g, isnan(x) & (y == y)),
    regular=True,
    samples=two((normal, normal)),
    doc=f"The smaller of two, or the one that is not NaN, which then gets all (of two NaNs, the "
    f"first). {_HALVES}",
)


def _clip_samples(rng: Any) -> Iterator[Sample]:
    for x, low, high in (((), (), ()), ((6,), (), ()), ((3, 4), (4,), (3, 1)), ((), (4,), ())):
        yield (normal(rng, x) * 2, normal(rng, low) - 1, normal(rng, high) + 1), {}
    yield (normal(rng, (5,)), normal(rng, ()) + 4, normal(rng, ()) - 4), {}


clip = elementwise(
    "clip",
    lambda g, _out, x, low, high: keep(g, (x >= low) & (x <= high)),
    lambda g, _out, x, low, high: keep(g, (x < low) & (low <= high)),
    lambda g, _out, x, low, high: keep(g, (x > high) | (low > high)),
    regular=True,
    samples=_clip_samples,
    doc="`x` between two bounds. On a bound, `x` gets the whole cotangent (as in PyTorch; JAX "
    "gives half); NaN gets nothing. Where the lower bound is above the upper, the upper is the "
    "result and gets all.",
)


relu = elementwise(
    "relu",
    lambda g, out, _x: keep(g, ~(out <= 0)),
    forward=lambda xp, x: xp.maximum(x, 0),
    operator=lambda x: numpy.maximum(x, 0),
    regular=True,
    samples=one(normal),
    doc="`x` where it is positive, else 0. The derivative at 0 is 0; NaN lets cotangents through.",
)


def _held(xp: Any, x: Any, value: Any) -> Any:
    return value if value.shape == x.shape else xp.broadcast_arrays(value, x)[0]


def _held_samples(rng: Any) -> Iterator[Sample]:
    for shape in ((), (4,), (2, 3)):
        yield (normal(rng, shape), normal(rng, shape)), {}


held = elementwise(
    "held",
    lambda g, _out, _x, _value: g * 0,
    None,
    forward=_held,
    samples=_held_samples,
    doc="`value`, computed from `x`, of its shape, by a function constant but for jumps.",
)
