"""Changes at indices, with repeated ones counted (`addat` and its kin), and indices of indices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
from numpy import ndarray

from ...core.array import Array
from ..calls import as_core, cast, raw_of
from ..inplace import in_place
from ..tensor import Tensor, core, wrap

__all__ = ["merge_indices"]


def plain_index(index: Any) -> Any:
    """An index with the core's arrays in place of tensors."""
    return tuple(map(as_core, index)) if isinstance(index, tuple) else as_core(index)


def changing(name: str, change: Callable[[Array, Any, Any], None], doc: str) -> Callable[..., Any]:
    """The method that changes a copy at an index."""

    def method(self: Tensor, index: Any, val: Any) -> Tensor:
        x: Any = core(self)
        value = as_core(val)
        if isinstance(value, Array | ndarray):
            value = cast(value, raw_of(x).dtype)
        changed = x.copy()
        change(changed, plain_index(index), value)
        return wrap(changed)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = doc
    return method


def store(x: Any, index: Any, value: Any) -> None:
    """Assign at an index."""
    x[index] = value


UPDATES: dict[str, tuple[Callable[[Any, Any, Any], None], str]] = {
    "setat": (store, "The tensor with a value at an index: ``x[index] = val`` on a copy."),
    "addat": (numpy.add.at, "The tensor with values added at an index, as often as it names one."),
    "subat": (numpy.subtract.at, "As `addat`, with values subtracted."),
    "mulat": (numpy.multiply.at, "As `addat`, with elements multiplied."),
    "divat": (numpy.true_divide.at, "As `addat`, with elements divided."),
    "powat": (numpy.power.at, "As `addat`, with elements raised to a power."),
}
for _name, (_change, _doc) in UPDATES.items():
    _method = changing(_name, _change, _doc)
    setattr(Tensor, _name, _method)
    setattr(Tensor, f"{_name}_", in_place(_method, f"{_name}_"))


def merge_indices(self: Tensor, base_index: Any, current_index: Any) -> tuple[Any, ...]:
    """The index with ``x[merged]`` equal to ``x[base_index][current_index]``, an entry an axis.

    Slices of slices are slices again; lists and masks of one axis become arrays of places. At most
    one of the indices may have such arrays.

    >>> import tapegrad.torch as torch
    >>> merge_indices(torch.arange(10), slice(2, 8), slice(1, 3))
    (slice(3, 5, None),)
    """
    merged: list[Any] = []
    open_axes = []
    for n, key in zip(self.raw.shape, filled(base_index, self.raw.ndim), strict=True):
        places = chosen(range(n), key)
        if not isinstance(places, int):
            open_axes.append(len(merged))
        merged.append(places)
    for axis, key in zip(open_axes, filled(current_index, len(open_axes)), strict=True):
        merged[axis] = chosen(merged[axis], key)
    return tuple(written(places) for places in merged)


def filled(index: Any, axes: int) -> tuple[Any, ...]:
    """An index with an entry for each axis."""
    keys = index if isinstance(index, tuple) else (index,)
    if any(k is None for k in keys):
        raise IndexError("merge_indices(): an index that adds an axis cannot be merged")
    if Ellipsis in [k if k is Ellipsis else None for k in keys]:
        at = next(i for i, k in enumerate(keys) if k is Ellipsis)
        between = (slice(None),) * (axes - len(keys) + 1)
        keys = (*keys[:at], *between, *keys[at + 1 :])
    if len(keys) > axes:
        raise IndexError(f"too many indices for tensor of dimension {axes}")
    return (*keys, *(slice(None),) * (axes - len(keys)))


def chosen(places: Any, key: Any) -> Any:
    """Places of an axis that a key picks: a range for slices of a range, else an array."""
    if isinstance(key, slice | int):
        found = places[key]
        return int(found) if isinstance(key, int) else found
    return numpy.asarray(places)[numpy.asarray(raw_of(key))]


def written(places: Any) -> Any:
    """Places of an axis as a part of an index."""
    if not isinstance(places, range):
        return places
    stop = places.stop if places.stop >= 0 else None
    return slice(places.start, stop, None if places.step == 1 else places.step)


METHODS = {"merge_indices": merge_indices}
for _name, _function in METHODS.items():
    setattr(Tensor, _name, _function)
