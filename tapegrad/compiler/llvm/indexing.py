"""Indexing by arrays in machine code: rows, or elements, taken out of an array or added into one.

That is `getitem` and `scatter_add` where the index arrays come first and everything else is whole:
``x[rows]``, ``x[rows, columns]``. An index that is out of range is reported; then NumPy runs the
program, and raises.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy

from ...ops.index import ARRAY
from ..graph import Node, Shape
from ..loops.groups import Step
from ..loops.views import Strides, broadcast, c_strides
from .elements import native_dtype, table_of
from .host import Host
from .text import Function, Index, Kind

Pointer = Callable[[Function, Node], str]

OUT_OF_RANGE = 2
"""What a program's status has for an index that is out of range."""


def native_index(node: Node) -> bool:
    """Whether an operation is an indexing that is done here."""
    if node.op not in ("getitem", "scatter_add") or len(node.inputs) < 2:
        return False
    x, *indices = node.inputs
    key = node.params["key"]
    rest = key[len(indices) :]
    return (
        all(part is ARRAY for part in key[: len(indices)])
        and all(part is Ellipsis or part == slice(None) for part in rest)
        and native_dtype(node.dtype)
        and node.dtype.kind != "b"
        and x.dtype == node.dtype
        and all(i.dtype.kind in "iu" and i.op != "number" and i.size for i in indices)
        and x.size > 0
        and node.size > 0
    )


def write_index(step: Step, name: str, pointer: Pointer, machine: Host) -> Function:
    """The function of an indexing, which takes the table of pointers and gives a status."""
    return Indexing(step, name, pointer, machine).write()


class Indexing:
    """Writes one: loops over the index arrays, and over what is moved for each index."""

    def __init__(self, step: Step, name: str, pointer: Pointer, machine: Host) -> None:
        f = self.function = Function(f"define internal i32 @{name}(ptr %table)")
        self.node = node = step.node
        self.machine = machine
        values, *indices = step.operands
        self.shape: Shape = numpy.broadcast_shapes(*(v.shape for v in indices))
        self.indices = [broadcast(v, self.shape) for v in indices]
        self.values = values
        self.adds = node.op == "scatter_add"
        table = node.shape if self.adds else values.shape  # of what is indexed
        self.bounds = table[: len(indices)]
        self.inner = table[len(indices) :]
        self.bases = {v.base: pointer(f, v.base) for v in step.operands}
        self.out = pointer(f, node)
        self.kind = Kind(node.dtype, 1)
        self.bad = f.variable("i32")

    def write(self) -> Function:
        f = self.function
        f.do(f"store i32 0, ptr {self.bad}")
        if self.adds:
            self.clear()
        self.nest([])
        f.do(f"ret i32 {f.let(f'load i32, ptr {self.bad}')}")
        return f

    def clear(self) -> None:
        """Begin with zeros."""
        size = self.node.nbytes
        f = self.function
        f.call(
            "void",
            "llvm.memset.p0.i64",
            ("ptr", self.out),
            ("i8", "0"),
            ("i64", str(size)),
            ("i1", "false"),
        )

    def nest(self, places: list[Index]) -> None:
        """The loops over the index arrays."""
        if len(places) < len(self.shape):
            length = self.shape[len(places)]
            self.function.loop(0, length, 1, lambda i: self.nest([*places, i]))
            return
        strides = self.values.strides
        own = c_strides(self.node.shape)
        count, axes = len(self.indices), len(self.shape)
        chosen = [self.index(i, places) for i in range(count)]
        if self.adds:
            source = self.sum(self.values.offset, places, strides[:axes])
            target = self.sum(0, chosen, own[:count])
            self.move(source, strides[axes:], target, own[count:], [])
        else:
            source = self.sum(self.values.offset, chosen, strides[:count])
            target = self.sum(0, places, own[:axes])
            self.move(source, strides[count:], target, own[axes:], [])

    def sum(self, start: Index, places: list[Index], strides: Strides) -> Index:
        f = self.function
        total = start
        for i, stride in zip(places, strides, strict=True):
            total = f.plus(f.times(i, stride), total)
        return total

    def index(self, number: int, places: list[Index]) -> Index:
        """An index, counted from the beginning; 0 where it is out of range."""
        f, view, bound = self.function, self.indices[number], self.bounds[number]
        kind = Kind(view.base.dtype, 1)
        at = self.sum(view.offset, places, view.strides)
        value = f.load(kind, f.at(kind, self.bases[view.base], at))
        if kind.dtype.itemsize < 8:
            extend = "sext" if kind.dtype.kind == "i" else "zext"
            value = f.let(f"{extend} {kind.text} {value} to i64")
        if kind.dtype.kind == "i":
            below = f.let(f"icmp slt i64 {value}, 0")
            counted = f.let(f"add i64 {value}, {bound}")
            value = f.let(f"select i1 {below}, i64 {counted}, i64 {value}")
        good = f.let(f"icmp ult i64 {value}, {bound}")
        status = f.let(f"select i1 {good}, i32 0, i32 {OUT_OF_RANGE}")
        before = f.let(f"load i32, ptr {self.bad}")
        f.do(f"store i32 {f.let(f'or i32 {before}, {status}')}, ptr {self.bad}")
        return f.let(f"select i1 {good}, i64 {value}, i64 0")

    def move(
        self, source: Index, along: Strides, target: Index, own: Strides, places: list[Index]
    ) -> None:
        """The loops over what is moved for one index."""
        f, depth = self.function, len(places)
        if depth < len(self.inner) - 1:
            length = self.inner[depth]
            f.loop(0, length, 1, lambda i: self.move(source, along, target, own, [*places, i]))
            return
        source = self.sum(source, places, along[:depth])
        target = self.sum(target, places, own[:depth])
        length, stride = (self.inner[-1], along[-1]) if self.inner else (1, 1)
        width = 1
        full = self.machine.lanes(self.node.dtype.itemsize)
        while width < full and 2 * width <= length and stride == 1:
            width *= 2

        def part(kind: Kind, j: Index) -> None:
            base = self.bases[self.values.base]
            value = f.load(kind, f.at(kind, base, f.plus(f.times(j, stride), source)))
            place = f.at(kind, self.out, f.plus(j, target))
            if self.adds:
                add = table_of(kind.dtype.kind)["add"]
                value = add(f, kind, [f.load(kind, place), value])
            f.store(kind, value, place)

        whole = length // width * width
        f.loop(0, whole, width, lambda j: part(Kind(self.node.dtype, width), j))
        f.loop(whole, length, 1, lambda j: part(self.kind, j))
