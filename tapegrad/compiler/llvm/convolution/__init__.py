"""Convolutions of images and their two gradients, as products of matrices that are never formed.

`write_forward`, `write_input_gradient` and `write_weight_gradient` give functions of two given
arrays, the result and scratch memory, for one shape, and of which images they are for: from number
`low` to before `high`. ``Convolution.scratch`` is the size of the scratch memory. Images are
(batch, channel, row, column), weights (filter, channel, row, column), all in one piece. Like those
of `gemm`, the functions call the kernels of `tiles`, which have to be imported.

Gradients of images may need the weights turned round, which `write_turn` gives a function for.

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
    "write_turn",
    "write_weight_gradient",
]


def function_of(name: str) -> Function:
    pointers = ", ".join(f"ptr noalias %{name}" for name in ("x", "y", "out", "scratch"))
    return Function(f"define internal void @{name}({pointers}, i64 %low, i64 %high)")


def write_forward(name: str, conv: Convolution, machine: Host) -> Function:
    """name(images, weights, results, scratch, low, high)."""
    function = function_of(name)
    Images(function, conv, machine).write("%x", "%y", conv.size, (1, 1))
    function.do("ret void")
    return function


def write_input_gradient(name: str, conv: Convolution, machine: Host) -> Function:
    """name(gradients of the results, weights, gradients of the images, scratch, low, high).

    The weights are turned round if they are to be: see `Convolution.turns`.
    """
    function = function_of(name)
    if not conv.turns:
        Inputs(function, conv, machine).write("%x", "%y", "%out")
    else:
        Images(function, turned(conv), machine).write("%x", "%y", conv.out, conv.stride)
    function.do("ret void")
    return function


def write_weight_gradient(name: str, conv: Convolution, machine: Host) -> Function:
    """name(images, gradients of the results, gradients of the weights, scratch, low, high).

    The gradient is the sum over these images alone.
    """
    function = function_of(name)
    Weights(function, conv, machine).write("%x", "%y", "%out")
    function.do("ret void")
    return function


def write_turn(name: str, conv: Convolution) -> Function:
    """name(weights, turned weights): filters and channels change places, rows and columns turn."""
    function = Function(f"define internal void @{name}(ptr noalias %x, ptr noalias %out)")
    one, area = Kind(conv.dtype, 1), conv.taps

    def weight(group: Index, filter: Index, channel: Index, i: Index) -> None:
        filters = function.plus(function.times(group, conv.filters), filter)
        channels = function.plus(function.times(group, conv.channels), channel)
        start = function.plus(function.times(filters, conv.depth), function.times(channel, area))
        to = function.plus(
            function.times(channels, conv.filters * area), function.times(filter, area)
        )
        last = function.plus(to, function.plus(function.times(i, -1), area - 1))
        value = function.load(one, function.at(one, "%x", function.plus(start, i)))
        function.store(one, value, function.at(one, "%out", last))

    nest(function, (conv.groups, conv.filters, conv.channels, area), weight)
    function.do("ret void")
    return function
