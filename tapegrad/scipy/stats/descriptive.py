"""Statistics of samples: the mode, ranks, the standard error of the mean."""

from __future__ import annotations

import math
from typing import Any

import numpy
import scipy.stats

from ...numpy.dispatch import np
from ...numpy.reading import known, on_values
from ...ops.linear import stop_gradient
from ...ops.selection import where
from ..dispatch import implements
from .moments import PROPAGATE, number_of, propagates

__all__ = ["mode", "rankdata", "sem"]


@implements(scipy.stats.mode)
def mode(a: Any, axis: int | None = 0, nan_policy: str = PROPAGATE, keepdims: bool = False) -> Any:
    """The commonest value. The elements that have it share its derivative equally."""
    propagates("mode", nan_policy)
    data = known(a, "the mode")
    found = scipy.stats.mode(data, axis=axis, keepdims=True)
    chosen = data == found.mode
    moved = where(chosen, a - stop_gradient(a), 0)
    value = found.mode + np.sum(moved, axis=axis, keepdims=True) / found.count.astype(data.dtype)
    count = found.count
    if not keepdims:
        value = np.squeeze(value, axis=axis)
        count = numpy.squeeze(count, axis=axis)
    return type(found)(value, count)


@implements(scipy.stats.sem)
def sem(
    a: Any,
    axis: int | None = 0,
    ddof: int = 1,
    nan_policy: str = PROPAGATE,
    *,
    keepdims: bool = False,
) -> Any:
    """The standard deviation over the root of the number of observations."""
    propagates("sem", nan_policy)
    root = math.sqrt(number_of(a, axis))
    return np.std(a, axis=axis, ddof=ddof, keepdims=keepdims) / root


rankdata = implements(scipy.stats.rankdata)(on_values(scipy.stats.rankdata, "the ranks"))
