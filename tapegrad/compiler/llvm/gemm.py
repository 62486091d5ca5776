"""Products of matrices of small and middle sizes: C = A B or C += A B, any strides.

`write_product` gives the text of a function ``name(a, b, c, context)`` for one shape and one set of
strides. It takes B in panels of a few vectors, packed so that their elements lie in the order of
use, and for each block of rows of A calls a kernel (see `tiles`), which takes A as it is. Where few
rows or columns meet along their memory, kernels of sums take both as they are (see `dots`). The
kernels' addresses have to be imported where the function is loaded: `tiles.imports`.

An `Epilogue` writes what is to be done to each tile of C when it is finished, and still in the
cache: a bias, an activation.

For products that are not `small`, a BLAS is faster: see `blas`. But where B is `narrow`, it is not,
if so many rows of A and C are taken at a time (`PANEL`) that they stay in the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy

from .dots import MOST, Dot
from .host import Host
from .text import Function, Index, Kind
from .tiles import TURN_TYPES, Tile, masks, most_rows, most_vectors, turn_name

Strides = tuple[int, int]
DEPTH = 192  # columns of A that are used at a time: their panel of B stays in the cache
SHORT = 16  # columns of A below which sums along them are not worth it
PACKED_FROM = 24  # rows of A from which on it is worth to pack a B that could be read as it is
QUICK = 1 << 18  # products of numbers, up to which it matters how kernels are called
LARGEST = 512**3  # products of numbers, up to which the kernels here are faster than a BLAS
NARROW = 1 << 20  # bytes of B that stay in the second cache
LEAST = 128  # columns that are worth it
PANEL = 384  # rows of A and C that stay there too


@dataclass(frozen=True)
class Product:
    """A product of an m x k with a k x n matrix; strides are in elements, of rows and of columns.

    None of m, n and k is 0. One of the strides of C is 1, and its elements do not overlap.
    """

    dtype: numpy.dtype[Any]
    m: int
    n: int
    k: int
    a: Strides
    b: Strides
    c: Strides
    accumulate: bool = False

    def transposed(self) -> Product:
        """The same product as that of the transposed matrices, in the other order."""
        return replace(self, m=self.n, n=self.m, a=self.b[::-1], b=self.a[::-1], c=self.c[::-1])


Epilogue = Callable[[Function, Index, int, Index, int], None]
"""epilogue(function, row, rows, column, columns) writes what is done to this part of C.

C and what the epilogue needs are the function's arguments %c and %context.
"""


def operations(product: Product) -> int:
    return product.m * product.n * product.k


def small(product: Product) -> bool:
    return operations(product) <= LARGEST


def narrow(product: Product) -> bool:
    """Whether B stays in the cache, while the rows of A and C go by a panel at a time."""
    size = product.k * product.n * product.dtype.itemsize
    return product.c[1] == 1 and product.n >= LEAST and product.m > PANEL and size <= NARROW


def blocks(count: int, most: int) -> Iterator[tuple[int, int, int]]:
    """`count` cut into pieces of at most `most`, as equal as can be.

    Gives the start, the number and the size of the pieces of a size: of one, or two next sizes.
    """
    size, larger = divmod(count, -(-count // most))
    number = -(-count // most) - larger
    if larger:
        yield 0, larger, size + 1
    yield larger * (size + 1), number, size


def write_product(
    name: str, product: Product, machine: Host, epilogue: Epilogue | None = None
) -> Function:
    """A function that multiplies; it declares the kernels that it calls."""
    head = f"define internal void @{name}(ptr %a, ptr %b, ptr noalias %c, ptr %context)"
    function = Function(head, glue=epilogue is None and operations(product) > QUICK)
    if dotted(product):
        write_dots(function, product, machine, epilogue)
    elif product.c[1] == 1:
        Writer(function, product, machine, "%a", "%b", epilogue).write()
    else:
        turned = None if epilogue is None else transposed(epilogue)
        Writer(function, product.transposed(), machine, "%b", "%a", turned).write()
    function.do("ret void")
    return function


def dotted(product: Product) -> bool:
    """Whether sums along the memory of both factors are the best: no packing would pay."""
    dense = product.a[1] == product.b[0] == 1
    return dense and product.k >= SHORT and min(product.m, product.n) < PACKED_FROM


def write_dots(
    function: Function, product: Product, machine: Host, epilogue: Epilogue | None
) -> None:
    """All elements of C, as the sums that they are."""
    a, b = "%a", "%b"
    if product.m < product.n:  # kernels have more rows than columns
        product, a, b = product.transposed(), "%b", "%a"
        epilogue = None if epilogue is None else transposed(epilogue)
    one, width = Kind(product.dtype, 1), machine.lanes(product.dtype.itemsize)

    def block(i: Index, j: Index, first: tuple[int, int], dot: Dot) -> None:
        row = function.plus(function.times(i, dot.rows), first[0])
        column = function.plus(function.times(j, dot.columns), first[1])
        start = function.at(one, a, function.times(row, product.a[0]))
        other = function.at(one, b, function.times(column, product.b[1]))
        down, across = function.times(row, product.c[0]), function.times(column, product.c[1])
        target = function.at(one, "%c", function.plus(down, across))
        values = [product.k, start, product.a[0], other, product.b[1], target, *product.c]
        call(function, dot.name, Dot.TYPES, [*values, str(product.accumulate).lower()])
        if epilogue is not None:
            epilogue(function, row, dot.rows, column, dot.columns)

    for left, across, columns in blocks(product.n, min(product.n, 4)):
        for top, down, rows in blocks(product.m, MOST[columns]):
            dot = Dot(product.dtype, width, rows, columns)

            def line(
                i: Index, left: int = left, top: int = top, across: int = across, dot: Dot = dot
            ) -> None:
                function.loop(0, across, 1, lambda j: block(i, j, (top, left), dot))

            function.loop(0, down, 1, line)


def call(function: Function, name: str, types: str, values: list[Any]) -> None:
    """Call a kernel with arguments of these types."""
    function.call("void", name, *zip(types.split(", "), map(str, values), strict=True))


def transposed(epilogue: Epilogue) -> Epilogue:
    """For a transposed C."""
    return lambda function, row, rows, column, columns: epilogue(
        function, column, columns, row, rows
    )


class Writer:
    """Puts one product, whose C has its rows in one piece, into a function."""

    def __init__(
        self,
        function: Function,
        product: Product,
        machine: Host,
        a: str,
        b: str,
        epilogue: Epilogue | None,
    ) -> None:
        self.function = function
        self.product = product
        self.machine = machine
        self.a, self.b = a, b
        self.epilogue = epilogue
        self.width = machine.lanes(product.dtype.itemsize)
        self.one = Kind(product.dtype, 1)
        self.vector = Kind(product.dtype, self.width)
        self.cut = product.n % self.width
        masked = len(masks(machine)) == 1
        self.packed = product.b[1] != 1 or product.m >= PACKED_FROM or bool(self.cut and not masked)
        if self.packed:
            most = min(most_vectors(machine), -(-product.n // self.width))
            lines = -(-min(product.k, DEPTH) // self.width) * self.width
            count = lines * most * self.width
            self.buffer = function.variable(f"[{count} x {self.one.element}]")

    def write(self) -> None:
        """For each part of the depth, all panels of columns."""
        k = self.product.k
        depth = -(-k // -(-k // DEPTH))
        alike = k // depth * depth
        if self.epilogue is not None:
            alike = (k - 1) // depth * depth  # the last part has more to do
        self.function.loop(0, alike, depth, lambda first: self.panels(first, depth))
        if alike < k:
            self.panels(alike, k - alike)

    def panels(self, first: Index, depth: int) -> None:
        function, width = self.function, self.width
        vectors = -(-self.product.n // width)
        for at, number, size in blocks(vectors, most_vectors(self.machine)):
            ends = self.cut and (at + number * size) == vectors
            whole = number - 1 if ends else number

            def panel(i: Index, at: int = at, size: int = size) -> None:
                column = function.plus(function.times(i, size * width), at * width)
                self.panel(column, size, 0, first, depth)

            function.loop(0, whole, 1, panel)
            if ends:
                self.panel((at + whole * size) * width, size, self.cut, first, depth)

    def panel(self, column: Index, vectors: int, cut: int, first: Index, depth: int) -> None:
        """All rows of a few columns; of the last vector only `cut` elements, unless that is 0."""
        function, product = self.function, self.product
        b = self.address(self.b, product.b, first, column)
        step = product.b[0]
        if self.packed:
            step = vectors * self.width
            if product.b[1] == 1:
                self.pack_rows(b, vectors, cut, depth)
            elif product.b[0] == 1:
                self.pack_columns(b, vectors, cut, depth)
            else:
                self.pack_elements(b, vectors, cut, depth)
            b = self.buffer
        for start, number, rows in blocks(product.m, most_rows(vectors, self.machine)):
            tile = Tile(product.dtype, self.width, rows, vectors, bool(cut) or self.machine.avx512)

            def block(i: Index, start: int = start, tile: Tile = tile) -> None:
                row = function.plus(function.times(i, tile.rows), start)
                self.multiply(tile, row, column, cut or self.width, b, step, first, depth)

            function.loop(0, number, 1, block)

    def address(self, base: str, strides: Strides, row: Index, column: Index) -> str:
        function = self.function
        along, across = function.times(row, strides[0]), function.times(column, strides[1])
        return function.at(self.one, base, function.plus(along, across))

    def multiply(
        self,
        tile: Tile,
        row: Index,
        column: Index,
        tail: int,
        b: str,
        step: int,
        first: Index,
        depth: int,
    ) -> None:
        """Call a kernel for a tile, and do what is to be done to it when it is finished."""
        function, product = self.function, self.product
        a = self.address(self.a, product.a, row, first)
        c = self.address("%c", product.c, row, column)
        if product.accumulate or isinstance(first, int):
            add = str(product.accumulate or first != 0).lower()
        else:
            add = function.let(f"icmp ne i64 {first}, 0")
        values: list[Index] = [depth, a, *product.a, b, step, c, product.c[0], tail, add]
        call(function, tile.name, Tile.TYPES, values)
        if self.epilogue is not None and function.plus(first, depth) == product.k:
            columns = (tile.vectors - 1) * self.width + tail
            self.epilogue(function, row, tile.rows, column, columns)

    def columns_of(self, vectors: int, cut: int) -> Iterator[tuple[int, int]]:
        """The start of each vector of a panel, and how many of its columns there are."""
        for v in range(vectors):
            yield v * self.width, cut if cut and v == vectors - 1 else self.width

    def mask(self, count: int) -> str | None:
        if count == self.width:
            return None
        bits = ", ".join(f"i1 {str(lane < count).lower()}" for lane in range(self.width))
        return f"<{bits}>"

    def pack_rows(self, b: str, vectors: int, cut: int, depth: int) -> None:
        """Copy the rows of a panel."""
        function, at = self.function, self.function.at

        def row(i: Index) -> None:
            source = at(self.one, b, function.times(i, self.product.b[0]))
            target = at(self.one, self.buffer, function.times(i, vectors * self.width))
            for start, count in self.columns_of(vectors, cut):
                value = function.load(self.vector, at(self.one, source, start), self.mask(count))
                function.store(self.vector, value, at(self.one, target, start))

        function.loop(0, depth, 1, row)

    def pack_columns(self, b: str, vectors: int, cut: int, depth: int) -> None:
        """Where the columns of B are in one piece, turn squares of it."""
        function, at, width = self.function, self.function.at, self.width
        stride, step, whole = self.product.b[1], vectors * width, depth // width * width

        def square(i: Index, lines: int, start: Index, count: int) -> None:
            """The part of a vector of columns that `lines` rows have of it."""
            source = at(self.one, b, function.plus(function.times(start, stride), i))
            target = at(self.one, self.buffer, function.plus(function.times(i, step), start))
            values: list[Index] = [source, stride, lines, count, target, step]
            call(function, turn_name(self.vector), TURN_TYPES, values)

        def column(start: Index, count: int) -> None:
            function.loop(0, whole, width, partial(square, lines=width, start=start, count=count))
            if depth > whole:
                square(whole, depth - whole, start, count)

        full = vectors - 1 if cut else vectors
        function.loop(0, full * width, width, partial(column, count=width))
        if cut:
            column(full * width, cut)

    def pack_elements(self, b: str, vectors: int, cut: int, depth: int) -> None:
        """Where no two elements of B are neighbours."""
        function, at = self.function, self.function.at
        row_stride, column_stride = self.product.b

        def row(i: Index) -> None:
            source = at(self.one, b, function.times(i, row_stride))
            target = at(self.one, self.buffer, function.times(i, vectors * self.width))
            for start, count in self.columns_of(vectors, cut):
                place = at(self.one, source, start * column_stride)
                value = function.gather(self.vector, place, column_stride, self.mask(count))
                function.store(self.vector, value, at(self.one, target, start))

        function.loop(0, depth, 1, row)
