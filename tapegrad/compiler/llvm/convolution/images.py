"""Results that are images: the forward convolution, and the gradient of its input."""

from __future__ import annotations

from functools import partial

from ..gemm import blocks
from ..host import Host
from ..text import Function, Index, Kind
from ..tiles import Tile, most_vectors
from .panels import UNROLLED, clear, copy, cover, images, multiply, nest, spread, tiles_of
from .shape import Convolution, Pair

BYTES = 32 << 10  # of a panel at most, so that it stays in the first cache


class Images:
    """Filters times images: places of the results side by side in vectors, filters in rows.

    A panel has some rows of the results, or a part of one; for each weight of a filter it holds
    the elements of the images that this weight meets there.
    """

    def __init__(self, function: Function, conv: Convolution, machine: Host) -> None:
        self.function = function
        self.conv = conv
        self.machine = machine
        self.width = machine.lanes(conv.dtype.itemsize)
        self.one = Kind(conv.dtype, 1)
        self.vector = Kind(conv.dtype, self.width)
        self.most = most_vectors(machine) * self.width
        channels = max(1, BYTES // (self.most * conv.taps * conv.dtype.itemsize))
        self.parts = [
            (start + i * size, size)
            for start, number, size in blocks(conv.channels, channels)
            for i in range(number)
        ]

    def write(self, x: str, weights: str, given: Pair, step: Pair) -> None:
        """From images of a `given` size, whose elements get as far apart as `step` says."""
        function, conv, at = self.function, self.conv, self.function.at
        largest = max(size for _, size in self.parts)
        count = largest * conv.taps * self.most + self.width  # copies go beyond their end
        self.buffer = function.variable(f"[{count} x {self.one.element}]")
        copied = conv.has_border or step != (1, 1)
        if copied:
            clear(function, "%scratch", conv.bordered * conv.dtype.itemsize)

        def group(n: Index, g: Index) -> None:
            number = function.plus(function.times(n, conv.groups), g)
            image = at(self.one, x, function.times(number, conv.channels * given[0] * given[1]))
            if copied:
                spread(function, conv, self.vector, image, given, step)
                image = "%scratch"
            filters = at(self.one, weights, function.times(g, conv.filters * conv.depth))
            out = at(self.one, "%out", function.times(number, conv.filters * conv.area))

            def panel(row: Index, rows: int, column: Index, columns: int) -> None:
                self.panel(image, filters, out, row, rows, column, columns)

            rows = max(1, min(self.most // conv.out[1], conv.out[0]))
            cover(function, conv.out, (rows, min(conv.out[1], self.most)), panel)

        images(function, conv.groups, group)

    def panel(
        self, image: str, weights: str, out: str, row: Index, rows: int, column: Index, columns: int
    ) -> None:
        """Some rows and columns of all results of a group."""
        function, conv, at = self.function, self.conv, self.function.at
        across = function.times(column, conv.stride[1])
        down = function.times(row, conv.stride[0] * conv.padded[1])
        corner = at(self.one, image, function.plus(down, across))
        place = function.plus(function.times(row, conv.out[1]), column)
        for channel, channels in self.parts:
            first = at(self.one, corner, channel * conv.padded[0] * conv.padded[1])
            self.pack(first, channels, rows, columns)
            filters = at(self.one, weights, channel * conv.taps)
            to = at(self.one, out, place)
            self.products(filters, to, channels * conv.taps, rows * columns, channel > 0)

    def pack(self, corner: str, channels: int, rows: int, columns: int) -> None:
        """For each weight the elements that it meets, from a corner of a part of the channels."""
        function, conv, at = self.function, self.conv, self.function.at
        line = conv.padded[1]
        step = -(-rows * columns // self.width) * self.width

        def weight(channel: Index, h: Index, w: Index) -> None:
            above = function.plus(
                function.times(channel, conv.padded[0] * line),
                function.times(h, conv.dilation[0] * line),
            )
            offset = function.plus(above, function.times(w, conv.dilation[1]))
            source = at(self.one, corner, offset)
            row = function.plus(function.times(channel, conv.kernel[0]), h)
            number = function.plus(function.times(row, conv.kernel[1]), w)
            target = at(self.one, self.buffer, function.times(number, step))
            for r in range(rows):
                start = at(self.one, source, r * conv.stride[0] * line)
                to = at(self.one, target, r * columns)
                copy(function, self.vector, start, conv.stride[1], to, columns)

        if rows * -(-columns // self.width) * conv.kernel[1] > UNROLLED:
            nest(function, (channels, *conv.kernel), weight)
            return

        def line_of_weights(channel: Index, h: Index) -> None:
            for w in range(conv.kernel[1]):
                weight(channel, h, w)

        nest(function, (channels, conv.kernel[0]), line_of_weights)

    def products(self, weights: str, out: str, depth: int, places: int, add: bool) -> None:
        """The products of all filters with a panel."""
        function, conv = self.function, self.conv
        vectors, tail = -(-places // self.width), places % self.width

        def block(i: Index, start: int, tile: Tile) -> None:
            number = function.plus(function.times(i, tile.rows), start)
            a = function.at(self.one, weights, function.times(number, conv.depth)), conv.depth, 1
            c = function.at(self.one, out, function.times(number, conv.area)), conv.area
            b = self.buffer, vectors * self.width
            multiply(function, tile, depth, a, b, c, tail or self.width, add)

        for start, number, tile in tiles_of(
            conv.filters, conv, self.width, vectors, bool(tail), self.machine
        ):
            function.loop(0, number, 1, partial(block, start=start, tile=tile))
