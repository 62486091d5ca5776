"""`Layout`: several arrays as one vector, and back; for solvers, which know vectors only."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from math import prod
from typing import Any

import numpy

from .. import tree
from ..backend import as_data
from ..core.array import Array
from ..ops.join import concat
from ..ops.linear import astype, reshape


class Layout:
    """How arrays lie in one vector: their shapes and dtypes, and the vector's.

    The vector's dtype is what all of them promote to. Packing and unpacking are operations: they
    record where an array is recorded.
    """

    __slots__ = ("bounds", "dtype", "dtypes", "shapes", "size")

    def __init__(self, arrays: Sequence[Any]) -> None:
        self.shapes = [tuple(x.shape) for x in arrays]
        self.dtypes = [x.dtype for x in arrays]
        self.dtype = numpy.result_type(*self.dtypes) if self.dtypes else numpy.dtype(float)
        ends = list(accumulate(map(prod, self.shapes), initial=0))
        self.bounds = list(pairwise(ends))
        self.size = ends[-1]

    def pack(self, arrays: Sequence[Any]) -> Any:
        """The vector of all elements."""
        parts = []
        for x in arrays:
            if x.dtype != self.dtype:
                x = astype(x, to=self.dtype, source=x.dtype)
            parts.append(reshape(x, to=(x.size,)) if x.ndim != 1 else x)
        if len(parts) == 1:
            return parts[0]
        return concat(*parts, axis=0) if parts else numpy.zeros(0)

    def unpack(self, vector: Any) -> list[Any]:
        """The arrays of a vector."""
        arrays = []
        for (start, stop), shape, dtype in zip(self.bounds, self.shapes, self.dtypes, strict=True):
            if not shape:
                x = vector[start]
            else:
                x = vector if len(self.shapes) == 1 else vector[start:stop]
                if len(shape) != 1:
                    x = reshape(x, to=shape)
            if x.dtype != dtype:
                x = astype(x, to=dtype, source=x.dtype)
            arrays.append(x)
        return arrays


class Packing:
    """A tree of arrays as one vector, and back."""

    __slots__ = ("layout", "structure")

    def __init__(self, value: Any) -> None:
        leaves, self.structure = tree.flatten(value)
        self.layout = Layout([as_floating(x) for x in leaves])

    def pack(self, value: Any) -> Any:
        """The vector of a tree's elements."""
        return self.layout.pack([as_floating(x) for x in tree.leaves(value)])

    def unpack(self, vector: Any) -> Any:
        """The tree whose elements are those of a vector."""
        return tree.unflatten(self.structure, self.layout.unpack(vector))


def as_floating(x: Any) -> Any:
    """A leaf as an array of floating point: integers, which have no derivative, become such."""
    x = x if isinstance(x, Array) else as_data(x)
    if x.dtype.kind in "biu":
        return astype(x, to=numpy.dtype(float), source=x.dtype)
    return x
