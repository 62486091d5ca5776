"""Item assignment as a pure operation."""

from __future__ import annotations

from collections.abc import Iterator
from sys import getrefcount
from typing import Any

from numpy import ndarray

from ..backend import as_raw
from ..core.array import Array
from ..core.op import Op, codes, table
from ..core.reverse import Cotangents, deposit
from ..core.tape import Entry
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


def _setitem_step(arity: int) -> Any:
    return _step


def _step(entry: Entry, g: Any, cotangents: Cotangents) -> None:
    """What a plain sweep does at an entry: zero a part of the cotangent itself.

    That is done where nothing else refers to that array, so that a loop over the elements of an
    array costs as much as its elements, and not a copy for each.
    """
    _, _, slot, value_slot, *_ = entry
    arity = codes[entry[0]][1]
    key, shape, indices = entry[2 + arity]["key"], entry[3 + arity], entry[5 + arity : -1]
    own = type(g) is ndarray and getrefcount(g) <= PASSED and g.base is None
    if value_slot:
        part = getitem(g, *indices, key=key)
        if own and not indices:
            part = part.copy()
        deposit(cotangents, value_slot, remaining(part, indices, key, shape))
    if slot:
        if own:
            g[fill(key, indices)] = 0
        else:
            g = setitem(g, 0, *indices, key=key)
        deposit(cotangents, slot, g)


def _references_of_a_passed_cotangent() -> int:
    cotangents = {1: as_raw([0.0])}
    g = cotangents.pop(1)
    return _seen_by_a_step((), g, cotangents)


def _seen_by_a_step(_entry: Entry, g: Any, _cotangents: Cotangents) -> int:
    return getrefcount(g)


PASSED = _references_of_a_passed_cotangent()


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
        step=_setitem_step,
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
