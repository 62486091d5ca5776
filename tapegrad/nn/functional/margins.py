"""Losses of margins, rankings and similarities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from ... import torch
from ...core.op import table
from ...ops.index import ARRAY, getitem
from ...ops.linear import reshape, sum
from ...ops.neural.activations import softplus_of
from ...ops.reduce import mean
from ...ops.selection import keep, where
from ...torch import Tensor
from ...torch.calls import in_wide, on_arrays, promoted, raw_of
from ...torch.casting import asking
from ...torch.refusals import TWO_BOOLS, refuse
from . import errors
from .distances import pairwise_distance
from .reduction import chosen, reduced

__all__ = [
    "cosine_embedding_loss",
    "hinge_embedding_loss",
    "margin_ranking_loss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "soft_margin_loss",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
]


def positive_part(x: Any) -> Any:
    """`x` where it is positive, else 0, with the slope of 1 at 0 that `clamp_min` has."""
    return keep(x, ~(raw_of(x) < 0))


@on_arrays
@in_wide
def soft_margin_loss(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """``log(1 + exp(-target * input))`` for targets 1 and -1."""
    input, target = promoted(input, target)
    loss = softplus_of(-target * input)
    return reduced(loss, chosen(reduction, size_average, reduce))


@on_arrays
@in_wide
def hinge_embedding_loss(
    input: Any,
    target: Any,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """`input` where the target is 1; where it is -1, how much `input` is below the margin."""
    below = positive_part(margin - input)
    labels = raw_of(target)
    loss = where(labels != 1, below, 0) + where(labels != -1, input, 0)
    return reduced(loss, chosen(reduction, size_average, reduce))


@on_arrays
@in_wide
def margin_ranking_loss(
    input1: Any,
    input2: Any,
    target: Any,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """How much ``target * (input1 - input2)`` is below the margin."""
    if not input1.ndim == input2.ndim == target.ndim:
        raise errors.ranking_axes(input1.shape, input2.shape, target.shape)
    input1, input2, target, _ = promoted(input1, input2, target, margin)
    loss = positive_part(-target * (input1 - input2) + margin)
    return reduced(loss, chosen(reduction, size_average, reduce))


@on_arrays
@in_wide
def multilabel_soft_margin_loss(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """The mean over the last axis of the binary cross entropies of logits."""
    input, target = promoted(input, target)
    loss = softplus_of(-input) + (1 - target) * input
    if weight is not None:
        loss = loss * weight
    loss = mean(loss, axis=(loss.ndim - 1,), keepdims=False)
    return reduced(loss, chosen(reduction, size_average, reduce))


def matrix_of(x: Any) -> Any:
    """Scores as rows."""
    if x.ndim > 2:
        raise errors.not_scores(x.shape)
    return x if x.ndim == 2 else reshape(x, to=(1, x.size))


@on_arrays
def multi_margin_loss(
    input: Any,
    target: Any,
    p: int = 1,
    margin: float = 1.0,
    weight: Any = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """How much the score of the label fails to be above the others by the margin."""
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    rows = matrix_of(input)
    labels = reshape(target, to=(target.size,))
    if labels.shape != rows.shape[:1]:
        raise errors.scores_and_labels(rows.shape, target.shape)
    each = numpy.arange(rows.shape[0])
    label_scores = getitem(rows, each, labels, key=(ARRAY, ARRAY))
    gap = positive_part(rows - reshape(label_scores, to=(rows.shape[0], 1)) + margin)
    gap = gap * gap if p == 2 else gap
    others = numpy.arange(rows.shape[1]) != reshape(labels, to=(rows.shape[0], 1))
    if weight is not None:
        gap = gap * reshape(getitem(weight, labels, key=(ARRAY,)), to=(rows.shape[0], 1))
    loss = sum(keep(gap, others), axis=(1,), keepdims=False) / rows.shape[1]
    loss = reshape(loss, to=()) if input.ndim < 2 and not target.ndim else loss
    return reduced(loss, chosen(reduction, size_average, reduce))


@on_arrays
def multilabel_margin_loss(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """How much the scores of labels fail to be above those of the other classes by 1.

    The labels of a row are those before its first -1.
    """
    rows, labels = matrix_of(input), raw_of(matrix_of(target))
    if labels.shape != rows.shape:
        raise errors.scores_and_labels(input.shape, target.shape)
    n, classes = rows.shape
    valid = numpy.cumprod(labels >= 0, axis=1).astype(bool)
    chosen_ones = numpy.zeros((n, classes), bool)
    numpy.put_along_axis(chosen_ones, numpy.where(valid, labels, labels[:, :1]), True, 1)
    chosen_ones &= valid[:, :1]
    safe = numpy.where(valid, labels, 0)
    scores = getitem(rows, numpy.arange(n)[:, None], safe, key=(ARRAY, ARRAY))
    gap = reshape(rows, to=(n, 1, classes)) - reshape(scores, to=(n, classes, 1)) + 1
    counted = valid[:, :, None] & ~chosen_ones[:, None, :]
    loss = sum(keep(positive_part(gap), counted), axis=(1, 2), keepdims=False) / max(classes, 1)
    loss = reshape(loss, to=()) if input.ndim < 2 else loss
    return reduced(loss, chosen(reduction, size_average, reduce))


EPSILON = 1e-12
"""Added to the squares of lengths, so that vectors of zeros have a similarity and a slope."""


@on_arrays
@in_wide
def cosine_embedding_loss(
    input1: Any,
    input2: Any,
    target: Any,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """1 less the cosine where the target is 1; where it is -1, the cosine above the margin."""
    if target.ndim not in (0, 1):
        raise errors.embedding_target(input1.shape, input2.shape, target.shape)
    if target.ndim != max(input1.ndim, input2.ndim) - 1:
        raise errors.embedding_target(input1.shape, input2.shape, target.shape)
    a, b = promoted(input1, input2, to_float=True)
    axis = (max(a.ndim, b.ndim) - 1,)
    products = sum(a * b, axis=axis, keepdims=False)
    squares = [
        sum(x * x, axis=(x.ndim - 1,), keepdims=False) + x.dtype.type(EPSILON) for x in (a, b)
    ]
    cosine = products / table["sqrt"].function(squares[0] * squares[1])
    labels = raw_of(target)
    loss = where(labels == 1, 1 - cosine, 0)
    loss = loss + where(labels == -1, positive_part(cosine - margin), 0)
    return reduced(loss, chosen(reduction, size_average, reduce))


@asking
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """How much the negative fails to be further from the anchor than the positive by the margin.

    With `swap`, the negative's distance is the smaller of those to anchor and positive.
    """
    if not anchor.raw.ndim == positive.raw.ndim == negative.raw.ndim:
        raise errors.triplet_axes(anchor.raw.ndim, positive.raw.ndim, negative.raw.ndim)

    def distance(x: Tensor, y: Tensor) -> Tensor:
        return pairwise_distance(x, y, p, eps)

    return triplets(
        anchor, positive, negative, distance, margin, swap,
        chosen(reduction, size_average, reduce),
    )  # fmt: skip


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """`triplet_margin_loss` with a distance of one's own."""
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    if not anchor.raw.ndim == positive.raw.ndim == negative.raw.ndim:
        raise errors.triplet_axes(anchor.raw.ndim, positive.raw.ndim, negative.raw.ndim)
    distance = distance_function or pairwise_distance
    return triplets(anchor, positive, negative, distance, margin, swap, reduction)


def triplets(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    distance: Callable[[Tensor, Tensor], Tensor],
    margin: float,
    swap: bool,
    reduction: str,
) -> Tensor:
    """The loss of triplets by a distance."""
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = torch.minimum(far, distance(positive, negative))
    return margin_of(near, far, margin, reduction)


@on_arrays
@in_wide
def margin_of(near: Any, far: Any, margin: float, reduction: str) -> Any:
    """How much a distance is not below another by the margin."""
    return reduced(positive_part(near - far + margin), reduction)


refuse(globals(), "log_sigmoid_cpu", "bool integer complex", "multilabel_soft_margin_loss")
refuse(globals(), "multi_margin_loss_cpu_kernel", "bool integer half complex", "multi_margin_loss")
refuse(
    globals(),
    "multilabel_margin_loss_forward_out_frame",
    "bool integer half complex",
    "multilabel_margin_loss",
)
refuse(
    globals(),
    "NotImplementedError: clamp is not supported for complex types",
    "complex",
    "margin_ranking_loss hinge_embedding_loss cosine_embedding_loss",
)
refuse(globals(), TWO_BOOLS, "bool", "margin_ranking_loss hinge_embedding_loss margin_of")
refuse(
    globals(),
    "result type Float can't be cast to the desired output type {kind}",
    "integer",
    "soft_margin_loss",
)
