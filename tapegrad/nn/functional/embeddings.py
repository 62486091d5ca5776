"""Vectors of words: rows of a matrix by index, alone and in bags."""

from __future__ import annotations

from typing import Any

import numpy

from ...backend import on_device
from ...core.modes import no_grad
from ...ops.index import ARRAY, getitem
from ...ops.linear import reshape
from ...ops.neural.rows import add_rows, take_rows
from ...ops.selection import keep, where
from ...ops.sort import take_along
from ...ops.transfer import beside
from ...torch import Tensor
from ...torch.calls import on_arrays, raw_of
from ...torch.inplace import write
from ...torch.refusals import refuse
from . import errors
from .arguments import tensor

__all__ = ["embedding", "embedding2", "embedding_bag", "one_hot"]


def check_index(index: Any, rows: int, name: str) -> None:
    """Raise for an index of no row."""
    if index.dtype.kind not in "iu":
        raise errors.not_index(name, index)
    looked_at = index.size and not on_device(index)  # there it would be to wait
    if looked_at and (index.min() < 0 or index.max() >= rows):
        raise IndexError("index out of range in self")


def padding_row(padding_idx: int | None, rows: int) -> int | None:
    """The row without gradient, counted from the start."""
    if padding_idx is None:
        return None
    if not -rows <= padding_idx < rows:
        raise AssertionError("Padding_idx must be within num_embeddings")
    return padding_idx % rows


def renormalise(weight: Tensor, index: Any, largest: float, p: float) -> None:
    """Shorten the rows that are looked up and longer than `largest`, in place."""
    used = numpy.unique(index)
    rows = weight.raw[used]
    length = (numpy.abs(rows) ** p).sum(1) ** (1 / p)
    scale = numpy.where(length > largest, largest / (length + 1e-7), 1).astype(rows.dtype)
    after = weight.raw.copy()
    after[used] = rows * scale[:, None]
    with no_grad():
        write(weight, after, "embedding_renorm_")


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows of `weight` that `input` names.

    The row `padding_idx` has no gradient. Rows longer than `max_norm` are shortened in place.
    `scale_grad_by_freq` divides gradients by how often `input` names a row. Gradients are dense in
    memory; with `sparse`, optimisers take them by rows, as `optim.SparseAdam` does.
    """
    input, weight = tensor(input), tensor(weight)
    if sparse:
        vars(weight)["by_rows"] = True
    if weight.raw.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    index = input.raw
    rows = weight.raw.shape[0]
    check_index(index, rows, "embedding")
    padding = padding_row(padding_idx, rows)
    if max_norm is not None:
        renormalise(weight, index, max_norm, norm_type)
    result: Tensor = rows_of(weight, input, padding, scale_grad_by_freq)
    return result


def looked_up(weight: Any, index: Any, padding: int | None, by_frequency: bool) -> Any:
    """Rows, with what changes their gradient."""
    out = take_rows(weight, index)
    if padding is not None:
        trained = reshape(index != padding, to=(*index.shape, 1))
        out = keep(out, trained) + keep(raw_of(out), ~raw_of(trained))
    if by_frequency:
        values = raw_of(index)
        _, places, times = numpy.unique(values, return_inverse=True, return_counts=True)
        share = (1 / times[places]).reshape(*values.shape, 1).astype(weight.dtype)
        out = out * share + raw_of(out) * (1 - share)
    return out


rows_of = on_arrays(looked_up)
embedding2 = embedding
"""`embedding`, by a second name that programs use."""


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """The sums, means or maxima of bags of rows of `weight`.

    A bag is a row of `input` (B, n), or begins at an offset in `input` (n,). Indices equal to
    `padding_idx` are in no bag; a bag of nothing gives zeros. `sparse` is as for `embedding`.
    """
    input, weight, offsets = map(tensor, (input, weight, offsets))
    if sparse:
        vars(weight)["by_rows"] = True
    index = input.raw
    rows = weight.raw.shape[0]
    check_index(index, rows, "embedding_bag")
    if per_sample_weights is not None:
        if mode != "sum":
            raise errors.weighted_bags(mode)
        if per_sample_weights.raw.shape != index.shape:
            raise errors.weights_of_bags(index.shape, per_sample_weights.raw.shape)
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if index.ndim == 2:
        if offsets is not None:
            raise errors.offsets_of_matrix()
        starts = numpy.arange(index.shape[0]) * index.shape[1]
        count = index.shape[0]
    elif index.ndim == 1:
        if offsets is None:
            raise ValueError("offsets has to be a 1D Tensor but got None")
        if offsets.raw.ndim != 1:
            raise ValueError("offsets has to be a 1D Tensor")
        starts = offsets.raw
        count = len(starts) - include_last_offset
        if starts.size and starts[0]:
            raise errors.first_offset(int(starts[0]))
        if starts.size and starts[-1] > index.size:
            raise errors.last_offset(int(starts[-1]), index.size)
    else:
        raise ValueError(
            f"input has to be 1D or 2D Tensor, but got Tensor of dimension {index.ndim}"
        )
    padding = padding_row(padding_idx, rows)
    if max_norm is not None:
        renormalise(weight, index, max_norm, norm_type)
    bag = numpy.searchsorted(starts, numpy.arange(index.size), side="right") - 1
    used = bag < count
    if padding is not None:
        used &= index.reshape(-1) != padding
    result: Tensor = bags(
        weight, index.reshape(-1)[used], bag[used], count, mode, per_sample_weights, used,
        scale_grad_by_freq,
    )  # fmt: skip
    return result


@on_arrays
def bags(
    weight: Any,
    index: Any,
    bag: Any,
    count: int,
    mode: str,
    shares: Any,
    used: Any,
    by_frequency: bool,
) -> Any:
    """The rows at `index` put together by the bags they are in."""
    rows = looked_up(weight, index, None, by_frequency)
    if shares is not None:
        share = getitem(reshape(shares, to=(shares.size,)), numpy.flatnonzero(used), key=(ARRAY,))
        rows = rows * reshape(share, to=(share.shape[0], 1))
    if mode != "max":
        out = add_rows(rows, bag, to=count)
        if mode == "mean":
            times = numpy.maximum(numpy.bincount(bag, minlength=count), 1)
            out = out / times[:, None].astype(weight.dtype)
        return out
    values = raw_of(rows)
    best = numpy.full((count, values.shape[1]), -1)
    for place, (b, row) in enumerate(zip(bag, values, strict=True)):
        first = best[b] < 0
        before = values[best[b], numpy.arange(values.shape[1])]
        best[b] = numpy.where(first | (row > before), place, best[b])
    if not values.size:
        return numpy.zeros((count, values.shape[1]), weight.dtype)
    taken = take_along(rows, numpy.maximum(best, 0), axis=0)
    return where(best >= 0, taken, 0)


@on_arrays
def one_hot(tensor: Any, num_classes: int = -1) -> Any:
    """Zeros along a new last axis, with a one at the place that each element names."""
    index = raw_of(tensor)
    if index.dtype != numpy.int64:
        raise errors.not_long("one_hot", index)
    if not index.size and num_classes <= 0:
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    if index.size and index.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        num_classes = int(index.max()) + 1
    elif index.size and index.max() >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return (index[..., None] == beside(numpy.arange(num_classes), index)).astype(numpy.int64)


refuse(
    globals(),
    "Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, "
    "BFloat16, Float, Double; but got {kind} instead (while checking arguments for embedding_bag)",
    "bool integer complex",
    "bags",
)
