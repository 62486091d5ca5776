"""Reductions of the segments that an axis is cut into, and hashes."""

from __future__ import annotations

from typing import Any

import numpy

from ..numpy.reading import read
from . import errors
from .calls import attach
from .filling import full
from .gathering import scatter_reduce
from .reductions import axes_of
from .refusals import lacking
from .tensor import Tensor, core, wrap

__all__ = ["hash_tensor", "segment_reduce"]

REDUCTIONS = {
    "amax": ("amax", -numpy.inf),
    "amin": ("amin", numpy.inf),
    "max": ("amax", -numpy.inf),
    "mean": ("sum", 0.0),
    "min": ("amin", numpy.inf),
    "prod": ("prod", 1.0),
    "sum": ("sum", 0.0),
}
"""By name, how elements are folded, and the value of none."""


def segment_reduce(
    data: Tensor,
    reduce: str,
    *,
    lengths: Tensor | None = None,
    indices: Tensor | None = None,
    offsets: Tensor | None = None,
    axis: int = 0,
    unsafe: bool = False,
    initial: float | None = None,
) -> Tensor:
    """The reduction of each of the segments that an axis is cut into.

    The segments are given by their `lengths`, or by `offsets` where they begin and the last one
    ends; both have an axis more than there are before `axis`, for the segments. `reduce` is "sum",
    "mean" (NaN of no elements), "prod", "max" or "min"; `initial` is what it starts from.
    """
    if reduce not in REDUCTIONS:
        raise errors.bad_reduction(reduce)
    lacking("_segment_reduce_cpu", "bool integer complex", data)
    if offsets is not None:
        begin = offsets.raw[..., 0]
        counts = numpy.diff(offsets.raw, axis=-1)
    elif lengths is not None:
        counts = lengths.raw
        begin = numpy.zeros(counts.shape[:-1], counts.dtype)
    else:
        raise errors.no_segments()
    axis = counts.ndim - 1
    size = data.raw.shape[axis]
    if lengths is not None and not unsafe and (counts.sum(-1) != size).any():
        raise errors.segments_do_not_fit()
    index = numbers_of_segments(counts, begin, size)
    shape = data.raw.shape
    rest = (1,) * (len(shape) - axis - 1)
    whole = numpy.broadcast_to(index.reshape(*index.shape, *rest), shape)
    how, start = REDUCTIONS[reduce]
    to = (*shape[:axis], counts.shape[-1] + 1, *shape[axis + 1 :])
    first = full(to, start if initial is None else initial, dtype=data.dtype)
    folded = scatter_reduce(first, axis, wrap(numpy.ascontiguousarray(whole)), data, how)
    result = folded.narrow(axis, 0, counts.shape[-1])
    if reduce != "mean":
        return result
    divisor = counts if initial is None else numpy.maximum(counts, 1)
    return result / wrap(divisor.reshape(*counts.shape, *rest).astype(data.raw.dtype))


def numbers_of_segments(counts: Any, begin: Any, size: int) -> Any:
    """For each element of an axis the number of its segment; that after the last one for others."""
    n = counts.shape[-1]
    index = numpy.full((*counts.shape[:-1], size), n)
    for row in numpy.ndindex(begin.shape):
        numbers = numpy.repeat(numpy.arange(n), counts[row])
        index[row][begin[row] : begin[row] + len(numbers)] = numbers
    return index


def hash_tensor(input: Tensor, dim: Any = (), *, keepdim: bool = False, mode: int = 0) -> Tensor:
    """The exclusive or of the 64 bits of the elements along axes, of all by default.

    Integers are taken as int64, and floating-point numbers as float64.
    """
    if mode:
        raise errors.no_such_hash(mode)
    raw = read(core(input), "hash_tensor")
    wide = raw.astype(numpy.float64 if raw.dtype.kind in "fV" else numpy.int64)
    bits: Any = numpy.asarray(wide).view(numpy.uint64)
    exclusive_or: Any = numpy.bitwise_xor.reduce
    return wrap(exclusive_or(bits, axis=axes_of(bits, dim), keepdims=keepdim))


attach("hash_tensor", globals())
