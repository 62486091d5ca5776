"""Images taken apart into the columns that windows meet, a few images at a time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from typing import Any

from ...backend import on_device

Ints = tuple[int, ...]
ROOM = 1 << 18
"""Elements of the columns that are made at a time: so they stay in the cache."""
DEVICE_ROOM = 1 << 27
"""The same on a device: they take up to half a gigabyte in single precision."""


class Layout:
    """How a convolution goes over its images, and what meets what."""

    def __init__(
        self,
        image: Ints,
        kernel: Ints,
        stride: Ints,
        padding: Ints,
        dilation: Ints,
        groups: int,
        result: Ints | None = None,
    ) -> None:
        self.image = image
        self.kernel = kernel
        self.groups = groups
        self.stride = stride
        self.dilation = dilation
        self.padded = tuple(n + 2 * p for n, p in zip(image, padding, strict=True))
        self.inside = tuple(slice(p, p + n) for p, n in zip(padding, image, strict=True))
        axes = [*zip(self.padded, kernel, stride, dilation, strict=True)]
        self.result = result or tuple((n - d * (k - 1) - 1) // s + 1 for n, k, s, d in axes)
        self.shifts = [range(0, d * k, d) for _, k, _, d in axes]
        spans = [
            [slice(at, at + s * (m - 1) + 1, s) for at in shifts]
            for m, s, shifts in zip(self.result, stride, self.shifts, strict=True)
        ]
        self.last = spans[-1]
        """For each element of the kernel along the last axis, what it meets of a padded image."""
        self.others = [*product(*spans[:-1])]
        """The same for those along all other axes."""
        self.dense = max(stride) == 1
        self.is_padded = self.padded != image
        once = prod(kernel) == 1 and self.dense and not self.is_padded
        self.is_product = once and self.result == image

    def count(self, channels: int, x: Any) -> int:
        """How many of the images `x` to take apart at a time."""
        room = DEVICE_ROOM if on_device(x) else ROOM
        return max(1, room // max(1, channels * prod(self.kernel) * prod(self.result)))


def parts(images: int, step: int) -> Iterator[slice]:
    """A few images at a time."""
    for start in range(0, images, step):
        yield slice(start, min(start + step, images))


class Columns:
    """The columns (n, C, *kernel, *result) of a few images, in memory that is used again.

    On a device they are gathered at once, and memory comes from its library's pool.
    """

    def __init__(self, xp: Any, layout: Layout, channels: int, many: int, dtype: Any) -> None:
        self.layout = layout
        self.channels = channels
        if layout.is_product:
            return
        lead = (many, channels)
        kernel, result = prod(layout.kernel[:-1]), layout.result
        self.whole = xp.zeros((*lead, *layout.padded), dtype=dtype)
        lines = (*lead, layout.kernel[-1], *layout.padded[:-1], result[-1])
        self.lines = xp.empty(lines, dtype=dtype)
        self.shape = (kernel, layout.kernel[-1], *result)
        if not on_device(self.whole):
            self.columns = xp.empty((*lead, *self.shape), dtype=dtype)

    def matrices(self, count: int) -> Ints:
        """The shape of the columns as matrices, one for each group."""
        layout = self.layout
        rows = self.channels // layout.groups * prod(layout.kernel)
        return count, layout.groups, rows, prod(layout.result)

    def apart(self, xp: Any, x: Any) -> Any:
        """The columns of images, as matrices."""
        layout, count = self.layout, x.shape[0]
        if layout.is_product:
            return xp.reshape(x, self.matrices(count))
        whole = x
        if layout.is_padded:
            whole = self.whole[:count, ...]
            whole[(slice(None), slice(None), *layout.inside)] = x
        if on_device(whole):
            return xp.reshape(self.windows(xp, whole), self.matrices(count))
        lines, columns = self.lines[:count, ...], self.columns[:count, ...]
        for j, span in enumerate(layout.last):
            lines[:, :, j, ...] = whole[..., span]
        for i, spans in enumerate(layout.others):
            columns[:, :, i, ...] = lines[(slice(None),) * 3 + spans]
        return xp.reshape(columns, self.matrices(count))

    def windows(self, xp: Any, whole: Any) -> Any:
        """The columns as a view of padded images."""
        layout = self.layout
        shape = (*whole.shape[:2], *layout.kernel, *layout.result)
        outer, inner = whole.strides[:2], whole.strides[2:]
        apart = (s * d for s, d in zip(inner, layout.dilation, strict=True))
        along = (s * n for s, n in zip(inner, layout.stride, strict=True))
        return xp.lib.stride_tricks.as_strided(whole, shape, (*outer, *apart, *along))

    def together(self, xp: Any, matrices: Any) -> Any:
        """The images whose elements are the sums of those of the columns that come from them."""
        layout, count = self.layout, matrices.shape[0]
        if layout.is_product:
            return xp.reshape(matrices, (count, self.channels, *layout.image))
        columns = xp.reshape(matrices, (count, self.channels, *self.shape))
        whole, lines = self.whole[:count, ...], self.lines[:count, ...]
        whole[...] = 0
        lines[...] = 0
        for i, spans in enumerate(layout.others):
            lines[(slice(None),) * 3 + spans] += columns[:, :, i, ...]
        for j, span in enumerate(layout.last):
            whole[..., span] += lines[:, :, j, ...]
        return whole[(slice(None), slice(None), *layout.inside)]
