"""A group, row by row: its passes over the columns, in vectors."""

from __future__ import annotations

import numpy

from ..graph import Node
from ..loops.access import Access
from ..loops.groups import (
    COLUMN,
    FULL,
    MIXED,
    PER_ROW,
    TOTAL,
    Group,
    constant,
    number_of,
)
from ..loops.stages import Stage
from ..loops.views import View
from .arguments import Pointer
from .division import Divisions
from .elements import Shared, combine, emit, identity_of
from .group import GroupWriter
from .host import Host
from .lanes import first_lanes, lanes_below, lanes_of_all, lanes_within
from .row import Row
from .text import Function, Index, Kind


class Place:
    """One vector of a row: its first column, its turn among those of an unrolled loop, how many
    elements there are, the mask of these, and what has been computed there."""

    def __init__(self, row: Row, column: Index, turn: int, count: Index) -> None:
        self.column = column
        self.turn = turn
        self.count = count
        if isinstance(count, int):
            self.mask = first_lanes(row.width, count)
        else:
            self.mask = lanes_below(row.function, row.width, count)
        self.values = row.kept.setdefault(column, {}) if row.writer.is_short else {}


class Pass:
    """Writes one pass over the columns of a row."""

    def __init__(self, row: Row, stage: Stage, ahead: list[Node | Access]) -> None:
        self.row = row
        self.ahead = ahead
        self.writer = row.writer
        self.function = row.function
        self.group = row.group
        self.stage = stage
        self.width = row.width
        self.repeated: dict[Node | Access, str] = {}  # what is the same in all elements
        self.divisions = Divisions(row.function, row.group, stage)

    def write(self) -> None:
        f, w, row = self.function, self.writer, self.row
        n, width = row.columns, row.width
        self.repeat_scalars()
        self.divisions.find(w.accesses, self.repeated, n // width, w.host, width)
        for node in self.stage.reductions:
            role = self.group.role[node]
            if role in (PER_ROW, MIXED) or (role == TOTAL and node in w.totals):
                w.begin(node)
        if row.writer.is_short:
            for k, j in enumerate(range(0, n, width)):
                self.elements([Place(row, j, k % w.unroll, min(width, n - j))])
        else:
            at_once = row.unroll * width
            whole = n // at_once * at_once

            def several(j: Index) -> None:
                self.elements(
                    [Place(row, f.plus(j, u * width), u, width) for u in range(row.unroll)]
                )

            f.loop(0, whole, at_once, several)
            if w.is_large and whole < n:
                self.elements(
                    [
                        Place(row, j, u, min(width, n - j))
                        for u, j in enumerate(range(whole, n, width))
                    ]
                )
            else:
                f.loop(whole, n, width, self.last)
        self.finish()

    def last(self, j: Index) -> None:
        """A vector of those that are left over, which the row may end in."""
        n, width = self.row.columns, self.row.width
        count: Index = width
        if isinstance(j, int):
            count = min(width, n - j)
        elif n % width:
            count = self.function.let(f"sub nsw i64 {n}, {j}")
        self.elements([Place(self.row, j, 0, count)])

    def repeat_scalars(self) -> None:
        """Put what is the same in the whole row into vectors, before the loop."""
        f, row = self.function, self.row
        used = [n for n in self.stage.elements if n not in self.stage.load]
        for node in [*used, *self.stage.reductions]:
            for i, x in enumerate(self.group.operands[node]):
                if isinstance(x, Node):
                    if self.group.role[x] != FULL and x not in self.repeated:
                        kind = Kind(x.dtype, self.width)
                        self.repeated[x] = f.splat(kind, row.values[x])
                elif not constant(x):
                    found = self.writer.accesses[node, i]
                    same = found.inner == 0 and not found.windows[-1]
                    if same and found not in self.repeated:
                        kind = Kind(found.base.dtype, self.width)
                        self.repeated[found] = f.splat(kind, row.scalar(found))

    def elements(self, places: list[Place]) -> None:
        """A vector of everything at each of some places.

        What is independent of each other comes in turns: a processor that looks ahead only so far
        finds something to do while it waits for a result.
        """
        for place in places:
            for what in self.ahead:
                self.fetch(what, place.column)
        shared: Shared = {}
        for node in self.stage.elements:
            missing = [place for place in places if node not in place.values]
            self.compute(node, missing, shared)
        for node in self.stage.reductions:
            (x,) = self.group.operands[node]
            for place in places:
                self.reduce(node, self.operand(node, 0, x, place), place)

    def compute(self, node: Node, places: list[Place], shared: Shared) -> None:
        """A vector of a node for each of some places."""
        f, row, w = self.function, self.row, self.writer
        kind = Kind(node.dtype, self.width)
        if node in self.stage.load:
            source = row.stores.get(node) or w.scratch[node]
            for place in places:
                address = f.at(kind, source, place.column)
                place.values[node] = f.load(kind, address, place.mask)
            return
        operands = self.group.operands[node]
        args = [[self.operand(node, i, x, p) for i, x in enumerate(operands)] for p in places]
        if node in self.divisions.shared:
            values = self.divisions.write(node, kind, args)
        else:
            values = emit(f, w.host, node, self.width, args, shared)
        target = row.stores.get(node)
        if target is None and not w.is_short:
            target = w.scratch.get(node)
        for place, value in zip(places, values, strict=True):
            place.values[node] = value
            if node in w.watched:
                w.watch(kind, value, place.mask)
            if target is not None:
                address = f.at(kind, target, place.column)
                self.store(kind, value, address, place)

    def store(self, kind: Kind, value: str, address: str, place: Place) -> None:
        if place.mask is not None and isinstance(place.count, int):
            self.function.store_first(kind, value, address, place.count)
        else:
            self.function.store(kind, value, address, place.mask)

    def operand(self, node: Node, i: int, x: Node | View, place: Place) -> str:
        """What stands for an operand of a node at a place."""
        if isinstance(x, Node):
            return place.values[x] if self.group.role[x] == FULL else self.repeated[x]
        if constant(x):
            return Kind(x.base.dtype, self.width).constant(number_of(x))
        found = self.writer.accesses[node, i]
        if found in self.repeated:
            return self.repeated[found]
        if found not in place.values:
            place.values[found] = self.load(found, place.column, place.mask)
        return place.values[found]

    def load(self, found: Access, j: Index, mask: str | None) -> str:
        """A vector of an operand; zeros outside of its windows."""
        f, kind = self.function, Kind(found.base.dtype, self.width)
        mask = self.windowed(found, j, mask)
        start = self.row.starts[found]
        if found.inner == 1:
            address = f.at(kind, start, j)
            if kind.width == 1 and mask is not None:
                return self.guarded(kind, address, mask)
            return f.load(kind, address, mask)
        address = f.at(kind, start, f.times(j, found.inner))
        if kind.width == 1 and mask is not None:
            return self.guarded(kind, address, mask)
        return f.gather(kind, address, found.inner, mask)

    def fetch(self, what: Node | Access, column: Index) -> None:
        """Have a column of the next row brought into the cache."""
        if isinstance(what, Node):
            kind, start, stride = Kind(what.dtype, 1), self.row.stores[what], self.writer.columns
        else:
            kind, start = Kind(what.base.dtype, 1), self.row.starts[what]
            stride = what.strides[-2]
        following = self.function.at(kind, start, self.function.plus(column, stride))
        self.function.prefetch(following, int(isinstance(what, Node)))

    def guarded(self, kind: Kind, address: str, mask: str) -> str:
        """A single element, zero where the mask is false."""
        f = self.function
        spare = f.variable(kind.memory)
        f.do(f"store {kind.memory} zeroinitializer, ptr {spare}")
        return f.load(kind, f.let(f"select i1 {mask}, ptr {address}, ptr {spare}"))

    def windowed(self, found: Access, j: Index, mask: str | None) -> str | None:
        """The mask of an operand's elements."""
        f, width = self.function, self.width
        masks = [] if mask is None else [mask]
        if found.windows[-1]:
            masks.append(lanes_within(f, width, j, *found.windows[-1]))
        if found in self.row.exists:
            masks.append(f.splat(Kind(numpy.dtype(bool), width), self.row.exists[found]))
        return lanes_of_all(f, width, masks)

    def reduce(self, node: Node, value: str, place: Place) -> None:
        """Add a vector to a reduction."""
        f, w, mask = self.function, self.writer, place.mask
        source = Kind(node.inputs[0].dtype, self.width)
        kind = Kind(node.dtype, self.width)
        assert source.dtype == kind.dtype
        if self.group.role[node] == COLUMN:
            if node in w.held:
                assert isinstance(place.column, int), "rows whose columns are held have no loops"
                self.add(kind, node, value, w.held[node][place.column // self.width])
                return
            address = f.at(kind, self.row.starts[self.row.adds[node]], place.column)
            before = f.load(kind, address, mask)
            f.store(kind, combine(f, node.op, kind, before, value), address, mask)
            return
        if mask is not None:
            start = kind.constant(identity_of(node.op, node.dtype))
            value = f.let(f"select {kind.mask} {mask}, {kind.text} {value}, {kind.text} {start}")
        self.add(kind, node, value, w.accumulators[node][place.turn])

    def add(self, kind: Kind, node: Node, value: str, variable: str) -> None:
        """Add a vector to a reduction's in a register."""
        f = self.function
        before = f.let(f"load {kind.text}, ptr {variable}")
        f.do(f"store {kind.text} {combine(f, node.op, kind, before, value)}, ptr {variable}")

    def finish(self) -> None:
        """What follows the last column: the values of reductions."""
        f, w, row = self.function, self.writer, self.row
        for node in self.stage.reductions:
            role, kind = self.group.role[node], Kind(node.dtype, 1)
            if role == PER_ROW:
                row.set_value(node, w.collected(node))
            elif role == MIXED:
                address = row.starts[row.adds[node]]
                before = f.load(kind, address)
                f.store(kind, combine(f, node.op, kind, before, w.collected(node)), address)
            elif node in w.totals:
                single = w.merged(node)
                wide = Kind(numpy.dtype("f8"), self.width)
                narrow = Kind(node.dtype, self.width)
                more = f.let(f"fpext {narrow.text} {single} to {wide.text}")
                before = f.let(f"load {wide.text}, ptr {w.totals[node]}")
                total = f.let(f"fadd {wide.text} {before}, {more}")
                f.do(f"store {wide.text} {total}, ptr {w.totals[node]}")


def write_row(row: Row) -> None:
    """One row, in its passes."""
    w = row.writer
    row.begin()
    ahead = row.shared_out() if w.is_large else {}
    for stage in w.stages.passes:
        for node in stage.rows:
            row.row_value(node)
        if stage.elements or stage.reductions:
            Pass(row, stage, ahead.get(stage, [])).write()


def write_group(
    name: str,
    group: Group,
    stored: set[Node],
    watched: set[Node],
    pointer: Pointer,
    host: Host,
    fast: bool,
    by_parts: bool = False,
) -> Function:
    """The function of a group: it takes the table of pointers, and says if a NaN was watched.

    `by_parts`, that of a part of it, which takes the range of the outermost loop and the part's
    number too.

    `stored` are the nodes whose elements go to memory, `watched` those to look for NaN in;
    `pointer` puts the address of a node's elements into a function; `fast` allows fused products.
    """
    writer = GroupWriter(name, group, stored, watched, pointer, host, fast, by_parts)

    def row(indices: list[Index], columns: int) -> None:
        unroll = writer.unroll if columns == writer.columns else 1
        write_row(Row(writer, indices, columns, unroll))

    writer.write(row)
    return writer.function
