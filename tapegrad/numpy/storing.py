"""Functions that write into an array: `put`, `copyto`, `fill_diagonal` and their like."""

from __future__ import annotations

from typing import Any

import numpy
from numpy import ndarray

from ..core.array import Array
from ..core.mutation import check_writable
from ..ops.index import ARRAY
from ..ops.linear import reshape
from . import errors
from .assignment import set_general
from .dispatch import implements, np
from .indexing import along, beside, places
from .reading import is_tracked, known
from .rearranging import resize
from .shapes import recorded
from .ufuncs import as_dtype, write

__all__ = ["copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask"]


def target(name: str, x: Any, *values: Any) -> Array | None:
    """The array to write into if it is recorded; None if it is an ndarray that can be written."""
    if isinstance(x, Array):
        check_writable(x)
        return x
    if not isinstance(x, ndarray):
        raise TypeError(f"{name}: argument 1 must be an array, not {type(x).__name__}")
    if any(is_tracked(v) for v in values):
        raise errors.recorded_into_ndarray(f"numpy.{name}")
    return None


def plain(*values: Any) -> list[Any]:
    """Recorded arguments that no tape tracks, as plain ones."""
    return [known(v, "writing into an ndarray") for v in values]


def set_elements(x: Array, numbers: Any, values: Any) -> None:
    """Write `values`, repeated as often as needed, to the elements of `x` with these numbers."""
    count = numbers.size
    if not count:
        return
    v = recorded(values)
    if not v.size:
        return
    v = v if v.size == count else resize(v, count)
    coordinates = np.unravel_index(numbers, x.shape)
    set_general(x, (ARRAY,) * x.ndim, coordinates, np.reshape(v, numbers.shape))


@implements(numpy.put)
def put(a: Any, ind: Any, v: Any, mode: str = "raise") -> None:
    """Write to elements by their number in C order, in place."""
    x = target("put", a, v)
    if x is None:
        np.put(a, *plain(ind, v), mode=mode)
        return
    numbers = places(ind, x.size, mode)
    if mode == "raise":
        numbers = np.where(numbers < 0, numbers + x.size, numbers)
    set_elements(x, numbers, v)


@implements(numpy.put_along_axis)
def put_along_axis(arr: Any, indices: Any, values: Any, axis: int | None) -> None:
    """Write to places along an axis that differ between the other axes, in place."""
    x = target("put_along_axis", arr, values)
    if x is None:
        np.put_along_axis(arr, *plain(indices, values), axis)
        return
    x, indices, axis = along(x, indices, axis)
    set_general(x, (ARRAY,) * x.ndim, tuple(beside(indices, x.shape, axis)), values)


@implements(numpy.putmask)
def putmask(a: Any, /, mask: Any, values: Any) -> None:
    """Write where a mask is true, element for element (values are repeated as needed), in place."""
    x = target("putmask", a, values)
    if x is None:
        numpy.putmask(a, *plain(mask, values))
        return
    mask = recorded(mask)
    if mask.size != x.size:
        raise ValueError("putmask: mask and data must be the same size")
    values = recorded(values)
    if values.size:
        fitted = reshape(values, to=x.shape) if values.size == x.size else resize(values, x.shape)
        write(x, np.where(reshape(mask, to=x.shape), as_dtype(fitted, x.dtype), x))


@implements(numpy.place)
def place(arr: Any, mask: Any, vals: Any) -> None:
    """Write one value after the other where a mask is true, in place."""
    x = target("place", arr, vals)
    if x is None:
        numpy.place(arr, *plain(mask, vals))
        return
    chosen = numpy.flatnonzero(known(mask, "numpy.place, which counts where a mask is true,"))
    if chosen.size and not recorded(vals).size:
        raise ValueError("Cannot insert from an empty array!")
    set_elements(x, chosen, vals)


@implements(numpy.copyto)
def copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    """Write `src`, broadcast, into `dst` in place, perhaps only where a mask is true."""
    x = target("copyto", dst, src)
    if x is None:
        source, mask = plain(src, where)
        np.copyto(dst, source, casting=casting, where=mask)
        return
    weak = isinstance(src, int | float | complex)
    source = recorded(src)
    if not np.can_cast(source.dtype, x.dtype, casting) and not (
        weak and numpy.result_type(x.dtype, src) == x.dtype
    ):
        raise TypeError(
            f"Cannot cast array data from {source.dtype!r} to {x.dtype!r} according to the rule "
            f"{casting!r}"
        )
    source = np.broadcast_to(as_dtype(source, x.dtype), x.shape)
    write(x, source if where is True else np.where(np.broadcast_to(where, x.shape), source, x))


@implements(numpy.fill_diagonal)
def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    """Write to the main diagonal, in place; `wrap` goes on below a tall matrix's square."""
    x = target("fill_diagonal", a, val)
    if x is None:
        np.fill_diagonal(a, *plain(val), wrap=wrap)
        return
    if x.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if x.ndim == 2:
        step = x.shape[1] + 1
        end = None if wrap else x.shape[1] * x.shape[1]
    elif len(set(x.shape)) > 1:
        raise ValueError("All dimensions of input must be of equal length")
    else:
        step = 1 + sum(x.shape[0] ** k for k in range(1, x.ndim))
        end = None
    set_elements(x, numpy.arange(x.size)[:end:step], val)
