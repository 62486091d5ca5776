"""Operators that PyTorch's compiler and libraries call, which programs have come to use too."""

from __future__ import annotations

from typing import Any

from .gathering import index_put
from .joining import cat
from .selection import where
from .shapes import flatten
from .subscript import get
from .tensor import Tensor

__all__ = ["_chunk_cat", "_unsafe_masked_index", "_unsafe_masked_index_put_accumulate"]


def inside(mask: Tensor, indices: Any) -> tuple[Any, ...]:
    """Indices that are 0 where a mask is false: they may be out of range there."""
    return tuple(i if i is None else where(mask, i, 0) for i in indices)


def _unsafe_masked_index(input: Tensor, mask: Tensor, indices: Any, fill: Any) -> Tensor:
    """The elements at indices where a mask is true, and `fill` elsewhere."""
    return where(mask, get(input, inside(mask, indices)), fill)


def _unsafe_masked_index_put_accumulate(
    input: Tensor, mask: Tensor, indices: Any, values: Tensor
) -> Tensor:
    """The tensor, with values added at indices where a mask is true."""
    added = values.masked_fill(mask.logical_not(), 0)
    return index_put(input, inside(mask, indices), added, accumulate=True)


def _chunk_cat(tensors: Any, dim: int, num_chunks: int, *, out: Tensor | None = None) -> Tensor:
    """The chunks of tensors along an axis, those of equal number side by side, as rows.

    What is missing to chunks of equal size is filled with zeros.
    """
    parts = [chunks_of(x, dim % x.raw.ndim, num_chunks) for x in tensors]
    return cat(parts, dim=parts[0].raw.ndim - 1, out=out)


def chunks_of(x: Tensor, axis: int, count: int) -> Tensor:
    """The chunks of a tensor along an axis, each flat from that axis on."""
    shape = x.raw.shape
    missing = -shape[axis] % count
    if missing:
        x = cat([x, x.new_zeros((*shape[:axis], missing, *shape[axis + 1 :]))], dim=axis)
    length = x.raw.shape[axis] // count
    split = x.reshape(*shape[:axis], count, length, *shape[axis + 1 :])
    return flatten(split, axis + 1)
