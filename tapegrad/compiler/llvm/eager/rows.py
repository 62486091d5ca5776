"""`Rows`: loops over the rows of matrices of any size, and over a row in vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from llvmlite import ir

from ..host import Host
from ..vector import FORMATS, Value, call, select

INDEX, POINTER = ir.IntType(64), ir.PointerType()
Body = Callable[..., Sequence[Value]]


class Rows:
    """The function ``name(rows, columns, pointers...)`` under construction.

    Matrices lie in one piece. `each` runs over the rows; within, `row.pass_` runs over the row.
    """

    def __init__(self, module: ir.Module, host: Host, name: str, element: ir.Type, count: int):
        signature = ir.FunctionType(ir.VoidType(), [INDEX, INDEX, *[POINTER] * count])
        function = ir.Function(module, signature, name)
        self.builder = ir.IRBuilder(function.append_basic_block())
        self.host = host
        self.element = element
        self.rows, self.columns, *self.pointers = function.args
        self.vector = ir.VectorType(element, host.lanes(FORMATS[element].bits // 8))

    @property
    def width(self) -> int:
        return int(self.vector.count)

    def each(self, body: Callable[[Row], None]) -> None:
        """The body for each row, of which there is at least one; and the end of the function."""
        builder = self.builder
        width = self.width
        tail = builder.and_(self.columns, INDEX(width - 1))
        whole = builder.sub(self.columns, tail)
        limit = splat(builder, tail, width)
        lanes = ir.Constant(ir.VectorType(INDEX, width), list(range(width)))
        mask = builder.icmp_unsigned("<", lanes, limit)
        entry, block = builder.block, builder.append_basic_block()
        builder.branch(block)
        builder.position_at_end(block)
        number = builder.phi(INDEX)
        number.add_incoming(INDEX(0), entry)
        body(Row(self, number, whole, mask))
        following = builder.add(number, INDEX(1))
        number.add_incoming(following, builder.block)
        after = builder.append_basic_block()
        builder.cbranch(builder.icmp_unsigned("<", following, self.rows), block, after)
        builder.position_at_end(after)
        builder.ret_void()


class Row:
    """One row: its numbers in matrices and, one a row, in columns."""

    def __init__(self, rows: Rows, number: ir.Value, whole: ir.Value, tail: ir.Value) -> None:
        self.of = rows
        self.builder = rows.builder
        self.number = number
        self.start = self.builder.mul(number, rows.columns)
        self.whole, self.tail = whole, tail
        self.at: ir.Value = None
        self.mask: ir.Value = None

    def pass_(self, start: Sequence[Value], body: Body) -> list[Value]:
        """Run over the row in vectors: ``body(*sums)`` gives the next sums, `start` the first."""
        builder, entry = self.builder, self.builder.block
        loop, last = builder.append_basic_block(), builder.append_basic_block()
        nothing = builder.icmp_unsigned("==", self.whole, INDEX(0))
        builder.cbranch(nothing, last, loop)
        builder.position_at_end(loop)
        self.at, self.mask = builder.phi(INDEX), None
        counter = self.at
        phis = [builder.phi(value.type) for value in start]
        sums = body(*[value.new(phi) for value, phi in zip(start, phis, strict=True)])
        following = builder.add(counter, INDEX(self.of.width))
        counter.add_incoming(INDEX(0), entry)
        counter.add_incoming(following, builder.block)
        for phi, first, value in zip(phis, start, sums, strict=True):
            phi.add_incoming(first.ir, entry)
            phi.add_incoming(value.ir, builder.block)
        end = builder.block
        builder.cbranch(builder.icmp_unsigned("<", following, self.whole), loop, last)
        builder.position_at_end(last)
        before = []
        for first, value in zip(start, sums, strict=True):
            phi = builder.phi(first.type)
            phi.add_incoming(first.ir, entry)
            phi.add_incoming(value.ir, end)
            before.append(first.new(phi))
        self.at, self.mask = self.whole, self.tail
        after = body(*before)
        mask = Value(builder, self.of.host, self.tail)
        return [select(mask, new, old) for new, old in zip(after, before, strict=True)]

    def apply(self, formula: Callable[..., Value]) -> None:
        """The formula of the vectors of all matrices but the last, into which it goes."""
        last = len(self.of.pointers) - 1

        def element() -> list[Value]:
            self.store(last, formula(*map(self.load, range(last))))
            return []

        self.pass_([], element)

    def number_of(self, value: float) -> Value:
        """A number in all lanes."""
        zero = Value(self.builder, self.of.host, ir.Constant(self.of.vector, None))
        return zero.number(value)

    def load(self, matrix: int, *, along: bool = False) -> Value:
        """The present vector of the row in a matrix; of what is one row itself if `along`."""
        place = self.place(matrix, self.at if along else self.builder.add(self.start, self.at))
        if self.mask is None:
            loaded = self.builder.load(place, align=4, typ=self.of.vector)
            return Value(self.builder, self.of.host, loaded)
        zero = ir.Constant(self.of.vector, None)
        at = Value(self.builder, self.of.host, zero)
        name = f"llvm.masked.load.{self.suffix}.p0"
        arguments = [place, ir.Constant(ir.IntType(32), 4), self.mask, zero]
        return call(at, name, self.of.vector, arguments)

    def store(self, matrix: int, value: Value, *, along: bool = False) -> None:
        place = self.place(matrix, self.at if along else self.builder.add(self.start, self.at))
        if self.mask is None:
            self.builder.store(value.ir, place, align=4)
            return
        name = f"llvm.masked.store.{self.suffix}.p0"
        arguments = [value.ir, place, ir.Constant(ir.IntType(32), 4), self.mask]
        call(value, name, ir.VoidType(), arguments)

    @property
    def suffix(self) -> str:
        return f"v{self.of.width}f{FORMATS[self.of.element].bits}"

    def place(self, pointer: int, index: ir.Value, element: ir.Type | None = None) -> ir.Value:
        element = self.of.element if element is None else element
        return self.builder.gep(self.of.pointers[pointer], [index], source_etype=element)

    def value(self, column: int) -> Value:
        """The row's number in a column, in all lanes."""
        loaded = self.builder.load(self.place(column, self.number), typ=self.of.element)
        return self.in_all_lanes(loaded)

    def in_all_lanes(self, scalar: ir.Value) -> Value:
        return Value(self.builder, self.of.host, splat(self.builder, scalar, self.of.width))

    def put(self, column: int, value: Value) -> None:
        """Store the first lane as the row's number in a column."""
        first = self.builder.extract_element(value.ir, INDEX(0))
        self.builder.store(first, self.place(column, self.number))

    def element(self, matrix: int, index: ir.Value) -> tuple[ir.Value, Value]:
        """The place of one element of the row, and it in all lanes."""
        place = self.place(matrix, self.builder.add(self.start, index))
        return place, self.in_all_lanes(self.builder.load(place, typ=self.of.element))

    def integer(self, column: int) -> ir.Value:
        """The row's number in a column of 64-bit integers."""
        return self.builder.load(self.place(column, self.number, INDEX), typ=INDEX)

    def length(self) -> Value:
        """The number of columns, in all lanes."""
        return self.in_all_lanes(self.builder.uitofp(self.of.columns, self.of.element))


def splat(builder: ir.IRBuilder, scalar: ir.Value, width: int) -> ir.Value:
    """A scalar in all lanes."""
    type = ir.VectorType(scalar.type, width)
    undefined = ir.Constant(type, ir.Undefined)
    one = builder.insert_element(undefined, scalar, INDEX(0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), width), None)
    return builder.shuffle_vector(one, undefined, zeros)


def across(value: Value, combine: Callable[[Value, Value], Value]) -> Value:
    """What all lanes combine to, in all lanes."""
    width = value.lanes or 1
    step = width // 2
    while step:
        type = ir.VectorType(ir.IntType(32), width)
        picks = ir.Constant(type, [lane ^ step for lane in range(width)])
        moved = value.builder.shuffle_vector(value.ir, value.ir, picks)
        value = combine(value, value.new(moved))
        step //= 2
    return value
