"""`Convolution`: the sizes of one, and of the one that is the gradient of its input."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy

Pair = tuple[int, int]
Padding = tuple[Pair, Pair]


@dataclass(frozen=True)
class Convolution:
    """`filters` results of `channels` channels, for each of `groups` groups of them.

    `padding` is what is added before and after, to rows and to columns.
    """

    dtype: numpy.dtype[Any]
    batch: int
    groups: int
    channels: int
    filters: int
    size: Pair
    kernel: Pair
    stride: Pair = (1, 1)
    dilation: Pair = (1, 1)
    padding: tuple[Pair, Pair] = ((0, 0), (0, 0))

    @property
    def taps(self) -> int:
        """How many weights a filter has for a channel."""
        return self.kernel[0] * self.kernel[1]

    @property
    def depth(self) -> int:
        """How many weights a filter has."""
        return self.channels * self.taps

    @property
    def reach(self) -> Pair:
        """How far the last weight is from the first."""
        return self.dilation[0] * (self.kernel[0] - 1), self.dilation[1] * (self.kernel[1] - 1)

    @property
    def padded(self) -> Pair:
        return self.size[0] + sum(self.padding[0]), self.size[1] + sum(self.padding[1])

    @property
    def bordered(self) -> int:
        """How many elements a group of images with their borders has."""
        return self.channels * self.padded[0] * self.padded[1]

    @property
    def out(self) -> Pair:
        """The size of the results."""
        return (
            (self.padded[0] - self.reach[0] - 1) // self.stride[0] + 1,
            (self.padded[1] - self.reach[1] - 1) // self.stride[1] + 1,
        )

    @property
    def area(self) -> int:
        return self.out[0] * self.out[1]

    @property
    def has_border(self) -> bool:
        return self.padded != self.size

    @property
    def scratch(self) -> int:
        """How many bytes of scratch memory any of the three functions needs."""
        return max(self.bordered, turned(self).bordered) * self.dtype.itemsize

    @property
    def turns(self) -> bool:
        """Whether gradients of images are a convolution once more, with weights turned round.

        The other way is to add what weights give back. That is better where the convolution would
        meet many zeros, or would fill few rows of the kernels.
        """
        larger = 4 * self.size[0] * self.size[1] > 5 * self.area
        return self.stride[1] != 1 or not (larger or self.channels < 8)

    def supported(self) -> bool:
        """Whether there is code for it: not where nothing comes out, or padding is all there is."""
        return (
            min(self.batch, self.groups, self.channels, self.filters, *self.kernel, *self.out) > 0
            and all(0 <= before <= self.reach[i] for i, (before, _) in enumerate(self.padding))
            and all(0 <= after <= self.reach[i] for i, (_, after) in enumerate(self.padding))
        )


def turned(conv: Convolution) -> Convolution:
    """What makes the gradient of the images of that of the results, with zeros between those."""

    def border(axis: int) -> Pair:
        spread = (conv.out[axis] - 1) * conv.stride[axis] + 1
        before = conv.reach[axis] - conv.padding[axis][0]
        return before, conv.size[axis] + conv.reach[axis] - before - spread

    return replace(
        conv,
        channels=conv.filters,
        filters=conv.channels,
        size=((conv.out[0] - 1) * conv.stride[0] + 1, (conv.out[1] - 1) * conv.stride[1] + 1),
        stride=(1, 1),
        padding=(border(0), border(1)),
    )


def shape_of(
    images: tuple[int, ...],
    weights: tuple[int, ...],
    dtype: numpy.dtype[Any],
    stride: Pair,
    dilation: Pair,
    padding: Padding,
    groups: int,
) -> Convolution | None:
    """The convolution of such images and weights, if it is one that there is code for."""
    if len(images) != 4 or len(weights) != 4 or not weights[0] or weights[0] % groups:
        return None
    if images[1] != groups * weights[1]:
        return None
    batch, filters = images[0], weights[0] // groups
    size, kernel = (images[2], images[3]), (weights[2], weights[3])
    conv = Convolution(
        *(dtype, batch, groups, weights[1], filters, size, kernel, stride, dilation, padding)
    )
    return conv if conv.supported() else None
