"""Gradients of convolutions with respect to one operand, as functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..torch.autograd import grad
from ..torch.filling import zeros
from ..torch.modes import enable_grad
from .functional import conv1d, conv2d, conv3d

__all__ = [
    "conv1d_input",
    "conv1d_weight",
    "conv2d_input",
    "conv2d_weight",
    "conv3d_input",
    "conv3d_weight",
]


def of_input(conv: Callable[..., Any]) -> Callable[..., Any]:
    """The gradient of a convolution's input, as a function."""

    def gradient(
        input_size: Sequence[int],
        weight: Any,
        grad_output: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Any:
        """The gradient of an input of the size `input_size`, given that of the output.

        >>> from tapegrad import torch
        >>> conv1d_input((1, 1, 3), torch.tensor([[[1.0, 2.0]]]), torch.ones(1, 1, 2)).tolist()
        [[[1.0, 3.0, 2.0]]]
        """

        def function(input: Any) -> Any:
            return conv(input, weight, None, stride, padding, dilation, groups)

        return pulled(function, input_size, weight.dtype, grad_output)

    return gradient


def of_weight(conv: Callable[..., Any]) -> Callable[..., Any]:
    """The gradient of a convolution's weight, as a function."""

    def gradient(
        input: Any,
        weight_size: Sequence[int],
        grad_output: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Any:
        """The gradient of a weight of the size `weight_size`, given that of the output.

        >>> from tapegrad import torch
        >>> conv1d_weight(torch.arange(3.0).reshape(1, 1, 3), (1, 1, 2), torch.ones(1, 1, 2))
        tensor([[[1., 3.]]])
        """

        def function(weight: Any) -> Any:
            return conv(input, weight, None, stride, padding, dilation, groups)

        return pulled(function, weight_size, input.dtype, grad_output)

    return gradient


def pulled(linear: Callable[[Any], Any], size: Sequence[int], dtype: Any, g: Any) -> Any:
    """The cotangent of the operand of a linear function, which is the same at all its values."""
    with enable_grad():
        operand = zeros(size, dtype=dtype, requires_grad=True)
        return grad(linear(operand), operand, g, create_graph=True)[0]


conv1d_input = of_input(conv1d)
conv2d_input = of_input(conv2d)
conv3d_input = of_input(conv3d)
conv1d_weight = of_weight(conv1d)
conv2d_weight = of_weight(conv2d)
conv3d_weight = of_weight(conv3d)
