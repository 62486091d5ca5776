"""Diagonals and triangles of matrices."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.lib.array_utils import normalize_axis_index

from ..core.array import Array
from ..ops.linear import reshape
from ..ops.selection import where
from ..ops.shape import diagonal as diagonal_op
from ..ops.shape import embed_diagonal
from .dispatch import implements, np
from .shapes import permuted, recorded, viewed

__all__ = ["diag", "diagflat", "diagonal", "tril", "triu"]


@implements(numpy.diagonal)
def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """The diagonals of `a` in the plane of two axes; read-only, as NumPy's."""
    x = recorded(a)
    if x.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    i, j = normalize_axis_index(axis1, x.ndim), normalize_axis_index(axis2, x.ndim)
    if i == j:
        raise ValueError("axis1 and axis2 cannot be the same")
    others = [k for k in range(x.ndim) if k not in (i, j)]
    return viewed(diagonal_op, permuted(x, (*others, i, j)), offset=int(offset))


@implements(numpy.linalg.diagonal)
def matrix_diagonal(x: Any, /, *, offset: int = 0) -> Array:
    """The diagonals of `x` in the plane of its last two axes; read-only, as NumPy's."""
    return diagonal(x, offset, -2, -1)


@implements(numpy.diag)
def diag(v: Any, k: int = 0) -> Array:
    """The diagonal of a matrix, or the matrix with a vector on its diagonal."""
    x = recorded(v)
    if x.ndim == 1:
        n = x.size + abs(k)
        return embed_diagonal(x, offset=int(k), to=(n, n))
    if x.ndim == 2:
        return diagonal(x, k)
    raise ValueError("Input must be 1- or 2-d.")


@implements(numpy.diagflat)
def diagflat(v: Any, k: int = 0) -> Array:
    """The matrix with the elements of `v` on its diagonal."""
    x = recorded(v)
    return diag(reshape(x, to=(x.size,)), k)


@implements(numpy.tril)
def tril(m: Any, k: int = 0) -> Array:
    """`m` with zeros above the diagonal `k`."""
    return chosen(recorded(m), k, True)


@implements(numpy.triu)
def triu(m: Any, k: int = 0) -> Array:
    """`m` with zeros below the diagonal `k`."""
    return chosen(recorded(m), k - 1, False)


def chosen(x: Array, k: int, below: bool) -> Array:
    """The elements on and below the diagonal `k`, or those above it; zeros elsewhere.

    Chosen, not multiplied by a mask: what is not taken may be inf or NaN.
    """
    shape = x.shape[-2:] if x.ndim > 1 else 2 * x.shape  # NumPy makes a matrix of a vector
    mask = np.tri(*shape, k=k, dtype=bool)
    return where(mask if below else ~mask, x, x.dtype.type(0))
