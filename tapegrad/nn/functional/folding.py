"""Images as windows and back, and channels moved into images and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.op import table
from ...ops.linear import permute_dims, reshape
from ...ops.neural import folding as hot
from ...torch import Tensor
from ...torch.calls import on_arrays
from ...torch.refusals import refuse
from . import errors
from .pooling import counts
from .sizes import each

__all__ = [
    "channel_shuffle",
    "fold",
    "native_channel_shuffle",
    "pixel_shuffle",
    "pixel_unshuffle",
    "unfold",
    "unfold2d",
    "unfold3d",
]


def unfolding(n: int) -> Callable[..., Tensor]:
    """`unfold` of images of `n` axes."""

    @on_arrays
    def function(
        input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
    ) -> Any:
        if input.ndim not in (n + 1, n + 2):
            raise errors.unfolded_axes(n, input.shape)
        added = input.ndim == n + 1
        x = reshape(input, to=(1, *input.shape)) if added else input
        params = {
            "stride": each(stride, n, "stride", "unfold"),
            "padding": each(padding, n, "padding", "unfold"),
            "dilation": each(dilation, n, "dilation", "unfold"),
        }
        kernel = each(kernel_size, n, "kernel_size", "unfold")
        if min(counts(x.shape[2:], kernel, **params, ceil=False)) < 1:
            raise errors.no_windows(x.shape, kernel)
        out = hot.unfold(x, kernel=kernel, **params)
        return reshape(out, to=out.shape[1:]) if added else out

    name = "unfold" if n == 2 else f"unfold{n}d"
    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"The windows of images (N, C, ...) of {n} axes as columns (N, C * kernel, windows)."
    )
    return function


unfold = unfold2d = unfolding(2)
unfold3d = unfolding(3)


@on_arrays
def fold(
    input: Any,
    output_size: Any,
    kernel_size: Any,
    dilation: Any = 1,
    padding: Any = 0,
    stride: Any = 1,
) -> Any:
    """Images of an `output_size` in which the windows that `unfold` gave are added up."""
    if input.ndim not in (2, 3):
        raise errors.folded_axes(input.shape)
    added = input.ndim == 2
    x = reshape(input, to=(1, *input.shape)) if added else input
    params = {
        "stride": each(stride, 2, "stride", "fold"),
        "padding": each(padding, 2, "padding", "fold"),
        "dilation": each(dilation, 2, "dilation", "fold"),
    }
    kernel = each(kernel_size, 2, "kernel_size", "fold")
    to = each(output_size, 2, "output_size", "fold")
    if x.shape[1] % (kernel[0] * kernel[1]):
        raise errors.folded_channels(x.shape, kernel)
    rows, columns = counts(to, kernel, **params, ceil=False)
    if rows < 1 or columns < 1 or rows * columns != x.shape[2]:
        raise errors.folded_windows(to, kernel, (rows, columns), x.shape[2])
    out = hot.fold(x, kernel=kernel, to=to, **params)
    return reshape(out, to=out.shape[1:]) if added else out


def rearranged(x: Any, apart: tuple[int, ...], axes: tuple[int, ...], to: tuple[int, ...]) -> Any:
    """The last three axes taken apart, permuted and put together."""
    lead = x.shape[:-3]
    n = len(lead)
    x = permute_dims(reshape(x, to=(*lead, *apart)), axes=(*range(n), *(n + a for a in axes)))
    out = reshape(x, to=(*lead, *to))
    return table["identity"].function(out)


@on_arrays
def pixel_shuffle(input: Any, upscale_factor: int) -> Any:
    """Channels (..., C * r * r, H, W) as images r times as large (..., C, H * r, W * r)."""
    if input.ndim < 3:
        raise errors.shuffled_axes("pixel_shuffle", input.ndim)
    r = upscale_factor
    if r <= 0:
        raise RuntimeError(f"pixel_shuffle expects a positive upscale_factor, but got {r}")
    c, h, w = input.shape[-3:]
    if c % (r * r):
        raise errors.shuffled_channels(r, c)
    c //= r * r
    return rearranged(input, (c, r, r, h, w), (0, 3, 1, 4, 2), (c, h * r, w * r))


@on_arrays
def pixel_unshuffle(input: Any, downscale_factor: int) -> Any:
    """The inverse of `pixel_shuffle`."""
    if input.ndim < 3:
        raise errors.shuffled_axes("pixel_unshuffle", input.ndim)
    r = downscale_factor
    if r <= 0:
        raise RuntimeError(f"pixel_unshuffle expects a positive downscale_factor, but got {r}")
    c, h, w = input.shape[-3:]
    for name, length in (("height", h), ("width", w)):
        if length % r:
            raise errors.unshuffled_size(name, length, r)
    apart = (c, h // r, r, w // r, r)
    return rearranged(input, apart, (0, 2, 4, 1, 3), (c * r * r, h // r, w // r))


@on_arrays
def channel_shuffle(input: Any, groups: int) -> Any:
    """Channels (N, C, ...) in `groups` groups, one of each group after the other."""
    if input.ndim < 3:
        raise errors.shuffled_axes("channel_shuffle", input.ndim)
    if groups <= 0:
        raise RuntimeError("Number of groups to divide channels in must be positive.")
    n, c, *rest = input.shape
    if c % groups:
        raise errors.shuffled_groups(c, groups)
    x = reshape(input, to=(n, groups, c // groups, *rest))
    x = permute_dims(x, axes=(0, 2, 1, *range(3, x.ndim)))
    return table["identity"].function(reshape(x, to=input.shape))


native_channel_shuffle = channel_shuffle


refuse(globals(), "im2col_out_cpu", "integer", "unfold")
