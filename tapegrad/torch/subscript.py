"""`x[key]` and `x[key] = value`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy
from numpy import ndarray

from ..backend import HOST, place_of
from ..core.array import Array, Traced
from ..core.modes import is_grad_enabled
from ..core.mutation import link
from ..core.versions import stamp
from ..numpy import subscript
from ..numpy.assignment import set_general
from ..ops.index import fill, getitem
from ..ops.transfer import to_place
from . import errors
from .calls import as_core, raw_of, silent
from .creation import number_in
from .device import Devices
from .inplace import check_may_change, check_no_overlap
from .tensor import Tensor, constant, core, wrap, writable
from .views import GETITEM, view_by


def get(x: Tensor, key: Any) -> Tensor:
    """`Tensor.__getitem__`: a view for integers, slices and None; a copy for tensors and masks."""
    if type(key) is Tensor and (chosen := rows_at(x, key)) is not None:
        return chosen
    parts = key if type(key) is tuple else (key,)
    for k in parts:
        if type(k) is not int and type(k) not in subscript.basic:
            return get_advanced(x, key)
    return get_basic(x, parts)


def rows_at(x: Tensor, index: Tensor) -> Tensor | None:
    """A copy of what integers choose along the first axis: batches of data that is in memory.

    None where there is more to it.
    """
    raw, rows = x.raw, index.raw
    if not (type(x) is Tensor and not x.slot and type(raw) is type(rows) is ndarray):
        return None
    if not (rows.ndim and rows.dtype.char == "l" and raw.ndim and raw.flags.c_contiguous):
        return None
    try:
        return constant(raw.take(rows, 0))
    except IndexError:
        return None  # raised again, with more to say


def get_basic(x: Tensor, parts: tuple[Any, ...]) -> Tensor:
    """A view of a part of `x`."""
    for k in parts:
        if type(k) is slice and k.step is not None and k.step < 0:
            raise errors.negative_step()
    raw = x.raw
    try:
        if type(x) is Tensor and type(raw) is ndarray and not x.slot:
            part = raw[parts]
            if type(part) is not ndarray:  # of no axes, but a view
                parts = (*parts, Ellipsis)
                part = raw[parts]
            result = constant(part)
            link(result, x, GETITEM, {"key": parts})
            return result
        return view_by(x, GETITEM, {"key": parts})
    except IndexError as error:
        raise errors.bad_index(error, x.raw.shape, parts) from None


def get_advanced(x: Tensor, key: Any) -> Tensor:
    """A copy of what tensors, masks or lists choose."""
    whole, static, indices = split(x, key)
    if not indices:
        return get_basic(x, static)
    try:
        return wrap(getitem(whole, *indices, key=static))
    except IndexError as error:
        raise errors.bad_index(error, x.raw.shape, parts_of(key)) from None


def parts_of(key: Any) -> tuple[Any, ...]:
    """The parts of a key; a list that holds more than numbers is taken for a tuple."""
    if isinstance(key, list) and any(not isinstance(k, int | float) for k in key):
        return tuple(key)
    return key if isinstance(key, tuple) else (key,)


def is_flag(k: Any) -> bool:
    """Whether a part of an index is a truth value without axes."""
    return isinstance(k, bool | numpy.bool_) or (
        isinstance(k, Tensor) and not k.raw.shape and k.raw.dtype.kind == "b"
    )


def split(x: Tensor, key: Any) -> tuple[Array, tuple[Any, ...], tuple[Any, ...]]:
    """A key as the core takes it: its static part and its index arrays."""
    parts = tuple(plain(k) for k in parts_of(key))
    for k in parts:
        if type(k) is slice and k.step is not None and k.step < 0:
            raise errors.negative_step()
    try:
        whole, static, indices = subscript.split(core(x), parts)
    except IndexError as error:
        raise errors.bad_index(error, x.raw.shape, parts) from None
    if Devices.used:
        indices = tuple(beside(x, k) for k in indices)
    return whole, static, indices


def beside(x: Tensor, index: Any) -> Any:
    """An index where `x` is: one of the host is copied."""
    source, own = place_of(raw_of(index)), place_of(x.raw)
    if source not in (HOST, own):
        raise errors.index_elsewhere(x.device)
    return to_place(index, own)


def plain(k: Any) -> Any:
    """A part of an index without tensors: 0-d ones of integers as numbers."""
    if isinstance(k, Tensor):
        array = core(k)
        if k.raw.dtype == numpy.uint8:
            return array != 0  # PyTorch's masks of old
        if not k.raw.shape and k.raw.dtype.kind in "iu" and not k.slot:
            return int(k.raw)
        return array
    return as_core(k)


@silent
def put(x: Tensor, key: Any, value: Any) -> None:
    """`Tensor.__setitem__`."""
    link = getattr(value, "base", None)
    if link is not None and link[0] is x and link[1] is GETITEM:
        parts = key if isinstance(key, tuple) else (key,)
        if link[2]["key"] in (parts, (*parts, Ellipsis)):
            return  # the end of `x[key] += v`: the view wrote it already
    check_may_change(x)
    value = number_in(as_core(value), x.raw.dtype)
    if isinstance(value, Array) and Devices.used:
        value = to_place(value, place_of(x.raw))
    parts = parts_of(key)
    if any(is_flag(k) for k in parts):  # all or nothing, with an axis more
        if len(parts) > 1:
            raise errors.flag_among_indices()
        if not bool(parts[0]):
            return
        parts = (Ellipsis,)
        if getattr(value, "ndim", 0) > x.raw.ndim and value.shape[0] == 1:
            value = value.reshape(value.shape[1:])
    _, static, indices = split(x, parts)
    traced = any(isinstance(v, Traced) for v in (x, value, *indices))
    try:
        if 0 in x.raw.strides and not (indices or traced):
            check_no_overlap(x.raw[static])
        if traced or is_grad_enabled():
            set_general(x, static, indices, value)
            return
        data = writable(x)
        data[fill(static, tuple(map(raw_of, indices)))] = raw_of(value)
    except IndexError as error:
        raise errors.bad_index(error, x.raw.shape, parts) from None
    stamp(data, "index_put_")


def iterate(x: Tensor) -> Iterator[Tensor]:
    """`Tensor.__iter__`: views of the parts along the first axis."""
    if not x.raw.shape:
        raise TypeError("iteration over a 0-d tensor")
    return iter(x.unbind())


for _name, _method in (("__getitem__", get), ("__setitem__", put), ("__iter__", iterate)):
    setattr(Tensor, _name, _method)
