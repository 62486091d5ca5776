"""Interpolation in a table, and angles without jumps."""

from __future__ import annotations

import math
from typing import Any

import numpy
from numpy.lib.array_utils import normalize_axis_index

from ..backend import is_complex, is_inexact
from ..ops.index import ARRAY, getitem
from ..ops.join import concat
from ..ops.linear import cast, stop_gradient
from ..ops.selection import where
from ..ops.sort import searchsorted
from .dispatch import implements, np
from .operands import operand

__all__ = ["interp", "unwrap"]

FLOAT = numpy.dtype(float)
COMPLEX = numpy.dtype(complex)


@implements(numpy.interp)
def interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Any:
    x, xp, fp = (operand(z) for z in (x, xp, fp))
    x, xp = cast(x, FLOAT), cast(xp, FLOAT)
    fp = cast(fp, COMPLEX if is_complex(fp.dtype) else FLOAT)
    if xp.ndim != 1 or fp.ndim != 1:
        raise ValueError("Data points must be 1-D sequences")
    if xp.size == 0:
        raise ValueError("array of sample points is empty")
    if xp.size != fp.size:
        raise ValueError("fp and xp are not of the same length.")
    if period is not None:
        if period == 0:
            raise ValueError("period must be a non-zero value")
        period = abs(period)
        left = right = None
        x, xp = np.remainder(x, period), np.remainder(xp, period)
        order = np.argsort(xp)
        xp, fp = (getitem(z, order, key=(ARRAY,)) for z in (xp, fp))
        before, after = (slice(-1, None),), (slice(0, 1),)
        xp = concat(getitem(xp, key=before) - period, xp, getitem(xp, key=after) + period, axis=0)
        fp = concat(getitem(fp, key=before), fp, getitem(fp, key=after), axis=0)
    first, last = getitem(xp, key=(0,)), getitem(xp, key=(-1,))
    left = getitem(fp, key=(0,)) if left is None else left
    right = getitem(fp, key=(-1,)) if right is None else right
    inside = within(x, xp, fp) if xp.size > 1 else getitem(fp, key=(0,))
    return where(x < first, left, where(x > last, right, inside))


def within(x: Any, xp: Any, fp: Any) -> Any:
    """The values at places between the first and the last of the table.

    At a place of the table the slope is that to the right of it; at the last, to the left.
    """
    n = xp.size
    after = searchsorted(xp, stop_gradient(x), side="right")
    after = np.clip(after, 1, n - 1)
    before = after - 1
    x0, x1, f0, f1 = (getitem(z, i, key=(ARRAY,)) for z in (xp, fp) for i in (before, after))
    width = x1 - x0
    exact = x == x1  # the last place, where NumPy gives the value as it stands
    flat = width == 0
    slope = (f1 - f0) / where(flat, 1, width)
    return where(exact, f1 + slope * (x - x1), f0 + slope * (x - x0))


@implements(numpy.unwrap)
def unwrap(p: Any, discont: Any = None, axis: int = -1, *, period: Any = 2 * math.pi) -> Any:
    p = operand(p)
    axis = normalize_axis_index(axis, p.ndim)
    angles = stop_gradient(p)  # what is added is constant but for jumps
    steps = np.diff(angles, axis=axis)
    if discont is None:
        discont = period / 2
    if is_inexact(numpy.result_type(steps.dtype, period)):
        low, ambiguous = -period / 2, True
    else:
        half, rest = divmod(period, 2)
        low, ambiguous = -half, rest == 0
    wrapped = np.remainder(steps - low, period) + low
    if ambiguous:
        wrapped = where((wrapped == low) & (steps > 0), low + period, wrapped)
    correction = where(abs(steps) < discont, 0, wrapped - steps)
    ahead = (slice(None),) * axis
    first = getitem(p, key=(*ahead, slice(0, 1)))
    rest = getitem(p, key=(*ahead, slice(1, None))) + np.cumsum(correction, axis=axis)
    return concat(first, rest, axis=axis)
