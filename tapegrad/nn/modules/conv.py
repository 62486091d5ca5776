"""Convolutions and transposed convolutions of one to three axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from .. import functional, init
from ..parameter import UninitializedParameter
from .lazy import LazyModuleMixin
from .linear import uniform_by_fan
from .module import Module
from .utils import _ntuple, learned, reversed_repeated

__all__ = [
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
]

MODES = ("zeros", "reflect", "replicate", "circular")


class _ConvNd(Module):
    """What convolutions have in common."""

    axes: ClassVar[int]
    transposed: ClassVar[bool] = False
    weight: Any
    bias: Any

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
        *,
        output_padding: Any = 0,
    ) -> None:
        super().__init__()
        each = _ntuple(self.axes)
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups:
            raise ValueError("out_channels must be divisible by groups")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = each(kernel_size)
        self.stride = each(stride)
        self.padding = padding if isinstance(padding, str) else each(padding)
        self.dilation = each(dilation)
        self.output_padding = each(output_padding)
        self.groups = groups
        self.padding_mode = padding_mode
        check_padding(self.padding, self.stride, padding_mode)
        self._reversed_padding_repeated_twice = paddings(
            self.padding, self.dilation, self.kernel_size
        )
        self.weight = learned(self.weight_shape(), device, dtype)
        if bias:
            self.bias = learned(out_channels, device, dtype)
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def weight_shape(self) -> tuple[int, ...]:
        """The shape of the weight."""
        outer, inner = self.out_channels, self.in_channels
        if self.transposed:
            outer, inner = inner, outer
        return (outer, inner // self.groups, *self.kernel_size)

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            if fan_in:
                uniform_by_fan(self.bias, fan_in)

    def extra_repr(self) -> str:
        parts = [
            f"{self.in_channels}, {self.out_channels}",
            f"kernel_size={self.kernel_size}, stride={self.stride}",
        ]
        for name, usual in (("padding", 0), ("dilation", 1), ("output_padding", 0)):
            value = getattr(self, name)
            if value != (usual,) * len(value):
                parts.append(f"{name}={value}")
        if self.groups != 1:
            parts.append(f"groups={self.groups}")
        if self.bias is None:
            parts.append("bias=False")
        if self.padding_mode != "zeros":
            parts.append(f"padding_mode={self.padding_mode}")
        return ", ".join(parts)


def check_padding(padding: Any, stride: tuple[int, ...], mode: str) -> None:
    """Raise for paddings that there are not."""
    if isinstance(padding, str):
        if padding not in ("same", "valid"):
            raise ValueError(
                f"Invalid padding string {padding!r}, should be one of {{'valid', 'same'}}"
            )
        if padding == "same" and any(s != 1 for s in stride):
            raise ValueError("padding='same' is not supported for strided convolutions")
    if mode not in MODES:
        raise ValueError(f"padding_mode must be one of {set(MODES)}, but got padding_mode='{mode}'")


def paddings(padding: Any, dilation: Sequence[int], kernel: Sequence[int]) -> list[int]:
    """What `functional.pad` is to add in front of and behind each axis, the last one first."""
    if padding == "valid":
        return [0] * (2 * len(kernel))
    if padding != "same":
        return list(reversed_repeated(padding))
    both: list[int] = []
    for d, k in zip(reversed(dilation), reversed(kernel), strict=True):
        total = d * (k - 1)
        both += [total // 2, total - total // 2]
    return both


class _Conv(_ConvNd):
    """A convolution (in fact a cross-correlation); the subclass names the function."""

    def convolve(self, input: Any, weight: Any, bias: Any, padding: Any) -> Any:
        """The convolution with a padding of zeros."""
        function = (functional.conv1d, functional.conv2d, functional.conv3d)[self.axes - 1]
        return function(input, weight, bias, self.stride, padding, self.dilation, self.groups)

    def _conv_forward(self, input: Any, weight: Any, bias: Any) -> Any:
        if self.padding_mode == "zeros":
            return self.convolve(input, weight, bias, self.padding)
        padded = functional.pad(
            input, self._reversed_padding_repeated_twice, mode=self.padding_mode
        )
        return self.convolve(padded, weight, bias, 0)

    def forward(self, input: Any) -> Any:
        return self._conv_forward(input, self.weight, self.bias)


class Conv1d(_Conv):
    """`functional.conv1d` of (N, C, L), or (C, L), with a weight and a bias that are learned."""

    axes = 1


class Conv2d(_Conv):
    """`functional.conv2d` of (N, C, H, W), or (C, H, W), with a learned weight and bias.

    `weight` is (out_channels, in_channels / groups, *kernel_size). `padding` may be "same" and
    "valid" too; `padding_mode` says what it is filled with.

    >>> import tapegrad.torch as torch
    >>> from tapegrad import nn
    >>> nn.Conv2d(16, 33, 3, stride=2)(torch.ones(20, 16, 50, 100)).shape
    torch.Size([20, 33, 24, 49])
    """

    axes = 2


class Conv3d(_Conv):
    """`functional.conv3d` of (N, C, D, H, W), or (C, D, H, W), with a learned weight and bias."""

    axes = 3


class _ConvTransposeNd(_ConvNd):
    """A transposed convolution: the gradient of a convolution with respect to its input."""

    transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
            output_padding=output_padding,
        )

    def forward(self, input: Any, output_size: Any = None) -> Any:
        extra = self._output_padding(input, output_size)
        function = (
            functional.conv_transpose1d,
            functional.conv_transpose2d,
            functional.conv_transpose3d,
        )[self.axes - 1]
        return function(
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            extra,
            self.groups,
            self.dilation,
        )

    def _output_padding(self, input: Any, output_size: Any) -> Any:
        """What to add at the end for a result of a given size."""
        if output_size is None:
            return self.output_padding
        n = self.axes
        others = input.dim() - n
        if len(output_size) == others + n:
            output_size = output_size[others:]
        if len(output_size) != n:
            raise ValueError(
                f"ConvTranspose{n}D: for {input.dim()}D input, output_size must have {n} or "
                f"{others + n} elements (got {len(output_size)})"
            )
        smallest = [
            (input.size(i + others) - 1) * self.stride[i]
            - 2 * self.padding[i]
            + self.dilation[i] * (self.kernel_size[i] - 1)
            + 1
            for i in range(n)
        ]
        largest = [low + s - 1 for low, s in zip(smallest, self.stride, strict=True)]
        for size, low, high in zip(output_size, smallest, largest, strict=True):
            if not low <= size <= high:
                raise ValueError(
                    f"requested an output size of {output_size}, but valid sizes range from "
                    f"{smallest} to {largest} (for an input of {input.size()[2:]})"
                )
        return tuple(size - low for size, low in zip(output_size, smallest, strict=True))


class ConvTranspose1d(_ConvTransposeNd):
    """`functional.conv_transpose1d` with a learned weight and bias."""

    axes = 1


class ConvTranspose2d(_ConvTransposeNd):
    """`functional.conv_transpose2d` with a learned weight and bias.

    The call takes an `output_size` too, to choose among the sizes that a stride leaves open.
    """

    axes = 2


class ConvTranspose3d(_ConvTransposeNd):
    """`functional.conv_transpose3d` with a learned weight and bias."""

    axes = 3


class _LazyConv(LazyModuleMixin, _ConvNd):
    """A convolution that takes `in_channels` from its first input."""

    def __init__(self, out_channels: int, *args: Any, **kwargs: Any) -> None:
        place = {name: kwargs[name] for name in ("device", "dtype") if name in kwargs}
        bias = kwargs.pop("bias", True)
        super().__init__(0, 0, *args, bias=False, **kwargs)
        self.weight = UninitializedParameter(**place)
        self.out_channels = out_channels
        if bias:
            self.bias = UninitializedParameter(**place)

    def reset_parameters(self) -> None:
        """Draw the parameters anew, if there are any yet."""
        if not self.has_uninitialized_params() and self.in_channels:
            super().reset_parameters()

    def initialize_parameters(self, input: Any, *args: Any, **kwargs: Any) -> None:
        """Make the parameters for an input."""
        fresh = self.has_uninitialized_params()
        if self.in_channels == 0:
            self.in_channels = self._channels(input)
        if fresh:
            if self.in_channels % self.groups:
                raise ValueError("in_channels must be divisible by groups")
            self.weight.materialize(self.weight_shape())
            if self.bias is not None:
                self.bias.materialize((self.out_channels,))
            self.reset_parameters()

    def _channels(self, input: Any) -> int:
        if input.dim() not in (self.axes + 1, self.axes + 2):
            raise RuntimeError(
                f"Expected {self.axes + 1}D (unbatched) or {self.axes + 2}D (batched) input to "
                f"{type(self).__name__}, but got input of size: {input.shape}"
            )
        return int(input.shape[-self.axes - 1])


class LazyConv1d(_LazyConv, Conv1d):
    """A `Conv1d` that takes `in_channels` from its first input."""

    cls_to_become = Conv1d


class LazyConv2d(_LazyConv, Conv2d):
    """A `Conv2d` that takes `in_channels` from its first input."""

    cls_to_become = Conv2d


class LazyConv3d(_LazyConv, Conv3d):
    """A `Conv3d` that takes `in_channels` from its first input."""

    cls_to_become = Conv3d


class LazyConvTranspose1d(_LazyConv, ConvTranspose1d):
    """A `ConvTranspose1d` that takes `in_channels` from its first input."""

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyConv, ConvTranspose2d):
    """A `ConvTranspose2d` that takes `in_channels` from its first input."""

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyConv, ConvTranspose3d):
    """A `ConvTranspose3d` that takes `in_channels` from its first input."""

    cls_to_become = ConvTranspose3d
