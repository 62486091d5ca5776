"""Distances and similarities of vectors."""

from __future__ import annotations

from typing import Any

import numpy

from ... import torch
from ...backend import namespace
from ...core.op import table
from ...ops.linear import sum
from ...ops.selection import maximum, where
from ...torch import Tensor
from ...torch.calls import in_single, in_wide, on_arrays, promoted, raw_of
from ...torch.reductions import wrapped
from ...torch.refusals import TWO_BOOLS, refuse
from . import errors

__all__ = ["cosine_similarity", "normalize", "pairwise_distance", "pdist"]


@on_arrays
@in_wide
def cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    """The cosines of angles between vectors along an axis; lengths below `eps` count as `eps`."""
    a, b = promoted(x1, x2)
    if a.dtype.kind in "biu":
        raise errors.cosine_of_integers(a.dtype)
    n = max(a.ndim, b.ndim)
    shape = numpy.broadcast_shapes(a.shape, b.shape)
    a, b = (table["broadcast_to"].function(x, to=shape) for x in (a, b))
    axis = (wrapped(dim, n),) if n else ()
    units = []
    for x in (a, b):
        length = table["length"].function(x, axis=axis, keepdims=True)
        units.append(x / lifted(length, eps))
    return sum(units[0] * units[1], axis=axis, keepdims=False)


def lifted(length: Any, least: float) -> Any:
    """A length, or `least` (with the length's gradient) where it is below."""
    raw = raw_of(length)
    return length + (namespace(raw).maximum(raw, least) - raw).astype(raw.dtype)[()]


def normalize(
    input: Tensor,
    p: float = 2.0,
    dim: int | tuple[int, ...] = 1,
    eps: float = 1e-12,
    out: Tensor | None = None,
) -> Tensor:
    """Vectors along an axis divided by their `p`-norm, or by `eps` where that is larger."""
    return (
        normalized(input, p, dim, eps, out=out)
        if out is not None
        else normalized(input, p, dim, eps)
    )


@on_arrays
@in_single
def normalized(x: Any, p: float, dim: Any, eps: float) -> Any:
    """`normalize` of the core's arrays."""
    return x / maximum(norm(x, p, dim, True), eps)


def norm(x: Any, p: float, dim: Any, keepdims: bool) -> Any:
    """The `p`-norm over axes."""
    dims = (dim,) if isinstance(dim, int) else tuple(dim)
    axis = tuple(wrapped(d, x.ndim) for d in dims) if x.ndim else ()
    if p == 2:
        return table["length"].function(x, axis=axis, keepdims=keepdims)
    size = table["abs"].function(x)
    if p == 0:
        return sum((raw_of(x) != 0).astype(size.dtype) + 0 * size, axis=axis, keepdims=keepdims)
    if p in (float("inf"), float("-inf")):
        name = "max" if p > 0 else "min"
        return table[name].function(size, axis=axis, keepdims=keepdims)
    if p == 1:
        return sum(size, axis=axis, keepdims=keepdims)
    total = sum(size**p, axis=axis, keepdims=keepdims)
    zero = raw_of(total) == 0
    return where(zero, 0, where(zero, 1, total) ** (1 / p))


@on_arrays
@in_wide
def pairwise_distance(
    x1: Any, x2: Any, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Any:
    """The `p`-norms of ``x1 - x2 + eps`` along the last axis."""
    a, b = promoted(x1, x2, to_float=True)
    d = a - b + eps
    return norm(d, p, -1, keepdim)


def pdist(input: Tensor, p: float = 2) -> Tensor:
    """The `p`-norm distances of all pairs of rows of a matrix, as a vector."""
    return torch.pdist(input, p)


refuse(
    globals(),
    "expected common dtype to be floating point, yet common dtype is {kind}",
    "complex",
    "cosine_similarity",
)
refuse(
    globals(),
    "linalg.vector_norm: Expected a floating point or complex tensor as input. Got {kind}",
    "bool integer",
    "normalized",
)
refuse(globals(), TWO_BOOLS, "bool", "pairwise_distance")
