"""Adding at an index whose places repeat, and reading at one: by flat places, where that is faster.

NumPy's `add.at` takes ten times as long with several index arrays, or with rows, as with the flat
places of single elements. Sums are formed in the same order, so that they are the same.
"""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numpy
from numpy import ndarray

from ..backend import namespace

FEW = 256
"""Up to so many elements, NumPy's way takes less time than to find their places."""

WIDE = 192
"""From so many elements on, rows are added one by one."""

WHOLE = slice(None)


class Places(NamedTuple):
    """Where an index leads: the numbers of rows, if the axes of a row are the array's last."""

    rows: ndarray
    axes: tuple[int, ...]


def add_at(out: Any, key: tuple[Any, ...], values: Any) -> None:
    """Add values to elements of raw data, in place: at repeated places too.

    CuPy does so with real numbers alone: complex ones go part by part.
    """
    if type(out) is not ndarray:
        add = namespace(out).add.at
        if out.dtype.kind == "c":
            add(out.real, key, values.real)
            add(out.imag, key, values.imag)
        else:
            add(out, key, values)
        return
    places = places_of(key, out) if values.size > FEW and out.dtype.kind in "fciu" else None
    if places is None:
        numpy.add.at(out, key, values)
        return
    rows, axes = places
    width = prod(axes)
    values = numpy.broadcast_to(values, (*rows.shape, *axes))
    if width >= WIDE:
        matrix = out.reshape(-1, width)
        for i, row in zip(rows.ravel().tolist(), values.reshape(-1, width), strict=True):
            matrix[i] += row
        return
    flat = rows if width == 1 else rows[..., None] * width + numpy.arange(width)
    numpy.add.at(out.reshape(-1), flat.ravel(), values.ravel())


def taken(x: ndarray, key: tuple[Any, ...]) -> Any:
    """The elements of an array at index arrays for all of its axes, of which it has several."""
    places = places_of(key, x)
    return x[key] if places is None else x.reshape(-1).take(places.rows)


def places_of(key: tuple[Any, ...], x: ndarray) -> Places | None:
    """Where an index leads in an array; None where it is not of the usual kind.

    That is slices, and integers or arrays of them side by side, in an array in one piece.
    """
    parts = spelled_out(key, x.ndim)
    if parts is None or len(parts) > x.ndim or not x.flags.c_contiguous:
        return None
    while parts and type(parts[-1]) is slice and parts[-1] == WHOLE:
        parts.pop()
    arrays = [i for i, k in enumerate(parts) if type(k) is not slice]
    if not arrays or arrays[-1] - arrays[0] + 1 != len(arrays):
        return None
    broad = max(numpy.ndim(parts[i]) for i in arrays)
    after = len(parts) - 1 - arrays[-1]
    rows: Any = None
    for i, (k, n) in enumerate(zip(parts, x.shape, strict=False)):
        if type(k) is slice:
            own: Any = numpy.arange(*k.indices(n))
            rest = len(parts) - 1 - i if i > arrays[-1] else arrays[0] - 1 - i + broad + after
            own = own.reshape((-1, *(1,) * rest))
        else:
            own = within(numpy.asarray(k), n)
            if own is None:
                return None
            own = own.reshape((*own.shape, *(1,) * after))
        rows = own if rows is None else rows * n + own
    return Places(rows, x.shape[len(parts) :])


def spelled_out(key: tuple[Any, ...], ndim: int) -> list[Any] | None:
    """The parts of an index without Ellipsis; None if there are others than slices and integers.

    An Ellipsis between arrays has them lead in the result, even where it stands for no axis.
    """
    parts: list[Any] = []
    for i, k in enumerate(key):
        if k is Ellipsis:
            if 0 < i < len(key) - 1:
                return None
            parts += [WHOLE] * (ndim - len(key) + 1)
        elif type(k) is slice or type(k) is int or (type(k) is ndarray and k.dtype.kind in "iu"):
            parts.append(k)
        else:
            return None
    return parts


def within(index: ndarray, n: int) -> ndarray | None:
    """An index with places counted from the begin alone; None if one is outside."""
    index = index.astype(numpy.intp, copy=False)
    if are_places(index, n):
        return index
    index = numpy.where(index < 0, index + n, index)
    return index if are_places(index, n) else None


def are_places(index: ndarray, n: int) -> bool:
    """Whether there are places in an index of NumPy's own integers, all below `n`, none below 0."""
    return index.size > 0 and bool(index.view(numpy.uintp).max() < n)
