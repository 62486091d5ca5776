"""Kernels for products with few rows or columns, whose sums run along the memory of both factors.

They need nothing packed: vectors of A and of B are multiplied as they are, and the lanes are
summed at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy

from .host import Host
from .lanes import lanes_below, sum_of_lanes, with_branch
from .text import Function, Index, Kind


@dataclass(frozen=True)
class Dot:
    """A kernel for so many rows of A and columns of B.

    Its arguments: the length of the sums; A and its stride of rows; B and its stride of columns;
    C and its two strides; and whether to add to C.
    """

    dtype: numpy.dtype[Any]
    width: int
    rows: int
    columns: int

    TYPES = "i64, ptr, i64, ptr, i64, ptr, i64, i64, i1"

    @property
    def kind(self) -> Kind:
        return Kind(self.dtype, self.width)

    @property
    def name(self) -> str:
        return f"tapegrad.dot{self.rows}x{self.columns}.{self.kind.suffix}"


MOST = {1: 8, 2: 4, 3: 4, 4: 3}
"""For each number of columns, the most rows."""


def dots(dtype: numpy.dtype[Any], machine: Host) -> Iterator[Dot]:
    """All kernels of a dtype."""
    for columns, most in MOST.items():
        for rows in range(1, most + 1):
            yield Dot(dtype, machine.lanes(dtype.itemsize), rows, columns)


def write_dot(dot: Dot) -> Function:
    """The text of a kernel."""
    kind, one = dot.kind, Kind(dot.dtype, 1)
    function = Function(
        f"define void @{dot.name}(i64 %k, ptr noalias %a, i64 %ar, ptr noalias %b, i64 %bc, "
        "ptr noalias %c, i64 %cr, i64 %cc, i1 %add)"
    )

    def places(base: str, stride: str, count: int) -> list[str]:
        starts = [function.let(f"mul nsw i64 {i}, {stride}") for i in range(count)]
        return [function.at(one, base, start) for start in starts]

    rows, columns = places("%a", "%ar", dot.rows), places("%b", "%bc", dot.columns)
    sums = [[function.variable(kind.text) for _ in columns] for _ in rows]
    for line in sums:
        for place in line:
            function.do(f"store {kind.text} zeroinitializer, ptr {place}")

    def step(i: Index, mask: str | None = None) -> None:
        vectors = [function.load(kind, function.at(one, column, i), mask) for column in columns]
        for row, line in zip(rows, sums, strict=True):
            factor = function.load(kind, function.at(one, row, i), mask)
            for vector, place in zip(vectors, line, strict=True):
                so_far = function.let(f"load {kind.text}, ptr {place}")
                terms = [(kind.text, value) for value in (factor, vector, so_far)]
                total = function.call(kind.text, f"llvm.fma.{kind.suffix}", *terms)
                function.do(f"store {kind.text} {total}, ptr {place}")

    tail = function.let(f"and i64 %k, {kind.width - 1}")
    whole = function.let(f"sub i64 %k, {tail}")
    long = function.let(f"icmp ne i64 {whole}, 0")
    with_branch(function, long, lambda: function.loop(0, whole, kind.width, step))
    step(whole, lanes_below(function, kind.width, tail))
    for i, line in enumerate(sums):
        down = function.let(f"mul nsw i64 {i}, %cr")
        for j, place in enumerate(line):
            across = function.let(f"mul nsw i64 {j}, %cc")
            target = function.at(one, "%c", function.plus(down, across))
            before = function.load(one, target)
            start = function.let(
                f"select i1 %add, {one.text} {before}, {one.text} {one.constant(0)}"
            )
            total = sum_of_lanes(function, kind, function.let(f"load {kind.text}, ptr {place}"))
            function.store(one, function.let(f"fadd {one.text} {start}, {total}"), target)
    function.do("ret void")
    return function
