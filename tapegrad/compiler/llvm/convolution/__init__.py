"""Convolutions of images and their two gradients, as products of matrices that are never formed.

`write_forward`, `write_input_gradient` and `write_weight_gradient` give functions of two given
arrays, the result and scratch memory, for one shape; ``Convolution.scratch`` is the size of that.
Images are (batch, channel, row, column), weights (filter, channel, row, column), all in one piece.
Like those of `gemm`, the functions call the kernels of `tiles`, which have to be imported.

The images' part of a product is packed a panel at a time, into a buffer on the stack, in the order
in which the kernels use it. Borders, and zeros between the elements of a gradient, are put round
an image by a copy of it.
"""

from __future__ import annotations

from ..host import Host
from ..text import Function, Index, Kind
from .images import Images
from .inputs import Inputs
from .panels import nest
from .shape import Convolution, shape_of, turned
from .weights import Weights

__all__ = [
    "Convolution",
    "shape_of",
    "write_forward",
    "write_input_gradient",
    "write_weight_gradient",
]


def function_of(name: str) -> Function:
    pointers = ", ".join(f"ptr noalias %{name}" for name in ("x", "y", "out", "scratch"))
    return Function(f"define internal void @{name}({pointers})")


def write_forward(name: str, conv: Convolution, machine: Host) -> Function:
    """name(images, weights, results, scratch)."""
    function = function_of(name)
    Images(function, conv, machine).write("%x", "%y", conv.size, (1, 1))
    function.do("ret void")
    return function


def write_input_gradient(name: str, conv: Convolution, machine: Host) -> Function:
    """name(gradients of the results, weights, gradients of the images, scratch)."""
    function = function_of(name)
    if given_back(conv):
        Inputs(function, conv, machine).write("%x", "%y", "%out")
    else:
        other = turned(conv)
        weights = function.at(Kind(conv.dtype, 1), "%scratch", other.bordered)
        turn_weights(function, conv, weights)
        Images(function, other, machine).write("%x", weights, conv.out, conv.stride)
    function.do("ret void")
    return function


def given_back(conv: Convolution) -> bool:
    """Whether it is better to add what weights give back than to convolve once more.

    It is where that would meet many zeros, or would fill few rows of the kernels.
    """
    larger = 4 * conv.size[0] * conv.size[1] > 5 * conv.area
    return conv.stride[1] == 1 and (larger or conv.channels < 8)


def write_weight_gradient(name: str, conv: Convolution, machine: Host) -> Function:
    """name(images, gradients of the results, gradients of the weights, scratch)."""
    function = function_of(name)
    Weights(function, conv, machine).write("%x", "%y", "%out")
    function.do("ret void")
    return function


def turn_weights(function: Function, conv: Convolution, target: str) -> None:
    """Filters and channels change places within a group; rows and columns turn round."""
    one, area = Kind(conv.dtype, 1), conv.taps

    def weight(group: Index, filter: Index, channel: Index, i: Index) -> None:
        filters = function.plus(function.times(group, conv.filters), filter)
        channels = function.plus(function.times(group, conv.channels), channel)
        start = function.plus(function.times(filters, conv.depth), function.times(channel, area))
        to = function.plus(
            function.times(channels, conv.filters * area), function.times(filter, area)
        )
        last = function.plus(to, function.plus(function.times(i, -1), area - 1))
        value = function.load(one, function.at(one, "%y", function.plus(start, i)))
        function.store(one, value, function.at(one, target, last))

    nest(function, (conv.groups, conv.filters, conv.channels, area), weight)
