"""Normalisation by rows, groups and batches, with means and deviations: the `native_*` names."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy

from ..core.modes import no_grad
from ..ops.elementary import sqrt
from ..ops.linear import reshape
from ..ops.neural import normalisation as hot
from ..ops.reduce import mean
from . import errors
from .calls import (
    SINGLE,
    as_core,
    as_tensors,
    cast,
    in_single,
    is_half,
    on_arrays,
    raw_of,
    rounded,
)
from .inplace import write
from .refusals import lacking, refuse
from .tensor import Tensor

__all__ = [
    "_batch_norm_with_update",
    "_native_batch_norm_legit",
    "native_batch_norm",
    "native_group_norm",
    "native_layer_norm",
]


def numbers(x: Any, weight: Any, bias: Any) -> tuple[Any, ...]:
    """Inputs of an operation: with weight and bias, weight alone, or neither."""
    if weight is None:
        return (x,)
    return (x, weight) if bias is None else (x, weight, bias)


def rows(x: Any, shape: tuple[int, ...], weight: Any, bias: Any, eps: float) -> Any:
    """`layer_norm` over the last axes, of the lengths `shape`."""
    own = x.shape
    if len(shape) > 1:
        n = math.prod(shape)
        x = reshape(x, to=(*own[: len(own) - len(shape)], n))
        weight, bias = (w if w is None else reshape(w, to=(n,)) for w in (weight, bias))
    out = hot.layer_norm(*numbers(x, weight, bias), eps=eps)
    if weight is None and bias is not None:
        out = out + bias
    return out if out.shape == own else reshape(out, to=own)


def check_rows(x: Any, shape: tuple[int, ...], weight: Any, bias: Any) -> None:
    """Raise if `shape` is not the end of a tensor's shape."""
    if not shape:
        raise errors.no_normalized_shape()
    if x.shape[x.ndim - len(shape) :] != shape or x.ndim < len(shape):
        raise errors.normalized_shape(shape, x.shape)
    for name, w in (("weight", weight), ("bias", bias)):
        if w is not None and w.shape != shape:
            raise errors.shape_of_affine(name, w.shape, shape)


def statistics(x: Any, axis: tuple[int, ...], keepdims: bool, eps: float) -> tuple[Any, Any]:
    """Means, and one over the deviations."""
    centre = mean(x, axis=axis, keepdims=keepdims)
    spread = x - mean(x, axis=axis, keepdims=True)
    return centre, 1 / sqrt(mean(spread * spread, axis=axis, keepdims=keepdims) + eps)


@on_arrays
@in_single
def native_layer_norm(input: Any, normalized_shape: Any, weight: Any, bias: Any, eps: float) -> Any:
    """`layer_norm`, with the means and one over the deviations (these without gradient)."""
    shape = tuple(normalized_shape)
    check_rows(input, shape, weight, bias)
    axis = tuple(range(input.ndim - len(shape), input.ndim))
    return rows(input, shape, weight, bias, eps), *statistics(raw_of(input), axis, True, eps)


def groups(x: Any, many: int, weight: Any, bias: Any, eps: float) -> Any:
    """`group_norm` of (N, C, ...)."""
    own = x.shape
    n = math.prod(own[1:]) // many
    out = reshape(hot.layer_norm(reshape(x, to=(own[0] * many, n)), eps=eps), to=own)
    to = (own[1], *(1,) * (len(own) - 2))
    if weight is not None:
        out = out * reshape(weight, to=to)
    return out if bias is None else out + reshape(bias, to=to)


@on_arrays
@in_single
def native_group_norm(
    input: Any, weight: Any, bias: Any, n: int, channels: int, size: int, group: int, eps: float
) -> Any:
    """`group_norm`, with the means and one over the deviations (N, groups)."""
    out = groups(input, group, weight, bias, eps)
    lines = reshape(input, to=(n, group, channels // group * size))
    return out, *statistics(lines, (2,), False, eps)


class Normalised(NamedTuple):
    """A normalised batch, with its means and one over its deviations."""

    out: Any
    mean: Any
    inverse: Any


def batch(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> Normalised:
    """`batch_norm`; in training, the running means and variances move by `momentum`."""
    if input.raw.dtype.kind not in "fV":
        lacking("batch_norm", "bool integer complex", input)
    if not training:
        return fixed(input, weight, bias, running_mean, running_var, eps)
    shape = input.raw.shape
    to = (*shape[:2], math.prod(shape[2:]))
    x = reshape(as_core(input), to=to)
    out, centre, variance = by_channels(x, as_core(weight), as_core(bias), eps)
    count = to[0] * to[2]
    centre, variance = raw_of(centre), raw_of(variance)
    with no_grad():
        if running_mean is not None and count:
            move(running_mean, centre, momentum)
        if running_var is not None and count:
            move(running_var, variance * (count / max(count - 1, 1)), momentum)
    inverse = 1 / sqrt(variance + eps)
    if is_half(as_core(input)) and (weight is None or is_half(as_core(weight))):
        centre, inverse = (rounded(w, input.raw.dtype) for w in (centre, inverse))
    return Normalised(*as_tensors((reshape(out, to=shape), centre, inverse)))


def by_channels(x: Any, weight: Any, bias: Any, eps: float) -> tuple[Any, Any, Any]:
    """Channels of (N, C, size) normalised, their means and variances (of halves: in single)."""
    if is_half(x):
        weight, bias = (w if w is None else cast(w, SINGLE) for w in (weight, bias))
        out, centre, variance = by_channels(cast(x, SINGLE), weight, bias, eps)
        return rounded(out, x.dtype), centre, variance
    out, centre, variance = hot.batch_norm(*numbers(x, weight, bias), eps=eps)
    if weight is None and bias is not None:
        out = out + hot.channels(bias)
    return out, centre, variance


def move(running: Tensor, value: Any, momentum: float) -> None:
    """Move a running mean towards a value, in place."""
    before = raw_of(running)
    write(running, (before + momentum * (value - before)).astype(running.raw.dtype), "batch_norm")


@on_arrays
@in_single
def fixed(x: Any, weight: Any, bias: Any, centre: Any, variance: Any, eps: float) -> Any:
    """`batch_norm` by given means and variances."""
    scale = 1 / sqrt(variance + eps)
    if weight is not None:
        scale = scale * weight
    shift = -centre * scale
    if bias is not None:
        shift = shift + bias
    to = (x.shape[1], *(1,) * (x.ndim - 2))
    out = x * reshape(scale, to=to) + reshape(shift, to=to)
    empty = numpy.zeros(0, x.dtype)
    return Normalised(out, empty, empty)


def native_batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> Any:
    """`batch_norm`, with the batch's means and one over its deviations."""
    given = (weight, bias, running_mean, running_var)
    return tuple(batch(input, *given, training, momentum, eps))


def _native_batch_norm_legit(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, *rest: Any
) -> Any:
    """`native_batch_norm`; without running means and variances in its second form.

    `rest` is ``running_mean, running_var, training, momentum, eps``, or the last three of these.
    """
    if len(rest) == 3:
        rest = (None, None, *rest)
    return native_batch_norm(input, weight, bias, *rest)


def _batch_norm_with_update(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor,
    running_var: Tensor,
    momentum: float,
    eps: float,
) -> Any:
    """`native_batch_norm` in training, with an empty tensor that PyTorch's GPU code fills."""
    given = (weight, bias, running_mean, running_var)
    found = batch(input, *given, True, momentum, eps)
    return *found, as_tensors(numpy.zeros(0, numpy.uint8))


refuse(globals(), "GroupNormKernelImpl", "bool integer complex", "native_group_norm")
refuse(globals(), "LayerNormKernelImpl", "bool integer complex", "native_layer_norm")
