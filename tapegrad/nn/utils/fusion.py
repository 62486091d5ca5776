"""A batch norm in evaluation mode is an affine map: put into the layer before it."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from ...torch.filling import ones_like, zeros_like
from ..parameter import Parameter

__all__ = [
    "fuse_conv_bn_eval",
    "fuse_conv_bn_weights",
    "fuse_linear_bn_eval",
    "fuse_linear_bn_weights",
]


def check_evaluation(layer: Any, bn: Any) -> None:
    """Raise unless both are in evaluation mode, with statistics."""
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")


def fused(
    weight: Any, bias: Any, mean: Any, var: Any, eps: float, bn_w: Any, bn_b: Any, axis: int
) -> tuple[Any, Any]:
    """Weight and bias of a layer with the batch norm in them; `axis` is that of the outputs."""
    requires_grad = weight.requires_grad
    bias_requires_grad = requires_grad if bias is None else bias.requires_grad
    d = weight.dtype
    bias_dtype = d if bias is None else bias.dtype
    bias = zeros_like(mean) if bias is None else bias
    bn_w = ones_like(mean) if bn_w is None else bn_w
    bn_b = zeros_like(mean) if bn_b is None else bn_b
    scale = bn_w * (var + eps).rsqrt()
    shape = [1] * weight.dim()
    shape[axis] = -1
    return (
        Parameter((weight * scale.reshape(shape)).to(dtype=d), requires_grad),
        Parameter(((bias - mean) * scale + bn_b).to(dtype=bias_dtype), bias_requires_grad),
    )


def fuse_conv_bn_weights(
    conv_w: Any,
    conv_b: Any,
    bn_rm: Any,
    bn_rv: Any,
    bn_eps: float,
    bn_w: Any,
    bn_b: Any,
    transpose: bool = False,
) -> tuple[Any, Any]:
    """Weight and bias of a convolution, transposed or not, with the batch norm in them."""
    return fused(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, int(transpose))


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any:
    """A convolution that gives what `conv` and then `bn` give."""
    check_evaluation(conv, bn)
    result = deepcopy(conv)
    result.weight, result.bias = fuse_conv_bn_weights(
        conv.weight,
        conv.bias,
        bn.running_mean,
        bn.running_var,
        bn.eps,
        bn.weight,
        bn.bias,
        transpose,
    )
    return result


def fuse_linear_bn_weights(
    linear_w: Any, linear_b: Any, bn_rm: Any, bn_rv: Any, bn_eps: float, bn_w: Any, bn_b: Any
) -> tuple[Any, Any]:
    """Weight and bias of a linear map with the batch norm in them."""
    return fused(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, 0)


def fuse_linear_bn_eval(linear: Any, bn: Any) -> Any:
    """A linear map that gives what `linear` and then `bn` give."""
    check_evaluation(linear, bn)
    if bn.num_features not in (linear.out_features, 1):
        raise AssertionError(
            "To fuse, linear.out_features == bn.num_features or bn.num_features == 1, got "
            f"linear.out_features={linear.out_features} and bn.num_features={bn.num_features}"
        )
    result = deepcopy(linear)
    result.weight, result.bias = fuse_linear_bn_weights(
        linear.weight,
        linear.bias,
        bn.running_mean,
        bn.running_var,
        bn.eps,
        bn.weight,
        bn.bias,
    )
    return result
