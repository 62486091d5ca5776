"""The gradient of the images of a convolution, where its columns lie side by side."""

from __future__ import annotations

from functools import partial

from ..gemm import blocks
from ..host import Host
from ..lanes import first_lanes
from ..text import Function, Index, Kind
from ..tiles import Tile, most_vectors
from .panels import clear, cover, images, multiply, nest, tiles_of
from .shape import Convolution

BYTES = 48 << 10  # of a panel at most


class Inputs:
    """Weights times gradients of the results: what each weight gives back, added where it met.

    A panel holds, for some places of the results, what each weight of some channels gives back.
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

    def write(self, g: str, weights: str, out: str) -> None:
        function, conv, at = self.function, self.conv, self.function.at
        largest = max(size for _, size in self.parts)
        self.buffer = function.variable(f"[{largest * conv.taps * self.most} x {self.one.element}]")
        size = conv.channels * conv.size[0] * conv.size[1]

        def group(n: Index, k: Index) -> None:
            number = function.plus(function.times(n, conv.groups), k)
            image = at(self.one, out, function.times(number, size))
            target = "%scratch" if conv.has_border else image
            clear(function, target, conv.bordered * conv.dtype.itemsize)
            given = at(self.one, g, function.times(number, conv.filters * conv.area))
            filters = at(self.one, weights, function.times(k, conv.filters * conv.depth))

            def panel(row: Index, rows: int, column: Index, columns: int) -> None:
                self.panel(given, filters, target, row, rows, column, columns)

            rows = max(1, min(self.most // conv.out[1], conv.out[0]))
            cover(function, conv.out, (rows, min(conv.out[1], self.most)), panel)
            if conv.has_border:
                self.crop(image)

        images(function, conv.groups, group)

    def panel(
        self, g: str, weights: str, image: str, row: Index, rows: int, column: Index, columns: int
    ) -> None:
        """What some rows and columns of all results of a group give back."""
        function, conv, at = self.function, self.conv, self.function.at
        place = function.plus(function.times(row, conv.out[1]), column)
        down = function.times(row, conv.stride[0] * conv.padded[1])
        corner = at(self.one, image, function.plus(down, column))
        for channel, channels in self.parts:
            first = at(self.one, weights, channel * conv.taps)
            self.products(first, at(self.one, g, place), channels * conv.taps, rows * columns)
            start = at(self.one, corner, channel * conv.padded[0] * conv.padded[1])
            self.add(start, channels, rows, columns)

    def products(self, weights: str, g: str, taps: int, places: int) -> None:
        """The products of some weights of all filters with the gradients of these."""
        function, conv = self.function, self.conv
        vectors, tail = -(-places // self.width), places % self.width
        step = vectors * self.width

        def block(i: Index, start: int, tile: Tile) -> None:
            weight = function.plus(function.times(i, tile.rows), start)
            a = function.at(self.one, weights, weight), 1, conv.depth
            c = function.at(self.one, self.buffer, function.times(weight, step)), step
            full = self.width  # of the buffer's rows; what is beyond the places is not used
            multiply(function, tile, conv.filters, a, (g, conv.area), c, tail or full, add=False)

        for start, number, tile in tiles_of(
            taps, conv, self.width, vectors, bool(tail), self.machine
        ):
            function.loop(0, number, 1, partial(block, start=start, tile=tile))

    def add(self, corner: str, channels: int, rows: int, columns: int) -> None:
        """Add the panel to the images, one weight of all channels after the other.

        So additions to the same place, which have to wait for each other, are far apart.
        """
        function, conv, at = self.function, self.conv, self.function.at
        line = conv.padded[1]
        step = -(-rows * columns // self.width) * self.width

        def weight(w: Index, h: Index, channel: Index) -> None:
            row = function.plus(function.times(channel, conv.kernel[0]), h)
            number = function.plus(function.times(row, conv.kernel[1]), w)
            source = at(self.one, self.buffer, function.times(number, step))
            above = function.plus(
                function.times(channel, conv.padded[0] * line),
                function.times(h, conv.dilation[0] * line),
            )
            offset = function.plus(above, function.times(w, conv.dilation[1]))
            target = at(self.one, corner, offset)
            for r in range(rows):
                self.add_row(
                    at(self.one, source, r * columns),
                    at(self.one, target, r * conv.stride[0] * line),
                    columns,
                )

        nest(function, (*conv.kernel[::-1], channels), weight)

    def add_row(self, source: str, target: str, count: int) -> None:
        """Add side by side elements, without masks: a load has to wait for a masked store."""
        function, at = self.function, self.function.at
        start, width = 0, self.width
        while start < count:
            if start + width > count:
                width //= 2
                continue
            kind = Kind(self.conv.dtype, width)
            place = at(self.one, target, start)
            value = function.load(kind, at(self.one, source, start))
            total = function.let(f"fadd {kind.text} {function.load(kind, place)}, {value}")
            function.store(kind, total, place)
            start += width

    def crop(self, image: str) -> None:
        """Copy the images out of their border."""
        function, conv, at = self.function, self.conv, self.function.at
        (height, length), line = conv.size, conv.padded[1]
        corner = conv.padding[0][0] * line + conv.padding[1][0]

        def elements(source: str, target: str, j: Index, count: int) -> None:
            mask = first_lanes(self.width, count)
            value = function.load(self.vector, at(self.one, source, j), mask)
            function.store(self.vector, value, at(self.one, target, j), mask)

        def row(channel: Index, i: Index) -> None:
            start = function.plus(
                function.times(channel, conv.padded[0] * line), function.times(i, line)
            )
            source = at(self.one, "%scratch", function.plus(start, corner))
            along = function.plus(function.times(channel, height), i)
            target = at(self.one, image, function.times(along, length))
            whole = length // self.width * self.width
            function.loop(0, whole, self.width, partial(elements, source, target, count=self.width))
            if length % self.width:
                elements(source, target, whole, length % self.width)

        nest(function, (conv.channels, height), row)
