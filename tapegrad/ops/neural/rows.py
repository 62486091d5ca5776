"""Rows of a matrix by index (an embedding), and the sums of rows that an index puts together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy

from ...backend import namespace
from ...core.op import Op
from ...core.record import raw
from ..add_at import add_at
from ..define import Function, define
from ..linear import broadcast_to, in_single, reshape
from ..samples import Sample, normal


def _take_forward(xp: Any, x: Any, index: Any) -> Any:
    flat = xp.take(x, xp.reshape(index, (-1,)), axis=0) if index.size else x[:0, ...]
    return xp.reshape(flat, (*index.shape, *x.shape[1:]))


@in_single
def _add_forward(xp: Any, g: Any, index: Any, *, to: int) -> Any:
    shape = g.shape[index.ndim :]
    out = xp.zeros((to, *shape), dtype=g.dtype)
    if not g.size:
        return out
    places = xp.reshape(index, (-1,))
    add_at(out, (places,), xp.reshape(g, (-1, *shape)))
    return out


def _lanes(index: Any, has: bool, lanes: int, size: int) -> Any:
    """An index into the rows of all lanes, one lane after the other."""
    first = namespace(raw(index)).arange(lanes) * size
    own = index.ndim - has
    return index + first.reshape(-1, *(1,) * own)


def _take_batch(function: Any, mapped: tuple[bool, ...], x: Any, index: Any) -> Any:
    if not mapped[0]:
        return function(x, index)
    lanes, size = x.shape[:2]
    flat = reshape(x, to=(lanes * size, *x.shape[2:]))
    return function(flat, _lanes(index, mapped[1], lanes, size))


def _add_batch(function: Any, mapped: tuple[bool, ...], g: Any, index: Any, *, to: int) -> Any:
    lanes = (g if mapped[0] else index).shape[0]
    if not mapped[0]:
        g = broadcast_to(g, to=(lanes, *g.shape))
    out = function(g, _lanes(index, mapped[1], lanes, to), to=lanes * to)
    return reshape(out, to=(lanes, to, *out.shape[1:]))


def _samples(rng: Any) -> Iterator[Sample]:
    for index in (numpy.array([2, 0, 2]), numpy.array([[1, 1], [3, 0]]), numpy.array(1)):
        yield (normal(rng, (4, 3)), index), {}
    yield (normal(rng, (2, 3)), numpy.zeros((0, 2), int)), {}


def _add_samples(rng: Any) -> Iterator[Sample]:
    for (x, index), _ in _samples(rng):
        yield (normal(rng, (*index.shape, x.shape[1])), index), {"to": x.shape[0]}


take_rows: Function = define(
    Op(
        "take_rows",
        forward=_take_forward,
        vjp=(lambda g, _out, shape, index: add_rows(g, index, to=shape[0]), None),
        jvp=lambda tangents, _out, _x, index: take_rows(tangents[0], index),
        batch=_take_batch,
        samples=_samples,
        doc="The rows of `x` that an index of any shape names.",
    )
)
add_rows: Function = define(
    Op(
        "add_rows",
        forward=_add_forward,
        vjp=(lambda g, _out, _g, index, *, to: take_rows(g, index), None),
        jvp=lambda tangents, _out, _g, index, *, to: add_rows(tangents[0], index, to=to),
        batch=_add_batch,
        samples=_add_samples,
        doc="A matrix of `to` rows, each the sum of those of `g` whose place in the index it is.",
    )
)
