"""Strided windows on the elements of an array, and their transpose."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy
from numpy import ndarray
from numpy.lib.stride_tricks import as_strided

from ..backend import namespace, on_device
from ..core.mutation import mergers
from ..core.op import Op
from ..core.record import raw
from .add_at import add_at
from .assign import setitem
from .define import define
from .index import ARRAY, getitem, scatter_add
from .linear import permute_dims, reshape
from .samples import Sample, normal

Ints = tuple[int, ...]


def places(size: Ints, stride: Ints, offset: int) -> Any:
    """The element of the flat array that stands at each place of a window."""
    place = numpy.full((), offset)
    for axis, (n, step) in enumerate(zip(size, stride, strict=True)):
        along = numpy.arange(n) * step
        place = place + along.reshape(n, *(1,) * (len(size) - axis - 1))
    return numpy.broadcast_to(place, size)


def strided_in(xp: Any) -> Any:
    """The function of a namespace that makes views of given strides."""
    return as_strided if xp is numpy else xp.lib.stride_tricks.as_strided


def _window_forward(xp: Any, x: Any, *, size: Ints, stride: Ints, offset: int) -> Any:
    if (isinstance(x, ndarray) or on_device(x)) and x.flags.c_contiguous and x.size:
        check(x.size, size, stride, offset)
        flat = x.reshape(-1)[offset:]
        steps = tuple(s * x.itemsize for s in stride)
        return strided_in(xp)(flat, size, steps)
    flat = xp.reshape(x, (-1,))
    picked = xp.take(flat, xp.asarray(places(size, stride, offset).reshape(-1)))
    return xp.reshape(picked, size)


def check(elements: int, size: Ints, stride: Ints, offset: int) -> None:
    """Raise if a window reaches beyond the elements."""
    last = offset + sum((n - 1) * s for n, s in zip(size, stride, strict=True))
    if prod(size) and (last >= elements or offset < 0 or min(stride, default=0) < 0):
        raise ValueError(
            f"a window of sizes {size}, strides {stride} and offset {offset} reaches beyond the "
            f"{elements} elements of the array"
        )


def _window_rule(g: Any, _out: Any, shape: Any, *, size: Ints, stride: Ints, offset: int) -> Any:
    return spread(g, size=size, stride=stride, offset=offset, to=shape)


def _spread_forward(xp: Any, g: Any, *, size: Ints, stride: Ints, offset: int, to: Ints) -> Any:
    flat = xp.zeros((prod(to),), dtype=g.dtype)
    at = xp.asarray(places(size, stride, offset).reshape(-1))
    add_at(flat, (at,), xp.reshape(g, (-1,)))
    return xp.reshape(flat, to) if to else flat[0]


def _spread_rule(
    g: Any, _out: Any, _g: Any, *, size: Ints, stride: Ints, offset: int, to: Ints
) -> Any:
    return window(g, size=size, stride=stride, offset=offset)


def _window_batch(
    function: Any, mapped: Any, x: Any, *, size: Ints, stride: Ints, offset: int
) -> Any:
    lane = prod(x.shape[1:])
    return function(x, size=(x.shape[0], *size), stride=(lane, *stride), offset=offset)


def _spread_batch(
    function: Any, mapped: Any, g: Any, *, size: Ints, stride: Ints, offset: int, to: Ints
) -> Any:
    n = g.shape[0]
    return function(g, size=(n, *size), stride=(prod(to), *stride), offset=offset, to=(n, *to))


def _window_samples(rng: Any) -> Iterator[Sample]:
    yield (normal(rng, (6,)),), {"size": (3, 2), "stride": (2, 1), "offset": 0}
    yield (normal(rng, (2, 3)),), {"size": (4, 3), "stride": (1, 1), "offset": 0}
    yield (normal(rng, (2, 3)),), {"size": (2,), "stride": (3,), "offset": 2}
    yield (normal(rng, (3,)),), {"size": (), "stride": (), "offset": 1}
    yield (normal(rng, (3,)),), {"size": (0, 2), "stride": (1, 1), "offset": 0}
    yield (normal(rng, (3,)),), {"size": (2, 3), "stride": (0, 1), "offset": 0}


def _spread_samples(rng: Any) -> Iterator[Sample]:
    yield (normal(rng, (3, 2)),), {"size": (3, 2), "stride": (2, 1), "offset": 0, "to": (6,)}
    yield (normal(rng, (4, 3)),), {"size": (4, 3), "stride": (1, 1), "offset": 0, "to": (2, 3)}


window = define(
    Op(
        "window",
        forward=_window_forward,
        vjp=(_window_rule,),
        jvp="linear",
        batch=_window_batch,
        samples=_window_samples,
        doc="The elements at `offset + i * stride`, the array taken as flat in C order.",
    ),
    structural=True,
)
spread = define(
    Op(
        "spread",
        forward=_spread_forward,
        vjp=(_spread_rule,),
        jvp="linear",
        batch=_spread_batch,
        samples=_spread_samples,
        doc="The transpose of `window`: elements added up where windows overlap.",
    ),
    structural=True,
)


def _slices_forward(xp: Any, x: Any, *, axis: int, size: int, step: int) -> Any:
    count = (x.shape[axis] - size) // step + 1
    if isinstance(x, ndarray) or on_device(x):
        shape = (*x.shape[:axis], count, *x.shape[axis + 1 :], size)
        stride = x.strides[axis]
        strides = (*x.strides[:axis], stride * step, *x.strides[axis + 1 :], stride)
        return strided_in(xp)(x, shape, strides)
    starts = xp.arange(count) * step
    parts = [xp.take(x, starts + k, axis=axis) for k in range(size)]
    return xp.stack(parts, axis=-1)


def slice_places(shape: Ints, axis: int, size: int, step: int) -> Any:
    """The places along an axis of the elements of all slices, a row for each."""
    count = (shape[axis] - size) // step + 1
    return numpy.arange(count)[:, None] * step + numpy.arange(size)


def slices_along(g: Any, axis: int) -> Any:
    """`g` with its last axis, along the slices, behind `axis`, which counts them."""
    n = g.ndim
    return permute_dims(g, axes=(*range(axis + 1), n - 1, *range(axis + 1, n - 1)))


def _slices_rule(g: Any, _out: Any, shape: Any, *, axis: int, size: int, step: int) -> Any:
    key = (*(slice(None),) * axis, ARRAY)
    at = namespace(raw(g)).asarray(slice_places(shape, axis, size, step))
    return scatter_add(slices_along(g, axis), at, key=key, to=shape)


def _slices_batch(function: Any, mapped: Any, x: Any, *, axis: int, size: int, step: int) -> Any:
    return function(x, axis=axis + 1, size=size, step=step)


def _slices_samples(rng: Any) -> Iterator[Sample]:
    yield (normal(rng, (5,)),), {"axis": 0, "size": 2, "step": 1}
    yield (normal(rng, (2, 6, 3)),), {"axis": 1, "size": 3, "step": 2}
    yield (normal(rng, (2, 3)),), {"axis": 1, "size": 3, "step": 5}


slices = define(
    Op(
        "slices",
        forward=_slices_forward,
        vjp=(_slices_rule,),
        jvp="linear",
        batch=_slices_batch,
        samples=_slices_samples,
        doc="All slices of a size along `axis`, every `step`; the last axis runs along them.",
    ),
    structural=True,
)


def merged(base: Any, new: Any, written: Any, op: Op, params: dict[str, Any]) -> Any:
    """`base` once some elements of its view by `op` have been written: the last of each counts."""
    xp = namespace(raw(base))
    size = prod(base.shape)
    shown = op.forward(xp, xp.arange(size).reshape(base.shape), **params).reshape(-1)
    at = xp.flatnonzero(written)[::-1]
    targets, first = xp.unique(shown[at], return_index=True)
    values = getitem(reshape(new, to=(prod(new.shape),)), at[first], key=(ARRAY,))
    filled = setitem(reshape(base, to=(size,)), values, targets, key=(ARRAY,))
    return reshape(filled, to=base.shape)


mergers.update(dict.fromkeys(("broadcast_to", "slices", "window"), merged))
