"""The gradient of the weights of a convolution."""

from __future__ import annotations

from functools import partial

from ..gemm import blocks
from ..host import Host
from ..text import Function, Index, Kind
from ..tiles import Tile, most_vectors
from .panels import clear, copy, cover, images, multiply, nest, spread, tiles_of
from .shape import Convolution

BYTES = 128 << 10  # of a panel at most: it stays in the second cache
LINE = 320  # weights that a panel has for a place, at most


class Weights:
    """Gradients of the results times images: weights side by side in vectors, filters in rows.

    A panel holds, for some places of the results, the elements of the images that all weights of
    a filter meet there. Each panel adds to the gradient.
    """

    def __init__(self, function: Function, conv: Convolution, machine: Host) -> None:
        self.function = function
        self.conv = conv
        self.machine = machine
        self.width = machine.lanes(conv.dtype.itemsize)
        self.one = Kind(conv.dtype, 1)
        self.vector = Kind(conv.dtype, self.width)
        self.parts = [
            (start + i * size, size)
            for start, number, size in blocks(conv.channels, max(1, LINE // conv.taps))
            for i in range(number)
        ]
        self.longest = max(self.line(size * conv.taps) for _, size in self.parts)
        places = max(1, BYTES // (self.longest * conv.dtype.itemsize))
        self.rows = max(1, min(conv.out[0], places // conv.out[1]))
        self.columns = min(conv.out[1], places)

    def line(self, weights: int) -> int:
        """How many elements of the panel a place has for so many weights: whole vectors."""
        return -(-weights // self.width) * self.width

    def write(self, x: str, given: str, out: str) -> None:
        function, conv, at = self.function, self.conv, self.function.at
        clear(function, out, conv.groups * conv.filters * conv.depth * conv.dtype.itemsize)
        if conv.has_border:
            clear(function, "%scratch", conv.bordered * conv.dtype.itemsize)
        # copies go beyond their end
        count = self.rows * self.columns * self.longest + conv.kernel[1] + self.width
        self.buffer = function.variable(f"[{count} x {self.one.element}]")

        def group(n: Index, g: Index) -> None:
            number = function.plus(function.times(n, conv.groups), g)
            size = conv.channels * conv.size[0] * conv.size[1]
            image = at(self.one, x, function.times(number, size))
            if conv.has_border:
                spread(function, conv, self.vector, image, conv.size, (1, 1))
                image = "%scratch"
            gradient = at(self.one, given, function.times(number, conv.filters * conv.area))
            to = at(self.one, out, function.times(g, conv.filters * conv.depth))

            def panel(row: Index, rows: int, column: Index, columns: int) -> None:
                place = function.plus(function.times(row, conv.out[1]), column)
                start = at(self.one, gradient, place)
                for channel, channels in self.parts:
                    first = at(self.one, image, channel * conv.padded[0] * conv.padded[1])
                    self.pack(first, channels, row, rows, column, columns)
                    end = at(self.one, to, channel * conv.taps)
                    self.products(start, end, channels * conv.taps, rows * columns)

            cover(function, conv.out, (self.rows, self.columns), panel)

        images(function, conv.groups, group)

    def pack(
        self, image: str, channels: int, row: Index, rows: int, column: Index, columns: int
    ) -> None:
        """For each place the elements that the weights of some channels meet."""
        function, conv, at = self.function, self.conv, self.function.at
        line, step = conv.padded[1], self.line(channels * conv.taps)

        def elements(r: Index, w: Index, channel: Index) -> None:
            down = function.times(function.plus(row, r), conv.stride[0] * line)
            across = function.times(function.plus(column, w), conv.stride[1])
            above = function.times(channel, conv.padded[0] * line)
            start = at(self.one, image, function.plus(above, function.plus(down, across)))
            number = function.plus(function.times(r, columns), w)
            target = function.plus(function.times(number, step), function.times(channel, conv.taps))
            to = at(self.one, self.buffer, target)
            for h in range(conv.kernel[0]):
                source = at(self.one, start, h * conv.dilation[0] * line)
                end = at(self.one, to, h * conv.kernel[1])
                copy(function, self.vector, source, conv.dilation[1], end, conv.kernel[1])

        nest(function, (rows, columns, channels), elements)

    def products(self, given: str, out: str, weights: int, places: int) -> None:
        """Add the products of all filters with a panel."""
        cut, vectors = weights % self.width, -(-weights // self.width)
        step = vectors * self.width
        for at, number, size in blocks(vectors, most_vectors(self.machine)):
            last = at + number * size == vectors and cut > 0
            self.columns_of(given, out, places, step, at, number - last, size, 0)
            if last:
                self.columns_of(given, out, places, step, at + (number - 1) * size, 1, size, cut)

    def columns_of(
        self,
        given: str,
        out: str,
        places: int,
        step: int,
        at: int,
        number: int,
        size: int,
        cut: int,
    ) -> None:
        """The products for `number` times `size` vectors of weights, from number `at` on."""
        function, conv = self.function, self.conv

        def block(j: Index, i: Index, start: int, tile: Tile) -> None:
            filter = function.plus(function.times(i, tile.rows), start)
            weight = function.times(function.plus(function.times(j, size), at), self.width)
            a = function.at(self.one, given, function.times(filter, conv.area)), conv.area, 1
            b = function.at(self.one, self.buffer, weight), step
            to = function.plus(function.times(filter, conv.depth), weight)
            c = function.at(self.one, out, to), conv.depth
            multiply(function, tile, places, a, b, c, cut or self.width, add=True)

        for start, count, tile in tiles_of(
            conv.filters, conv, self.width, size, cut > 0, self.machine
        ):
            nest(function, (number, count), partial(block, start=start, tile=tile))
