"""Convolutions, and their transposes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...ops.linear import permute_dims, reshape
from ...ops.neural.convolution import convolve, convolve_transposed
from ...torch import Tensor
from ...torch.calls import on_arrays
from ...torch.refusals import refuse
from . import errors
from .padding import surrounded
from .sizes import Ints, batched, each, unbatched

__all__ = [
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_tbc",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
]


def check(x: Any, weight: Any, bias: Any, groups: int, channels: int, transposed: bool) -> None:
    """Raise if kernels do not fit images."""
    if weight.dtype != x.dtype or (bias is not None and bias.dtype != x.dtype):
        raise errors.convolved_dtypes(x, weight, bias)
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    if weight.shape[0] % groups:
        raise errors.uneven_groups(groups, weight.shape)
    if x.shape[1] != channels:
        raise errors.convolved_channels(groups, weight.shape, x.shape, channels, transposed)
    made = weight.shape[1] * groups if transposed else weight.shape[0]
    if bias is not None and bias.shape != (made,):
        raise errors.convolved_bias(groups, weight.shape, made, bias.shape)


def same_padding(x: Any, kernel: Ints, stride: Ints, dilation: Ints) -> tuple[Any, Ints]:
    """Images, padded at the ends where that has to be uneven, and the even rest of the padding.

    With it a convolution keeps the lengths of the axes.
    """
    if max(stride) != 1:
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    total = [d * (k - 1) for k, d in zip(kernel, dilation, strict=True)]
    uneven = [t % 2 for t in total]
    if any(uneven):
        x = surrounded(x, [(0, u) for u in uneven], 0)
    return x, tuple(t // 2 for t in total)


def convolution(n: int) -> Callable[..., Tensor]:
    """`conv1d`, `conv2d` or `conv3d`."""
    name = f"conv{n}d"

    @on_arrays
    def function(
        input: Any,
        weight: Any,
        bias: Any = None,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Any:
        x, added = batched(input, n, name)
        if weight.ndim != n + 2:
            raise errors.wrong_kernel_axes(n, weight.shape)
        check(x, weight, bias, groups, weight.shape[1] * groups, False)
        steps = each(stride, n, "stride", name)
        dilations = each(dilation, n, "dilation", name)
        if min(steps) <= 0:
            raise RuntimeError("non-positive stride is not supported")
        if min(dilations) <= 0:
            raise RuntimeError("dilation should be greater than zero")
        kernel = weight.shape[2:]
        if padding == "same":
            x, pads = same_padding(x, kernel, steps, dilations)
        elif isinstance(padding, str):
            if padding != "valid":
                raise errors.bad_padding(padding)
            pads = (0,) * n
        else:
            pads = each(padding, n, "padding", name)
        if min(pads) < 0:
            raise RuntimeError("negative padding is not supported")
        room = [m + 2 * p for m, p in zip(x.shape[2:], pads, strict=True)]
        spans = [d * (k - 1) + 1 for k, d in zip(kernel, dilations, strict=True)]
        if any(m < k for m, k in zip(room, spans, strict=True)):
            raise errors.kernel_too_large(room, spans)
        inputs = (x, weight) if bias is None else (x, weight, bias)
        out = convolve(*inputs, stride=steps, padding=pads, dilation=dilations, groups=groups)
        return unbatched(out, added)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"The correlation of images (N, C, ...) of {n} axes with kernels (O, C / groups, ...).\n\n"
        "`padding` may be 'same' (strides of 1) or 'valid'. Without N, so is the result."
    )
    return function


conv1d = convolution(1)
conv2d = convolution(2)
conv3d = convolution(3)


def transposed_convolution(n: int) -> Callable[..., Tensor]:
    """`conv_transpose1d`, `conv_transpose2d` or `conv_transpose3d`."""
    name = f"conv_transpose{n}d"

    @on_arrays
    def function(
        input: Any,
        weight: Any,
        bias: Any = None,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        dilation: Any = 1,
    ) -> Any:
        x, added = batched(input, n, name)
        if weight.ndim != n + 2:
            raise errors.wrong_kernel_axes(n, weight.shape)
        check(x, weight, bias, groups, weight.shape[0], True)
        steps = each(stride, n, "stride", name)
        pads = each(padding, n, "padding", name)
        dilations = each(dilation, n, "dilation", name)
        extra = each(output_padding, n, "output_padding", name)
        if min(steps) <= 0:
            raise RuntimeError("non-positive stride is not supported")
        if min(pads) < 0:
            raise RuntimeError("negative padding is not supported")
        if any(e >= max(s, d) for e, s, d in zip(extra, steps, dilations, strict=True)):
            raise errors.too_much_output_padding(extra, steps, dilations)
        axes = zip(x.shape[2:], steps, pads, dilations, weight.shape[2:], extra, strict=True)
        to = tuple((m - 1) * s - 2 * p + d * (k - 1) + e + 1 for m, s, p, d, k, e in axes)
        if min(to) <= 0:
            raise errors.output_too_small(x.shape[2:], to)
        out = convolve_transposed(
            x, weight, stride=steps, padding=pads, dilation=dilations, groups=groups, to=to
        )
        if bias is not None:
            out = out + reshape(bias, to=(bias.shape[0], *(1,) * n))
        return unbatched(out, added)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"The transpose of `conv{n}d`, of images (N, C, ...) with kernels (C, O / groups, ...).\n\n"
        "`output_padding` makes the result longer, where several lengths are possible."
    )
    return function


conv_transpose1d = transposed_convolution(1)
conv_transpose2d = transposed_convolution(2)
conv_transpose3d = transposed_convolution(3)


@on_arrays
def conv_tbc(input: Any, weight: Any, bias: Any, pad: int = 0) -> Any:
    """`conv1d` of an input (time, batch, C) with a weight (kernel, C, O)."""
    out = convolve(
        permute_dims(input, axes=(1, 2, 0)),
        permute_dims(weight, axes=(2, 1, 0)),
        bias,
        stride=(1,),
        padding=(pad,),
        dilation=(1,),
        groups=1,
    )
    return permute_dims(out, axes=(2, 0, 1))


refuse(globals(), "slow_conv2d_cpu", "bool", "conv1d conv2d")
refuse(globals(), "slow_conv3d_cpu", "bool", "conv3d")
refuse(
    globals(), "slow_conv_transpose2d_out_cpu", "bool uint8", "conv_transpose1d conv_transpose2d"
)
refuse(globals(), "slow_conv_transpose3d_out_cpu", "bool uint8", "conv_transpose3d")
