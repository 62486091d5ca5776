"""Where the arrays of a program are: a table of pointers, and a block of intermediate arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy
from numpy import ndarray

from ..graph import Node
from ..loops.groups import Group, Schedule, Step
from ..loops.in_place import in_place
from ..loops.memory import layout
from ..loops.parts import partial_bytes, parts_of, reduced_apart
from ..loops.views import View
from .convolving import scratch_of
from .text import Function, Index


class Storage:
    """Where each stored node of a plan is: the number of its pointer in the table, and an offset.

    Outputs in `replaced` take the place of an input that is donated.

    The table has the inputs, the outputs that are computed here, constants, results of NumPy, and
    last the block of intermediate arrays.
    """

    def __init__(self, plan: Schedule, donated: Sequence[int] = ()) -> None:
        graph = self.graph = plan.graph
        self.stored = plan.stored
        self.pointer: dict[Node, int] = {x: i for i, x in enumerate(graph.inputs)}
        made = {s.node for s in plan.steps if isinstance(s, Step) and not s.native}
        self.outputs = [x for x in graph.outputs if x not in made]
        spare = [x for x in graph.inputs if x.params["index"] in donated and x.shape]
        self.replaced = in_place(plan, spare, self.outputs)
        for node, x in self.replaced.items():
            self.pointer[node] = self.pointer[x]
        self.fresh = [x for x in self.outputs if x not in self.replaced]
        count = len(graph.inputs)
        for x in self.fresh:
            self.pointer[x] = count
            count += 1
        self.objects = sorted(made & plan.stored, key=lambda n: n.number)
        for x in self.objects:
            self.pointer[x] = count
            count += 1
        self.constants = [n for n in graph.order() if n.op == "constant"]
        for x in self.constants:
            self.pointer[x] = count
            count += 1
        inner = {n for n in plan.stored if n not in self.pointer}
        by_time = sorted(inner, key=lambda n: (plan.made_in[n], n.number))
        self.layout = layout(plan, inner, in_place(plan, by_time, by_time))
        self.block = count
        self.size = self.layout.size
        self.partials: dict[Node, int] = {}  # where the parts of groups put what they reduce
        for step in plan.steps:
            if isinstance(step, Group) and (parts := parts_of(step)) > 1:
                for node in reduced_apart(step):
                    self.partials[node] = self.size
                    self.size += parts * partial_bytes(node)
        scratch = [scratch_of(s.node) for s in plan.steps if isinstance(s, Step) and s.native]
        self.scratch = self.size  # where the steps that need it, one after the other, have it
        self.size += max(scratch, default=0)

    def address(self, function: Function, node: Node) -> str:
        """Put the address of a node's elements into a function."""
        index, offset = self.place(node)
        place = function.let(f"getelementptr ptr, ptr %table, i64 {index}")
        pointer = function.let(f"load ptr, ptr {place}")
        if index != self.block:
            return pointer
        return function.let(f"getelementptr i8, ptr {pointer}, i64 {offset}")

    def place(self, node: Node | None) -> tuple[int, int]:
        """Where a node's elements are, or the scratch memory: the number of a pointer in the table,
        and an offset in bytes."""
        if node is None:
            return self.block, self.scratch
        index = self.pointer.get(node, self.block)
        return index, self.layout.offsets[node] if index == self.block else 0

    def partial(self, function: Function, node: Node, part: Index) -> str:
        """Put the address of what a part makes of a reduction into a function."""
        moved = function.times(part, partial_bytes(node))
        return self.in_block(function, function.plus(moved, self.partials[node]))

    def in_block(self, function: Function, offset: Index) -> str:
        place = function.let(f"getelementptr ptr, ptr %table, i64 {self.block}")
        pointer = function.let(f"load ptr, ptr {place}")
        return function.let(f"getelementptr i8, ptr {pointer}, i64 {offset}")


class Workspace:
    """What one running call needs for itself: the table of pointers and the block.

    `views` are arrays in the block that NumPy reads.
    """

    def __init__(
        self, storage: Storage, constants: Sequence[ndarray], views: Sequence[View]
    ) -> None:
        self.block = numpy.empty(storage.size + 64, numpy.uint8)
        start = -self.block.ctypes.data % 64
        self.table = (ctypes.c_void_p * (storage.block + 1))()
        self.table[storage.block] = self.block.ctypes.data + start
        for node, value in zip(storage.constants, constants, strict=True):
            self.table[storage.pointer[node]] = value.ctypes.data
        self.views = []
        for view in views:
            offset = start + storage.layout.offsets[view.base]
            data = self.block[offset : offset + view.base.nbytes].view(view.base.dtype)
            self.views.append(seen(view, data))


def seen(view: View, data: ndarray) -> ndarray:
    """A view of an array in C order, as NumPy has it."""
    size = data.dtype.itemsize
    strides = tuple(size * s for s in view.strides)
    return ndarray(view.shape, data.dtype, data, view.offset * size, strides)
