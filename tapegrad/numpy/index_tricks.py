"""`r_` and `c_`, which join what is between their brackets."""

from __future__ import annotations

from typing import Any

import numpy

from ..backend import python_numbers
from ..core.array import Array
from ..ops.linear import cast, reshape
from .dispatch import np
from .joining import concatenate
from .lists import assembled
from .reading import any_recorded

__all__ = ["c_", "r_"]


class Joiner:
    """One of the two, for plain and for recorded arrays."""

    def __init__(self, original: Any) -> None:
        self.original = original
        self.__doc__ = original.__doc__

    def __getitem__(self, key: Any) -> Any:
        items = key if isinstance(key, tuple) else (key,)
        if not any_recorded(items):
            return self.original[key]
        where = [self.original.axis, self.original.ndmin, self.original.trans1d]
        if isinstance(items[0], str):
            words = items[0].split(",")
            if not all(word.strip().lstrip("-").isdigit() for word in words):
                raise ValueError(
                    f"the directive {items[0]!r} gives a matrix, which has an arithmetic of its "
                    "own. Give integers: 'axis', 'axis,ndim' or 'axis,ndim,start'."
                )
            where[: len(words)] = map(int, words)
            items = items[1:]
        directive = ",".join(map(str, where))
        parts = [
            placed(assembled(x), *where[1:]) if any_recorded(x) else numpy.r_[directive, x]
            for x in items
        ]
        kinds = [
            x if type(x) in python_numbers else part.dtype
            for x, part in zip(items, parts, strict=True)
        ]
        dtype = numpy.result_type(*kinds)
        return concatenate([cast(part, dtype) for part in parts], where[0])


def placed(x: Array, ndim: int, start: int) -> Array:
    """`x` with at least `ndim` axes, its own beginning at the place `start`."""
    missing = max(ndim - x.ndim, 0)
    before = start if start >= 0 else missing + 1 + start
    ones = (1,) * min(before, missing)
    return reshape(x, to=(*ones, *x.shape, *(1,) * (missing - len(ones))))


r_ = Joiner(np.r_)
c_ = Joiner(np.c_)
