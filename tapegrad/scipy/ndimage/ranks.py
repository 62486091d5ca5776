"""Filters that choose among neighbours by size: maxima, minima, medians, percentiles."""

from __future__ import annotations

from operator import index
from typing import Any

import scipy.ndimage
from numpy.lib.array_utils import normalize_axis_index

from ...numpy.reading import known
from ...ops.linear import cast
from ..dispatch import implements
from .neighbours import Window, largest, ranked, real_image, smallest


@implements(scipy.ndimage.maximum_filter)
def maximum_filter(
    input: Any,
    size: Any = None,
    footprint: Any = None,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> Any:
    x, dtype = real_image("maximum_filter", input, output, cval)
    return cast(largest(x, Window(size, footprint, mode, cval, origin, axes)), dtype)


@implements(scipy.ndimage.minimum_filter)
def minimum_filter(
    input: Any,
    size: Any = None,
    footprint: Any = None,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> Any:
    x, dtype = real_image("minimum_filter", input, output, cval)
    return cast(smallest(x, Window(size, footprint, mode, cval, origin, axes)), dtype)


@implements(scipy.ndimage.maximum_filter1d)
def maximum_filter1d(
    input: Any,
    size: int,
    axis: int = -1,
    output: Any = None,
    mode: str = "reflect",
    cval: Any = 0.0,
    origin: int = 0,
) -> Any:
    x, dtype = real_image("maximum_filter1d", input, output, cval)
    return cast(largest(x, along(x, size, axis, mode, cval, origin)), dtype)


@implements(scipy.ndimage.minimum_filter1d)
def minimum_filter1d(
    input: Any,
    size: int,
    axis: int = -1,
    output: Any = None,
    mode: str = "reflect",
    cval: Any = 0.0,
    origin: int = 0,
) -> Any:
    x, dtype = real_image("minimum_filter1d", input, output, cval)
    return cast(smallest(x, along(x, size, axis, mode, cval, origin)), dtype)


def along(x: Any, size: int, axis: int, mode: str, cval: Any, origin: int) -> Window:
    """The window of neighbours along one axis."""
    if size < 1:
        raise RuntimeError("incorrect filter size")
    return Window(size, None, mode, cval, origin, (normalize_axis_index(axis, x.ndim),))


@implements(scipy.ndimage.rank_filter)
def rank_filter(
    input: Any,
    rank: int,
    size: Any = None,
    footprint: Any = None,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> Any:
    x, dtype = real_image("rank_filter", input, output, cval)
    window = Window(size, footprint, mode, cval, origin, axes)
    return cast(ranked(x, window, lambda _count: index(rank)), dtype)


@implements(scipy.ndimage.median_filter)
def median_filter(
    input: Any,
    size: Any = None,
    footprint: Any = None,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> Any:
    x, dtype = real_image("median_filter", input, output, cval)
    window = Window(size, footprint, mode, cval, origin, axes)
    return cast(ranked(x, window, lambda count: count // 2), dtype)


@implements(scipy.ndimage.percentile_filter)
def percentile_filter(
    input: Any,
    percentile: Any,
    size: Any = None,
    footprint: Any = None,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> Any:
    x, dtype = real_image("percentile_filter", input, output, cval)
    share = float(known(percentile, "percentile of scipy.ndimage.percentile_filter"))
    share = share + 100 if share < 0 else share
    if not 0 <= share <= 100:
        raise RuntimeError("invalid percentile")

    def rank_of(count: int) -> int:
        return count - 1 if share == 100 else int(float(count) * share / 100.0)

    return cast(ranked(x, Window(size, footprint, mode, cval, origin, axes), rank_of), dtype)
