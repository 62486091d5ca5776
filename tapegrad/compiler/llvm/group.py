"""A group of operations as one function: loops over rows, and passes over the columns of each.

Elements are computed in vectors; what is left of a row at its end, under a mask.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy

from ..graph import Node
from ..loops.access import Access, access
from ..loops.groups import (
    COLUMN,
    FULL,
    MIXED,
    ROW,
    TOTAL,
    Group,
    accumulator,
    constant,
)
from ..loops.parts import loops_of, partial_bytes, reduced_apart
from ..loops.stages import stages_of
from ..loops.views import View
from .arguments import BYTE, PART, Beside, Pointer
from .elements import combine, identity_of
from .host import Host
from .lanes import first_lanes
from .text import Function, Index, Kind

SHORT, SHORT_CODE = 8, 160
"""Vectors of a row, and operations on vectors, up to which a row is written without loops."""

MANY = 1 << 12
"""Elements from which on it pays to align the stack: else each vector that finds no register, and
is put there for a while, lies across two lines of the cache."""

LARGE = 1 << 18
"""Elements from which on they come from memory, and more code for them pays."""


def in_double(node: Node, columns: int) -> bool:
    """Whether a total of single precision, of rows of so many columns, is added up in double."""
    return node.op == "sum" and node.dtype == numpy.dtype("f4") and columns >= 64


def turns(group: Group) -> int:
    """How many vectors of a row are computed in turns.

    Four keep a processor busy that looks ahead only so far; that is much to compile.
    """
    operations = sum(role == FULL for role in group.role.values())
    return 4 if operations <= (96 if elements(group) >= LARGE else 6) else 2


def elements(group: Group) -> int:
    """The number of places in a group's loops."""
    rows, columns = group.domain
    return rows * columns


class GroupWriter:
    """Writes one group."""

    def __init__(
        self,
        name: str,
        group: Group,
        stored: set[Node],
        watched: set[Node],
        pointer: Pointer,
        host: Host,
        fast: bool,
        by_parts: bool = False,
    ) -> None:
        self.group = group
        self.host = host
        self.by_parts = by_parts
        flags = "contract" if fast else ""
        head = f"define internal i32 @{name}({PART if by_parts else 'ptr %table'})"
        if host.vector_bytes > 16 and elements(group) >= MANY:
            head += ' "stackrealign"'
        self.function = Function(head, flags)
        own = {n for n in group.nodes if n in stored}
        self.watched = watched & own
        self.odd: str | None = None  # truth values: whether a NaN was in this lane of an output
        self.stored = own
        self.stages = stages_of(group, own)
        self.lengths, self.rest = loops_of(group)
        self.columns = self.lengths[-1]
        self.width = self.lanes()
        self.unroll = max(1, min(turns(group), self.columns // self.width))
        self.is_large = elements(group) >= LARGE and len(self.lengths) > 1
        self.base: dict[Node, str] = {}
        self.pointer = pointer
        self.accesses: dict[tuple[Node, int], Access] = {}
        for node in group.nodes:
            for i, x in enumerate(group.operands[node]):
                if isinstance(x, View) and not constant(x):
                    found = access(x, group.lengths, group.role[node] == ROW)
                    self.accesses[node, i] = found if len(found.strides) > 1 else self.cut(found)
        self.totals: dict[Node, str] = {}
        self.accumulators: dict[Node, list[str]] = {}
        self.scratch: dict[Node, str] = {}
        self.apart: set[Node] = set()
        self.held: dict[Node, list[str]] = {}  # columns that are added up in registers

    def cut(self, found: Access) -> Access:
        """The access of a single loop, where that is cut into blocks."""
        if len(self.lengths) == 1:
            return found
        return replace(
            found, strides=(self.columns * found.inner, found.inner), windows=(None, *found.windows)
        )

    def lanes(self) -> int:
        """How many elements a vector has: as many as the widest dtype allows, or as there are."""
        sizes = [1]
        for node in self.group.nodes:
            sizes.append(node.dtype.itemsize)
            sizes += [x.dtype.itemsize for x in node.inputs]
        full = self.host.lanes(max(sizes))
        width = 1
        while width < min(full, self.columns):
            width *= 2
        return width

    def address(self, node: Node) -> str:
        """The address of a node's elements, taken once at the beginning."""
        if node not in self.base:
            self.base[node] = self.pointer(self.function, node)
        return self.base[node]

    def write(self, row: Callable[[list[Index], int], None]) -> None:
        """Write it all, with what writes a row: for the indices of the loops around, and a number
        of columns."""
        f = self.function
        self.apart = set(reduced_apart(self.group)) if self.by_parts else set()
        for node in self.group.nodes:
            for x in self.group.operands[node]:
                if isinstance(x, View) and not constant(x):
                    self.address(x.base)
            if node in self.stored and node not in self.apart:
                self.address(node)
        for node in self.apart:
            moved = f.times("%part", partial_bytes(node))
            self.base[node] = f.at(BYTE, self.pointer(f, Beside(node, "partial")), moved)
        self.scratch = {
            node: f.variable(f"[{self.columns + self.width} x {Kind(node.dtype, 1).memory}]")
            for node in self.group.nodes
            if node in self.stages.scratch
        }
        for node in self.group.nodes:
            role = self.group.role[node]
            if role in (COLUMN, MIXED) and self.by_parts and node not in self.apart:
                self.fill_own(node)
            elif role in (COLUMN, MIXED):
                self.fill(node)
            elif role == TOTAL:
                self.begin_total(node)
        self.nest(0, [], row)
        if self.rest:
            self.last_row(row)
        for node in self.group.nodes:
            role = self.group.role[node]
            if role == TOTAL:
                self.end_total(node)
            elif role in (COLUMN, MIXED) and node in self.watched and not self.by_parts:
                self.watch_memory(node)
        if self.odd is None:
            f.do("ret i32 0")
            return
        mask = f.let(f"load i{self.width}, ptr {self.odd}")
        any_odd = f.let(f"icmp ne i{self.width} {mask}, 0")
        f.do(f"ret i32 {f.let(f'zext i1 {any_odd} to i32')}")

    def watch(self, kind: Kind, value: str, mask: str | None = None) -> None:
        """Note whether there is a NaN among the elements of an output where the mask is true."""
        f = self.function
        if self.odd is None:
            self.odd = f.variable(f"i{self.width}")
            f.stack.append(f"  store i{self.width} 0, ptr {self.odd}")
        nan = f.let(f"fcmp uno {kind.text} {value}, {value}")
        if mask is not None:
            nan = f.let(f"and {kind.mask} {nan}, {mask}")
        if kind.width > 1:
            nan = f.let(f"bitcast {kind.mask} {nan} to i{kind.width}")
        if kind.width < self.width:
            nan = f.let(f"zext i{kind.width} {nan} to i{self.width}")
        before = f.let(f"load i{self.width}, ptr {self.odd}")
        total = f.let(f"or i{self.width} {before}, {nan}")
        f.do(f"store i{self.width} {total}, ptr {self.odd}")

    def watch_memory(self, node: Node) -> None:
        """Look for NaN in what was added up in memory."""
        f, kind, base = self.function, Kind(node.dtype, 1), self.address(node)
        f.loop(0, node.size, 1, lambda i: self.watch(kind, f.load(kind, f.at(kind, base, i))))

    def fill(self, node: Node) -> None:
        """Begin what is added up in memory."""
        f, kind = self.function, Kind(node.dtype, 1)
        width = 1
        while width < min(self.host.lanes(node.dtype.itemsize), node.size):
            width *= 2
        wide = Kind(node.dtype, width)
        start = wide.constant(identity_of(node.op, node.dtype))
        whole = node.size // width * width
        base = self.address(node)
        f.loop(0, whole, width, lambda i: f.store(wide, start, f.at(kind, base, i)))
        scalar = kind.constant(identity_of(node.op, node.dtype))
        f.loop(whole, node.size, 1, lambda i: f.store(kind, scalar, f.at(kind, base, i)))

    def fill_own(self, node: Node) -> None:
        """Begin the part of it that belongs to this part of the outermost loop."""
        f, kind = self.function, Kind(node.dtype, 1)
        stride = access(accumulator(node), self.lengths, False).strides[0]
        start = kind.constant(identity_of(node.op, node.dtype))
        low, high = f.times("%low", stride), f.times("%high", stride)
        base = self.address(node)
        f.loop(low, high, 1, lambda i: f.store(kind, start, f.at(kind, base, i)))

    # totals

    def begin_total(self, node: Node) -> None:
        """A sum in single precision has a second, in double precision, that rows go over to."""
        f = self.function
        if self.in_double(node):
            kind = Kind(numpy.dtype("f8"), self.width)
            self.totals[node] = f.variable(kind.text)
            f.do(f"store {kind.text} {kind.constant(0)}, ptr {self.totals[node]}")
        else:
            self.begin(node)

    def begin(self, node: Node) -> None:
        """Accumulators in registers, one for each vector of a turn of the unrolled loop."""
        f, kind = self.function, Kind(node.dtype, self.width)
        if node not in self.accumulators:
            self.accumulators[node] = [f.variable(kind.text) for _ in range(self.unroll)]
        start = kind.constant(identity_of(node.op, node.dtype))
        for a in self.accumulators[node]:
            f.do(f"store {kind.text} {start}, ptr {a}")

    def in_double(self, node: Node) -> bool:
        return in_double(node, self.columns)

    def end_total(self, node: Node) -> None:
        f = self.function
        scalar = Kind(node.dtype, 1)
        if self.in_double(node):
            kind = Kind(numpy.dtype("f8"), self.width)
            value = f.let(f"load {kind.text}, ptr {self.totals[node]}")
            value = self.across("sum", kind, value)
            if node in self.apart:
                f.store(kind.scalar(), value, self.address(node))
                return
            value = f.let(f"fptrunc double {value} to float")
        else:
            value = self.collected(node)
        f.store(scalar, value, self.address(node))
        if node in self.watched and node not in self.apart:
            self.watch(scalar, value)

    def across(self, op: str, kind: Kind, value: str) -> str:
        """The elements of a vector, reduced in a tree."""
        f = self.function
        while kind.width > 1:
            half = kind.width // 2
            low = ", ".join(f"i32 {i}" for i in range(half))
            high = ", ".join(f"i32 {i + half}" for i in range(half))
            parts = [
                f.let(
                    f"shufflevector {kind.text} {value}, {kind.text} poison, <{half} x i32> <{p}>"
                )
                for p in (low, high)
            ]
            if half == 1:
                one = Kind(kind.dtype, 1)
                parts = [f.let(f"extractelement <1 x {kind.element}> {p}, i64 0") for p in parts]
                return combine(f, op, one, *parts)
            kind = Kind(kind.dtype, half)
            value = combine(f, op, kind, *parts)
        return value

    # loops

    def nest(
        self, depth: int, indices: list[Index], row: Callable[[list[Index], int], None]
    ) -> None:
        """The loops over all lengths but the last."""
        if depth == len(self.lengths) - 1:
            row(indices, self.columns)
            return
        low: Index = 0
        high: Index = self.lengths[depth]
        if depth == 0 and self.by_parts:
            low, high = "%low", "%high"
        innermost = depth == len(self.lengths) - 2
        places = self.held_columns(indices) if innermost and self.is_short else []
        for kind, variable, address, mask in places:
            self.function.do(
                f"store {kind.text} {self.function.load(kind, address, mask)}, ptr {variable}"
            )
        self.function.loop(low, high, 1, lambda i: self.nest(depth + 1, [*indices, i], row))
        for kind, variable, address, mask in places:
            total = self.function.let(f"load {kind.text}, ptr {variable}")
            self.function.store(kind, total, address, mask)

    @property
    def is_short(self) -> bool:
        """Whether a row is written without loops, and its vectors stay in registers."""
        vectors = -(-self.columns // self.width)
        return vectors <= SHORT and vectors * len(self.group.nodes) <= SHORT_CODE

    def held_columns(self, indices: list[Index]) -> list[tuple[Kind, str, str, str | None]]:
        """Registers for what is added up by column, while the innermost rows go by.

        A register is a variable, with the address of its elements in memory and their mask.
        """
        f, places = self.function, []
        for node in self.group.nodes:
            if self.group.role[node] != COLUMN:
                continue
            found = access(accumulator(node), self.lengths, False)
            if found.strides[-2] != 0:
                continue
            kind = Kind(node.dtype, self.width)
            start: Index = 0
            for stride, i in zip(found.strides, indices, strict=False):
                start = f.plus(f.times(i, stride), start)
            self.held[node] = []
            for j in range(0, self.columns, self.width):
                address = f.at(kind, self.address(node), f.plus(start, j))
                variable = f.variable(kind.text)
                self.held[node].append(variable)
                mask = first_lanes(self.width, self.columns - j)
                places.append((kind, variable, address, mask))
        return places

    def last_row(self, row: Callable[[list[Index], int], None]) -> None:
        """The shorter row at the end, which belongs to the last part."""
        f, rows = self.function, self.lengths[0]
        if not self.by_parts:
            row([rows], self.rest)
            return
        mine = f.let(f"icmp eq i64 %high, {rows}")
        f.do(f"br i1 {mine}, label %last, label %ended")
        f.lines.append("last:")
        row([rows], self.rest)
        f.do("br label %ended")
        f.lines.append("ended:")

    def merged(self, node: Node) -> str:
        """The accumulators of a reduction as one vector."""
        f, kind = self.function, Kind(node.dtype, self.width)
        parts = [f.let(f"load {kind.text}, ptr {a}") for a in self.accumulators[node]]
        while len(parts) > 1:
            parts = [
                combine(f, node.op, kind, *parts[i : i + 2]) if i + 1 < len(parts) else parts[i]
                for i in range(0, len(parts), 2)
            ]
        return parts[0]

    def collected(self, node: Node) -> str:
        """The value of a reduction out of its accumulators."""
        return self.across(node.op, Kind(node.dtype, self.width), self.merged(node))
