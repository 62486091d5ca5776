"""The kernels of matrix products: a tile of C in registers, C = A B or C += A B.

Kernels know no shape: there is one for each number of rows and of vectors, and they are compiled
once for a machine, not with each program. `imports` gives their addresses (and those of `dots`), by
the names that `gemm` calls them by.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy

from .cache import Cache, key
from .dots import dots, write_dot
from .host import Host
from .jit import Library, compile_object, load, lock
from .lanes import lanes_below, turned, with_branch
from .text import Function, Index, Kind

VERSION = "4"  # of the text that is written here; part of the key of the compiled kernels
DTYPES = (numpy.dtype("float32"), numpy.dtype("float64"))


@dataclass(frozen=True)
class Tile:
    """A kernel for so many rows of so many vectors, the last of which may be cut off if `masked`.

    Its arguments: the depth; A, and its strides of rows and columns; B and its stride of rows; C
    and its stride of rows; how many elements of the last vector there are; and whether to add to C.
    """

    dtype: numpy.dtype[Any]
    width: int
    rows: int
    vectors: int
    masked: bool

    TYPES = "i64, ptr, i64, i64, ptr, i64, ptr, i64, i64, i1"

    @property
    def kind(self) -> Kind:
        return Kind(self.dtype, self.width)

    @property
    def name(self) -> str:
        masked = ".masked" if self.masked else ""
        return f"tapegrad.tile{self.rows}x{self.vectors}{masked}.{self.kind.suffix}"


def most_vectors(machine: Host) -> int:
    return 4 if machine.registers == 32 else 2


def most_rows(vectors: int, machine: Host) -> int:
    """How many rows of so many vectors fill the registers; there are tiles of fewer, too."""
    if machine.registers == 32:
        return {1: 12, 2: 12, 3: 8, 4: 6}[vectors]
    return {1: 10, 2: 6}[vectors]


def tiles(dtype: numpy.dtype[Any], machine: Host) -> Iterator[Tile]:
    """All tiles of a dtype."""
    width = machine.lanes(dtype.itemsize)
    for vectors in range(1, most_vectors(machine) + 1):
        for rows in range(1, most_rows(vectors, machine) + 1):
            for masked in masks(machine):
                yield Tile(dtype, width, rows, vectors, masked)


def masks(machine: Host) -> tuple[bool, ...]:
    """With AVX-512 a mask costs nothing, so that all tiles have one."""
    return (True,) if machine.avx512 else (False, True)


def write_tile(tile: Tile) -> Function:
    """The text of a kernel."""
    kind, one = tile.kind, Kind(tile.dtype, 1)
    function = Function(
        f"define void @{tile.name}(i64 %k, ptr noalias %a, i64 %ar, i64 %ac, ptr noalias %b, "
        f"i64 %bs, ptr noalias %c, i64 %cr, i64 %tail, i1 %add)"
    )
    tail = lanes_below(function, kind.width, "%tail") if tile.masked else None
    cuts = [tail if v == tile.vectors - 1 else None for v in range(tile.vectors)]

    def scaled(index: Index, stride: str) -> Index:
        if index == 0:
            return 0
        return stride if index == 1 else function.let(f"mul nsw i64 {index}, {stride}")

    rows = [function.at(one, "%a", scaled(r, "%ar")) for r in range(tile.rows)]
    targets = [function.at(one, "%c", scaled(r, "%cr")) for r in range(tile.rows)]
    sums = [[function.variable(kind.text) for _ in cuts] for _ in rows]

    def each() -> Iterator[tuple[str, str, str | None]]:
        """The register, the address in C and the mask of each vector of the tile."""
        for line, target in zip(sums, targets, strict=True):
            for v, (place, cut) in enumerate(zip(line, cuts, strict=True)):
                yield place, function.at(one, target, v * kind.width), cut

    for line in sums:
        for place in line:
            function.do(f"store {kind.text} zeroinitializer, ptr {place}")

    def begin_with_c() -> None:
        for place, address, cut in each():
            function.do(f"store {kind.text} {function.load(kind, address, cut)}, ptr {place}")

    with_branch(function, "%add", begin_with_c)

    def step(i: Index) -> None:
        b = function.at(one, "%b", scaled(i, "%bs"))
        vectors = [
            function.load(kind, function.at(one, b, v * kind.width), cut)
            for v, cut in enumerate(cuts)
        ]
        along = scaled(i, "%ac")
        for row, line in zip(rows, sums, strict=True):
            factor = function.splat(kind, function.load(one, function.at(one, row, along)))
            for vector, place in zip(vectors, line, strict=True):
                total = function.call(
                    kind.text,
                    f"llvm.fma.{kind.suffix}",
                    (kind.text, factor),
                    (kind.text, vector),
                    (kind.text, function.let(f"load {kind.text}, ptr {place}")),
                )
                function.do(f"store {kind.text} {total}, ptr {place}")

    function.loop(0, "%k", 1, step)
    for place, address, cut in each():
        function.store(kind, function.let(f"load {kind.text}, ptr {place}"), address, cut)
    function.do("ret void")
    return function


TURN_TYPES = "ptr, i64, i64, i64, ptr, i64"


def turn_name(kind: Kind) -> str:
    return f"tapegrad.turn.{kind.suffix}"


def write_turn(kind: Kind) -> Function:
    """The text of a function that transposes a square of as many rows as a vector has elements.

    Its arguments: the source, whose lines of `count` elements are a stride apart; that stride;
    `count`; the number of lines; the target, and its stride. What is missing becomes zero.
    """
    width, one = kind.width, Kind(kind.dtype, 1)
    function = Function(
        f"define void @{turn_name(kind)}(ptr noalias %from, i64 %stride, i64 %count, "
        f"i64 %lines, ptr noalias %to, i64 %step)"
    )
    counted = lanes_below(function, width, "%count")
    lines = []
    for j in range(width):
        there = function.let(f"icmp ult i64 {j}, %lines")
        mask = function.let(
            f"select i1 {there}, {kind.mask} {counted}, {kind.mask} zeroinitializer"
        )
        start = function.let(f"mul nsw i64 {j}, %stride")
        lines.append(function.load(kind, function.at(one, "%from", start), mask))
    for j, line in enumerate(turned(function, kind, lines)):
        start = function.let(f"mul nsw i64 {j}, %step")
        function.store(kind, line, function.at(one, "%to", start))
    function.do("ret void")
    return function


def imports(dtype: numpy.dtype[Any], machine: Host) -> dict[str, int]:
    """The addresses of all kernels of a dtype, by their names; they stay valid."""
    with lock:
        return library(dtype, machine)[1]


def text_of(dtype: numpy.dtype[Any], machine: Host) -> str:
    """The text of all kernels of a dtype."""
    kind = Kind(dtype, machine.lanes(dtype.itemsize))
    functions = [
        write_turn(kind),
        *(write_tile(tile) for tile in tiles(dtype, machine)),
        *(write_dot(dot) for dot in dots(dtype, machine)),
    ]
    needs: dict[str, str] = {}
    for function in functions:
        needs |= function.needs
    return "\n".join([*needs.values(), *(function.text() for function in functions)])


@functools.cache
def library(dtype: numpy.dtype[Any], machine: Host) -> tuple[Library, dict[str, int]]:
    """The kernels of a dtype in memory: compiled at the first use on a machine, then kept."""
    kind = Kind(dtype, machine.lanes(dtype.itemsize))
    names = [turn_name(kind), *(tile.name for tile in tiles(dtype, machine))]
    names += [dot.name for dot in dots(dtype, machine)]
    cache, name = Cache(), key(f"kernels of {dtype}".encode(), machine, VERSION)
    code = cache.get(name)
    if code is None:
        code = compile_object(text_of(dtype, machine), machine)
        cache.put(name, code)
    loaded = load(code, names)
    return loaded, {name: loaded[name] for name in names}
