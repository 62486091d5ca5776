"""Losses of predicted classes: cross entropies of labels and of probabilities."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy

from ... import torch
from ...backend import namespace, on_device, surely
from ...core.array import Array, Traced
from ...core.fast import general_function
from ...core.op import table
from ...ops.elementary import log
from ...ops.index import ARRAY, getitem
from ...ops.linear import cast, permute_dims, reshape, sum
from ...ops.neural.activations import softplus_of
from ...ops.reduce import mean
from ...ops.selection import maximum, where
from ...ops.softmax import log_softmax
from ...torch import Tensor
from ...torch.calls import as_core, as_tensors, in_single, on_arrays, raw_of, silent
from ...torch.casting import casting
from ...torch.reductions import fast_mean
from ...torch.refusals import refuse
from . import errors
from .affine import linear
from .arguments import tensor
from .reduction import chosen, reduced

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cross_entropy",
    "linear_cross_entropy",
    "nll_loss",
]

fast = silent(general_function(table["cross_entropy"], Tensor))


def class_axis(x: Any) -> int:
    """The axis of the classes: the first of one, else the second."""
    return 1 if x.ndim > 1 else 0


def check_labels(target: Any, classes: int, ignored: int) -> bool:
    """Whether some labels may be ignored; raises for those of no class.

    It is not known of mapped ones, whose index is out of bounds then, and not asked of those on a
    device, which would be to wait.
    """
    labels = raw_of(target)
    if isinstance(target, Traced) or on_device(labels):
        return True
    if not labels.size:
        return False
    if labels.dtype.char == "l":  # the usual ones: negative labels are large as unsigned numbers
        inside = numpy.maximum.reduce(labels.view("uint64"), None) < classes
    else:
        inside = labels.min() >= 0 and labels.max() < classes
    if inside:
        return 0 <= ignored < classes and bool((labels == ignored).any())
    wrong = (labels != ignored) & ((labels < 0) | (labels >= classes))
    if wrong.any():
        raise errors.label_beyond(int(labels[wrong].reshape(-1)[0]))
    return True


def check_shapes(input: Any, target: Any) -> None:
    """Raise if labels do not fit predictions."""
    if not input.ndim:
        raise ValueError(f"Expected input to have at least 1 dimension(s), got {input.ndim}")
    if input.ndim == 1:
        if target.ndim > 1 or (target.ndim and target.shape[0] != 1):
            raise errors.batch_of_labels(1, target.shape)
        return
    if input.shape[0] != target.shape[:1][0] if target.ndim else True:
        raise errors.batch_of_labels(input.shape[0], target.shape)
    if (input.shape[0], *input.shape[2:]) != target.shape:
        raise errors.shape_of_labels(input.shape, target.shape)


def rows_of(x: Any) -> Any:
    """Predictions with the classes as the last axis of two."""
    if x.ndim == 1:
        return reshape(x, to=(1, x.shape[0]))
    if x.ndim == 2:
        return x
    x = permute_dims(x, axes=(0, *range(2, x.ndim), 1))
    return reshape(x, to=(prod(x.shape[:-1]), x.shape[-1]))


def of_labels(x: Any, target: Any, weight: Any, ignored: int, reduction: str) -> Any:
    """The negative log-probabilities at labels, weighted, and reduced by the sum of weights."""
    check_shapes(x, target)
    classes = x.shape[class_axis(x)]
    if weight is not None and weight.shape != (classes,):
        raise errors.weight_of_classes(classes, weight.shape)
    some = check_labels(target, classes, ignored)
    rows = rows_of(x)
    labels = reshape(target, to=(rows.shape[0],))
    valid = labels != ignored if some else None
    if valid is not None:
        labels = where(valid, labels, 0)
    if isinstance(target, Traced) and labels.dtype.kind == "i":  # what nobody has checked
        labels = cast(labels, numpy.dtype(numpy.int64))
        labels = where(labels < 0, labels - classes, labels)  # not counted from the end
    each = namespace(raw_of(labels)).arange(rows.shape[0])
    loss = -getitem(rows, each, labels, key=(ARRAY, ARRAY))
    share = None if weight is None else getitem(weight, labels, key=(ARRAY,))
    if share is not None:
        loss = loss * share
    if valid is not None:
        loss = where(valid, loss, 0)
        share = where(valid, rows.dtype.type(1) if share is None else share, 0)
        share = cast(share, rows.dtype)
    if reduction != "mean":
        return reduced(reshape(loss, to=target.shape), reduction)
    if share is None:
        return mean(loss, axis=(0,), keepdims=False)
    return sum(loss, axis=(0,), keepdims=False) / sum(share, axis=(0,), keepdims=False)


@on_arrays
def nll_loss(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """The negative log-probabilities of labels, for log-probabilities `input`.

    Classes are the second axis (N, C, ...), or the only one. Labels equal to `ignore_index` count
    nothing; a mean divides by the sum of the weights of the others.
    """
    reduction = chosen(reduction, size_average, reduce)
    if target.dtype.kind not in "iu":
        raise errors.not_labels(target)
    return of_labels(input, target, weight, ignore_index, reduction)


def of_probabilities(x: Any, target: Any, weight: Any, reduction: str, smoothing: float) -> Any:
    """The cross entropies of logits and probabilities."""
    axis = class_axis(x)
    if x.shape != target.shape:
        raise errors.shape_of_probabilities(x.shape, target.shape)
    if target.dtype.kind not in "fV":
        raise errors.not_probabilities(target)
    if smoothing:
        target = target * (1 - smoothing) + smoothing / x.shape[axis]
    logs = log_softmax(x, axis=(axis,))
    product = logs * target
    if weight is not None:
        product = product * reshape(weight, to=(-1, *(1,) * (x.ndim - axis - 1)))
    loss = -sum(product, axis=(axis,), keepdims=False)
    if reduction == "mean":
        return sum(loss, axis=tuple(range(loss.ndim)), keepdims=False) / (
            x.size // max(x.shape[axis], 1)
        )
    return reduced(loss, reduction)


def smoothed(
    x: Any, target: Any, weight: Any, ignored: int, reduction: str, smoothing: float
) -> Any:
    """The cross entropies of logits and labels that leave some probability to all classes."""
    axis = class_axis(x)
    classes = x.shape[axis]
    logs = log_softmax(x, axis=(axis,))
    exact = of_labels(logs, target, weight, ignored, reduction)
    rows = rows_of(logs)
    spread = rows if weight is None else rows * weight
    loss = -sum(spread, axis=(1,), keepdims=False)
    labels = reshape(target, to=loss.shape)
    valid = labels != ignored
    loss = where(valid, loss, 0)
    if reduction == "none":
        rest = reshape(loss, to=target.shape)
    else:
        rest = sum(loss, axis=(0,), keepdims=False)
        if reduction == "mean":
            if weight is None:
                share = cast(valid, loss.dtype)
            else:
                at = getitem(weight, where(valid, labels, 0), key=(ARRAY,))
                share = where(valid, at, 0)
            rest = rest / sum(share, axis=(0,), keepdims=False)
    return exact * (1 - smoothing) + rest * (smoothing / classes)


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """The cross entropies of logits and labels, or of logits and probabilities.

    Classes are the second axis (N, C, ...), or the only one. A target of the shape and kind of
    `input` holds probabilities, one of integers labels; labels equal to `ignore_index` count
    nothing. A mean divides by the sum of the weights of what counts.
    """
    if size_average is not None or reduce is not None:
        reduction = chosen(reduction, size_average, reduce)
    input, target = tensor(input), tensor(target)
    if casting.policy is not None:
        given = input, target, weight, None, ignore_index, None, reduction, label_smoothing
        single: Tensor = casting.policy(cross_entropy, given, {})
        return single
    if not 0 <= label_smoothing <= 1:
        raise errors.bad_smoothing(label_smoothing)
    if (
        weight is None
        and not label_smoothing
        and input.raw.ndim == 2
        and target.raw.ndim == 1
        and target.raw.dtype.kind in "iu"
        and input.raw.dtype.kind in "fV"
        and input.raw.shape[0] == target.raw.shape[0]
        and not check_labels(target, input.raw.shape[1], ignore_index)
    ):
        losses = fast(input, target)
        if reduction == "mean" and type(losses) is Tensor:
            return fast_mean(losses, axis=(0,), keepdims=False)
        result: Tensor = as_tensors(reduced(as_core(losses), reduction))
        return result
    return general(input, target, weight, ignore_index, reduction, label_smoothing)


@on_arrays
def general(
    x: Any, target: Any, weight: Any, ignored: int, reduction: str, smoothing: float
) -> Any:
    """`cross_entropy` of the core's arrays."""
    if not x.ndim:
        raise ValueError(f"Expected input to have at least 1 dimension(s), got {x.ndim}")
    if x.shape == target.shape and target.dtype.kind not in "iu":
        return of_probabilities(x, target, weight, reduction, smoothing)
    if target.dtype.kind not in "iu":
        raise errors.not_labels(target)
    if smoothing:
        return smoothed(x, target, weight, ignored, reduction, smoothing)
    logs = log_softmax(x, axis=(class_axis(x),))
    return of_labels(logs, target, weight, ignored, reduction)


@on_arrays
@in_single
def binary_cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """The cross entropies of probabilities of one class and those of the target.

    Logarithms are not below -100, nor are their slopes above 1e12, so that the loss stays finite.
    """
    if input.shape != target.shape:
        raise errors.target_size(input.shape, target.shape)
    x = raw_of(input)
    looked_at = x.size and not (isinstance(input, Traced) or on_device(x))
    if looked_at and ((x < 0) | (x > 1)).any():
        raise RuntimeError("all elements of input should be between 0 and 1")
    loss = -(target * log_of(input) + (1 - target) * log_of(1 - input))
    if weight is not None:
        loss = loss * weight
    return reduced(loss, chosen(reduction, size_average, reduce))


def log_of(p: Any) -> Any:
    """The logarithm of a probability, at least -100, with a slope of at most 1e12."""
    raw = raw_of(p)
    tiny = raw < 1e-12
    if isinstance(p, Array) and not isinstance(p, Traced) and surely(~tiny):
        return log(p)
    smallest = p.dtype.type(1e-12)
    near = maximum(log(where(raw > 0, p, 1)), -100.0)
    line = (p - raw) * (1 / smallest)
    return where(tiny, line + where(raw > 0, raw_of(near), p.dtype.type(-100)), near)


@on_arrays
@in_single
def binary_cross_entropy_with_logits(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Any = None,
) -> Any:
    """`binary_cross_entropy` of ``sigmoid(input)``, exact for logits of any size."""
    if input.shape != target.shape:
        raise errors.target_must_match(input.shape, target.shape)
    if pos_weight is None:
        loss = softplus_of(-input) + (1 - target) * input
    else:
        share = (pos_weight - 1) * target + 1
        loss = (1 - target) * input + share * softplus_of(-input)
    if weight is not None:
        loss = loss * weight
    return reduced(loss, chosen(reduction, size_average, reduce))


def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: Any = None,
) -> Tensor:
    """`cross_entropy` of the logits ``input @ linear_weight.T + linear_bias``.

    `linear_weight` is (C, in), or (C, d1, ..., in) for a target of more axes. `options` say how
    PyTorch saves memory; they change nothing here.
    """
    shape = linear_weight.raw.shape
    if len(shape) > 2:
        flat: Any = torch.reshape(linear_weight, (prod(shape[:-1]), shape[-1]))
        bias: Any = None if linear_bias is None else torch.reshape(linear_bias, (-1,))
        if bias is not None and bias.raw.size != flat.raw.shape[0]:
            raise errors.bias_of_logits(linear_bias, shape)
        logits = linear(input, flat, bias)
        logits = torch.reshape(logits, (*input.raw.shape[:-1], *shape[:-1]))
    else:
        logits = linear(input, linear_weight, linear_bias)
    ignored = -100 if ignore_index is None else ignore_index
    return cross_entropy(
        logits,
        target,
        weight,
        ignore_index=ignored,
        reduction=reduction,
        label_smoothing=label_smoothing,
    )


refuse(globals(), "log_sigmoid_cpu", "bool integer complex", "binary_cross_entropy_with_logits")
refuse(globals(), "nll_loss_out_frame", "bool integer complex", "nll_loss")
refuse(globals(), "binary_cross_entropy", "bool integer complex", "binary_cross_entropy")
refuse(globals(), "log_softmax_lastdim_kernel_impl", "bool integer complex", "general")
