"""What the interpolators do with their arguments."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.lib.array_utils import normalize_axis_index

from ...backend import is_complex
from ...core.array import Array, is_mapped
from ...core.record import raw
from ...numpy.creation import assembled
from ...numpy.dispatch import np
from ...numpy.operands import operand
from ...ops.index import ARRAY, EVERYTHING, getitem
from ...ops.linear import cast, reshape


def floating(x: Any) -> Any:
    """An argument as an array of double precision, real or complex, as SciPy computes in."""
    x = x if isinstance(x, Array) else operand(assembled(x))
    return cast(x, numpy.dtype(complex if is_complex(x.dtype) else float))


def values(x: Any) -> Any:
    """What is known of an array's elements: None if they differ between the lanes of vmap."""
    return None if is_mapped(x) else numpy.asarray(raw(x))


def nodes_and_values(x: Any, y: Any, axis: int) -> tuple[Any, Any, int]:
    """Nodes, values with their axis first, and that axis; checked as SciPy does."""
    x, y = floating(x), floating(y)
    if is_complex(x.dtype):
        raise ValueError("`x` must contain real values.")
    axis = normalize_axis_index(axis, y.ndim)
    if x.ndim != 1:
        raise ValueError("`x` must be 1-dimensional.")
    if x.shape[0] < 2:
        raise ValueError("`x` must contain at least 2 elements.")
    if x.shape[0] != y.shape[axis]:
        raise ValueError(f"The length of `y` along `axis`={axis} doesn't match the length of `x`")
    for name, data in (("x", values(x)), ("y", values(y))):
        if data is not None and not numpy.all(numpy.isfinite(data)):
            raise ValueError(f"`{name}` must contain only finite values.")
    known = values(x)
    if known is not None and numpy.any(numpy.diff(known) <= 0):
        raise ValueError("`x` must be strictly increasing sequence.")
    return x, np.moveaxis(y, axis, 0), axis


def column(x: Any, like: Any) -> Any:
    """A vector to be multiplied along the first axis of `like`."""
    return reshape(x, to=(x.shape[0], *(1,) * (like.ndim - 1)))


def interval(knots: Any, x: Any, low: int, high: int) -> Any:
    """Between which knots points lie: of a knot, after it; points outside, from `low` to `high`."""
    return np.clip(np.searchsorted(knots, x, side="right") - 1, low, high)


def rows(x: Any, places: Any) -> Any:
    """The elements of the first axis that an index array names."""
    return getitem(x, places, key=(ARRAY,))


def columns(x: Any, places: Any) -> Any:
    """The elements of the second axis that an index array names."""
    return getitem(x, places, key=(EVERYTHING, ARRAY))


def wrapped(x: Any, start: Any, stop: Any) -> Any:
    """Points moved into one period."""
    return start + np.mod(x - start, stop - start)


def at_axis(out: Any, points: int, axis: int) -> Any:
    """Results, whose first `points` axes are those of the points, with these put at `axis`."""
    if axis == 0 or points == 0:
        return out
    order = (*range(points, points + axis), *range(points), *range(points + axis, out.ndim))
    return np.transpose(out, order)


def blank(out: Any, outside: Any) -> Any:
    """Results with NaN where points lie outside; `outside` has their leading axes."""
    mask = reshape(outside, to=(*outside.shape, *(1,) * (out.ndim - outside.ndim)))
    return np.where(mask, numpy.nan, out)
