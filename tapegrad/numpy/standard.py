"""What the Python array API standard asks for beyond NumPy: `descending=`, `finfo` of an array."""

from __future__ import annotations

from typing import Any

import numpy

from ..core.array import Array
from . import sorting
from .dispatch import np

__all__ = ["argsort", "finfo", "iinfo", "sort"]


def sort(
    a: Any,
    axis: int | None = -1,
    kind: Any = None,
    order: Any = None,
    *,
    stable: bool | None = None,
    descending: bool = False,
) -> Any:
    """A sorted copy of an array, as `numpy.sort`; with `descending`, from the largest on."""
    result = sorting.sort(a, axis, kind, order, stable=stable)
    return np.flip(result, axis=-1 if axis is None else axis) if descending else result


def argsort(
    a: Any,
    axis: int | None = -1,
    kind: Any = None,
    order: Any = None,
    *,
    stable: bool | None = None,
    descending: bool = False,
) -> Any:
    """The indices that sort an array, as `numpy.argsort`; with `descending`, from the largest on.

    Equal elements keep their order, in both directions, unless `kind` or `stable` says otherwise.
    """
    if kind is None and stable is None:
        stable = True
    if not descending:
        return sorting.argsort(a, axis, kind, order, stable=stable)
    if axis is None:
        a, axis = np.ravel(a), 0
    backwards = sorting.argsort(np.flip(a, axis=axis), axis, kind, order, stable=stable)
    return np.shape(a)[axis] - 1 - np.flip(backwards, axis=axis)


def finfo(dtype: Any) -> Any:
    """`numpy.finfo` of a dtype or of an array."""
    return numpy.finfo(dtype_of(dtype))


def iinfo(type: Any) -> Any:
    """`numpy.iinfo` of a dtype or of an array."""
    return numpy.iinfo(dtype_of(type))


def dtype_of(x: Any) -> Any:
    return x.dtype if isinstance(x, Array | numpy.ndarray) else x
