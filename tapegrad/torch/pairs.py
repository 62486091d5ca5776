"""Distances of pairs of vectors: `cdist`, `pdist`."""

from __future__ import annotations

import math
from typing import Any

import numpy

from ..core.op import table
from ..ops.contract import matmul, transpose
from ..ops.index import ARRAY, getitem
from ..ops.linear import reshape, sum
from ..ops.selection import where
from . import errors
from .calls import on_arrays, promoted, raw_of
from .refusals import lacking, refuse

__all__ = ["cdist", "pdist"]

LARGE = 25
"""From this many vectors on, Euclidean distances are computed by products of matrices."""


def between(d: Any, p: float) -> Any:
    """The `p`-norms of differences along the last axis. The slope at 0 is 0."""
    axis = (d.ndim - 1,)
    if p == 2:
        return table["length"].function(d, axis=axis, keepdims=False)
    size = table["abs"].function(d)
    if p == 0:
        return sum((raw_of(d) != 0).astype(d.dtype) + 0 * size, axis=axis, keepdims=False)
    if p == math.inf:
        if not d.shape[-1]:
            return sum(size, axis=axis, keepdims=False)
        return table["max"].function(size, axis=axis, keepdims=False)
    if p == 1:
        return sum(size, axis=axis, keepdims=False)
    moved = raw_of(size) != 0
    powers = where(moved, where(moved, size, 1) ** p, 0)
    total = sum(powers, axis=axis, keepdims=False)
    apart = raw_of(total) != 0
    return where(apart, where(apart, total, 1) ** (1 / p), 0)


@on_arrays
def cdist(
    x1: Any,
    x2: Any,
    p: float = 2.0,
    compute_mode: str | None = "use_mm_for_euclid_dist_if_necessary",
) -> Any:
    """The `p`-norm distances of each row of `x1` (..., P, M) to each of `x2` (..., R, M)."""
    if x1.ndim < 2 or x2.ndim < 2:
        raise errors.too_few_axes("cdist", 2, min(x1.ndim, x2.ndim))
    if x1.shape[-1] != x2.shape[-1]:
        raise errors.columns_differ(x1.shape[-1], x2.shape[-1])
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    a, b = promoted(x1, x2)
    exact = compute_mode == "donot_use_mm_for_euclid_dist"
    necessary = compute_mode != "use_mm_for_euclid_dist"
    if p == 2 and not exact and not (necessary and max(a.shape[-2], b.shape[-2]) <= LARGE):
        return by_products(a, b)
    lacking("cdist", "half", a)
    rows = reshape(a, to=(*a.shape[:-1], 1, a.shape[-1]))
    columns = reshape(b, to=(*b.shape[:-2], 1, *b.shape[-2:]))
    return between(rows - columns, p)


def by_products(a: Any, b: Any) -> Any:
    """Euclidean distances by ``|a|**2 + |b|**2 - 2 a.b``: fast, and inexact for near vectors."""
    squares_a = sum(a * a, axis=(a.ndim - 1,), keepdims=True)
    squares_b = transpose(sum(b * b, axis=(b.ndim - 1,), keepdims=True))
    total = squares_a + squares_b - 2 * matmul(a, transpose(b))
    apart = raw_of(total) > 0
    return where(apart, table["sqrt"].function(where(apart, total, 1)), 0)


@on_arrays
def pdist(input: Any, p: float = 2) -> Any:
    """The `p`-norm distances of all pairs of rows of a matrix, as a vector."""
    if input.ndim != 2:
        raise errors.not_one_matrix("pdist", input.ndim)
    first, second = numpy.triu_indices(input.shape[0], 1)
    d = getitem(input, first, key=(ARRAY,)) - getitem(input, second, key=(ARRAY,))
    return between(d, p)


refuse(globals(), "{name} only supports floating-point dtypes", "bool integer complex", "pdist")
refuse(
    globals(),
    "cdist only supports floating-point dtypes, X1 got: {kind}",
    "bool integer complex",
    "cdist",
)
refuse(globals(), "{name}", "half", "pdist")
