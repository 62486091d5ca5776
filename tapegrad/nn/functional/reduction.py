"""What every loss has in common: the reduction of its elements, and how its tensors combine."""

from __future__ import annotations

import warnings
from typing import Any

import numpy

from ...ops.linear import sum
from ...ops.reduce import mean
from ...torch.errors import sizes_differ
from . import errors


def reduced(x: Any, reduction: str) -> Any:
    """The elements of a loss, their mean or their sum."""
    if reduction == "none":
        return x
    axis = tuple(range(x.ndim))
    if reduction == "mean":
        if not x.size:  # NaN, of which NumPy's mean would warn
            return sum(x, axis=axis, keepdims=False) / 0
        return mean(x, axis=axis, keepdims=False)
    if reduction == "sum":
        return sum(x, axis=axis, keepdims=False)
    raise errors.bad_reduction(reduction)


def chosen(reduction: str, size_average: bool | None, reduce: bool | None) -> str:
    """The reduction that the two older arguments mean, if they are given."""
    if size_average is None and reduce is None:
        return reduction
    found = "none" if reduce is False else "sum" if size_average is False else "mean"
    warnings.warn(errors.older_arguments(found), UserWarning, stacklevel=3)
    return found


def check_sizes(input: Any, target: Any) -> None:
    """Warn where a loss broadcasts its arguments, and raise where it can't."""
    if input.shape == target.shape:
        return
    warnings.warn(errors.broadcast_target(target.shape, input.shape), UserWarning, stacklevel=4)
    try:
        numpy.broadcast_shapes(input.shape, target.shape)
    except ValueError:
        raise sizes_differ(input.shape, target.shape) from None
