"""Indexing: `getitem` and its transpose `scatter_add`.

An index is split in two. `key` is static: a tuple of integers, slices, None and Ellipsis, with the
marker `ARRAY` where an integer array stands. The arrays themselves are inputs, in the same order,
so that they may be traced.
"""

from __future__ import annotations

from collections.abc import Iterator
from sys import getrefcount
from typing import Any, NamedTuple

from numpy import ndarray

from ..backend import as_raw, namespace, zeros
from ..core.op import Op, codes
from ..core.record import raw
from ..core.reverse import Cotangents
from ..core.tape import Entry
from .add_at import FEW, add_at, taken
from .define import define
from .linear import broadcast_to, in_single, permute_dims, reshape
from .samples import Sample, complex_normal, normal

Key = tuple[Any, ...]


class _Marker:
    """The type of `ARRAY`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ARRAY"

    def __reduce__(self) -> str:
        return "ARRAY"


ARRAY = _Marker()
"""Stands in a key for an index array."""

EVERYTHING = slice(None)


def fill(key: Key, indices: tuple[Any, ...]) -> Key:
    """`key` with the index arrays in their places."""
    rest = iter(indices)
    return tuple(next(rest) if k is ARRAY else k for k in key)


def _getitem_forward(xp: Any, x: Any, *indices: Any, key: Key) -> Any:
    if not indices:
        return x[key]
    if len(indices) == len(key) > 1 and type(x) is ndarray and indices[0].size > FEW:
        return taken(x, fill(key, indices))
    return x[fill(key, indices)]


def _getitem_rule(g: Any, _out: Any, shape: Any, *indices: Any, argnum: int, key: Key) -> Any:
    return scatter_add(g, *indices, key=key, to=shape)


@in_single
def _scatter_forward(xp: Any, g: Any, *indices: Any, key: Key, to: tuple[int, ...]) -> Any:
    out = xp.zeros(to, dtype=g.dtype)
    if not indices:
        out[key] = g
    else:
        add_at(out, fill(key, indices), g)
    return out if to else out[()]


def _getitem_step(arity: int) -> Any:
    """What a plain sweep does at an entry: scatter into the pending cotangent itself.

    That is done where nothing else refers to that array, so that a loop over the elements of an
    array costs as much as its elements, and not an array for each.
    """
    return _basic_step if arity == 1 else _advanced_step


def _basic_step(entry: Entry, g: Any, cotangents: Cotangents) -> None:
    _, _, slot, params, to, _ = entry
    key = params["key"]
    before = cotangents.get(slot)
    if before is None:
        cotangents[slot] = before = zeros(to, g)
        before[key] = g
    elif not _may_add(before, g):
        cotangents[slot] = before + _scatter_forward(namespace(g), g, key=key, to=to)
    else:
        part = before[key]
        if part.base is before:
            part += g
        else:  # one element
            before[key] = part + g


def _advanced_step(entry: Entry, g: Any, cotangents: Cotangents) -> None:
    arity = codes[entry[0]][1]
    slot, to = entry[2], entry[3 + arity]
    key, indices = entry[2 + arity]["key"], entry[4 + arity : -1]
    before = cotangents.get(slot)
    if before is None:
        cotangents[slot] = _scatter_forward(namespace(g), g, *indices, key=key, to=to)
    elif not _may_add(before, g):
        cotangents[slot] = before + _scatter_forward(namespace(g), g, *indices, key=key, to=to)
    else:
        add_at(before, fill(key, indices), g)


def _may_add(before: Any, g: Any) -> bool:
    """Whether the pending cotangent `before` is an array that only the sweep refers to."""
    return (
        getrefcount(before) <= PENDING
        and before.shape != ()  # a scalar, at times
        and getattr(before, "base", before) is None  # no view
        and before.dtype == g.dtype
    )


def _references_of_a_pending_cotangent() -> int:
    cotangents = {1: as_raw([0.0])}
    before = cotangents.get(1)
    return _seen_by_a_function(before)


def _seen_by_a_function(before: Any) -> int:
    return getrefcount(before)


PENDING = _references_of_a_pending_cotangent()


def _scatter_rule(g: Any, _out: Any, _g: Any, *indices: Any, argnum: int, key: Key, to: Any) -> Any:
    return getitem(g, *indices, key=key)


class Layout(NamedTuple):
    """How an index applies to all lanes at once.

    `key` and `indices` index the array with lanes (or without, if only the index has them); `axes`
    permutes the result so that its lanes lead and the rest is as in one lane (None: it is so).
    """

    key: Key
    indices: tuple[Any, ...]
    axes: tuple[int, ...] | None


def layout(
    key: Key, indices: tuple[Any, ...], mapped: tuple[bool, ...], ndim: int, lanes: int
) -> Layout:
    """The layout for an array of `ndim` axes in a lane, and index arrays marked in `mapped`.

    `lanes` is the number of lanes that the array has, 0 if it has none.
    """
    whole: Key = (EVERYTHING, *key)
    if not indices:
        return Layout(whole, (), None)
    ranks = [i.ndim - has for i, has in zip(indices, mapped, strict=True)]
    broad = max(ranks)  # the axes that the index arrays give to the result
    rest = ndim + key.count(None) - advanced_count(key)  # its other axes
    before = axes_before(key, ndim)
    if not any(mapped):
        if before is None and broad:  # the index arrays' axes lead, the lanes follow
            return Layout(
                whole, indices, (broad, *range(broad), *range(broad + 1, broad + 1 + rest))
            )
        return Layout(whole, indices, None)
    indices = tuple(
        reshape(i, to=(i.shape[0], *(1,) * (broad - rank), *i.shape[1:]))
        if has and rank < broad
        else i
        for i, has, rank in zip(indices, mapped, ranks, strict=True)
    )
    if lanes:
        xp = namespace(*map(raw, indices))
        each = xp.reshape(xp.arange(lanes), (lanes, *(1,) * broad))
        whole, indices, ndim = (ARRAY, *key), (each, *indices), ndim + 1
    else:
        whole = key
    found = axes_before(whole, ndim) or 0
    others = [a for a in range(1 + broad + rest) if not found <= a <= found + broad]
    wanted = before or 0
    axes = (found, *others[:wanted], *range(found + 1, found + 1 + broad), *others[wanted:])
    return Layout(whole, indices, None if axes == tuple(range(len(axes))) else axes)


def is_advanced(k: Any) -> bool:
    """Whether a part of a key takes part in advanced indexing (beside an array, integers do)."""
    return k is ARRAY or isinstance(k, int)


def advanced_count(key: Key) -> int:
    return len([k for k in key if is_advanced(k)])


def axes_before(key: Key, ndim: int) -> int | None:
    """How many axes of the result come before those of the index arrays.

    None where these lead because something splits them.
    """
    places = [i for i, k in enumerate(key) if is_advanced(k)]
    first = places[0]
    if places[-1] - first + 1 != len(places):
        return None
    axes = 0
    for k in key[:first]:
        axes += ellipsis_axes(key, ndim) if k is Ellipsis else 1
    return axes


def ellipsis_axes(key: Key, ndim: int) -> int:
    """How many axes the Ellipsis in `key` stands for."""
    return ndim - sum(isinstance(k, slice) or is_advanced(k) for k in key)


def arranged(x: Any, axes: tuple[int, ...] | None) -> Any:
    return x if axes is None else permute_dims(x, axes=axes)


def inverse(axes: tuple[int, ...] | None) -> tuple[int, ...] | None:
    return None if axes is None else tuple(sorted(range(len(axes)), key=axes.__getitem__))


def _getitem_batch(function: Any, mapped: tuple[bool, ...], x: Any, *indices: Any, key: Key) -> Any:
    if not indices:
        return function(x, key=(EVERYTHING, *key))
    has, *chosen = mapped
    lanes = x.shape[0] if has else 0
    plan = layout(key, indices, tuple(chosen), x.ndim - has, lanes)
    return arranged(function(x, *plan.indices, key=plan.key), plan.axes)


def _scatter_batch(
    function: Any, mapped: tuple[bool, ...], g: Any, *indices: Any, key: Key, to: tuple[int, ...]
) -> Any:
    if not indices:
        return function(g, key=(EVERYTHING, *key), to=(g.shape[0], *to))
    has, *chosen = mapped
    lanes = next(x.shape[0] for x, m in zip((g, *indices), mapped, strict=True) if m)
    if not has:
        g = broadcast_to(g, to=(lanes, *g.shape))
    plan = layout(key, indices, tuple(chosen), len(to), lanes)
    return function(arranged(g, inverse(plan.axes)), *plan.indices, key=plan.key, to=(lanes, *to))


def index_samples(rng: Any) -> Iterator[Sample]:
    import numpy as np  # samples alone

    rows = np.array([2, 0, 2])
    grid = np.array([[0, 1], [1, -1]])
    one = np.array(1)
    x = normal(rng, (3, 2, 4))
    for key in ((1,), (slice(None, None, -2),), (Ellipsis, 0), (None, slice(1, 3), -1), (0, 1, 2)):
        yield (x,), {"key": key}
    yield (complex_normal(rng, (4,)),), {"key": (slice(1, None),)}
    yield (normal(rng, ()),), {"key": (None,)}
    yield (x, rows), {"key": (ARRAY,)}
    yield (x, one), {"key": (ARRAY,)}
    yield (x, one), {"key": (EVERYTHING, EVERYTHING, ARRAY)}
    yield (x, one, one), {"key": (ARRAY, EVERYTHING, ARRAY)}
    yield (x, grid), {"key": (EVERYTHING, ARRAY)}
    yield (x, grid), {"key": (Ellipsis, ARRAY)}
    yield (x, grid), {"key": (EVERYTHING, ARRAY, 1)}
    yield (x, grid), {"key": (1, EVERYTHING, ARRAY)}
    yield (x, rows, grid[0, 0]), {"key": (ARRAY, None, ARRAY)}
    yield (x, rows, rows), {"key": (ARRAY, EVERYTHING, ARRAY)}
    yield (x, rows[:, None], grid[1]), {"key": (ARRAY, ARRAY)}
    yield (x, grid, grid[0]), {"key": (EVERYTHING, ARRAY, ARRAY)}
    yield (x, grid, grid[0]), {"key": (EVERYTHING, ARRAY, Ellipsis, ARRAY)}


def _scatter_samples(rng: Any) -> Iterator[Sample]:
    for (x, *indices), params in index_samples(rng):
        g = x[fill(params["key"], tuple(indices))]
        yield (g, *indices), {**params, "to": x.shape}


getitem = define(
    Op(
        "getitem",
        forward=_getitem_forward,
        vjp=_getitem_rule,
        jvp="linear",
        batch=_getitem_batch,
        step=_getitem_step,
        samples=index_samples,
        doc="`x[key]`, with the index arrays in place of the markers in `key`.",
    ),
    structural=True,
)

scatter_add = define(
    Op(
        "scatter_add",
        forward=_scatter_forward,
        vjp=_scatter_rule,
        jvp="linear",
        batch=_scatter_batch,
        samples=_scatter_samples,
        doc="Zeros of shape `to` with `g` added at an index; elements that it repeats add up.",
    ),
    structural=True,
)
