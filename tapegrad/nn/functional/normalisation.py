"""Normalisation: of batches, instances, groups and layers, and by neighbouring channels."""

from __future__ import annotations

import math
from typing import Any

import numpy

from ... import torch
from ...core.modes import no_grad
from ...ops.arithmetic import square
from ...ops.elementary import sqrt
from ...ops.linear import reshape
from ...ops.neural.pooling import sum_pool
from ...ops.reduce import mean
from ...torch import Tensor
from ...torch.calls import in_single, on_arrays, promoted, raw_of
from ...torch.normalisation import batch, check_rows, groups, move, rows
from ...torch.refusals import refuse
from . import errors
from .arguments import tensor

__all__ = [
    "batch_norm",
    "group_norm",
    "instance_norm",
    "layer_norm",
    "local_response_norm",
    "rms_norm",
]


@on_arrays
@in_single
def layer_norm(
    input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Any:
    """The last axes, of the lengths `normalized_shape`, normalised to mean 0 and variance 1.

    `eps` is added to the variance; `weight` and `bias` have the shape `normalized_shape`.
    """
    shape = tuple(normalized_shape)
    check_rows(input, shape, weight, bias)
    return rows(input, shape, weight, bias, eps)


@on_arrays
@in_single
def rms_norm(
    input: Any, normalized_shape: Any, weight: Any = None, eps: float | None = None
) -> Any:
    """The last axes over the root of the mean of their squares (plus `eps`), times a weight."""
    shape = tuple(normalized_shape)
    check_rows(input, shape, weight, None)
    if eps is None:
        eps = float(numpy.finfo(input.dtype).eps)
    axis = tuple(range(input.ndim - len(shape), input.ndim))
    out = input / sqrt(mean(square(input), axis=axis, keepdims=True) + eps)
    return out if weight is None else out * weight


@on_arrays
@in_single
def group_norm(
    input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Any:
    """Groups of channels of (N, C, ...) normalised to mean 0 and variance 1."""
    if input.ndim < 2:
        raise errors.grouped_axes(input.shape)
    channels = input.shape[1]
    if num_groups <= 0 or channels % num_groups:
        raise errors.uneven_channels(input.shape, num_groups)
    for name, w in (("weight", weight), ("bias", bias)):
        if w is not None and w.shape != (channels,):
            raise errors.affine_of_channels(name, w.shape, input.shape)
    count = input.shape[0] * math.prod(input.shape[2:]) * channels // num_groups
    if count == 1 and input.shape[0] == 1:
        raise errors.single_value(input.shape)
    return groups(input, num_groups, weight, bias, eps)


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Channels of (N, C, ...) normalised to mean 0 and variance 1 of the batch.

    In training, the running means and variances (unbiased) move towards those of the batch by
    `momentum`, in place; otherwise they are what is normalised by.
    """
    input, weight, bias = map(tensor, (input, weight, bias))
    shape = input.raw.shape
    if len(shape) < 2:
        if not input.raw.size:
            return torch.clone(input)
        raise errors.batched_axes(shape)
    if training and shape[0] * math.prod(shape[2:]) == 1:
        raise errors.single_value(shape)
    named = {
        "running_mean": running_mean,
        "running_var": running_var,
        "weight": weight,
        "bias": bias,
    }
    for name, w in named.items():
        if w is not None and w.raw.shape != (shape[1],):
            raise errors.numbers_of_channels(name, w.raw.size, shape[1])
    if not training and (running_mean is None or running_var is None):
        missing = "running_mean" if running_mean is None else "running_var"
        raise RuntimeError(f"{missing} must be defined in evaluation mode")
    out: Tensor = batch(input, weight, bias, running_mean, running_var, training, momentum, eps).out
    return out


def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Each channel of each image of (N, C, ...) normalised to mean 0 and variance 1.

    Running means and variances move towards the mean over the batch of those of the images; with
    `use_input_stats=False` they are what is normalised by.
    """
    input, weight, bias = map(tensor, (input, weight, bias))
    shape = input.raw.shape
    if len(shape) < 2:
        raise errors.batched_axes(shape)
    if not use_input_stats:
        if running_mean is None or running_var is None:
            raise RuntimeError("Expected running_mean and running_var to be defined")
        fixed: Tensor = batch(
            input, weight, bias, running_mean, running_var, False, momentum, eps
        ).out
        return fixed
    if math.prod(shape[2:]) == 1:
        raise errors.single_element(shape)
    if running_mean is not None or running_var is not None:
        update(input, running_mean, running_var, momentum)
    return grouped(input, weight, bias, eps)


def update(
    input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, momentum: float
) -> None:
    """Move running means and variances towards those of images."""
    x = raw_of(input)
    axis = tuple(range(2, x.ndim))
    found = (x.mean(axis).mean(0), x.var(axis, ddof=1).mean(0))
    for running, value in zip((running_mean, running_var), found, strict=True):
        if running is not None:
            with no_grad():
                move(running, value, momentum)


@on_arrays
@in_single
def grouped(x: Any, weight: Any, bias: Any, eps: float) -> Any:
    """`instance_norm` of the core's arrays: each channel is a group."""
    return groups(x, x.shape[1], weight, bias, eps)


@on_arrays
@in_single
def local_response_norm(
    input: Any, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Any:
    """Channels divided by a power of the mean of squares of `size` neighbouring channels."""
    if input.ndim < 3:
        raise errors.response_axes(input.ndim)
    if not input.size:
        return input
    (input,) = promoted(input, to_float=True)
    n, channels = input.shape[:2]
    flat = reshape(square(input), to=(n, channels, math.prod(input.shape[2:])))
    total = sum_pool(
        flat,
        kernel=(size, 1),
        stride=(1, 1),
        padding=(size // 2, 0),
        to=flat.shape[1:],
    )
    scale = reshape(total, to=input.shape) * (alpha / size) + k
    return input / scale**beta


refuse(globals(), "GroupNormKernelImpl", "bool integer complex", "group_norm")
refuse(globals(), "LayerNormKernelImpl", "bool integer complex", "layer_norm")
refuse(globals(), "{name}", "bool integer", "rms_norm")
refuse(globals(), "avg_pool2d", "bool uint8 int8 int16 int32 complex", "local_response_norm")
refuse(globals(), "batch_norm", "bool integer complex", "grouped")
