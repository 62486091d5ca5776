"""Statistics of samples: the mode, ranks, the standard error of the mean."""

from __future__ import annotations

import math
from typing import Any

import numpy
import scipy.stats

from ... import errors
from ...numpy.dispatch import np
from ...numpy.reading import known, on_values
from ...ops.linear import stop_gradient
from ...ops.selection import where
from ..dispatch import implements

__all__ = ["mode", "rankdata", "sem"]


def _propagates(name: str, nan_policy: str) -> None:
    if nan_policy != "propagate":
        raise errors.no_argument(
            name, f"nan_policy={nan_policy!r}", "Drop or replace the NaNs before."
        )


@implements(scipy.stats.mode)
def mode(
    a: Any, axis: int | None = 0, nan_policy: str = "propagate", keepdims: bool = False
) -> Any:
    """The commonest value. The elements that have it share its derivative equally."""
    _propagates("mode", nan_policy)
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
    nan_policy: str = "propagate",
    *,
    keepdims: bool = False,
) -> Any:
    """The standard deviation over the root of the number of observations."""
    _propagates("sem", nan_policy)
    count = a.size if axis is None else a.shape[axis]
    return np.std(a, axis=axis, ddof=ddof, keepdims=keepdims) / math.sqrt(count)


rankdata = implements(scipy.stats.rankdata)(on_values(scipy.stats.rankdata, "the ranks"))
