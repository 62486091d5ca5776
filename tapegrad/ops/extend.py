"""Continuing an array beyond its edges along one axis, and the transpose of that."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy

from ..core.op import Op
from .add_at import add_at
from .define import Function, define
from .samples import Sample, complex_normal, normal

PADS = {
    "nearest": "edge",
    "wrap": "wrap",
    "reflect": "symmetric",
    "mirror": "reflect",
    "constant": None,
}
"""By the name that `scipy.ndimage` has for it, NumPy's name of a way to continue."""


@lru_cache(maxsize=64)
def sources(n: int, before: int, after: int, mode: str) -> Any:
    """Which element stands at each place of an extended axis."""
    pad: Any = PADS[mode]
    places = numpy.pad(numpy.arange(n), (before, after), pad)
    places.flags.writeable = False
    return places


def part(axis: int, start: int, stop: int | None) -> tuple[slice, ...]:
    """The key of a run of elements along an axis."""
    return (*(slice(None),) * axis, slice(start, stop))


def _extend_forward(xp: Any, x: Any, *, axis: int, before: int, after: int, mode: str) -> Any:
    n = x.shape[axis]
    if mode != "constant":
        return xp.take(x, xp.asarray(sources(n, before, after, mode)), axis=axis)
    shape = (*x.shape[:axis], before + n + after, *x.shape[axis + 1 :])
    out = xp.zeros(shape, dtype=x.dtype)
    out[part(axis, before, before + n)] = x
    return out


def _extend_rule(
    g: Any, _out: Any, _x: Any, *, axis: int, before: int, after: int, mode: str
) -> Any:
    return fold(g, axis=axis, before=before, after=after, mode=mode)


def _fold_forward(xp: Any, g: Any, *, axis: int, before: int, after: int, mode: str) -> Any:
    n = g.shape[axis] - before - after
    out = xp.asarray(g[part(axis, before, before + n)], copy=True)
    if mode != "constant":
        places = sources(n, before, after, mode)
        for start, stop in ((0, before), (before + n, None)):
            edge = xp.asarray(places[start:stop])
            if edge.size:
                add_at(out, (*(slice(None),) * axis, edge), g[part(axis, start, stop)])
    return out


def _fold_rule(g: Any, _out: Any, _g: Any, *, axis: int, before: int, after: int, mode: str) -> Any:
    return extend(g, axis=axis, before=before, after=after, mode=mode)


def _batch(
    function: Function, mapped: tuple[bool, ...], x: Any, *, axis: int, **params: Any
) -> Any:
    return function(x, axis=axis + 1, **params)


def _samples(rng: Any) -> Iterator[Sample]:
    for mode in PADS:
        yield (normal(rng, (3,)),), {"axis": 0, "before": 1, "after": 2, "mode": mode}
        yield (normal(rng, (2, 3)),), {"axis": 1, "before": 7, "after": 0, "mode": mode}
    yield (complex_normal(rng, (2, 2)),), {"axis": 0, "before": 1, "after": 1, "mode": "reflect"}


def _fold_samples(rng: Any) -> Iterator[Sample]:
    for (x,), params in _samples(rng):
        yield (_extend_forward(numpy, x, **params) + normal(rng, ()),), params


extend: Function = define(
    Op(
        "extend",
        forward=_extend_forward,
        vjp=(_extend_rule,),
        jvp="linear",
        batch=_batch,
        samples=_samples,
        doc="`x` with `before` and `after` more elements along `axis`: zeros, or its own as a "
        "boundary mode of `scipy.ndimage` says.",
    ),
    structural=True,
)

fold: Function = define(
    Op(
        "fold",
        forward=_fold_forward,
        vjp=(_fold_rule,),
        jvp="linear",
        batch=_batch,
        samples=_fold_samples,
        doc="The transpose of `extend`: what is beyond the edges is added to where it came from.",
    ),
    structural=True,
)
