"""`x[key]` and iteration: NumPy's indices as a static key and index arrays."""

from __future__ import annotations

from collections.abc import Iterator
from operator import index as as_index
from threading import get_ident
from types import EllipsisType
from typing import Any
from weakref import ref

import numpy
from numpy import ndarray

from ..backend import as_raw, plain
from ..core.array import Array
from ..core.mutation import MANY_VIEWS, drop_dead, link
from ..core.op import table
from ..core.tape import current, tick
from ..ops.index import ARRAY, EVERYTHING, Key, getitem
from ..ops.join import stack
from .reading import known

GETITEM = table["getitem"]
GETITEM_CODE = GETITEM.code(1)

basic: set[type] = {int, slice, type(None), EllipsisType}
"""Types of the parts of a basic index."""

basic.update(t for t in plain if issubclass(t, numpy.integer))


def get(x: Array, key: Any) -> Array:
    """`Array.__getitem__`."""
    if type(key) is tuple:
        for k in key:
            if type(k) not in basic:
                return get_advanced(x, key)
    elif type(key) in basic:
        key = (key,)
    else:
        return get_advanced(x, key)
    params = {"key": key}
    if type(x) is not Array or x.tape is not current() or x.tape.owner != get_ident():
        result = getitem(x, key=key)
        if type(result.raw) is ndarray or (Ellipsis in key and type(x.raw) is ndarray):
            link(result, x, GETITEM, params)
        return result
    tape: Any = x.tape
    data = x.raw
    out = data[key]
    result = Array()
    result.tape = tape
    result.slot = slot = tick()
    if type(out) is ndarray:
        if out.ndim:  # as `link` does, at less cost
            result.base = x, GETITEM, params
            views = getattr(x, "views", None)
            if views is None:
                x.views = [ref(result)]
            else:
                views.append(ref(result))
                if len(views) >= MANY_VIEWS:
                    drop_dead(views)
        else:  # after an ellipsis: a view in NumPy, too
            out = out[()]
            link(result, x, GETITEM, params)
    result.raw = out
    tape.append((GETITEM_CODE, slot, x.slot, params, data.shape, None))
    if slot > tape.limit:
        tape.compact()
    return result


def get_advanced(x: Array, key: Any) -> Array:
    """`x[key]` for a key with arrays, masks, lists or recorded integers in it."""
    arrays = key if type(key) is tuple else (key,)
    for k in arrays:
        if type(k) is not ndarray or k.dtype.kind != "i":
            break
    else:  # nothing to take apart
        return getitem(x, *arrays, key=(ARRAY,) * len(arrays))
    x, key, indices = split(x, key)
    return getitem(x, *indices, key=key)


def iterate(x: Array) -> Iterator[Array]:
    """`Array.__iter__`."""
    if not x.shape:
        raise TypeError("iteration over a 0-d array")
    return (get(x, i) for i in range(x.shape[0]))


def split(x: Array, key: Any) -> tuple[Array, Key, tuple[Any, ...]]:
    """An index as its static key and its index arrays, with masks as integers.

    A boolean scalar in the key asks for a new axis; then the first result is a view that has it.
    """
    static: list[Any] = []
    indices: list[Any] = []
    widened: list[Any] = []  # the index that gives `x` the axes that boolean scalars ask for
    axis = 0
    parts = [
        k if type(k) in basic else readable(k) for k in (key if type(key) is tuple else (key,))
    ]
    skipped = x.ndim - sum(axes_taken(k) for k in parts)
    for k in parts:
        if k is None:
            static.append(None)
            continue
        if k is Ellipsis:
            static.append(k)
            taken = skipped
        elif isinstance(k, slice):
            static.append(
                slice(*(b if b is None else as_index(b) for b in (k.start, k.stop, k.step)))
            )
            taken = 1
        elif isinstance(k, int | numpy.integer):
            static.append(as_index(k))
            taken = 1
        elif k.dtype.kind != "b":
            static.append(ARRAY)
            indices.append(k)
            taken = 1
        elif k.ndim == 0:
            static.append(ARRAY)
            indices.append(numpy.zeros(int(known(k, MASK)), dtype=numpy.intp))
            widened.append(None)
            continue
        else:
            taken = k.ndim
            static += [ARRAY] * taken
            indices += mask_places(k, x.shape, axis)
        widened += [EVERYTHING] * taken
        axis += taken
    if None in widened:
        x = get(x, tuple(widened))
    return x, tuple(static), tuple(indices)


MASK = "the shape of a selection by a mask"


def axes_taken(k: Any) -> int:
    """How many axes of an array a part of an index uses up."""
    if k is None or k is Ellipsis:
        return 0
    return k.ndim if hasattr(k, "dtype") and k.dtype.kind == "b" else 1


def readable(k: Any) -> Any:
    """A part of an index that is not basic as an integer or boolean array."""
    if isinstance(k, slice):
        return k
    if isinstance(k, list | tuple) and any(isinstance(part, Array) for part in k):
        k = stack(*k, axis=0)
    array: Any = k if isinstance(k, Array) else as_raw(k)
    if not hasattr(array, "dtype"):
        array = numpy.asarray(array)  # a Python boolean, or what is no index
    if array.size == 0 and isinstance(k, list | tuple):
        array = array.astype(numpy.intp)
    if array.dtype.kind in "iub":
        return array
    if isinstance(k, ndarray | Array | list | tuple):
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    raise IndexError(
        "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or "
        "boolean arrays are valid indices"
    )


def mask_places(mask: Any, shape: tuple[int, ...], axis: int) -> list[Any]:
    """The index arrays that a mask of the axes from `axis` on of an array stands for."""
    check_mask(mask, shape, axis)
    return list(known(mask, MASK).nonzero())


def check_mask(mask: Any, shape: tuple[int, ...], axis: int) -> None:
    """Raise as NumPy does if a mask does not fit the axes from `axis` on."""
    if axis + mask.ndim > len(shape):
        raise IndexError(
            f"too many indices for array: array is {len(shape)}-dimensional, but "
            f"{axis + mask.ndim} were indexed"
        )
    for i, (n, m) in enumerate(zip(shape[axis:], mask.shape, strict=False), axis):
        if m and n != m:  # an empty mask fits any axis
            raise IndexError(
                f"boolean index did not match indexed array along axis {i}; size of axis is {n} "
                f"but size of corresponding boolean axis is {m}"
            )


for _name, _method in (("__getitem__", get), ("__iter__", iterate)):
    setattr(Array, _name, _method)
