"""Item assignment as a pure operation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..core.array import Array
from ..core.op import Op, table
from .define import define, size_of
from .index import (
    EVERYTHING,
    Key,
    arranged,
    fill,
    getitem,
    index_samples,
    inverse,
    layout,
    scatter_add,
)
from .linear import broadcast_to
from .samples import Sample, normal


def _setitem_forward(xp: Any, x: Any, value: Any, *indices: Any, key: Key) -> Any:
    out = xp.empty_like(x)
    out[...] = x
    out[fill(key, indices)] = value
    return out if x.shape else out[()]


def remaining(value: Any, indices: tuple[Any, ...], key: Key, shape: tuple[int, ...]) -> Any:
    """`value` with zeros where an assignment to repeated places writes over it."""
    if not indices or (len(indices) == 1 and indices[0].ndim == 0):
        return value
    return table["where"].function(last_written(*indices, key=key, to=shape), value, 0)


def _setitem_rule(
    g: Any, _out: Any, shape: Any, _shape: Any, *indices: Any, argnum: int, key: Key
) -> Any:
    if argnum == 0:
        return setitem(g, 0, *indices, key=key)
    return remaining(getitem(g, *indices, key=key), indices, key, shape)


def _setitem_jvp(
    tangents: tuple[Any, ...], _out: Any, shape: Any, _shape: Any, *indices: Any, key: Key
) -> Any:
    t, t_value, *_ = tangents
    if t is None:
        return scatter_add(remaining(t_value, indices, key, shape), *indices, key=key, to=shape)
    return setitem(t, 0 if t_value is None else t_value, *indices, key=key)


def _setitem_batch(
    function: Any, mapped: tuple[bool, ...], x: Any, value: Any, *indices: Any, key: Key
) -> Any:
    has_x, has_value, *chosen = mapped
    lanes = next(a.shape[0] for a, has in zip((x, value, *indices), mapped, strict=True) if has)
    if not has_x:
        x = broadcast_to(x, to=(lanes, *x.shape))
    plan = layout(key, indices, tuple(chosen), x.ndim - 1, lanes)
    if not has_value and (isinstance(value, Array) or getattr(value, "shape", None)):
        value = broadcast_to(value, to=(lanes, *value.shape))
        has_value = True
    if has_value:
        value = arranged(value, inverse(plan.axes))
    return function(x, value, *plan.indices, key=plan.key)


def _last_written_forward(xp: Any, *indices: Any, key: Key, to: tuple[int, ...]) -> Any:
    places = xp.zeros(to, dtype=xp.int64)
    full = fill(key, indices)
    shape = places[full].shape
    numbers = xp.reshape(xp.arange(size_of(shape), dtype=xp.int64), shape)
    places[full] = numbers
    return places[full] == numbers


def _last_written_batch(
    function: Any, mapped: tuple[bool, ...], *indices: Any, key: Key, to: tuple[int, ...]
) -> Any:
    (lanes,) = {i.shape[0] for i, has in zip(indices, mapped, strict=True) if has}
    plan = layout(key, indices, mapped, len(to), lanes)
    return arranged(function(*plan.indices, key=plan.key, to=(lanes, *to)), plan.axes)


def _setitem_samples(rng: Any) -> Iterator[Sample]:
    for (x, *indices), params in index_samples(rng):
        region = x[fill(params["key"], tuple(indices))]
        value = normal(rng, region.shape)
        yield (x, value + 0 * region, *indices), params
    yield (normal(rng, (3, 2)), 0.0), {"key": (1, EVERYTHING)}


def _last_written_samples(rng: Any) -> Iterator[Sample]:
    for (x, *indices), params in index_samples(rng):
        if indices:
            yield tuple(indices), {**params, "to": x.shape}


setitem = define(
    Op(
        "setitem",
        forward=_setitem_forward,
        vjp=_setitem_rule,
        jvp=_setitem_jvp,
        batch=_setitem_batch,
        samples=_setitem_samples,
        doc="`x` with `value` at an index. `value` has the index's shape, or is a plain number. "
        "Where the index names a place twice, the last value stays.",
    )
)

last_written = define(
    Op(
        "last_written",
        forward=_last_written_forward,
        vjp=None,
        jvp=None,
        batch=_last_written_batch,
        samples=_last_written_samples,
        doc="Of an assignment at an index in an array of shape `to`: which of its elements stay.",
    )
)
