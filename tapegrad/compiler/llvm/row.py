"""One row of a group: where its elements are, and what is the same in all of them."""

from __future__ import annotations

from ..graph import Node
from ..loops.access import Access, access
from ..loops.groups import (
    COLUMN,
    FULL,
    MIXED,
    PER_ROW,
    ROW,
    accumulator,
    constant,
    number_of,
)
from ..loops.stages import Stage
from ..loops.views import Strides, c_strides
from .elements import Shared, emit
from .group import GroupWriter
from .text import Index, Kind, literal


class Row:
    """What the passes over one row share; `indices` are those of the loops around it.

    `unroll` is how many vectors of the row are computed in turns.
    """

    def __init__(
        self, writer: GroupWriter, indices: list[Index], columns: int, unroll: int
    ) -> None:
        self.writer = writer
        self.function = writer.function
        self.group = writer.group
        self.indices = indices
        self.width = writer.width
        self.columns = columns
        self.unroll = unroll
        self.values: dict[Node, str] = {}  # of the row, as scalars
        self.shared: Shared = {}  # of the same
        self.starts: dict[Access, str] = {}  # addresses of the row's first elements
        self.exists: dict[Access, str] = {}  # whether the row is in the outer windows
        self.single: dict[Access, str] = {}  # elements that are the same in the whole row
        self.kept: dict[Index, dict[Node | Access, str]] = {}  # vectors by column, of a short row
        self.stores: dict[Node, str] = {}
        self.adds: dict[Node, Access] = {}

    def begin(self) -> None:
        """Find where everything is that the row reads and writes."""
        w = self.writer
        strides = c_strides(w.lengths)
        for found in w.accesses.values():
            self.start(found)
        for node in self.group.nodes:
            role = self.group.role[node]
            if role in (COLUMN, MIXED):
                self.adds[node] = access(accumulator(node), w.lengths, False)
                self.start(self.adds[node])
            elif node in w.stored and role == FULL:
                self.stores[node] = self.moved(node, 0, strides)
            elif node in w.stored and role in (ROW, PER_ROW):
                self.stores[node] = self.moved(node, 0, c_strides(w.lengths[:-1]))

    def shared_out(self) -> dict[Stage, list[Node | Access]]:
        """For each pass, of what it has the next row brought into the cache: a processor that looks
        ahead by itself stops at the end of a page, and sees no writes.

        The more a pass has to do the more it gets, since few can be on their way at once.
        """
        w = self.writer
        rows = [a for a in w.accesses.values() if a.inner == 1 and a.strides[-2]]
        written = [node for node in self.stores if self.group.role[node] == FULL]
        passes = [stage for stage in w.stages.passes if stage.elements or stage.reductions]
        work = {stage: stage.work for stage in passes}
        ahead: dict[Stage, list[Node | Access]] = {stage: [] for stage in passes}
        each: list[Node | Access] = [*rows, *written]
        for what in dict.fromkeys(each):
            stage = max(passes, key=lambda stage: work[stage] / (len(ahead[stage]) + 1))
            ahead[stage].append(what)
        return ahead

    def moved(self, node: Node, offset: int, strides: Strides) -> str:
        """The address of the first element of the row."""
        f = self.function
        total: Index = offset
        for stride, i in zip(strides, self.indices, strict=False):
            total = f.plus(f.times(i, stride), total)
        return f.at(Kind(node.dtype, 1), self.writer.address(node), total)

    def start(self, found: Access) -> None:
        """Find the address of an operand's row, and whether it exists."""
        if found in self.starts:
            return
        f = self.function
        self.starts[found] = self.moved(found.base, found.offset, found.strides)
        inside = None
        for i, window in zip(self.indices, found.windows, strict=False):
            if window:
                low, high = window
                shifted = f.plus(i, -low)
                here = f.let(f"icmp ult i64 {shifted}, {high - low}")
                inside = here if inside is None else f.let(f"and i1 {inside}, {here}")
        if inside is not None:
            self.exists[found] = inside

    def scalar(self, found: Access) -> str:
        """An element that is the same in the whole row."""
        if found not in self.single:
            self.single[found] = self.one(found, Kind(found.base.dtype, 1))
        return self.single[found]

    def one(self, found: Access, kind: Kind) -> str:
        """Load a single element, zero where it does not exist."""
        f = self.function
        inside = self.exists.get(found)
        if inside is None:
            return f.load(kind, self.starts[found])
        spare = f.variable(kind.memory)  # there is always something to read
        f.do(f"store {kind.memory} zeroinitializer, ptr {spare}")
        address = f.let(f"select i1 {inside}, ptr {self.starts[found]}, ptr {spare}")
        return f.load(kind, address)

    def row_value(self, node: Node) -> None:
        """Compute a value of the row from others."""
        args = []
        for i, x in enumerate(self.group.operands[node]):
            if isinstance(x, Node):
                args.append(self.values[x])
            elif constant(x):
                args.append(literal(x.base.dtype, number_of(x)))
            else:
                args.append(self.scalar(self.writer.accesses[node, i]))
        (value,) = emit(self.function, self.writer.host, node, 1, [args], self.shared)
        self.set_value(node, value)

    def set_value(self, node: Node, value: str) -> None:
        self.values[node] = value
        if node in self.stores:
            self.function.store(Kind(node.dtype, 1), value, self.stores[node])
        if node in self.writer.watched:
            self.writer.watch(Kind(node.dtype, 1), value)
