"""Counts of the elements of tensors: of whole numbers, and in bins."""

from __future__ import annotations

from typing import Any

import numpy

from ..backend import namespace
from ..numpy.reading import known
from . import errors, return_types
from .calls import attach, on_arrays, raw_of
from .dtypes import of_numpy
from .refusals import lacking, refuse
from .tensor import Tensor, wrap

__all__ = ["bincount", "histc", "histogram", "histogramdd", "unravel_index"]


def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each number from 0 on occurs, or the sum of its weights."""
    raw = known(input, "bincount")
    lacking("bincount_cpu", "bool half float32 float64 complex", raw)
    xp = namespace(raw)
    if raw.ndim != 1 or raw.dtype.kind not in "iu" or (raw.size and raw.min() < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    given = None if weights is None else xp.asarray(weights.raw)
    result = xp.bincount(raw, given, minlength)
    if given is not None and given.dtype == numpy.float32:
        result = result.astype(numpy.float32)
    return wrap(result if given is not None else result.astype(numpy.int64))


@on_arrays
def histc(input: Any, bins: int = 100, min: Any = 0, max: Any = 0) -> Any:
    """How many elements fall into bins of one width between two limits."""
    if input.dtype.kind in "biuc":
        raise errors.not_for("histogram_cpu", of_numpy(input.dtype))
    raw = numpy.asarray(raw_of(input)).reshape(-1)
    low, high = min, max
    if low == high == 0 and raw.size:
        low, high = raw.min(), raw.max()
    if low == high:
        low, high = low - 1, high + 1
    if low > high:
        raise RuntimeError("torch.histc: max must be larger than min")
    return numpy.histogram(raw, bins, (float(low), float(high)))[0].astype(raw.dtype)


@on_arrays
def histogram(
    input: Any, bins: Any, *, range: Any = None, weight: Any = None, density: bool = False
) -> Any:
    """How many elements fall into bins: so many of one width, or with given edges."""
    raw = numpy.asarray(raw_of(input)).reshape(-1)
    given = None if weight is None else numpy.asarray(raw_of(weight)).reshape(-1)
    edges = bins if isinstance(bins, int) else numpy.asarray(raw_of(bins))
    if isinstance(bins, int) and range is None and not raw.size:
        range = (0, 1)
    counts, at = numpy.histogram(raw, edges, range, density=density, weights=given)
    return return_types.histogram(counts.astype(raw.dtype), at.astype(raw.dtype))


@on_arrays
def histogramdd(
    input: Any, bins: Any, *, range: Any = None, weight: Any = None, density: bool = False
) -> Any:
    """How many points fall into the boxes of a grid."""
    raw = numpy.asarray(raw_of(input))
    points = raw.reshape(-1, raw.shape[-1])
    given = None if weight is None else numpy.asarray(raw_of(weight)).reshape(-1)
    edges = (
        bins if isinstance(bins, int) else [b if isinstance(b, int) else raw_of(b) for b in bins]
    )
    limits = None if range is None else list(zip(range[::2], range[1::2], strict=True))
    counts, at = numpy.histogramdd(points, edges, limits, density=density, weights=given)
    return return_types.histogramdd(
        counts.astype(raw.dtype), tuple(e.astype(raw.dtype) for e in at)
    )


def unravel_index(indices: Tensor, shape: Any) -> tuple[Tensor, ...]:
    """The coordinates of places in a flat tensor of a shape."""
    if indices.raw.dtype.kind not in "iu":
        raise errors.no_whole_indices(indices.dtype)
    to = (shape,) if isinstance(shape, int) else tuple(map(int, shape))
    return tuple(map(wrap, namespace(indices.raw).unravel_index(indices.raw, to)))


attach("bincount histc histogram", globals())

refuse(globals(), "histogramdd", "bool integer half complex", "histogram histogramdd")
