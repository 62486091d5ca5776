"""Loops and copies that the convolutions have in common."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ..gemm import blocks, call
from ..lanes import first_lanes
from ..text import Function, Index, Kind
from ..tiles import Tile, most_rows
from .shape import Convolution, Pair

UNROLLED = 48  # vectors that are copied without a loop, at most


def nest(function: Function, counts: tuple[int, ...], body: Callable[..., None]) -> None:
    """Loops within loops: ``body(i, j, ...)`` for all i, j, ... below the counts."""

    def inner(*outer: Index) -> None:
        if len(outer) == len(counts):
            body(*outer)
        else:
            function.loop(0, counts[len(outer)], 1, lambda i: inner(*outer, i))

    inner()


def images(function: Function, groups: int, body: Callable[[Index, Index], None]) -> None:
    """``body(image, group)`` for all groups of the images that the function is asked for."""

    def image(n: Index) -> None:
        function.loop(0, groups, 1, lambda g: body(n, g))

    function.loop("%low", "%high", 1, image)


Panel = Callable[[Index, int, Index, int], None]


def cover(function: Function, size: Pair, most: Pair, body: Panel) -> None:
    """``body(row, rows, column, columns)`` for panels of at most so many rows and columns."""

    def strip(start: int, rows: int, i: Index) -> None:
        row = function.plus(function.times(i, rows), start)
        for first, number, columns in blocks(size[1], most[1]):

            def panel(j: Index, first: int = first, columns: int = columns) -> None:
                body(row, rows, function.plus(function.times(j, columns), first), columns)

            function.loop(0, number, 1, panel)

    for start, number, rows in blocks(size[0], most[0]):
        function.loop(0, number, 1, partial(strip, start, rows))


def multiply(
    function: Function,
    tile: Tile,
    depth: int,
    a: tuple[str, int, int],
    b: tuple[str, int],
    c: tuple[str, int],
    tail: int,
    add: bool,
) -> None:
    """Call a kernel; matrices are a pointer and a stride of rows, and A's of columns."""
    values = [depth, *a, *b, *c, tail, str(add).lower()]
    call(function, tile.name, Tile.TYPES, values)


def copy(
    function: Function, vector: Kind, source: str, stride: int, target: str, count: int
) -> None:
    """Elements that are a stride apart, side by side; what follows the target is overwritten."""
    one = vector.scalar()
    for i in range(0, count, vector.width):
        mask = first_lanes(vector.width, count - i)
        address = function.at(one, source, i * stride)
        if stride == 1:
            value = function.load(vector, address, mask)
        else:
            value = function.gather(vector, address, stride, mask)
        function.store(vector, value, function.at(one, target, i))


def clear(function: Function, place: str, size: Index) -> None:
    """Zeros in so many bytes."""
    arguments = [("ptr", place), ("i8", "0"), ("i64", str(size)), ("i1", "false")]
    function.call("void", "llvm.memset.p0.i64", *arguments)


def spread(
    function: Function, conv: Convolution, vector: Kind, image: str, given: Pair, step: Pair
) -> None:
    """Copy a group of images of a given size into their border in the scratch, with a step."""
    (height, length), line, one = given, conv.padded[1], vector.scalar()
    corner = conv.padding[0][0] * line + conv.padding[1][0]

    def element(source: str, target: str, j: Index) -> None:
        value = function.load(one, function.at(one, source, j))
        function.store(one, value, function.at(one, target, function.times(j, step[1])))

    def elements(source: str, target: str, j: Index, count: int) -> None:
        mask = first_lanes(vector.width, count)
        value = function.load(vector, function.at(one, source, j), mask)
        function.store(vector, value, function.at(one, target, j), mask)

    def row(channel: Index, i: Index) -> None:
        along = function.plus(function.times(channel, height), i)
        source = function.at(one, image, function.times(along, length))
        start = function.plus(
            function.times(channel, conv.padded[0] * line), function.times(i, step[0] * line)
        )
        target = function.at(one, "%scratch", function.plus(start, corner))
        if step[1] != 1:
            function.loop(0, length, 1, partial(element, source, target))
            return
        width = vector.width
        whole = length // width * width
        function.loop(0, whole, width, partial(elements, source, target, count=width))
        if length % width:
            elements(source, target, whole, length % width)

    nest(function, (conv.channels, height), row)


def tiles_of(
    count: int, conv: Convolution, width: int, vectors: int, masked: bool, machine: Any
) -> list[tuple[int, int, Tile]]:
    """The start, the number and the kind of the tiles that `count` rows are divided into."""
    return [
        (start, number, Tile(conv.dtype, width, rows, vectors, masked or machine.avx512))
        for start, number, rows in blocks(count, most_rows(vectors, machine))
    ]
