"""The functions of networks that PyTorch has at its top level too: ``torch.conv2d``.

Some differ from those of `nn.functional` in the order of their arguments. `tapegrad.torch` takes
them from here when they are first asked for.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from math import prod
from typing import Any

from ...ops.linear import reshape
from ...ops.selection import held
from ...ops.sort import put_along
from ...torch import Tensor
from ...torch.calls import on_arrays, promoted, raw_of
from ...torch.inplace import in_place
from ...torch.normalisation import batch
from ...torch.tensor import wrap
from . import (
    activations,
    adaptive_pooling,
    affine,
    classification,
    convolution,
    ctc,
    distances,
    dropping,
    folding,
    margins,
    normalisation,
    padding,
    pooling,
    regression,
)
from .dropping import kept, thinned
from .embeddings import embedding as by_index
from .embeddings import renormalise
from .grids import affine_grid

Function = Callable[..., Any]

REDUCTIONS = ("none", "mean", "sum")


def numbered(function: Function) -> Function:
    """A loss whose reduction may be a number: 0 none, 1 mean, 2 sum."""

    @functools.wraps(function)
    def public(*args: Any, reduction: Any = 1, **kwargs: Any) -> Any:
        name = REDUCTIONS[reduction] if isinstance(reduction, int) else reduction
        return function(*args, reduction=name, **kwargs)

    return public


@on_arrays
def constant_pad_nd(input: Any, pad: Any, value: Any = 0) -> Any:
    """`input` with its last axes begun and ended by a constant."""
    widths = [*zip(pad[::2], pad[1::2], strict=True)][::-1]
    return padding.surrounded(input, widths, value)


def embedding(
    weight: Tensor,
    indices: Tensor,
    padding_idx: int = -1,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows that indices name; the row `padding_idx` (none if -1) has no gradient."""
    row = None if padding_idx == -1 else padding_idx
    return by_index(indices, weight, row, scale_grad_by_freq=scale_grad_by_freq)


def embedding_renorm_(self: Tensor, indices: Tensor, max_norm: float, norm_type: float) -> Tensor:
    """Rows that indices name, shortened in place to a norm of at most `max_norm`."""
    renormalise(self, indices.raw, max_norm, norm_type)
    return self


def batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool = False,
) -> Tensor:
    """`nn.functional.batch_norm`, with weight and bias first."""
    given = (weight, bias, running_mean, running_var)
    result: Tensor = batch(input, *given, training, momentum, eps).out
    return result


def instance_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool = False,
) -> Tensor:
    """`nn.functional.instance_norm`, with weight and bias first."""
    running = (running_mean, running_var)
    return normalisation.instance_norm(
        input, *running, weight, bias, use_input_stats, momentum, eps
    )


def layer_norm(
    input: Tensor,
    normalized_shape: Any,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enable: bool = True,
) -> Tensor:
    """`nn.functional.layer_norm`."""
    result: Tensor = normalisation.layer_norm(input, normalized_shape, weight, bias, eps)
    return result


def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enabled: bool = True,
) -> Tensor:
    """`nn.functional.group_norm`."""
    result: Tensor = normalisation.group_norm(input, num_groups, weight, bias, eps)
    return result


def native_dropout(input: Tensor, p: float, train: bool | None) -> tuple[Tensor, Tensor]:
    """`dropout`, and what was kept."""
    if train is False or not p:
        return thin(input, input.raw.shape, 0.0), wrap(input.raw == input.raw)
    mask = kept(input.raw.shape, p, input.raw)
    return native_dropout_backward(input, wrap(mask), 1 / (1 - p) if p < 1 else 0.0), wrap(mask)


thin = on_arrays(thinned)


@on_arrays
def native_dropout_backward(grad_output: Any, mask: Any, scale: float) -> Any:
    """The cotangent of `native_dropout`'s input."""
    (g,) = promoted(grad_output, to_float=True)
    return g * (raw_of(mask) * scale).astype(g.dtype)


@on_arrays
def max_pool2d_with_indices_backward(
    grad_output: Any,
    input: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    ceil_mode: bool,
    indices: Any,
) -> Any:
    """The cotangent of what `max_pool2d` was taken of, from that of its result and its indices.

    Its derivative by that input is zero.
    """
    lead, size = input.shape[:-2], prod(input.shape[-2:])
    flat = reshape(grad_output, to=(*lead, prod(grad_output.shape[-2:])))
    places = reshape(indices, to=flat.shape)
    out = put_along(flat, places, axis=len(lead), once=False, to=(*lead, size))
    return reshape(out, to=input.shape) + held(input, input.dtype.type(0))


def affine_grid_generator(theta: Tensor, size: Any, align_corners: bool) -> Tensor:
    """`nn.functional.affine_grid`."""
    result: Tensor = affine_grid(theta, size, align_corners)
    return result


def drops(function: Function, name: str) -> tuple[Function, Function]:
    """A dropout with the arguments of the top level, and its form in place."""

    def public(input: Tensor, p: float, train: bool) -> Tensor:
        result: Tensor = function(input, p, train)
        return result

    public.__name__ = public.__qualname__ = name
    public.__doc__ = function.__doc__
    return public, in_place(public, f"{name}_")


NAMES: dict[str, Function] = {}
"""By name: the functions of the top level."""

for _module, _names in (
    (activations, "celu celu_ hardshrink prelu selu selu_ threshold threshold_"),
    (adaptive_pooling, "adaptive_avg_pool1d"),
    (convolution, "conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d"),
    (convolution, "conv_transpose3d"),
    (distances, "cosine_similarity pairwise_distance"),
    (folding, "channel_shuffle native_channel_shuffle pixel_shuffle pixel_unshuffle"),
    (affine, "bilinear"),
    (normalisation, "rms_norm"),
    (pooling, "avg_pool1d max_pool1d max_pool1d_with_indices max_pool2d max_pool3d"),
):
    NAMES.update((n, getattr(_module, n)) for n in _names.split())
for _module, _names in (
    (classification, "binary_cross_entropy_with_logits"),
    (ctc, "ctc_loss"),
    (margins, "cosine_embedding_loss hinge_embedding_loss margin_ranking_loss triplet_margin_loss"),
    (regression, "kl_div poisson_nll_loss"),
):
    NAMES.update((n, numbered(getattr(_module, n))) for n in _names.split())
for _name in ("dropout", "alpha_dropout", "feature_alpha_dropout"):
    NAMES[_name], NAMES[f"{_name}_"] = drops(getattr(dropping, _name), _name)
NAMES["feature_dropout"], NAMES["feature_dropout_"] = drops(dropping.dropout2d, "feature_dropout")
NAMES |= {
    "adaptive_max_pool1d": adaptive_pooling.adaptive_max_pool1d_with_indices,
    "affine_grid_generator": affine_grid_generator,
    "batch_norm": batch_norm,
    "constant_pad_nd": constant_pad_nd,
    "embedding": embedding,
    "embedding_renorm_": embedding_renorm_,
    "group_norm": group_norm,
    "instance_norm": instance_norm,
    "layer_norm": layer_norm,
    "max_pool2d_with_indices_backward": max_pool2d_with_indices_backward,
    "native_dropout": native_dropout,
    "native_dropout_backward": native_dropout_backward,
    "rrelu": dropping.rrelu,
    "rrelu_": dropping.rrelu_,
}
