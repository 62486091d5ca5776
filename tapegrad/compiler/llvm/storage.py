"""Where the arrays of a program are: a table of pointers, and a block of intermediate arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Container, Mapping, Sequence

import numpy
from numpy import ndarray

from ..graph import Node
from ..loops.groups import Group, Schedule, Step
from ..loops.in_place import in_place
from ..loops.memory import aligned, layout, reads
from ..loops.parts import partial_bytes
from ..loops.views import View
from .arguments import BYTE, Beside, Place
from .convolving import memory_of
from .runs import Run, Runs, summed
from .text import Function


class Storage:
    """Where each stored node of a plan is: the number of its pointer in the table, and an offset.

    Outputs in `replaced` take the place of an input that is donated.

    The table has the inputs, the outputs that are computed here, constants, results of NumPy, and
    last the block of intermediate arrays, and of the memory that steps need beside them.
    """

    def __init__(self, plan: Schedule, runs: Runs, donated: Sequence[int] = ()) -> None:
        graph = self.graph = plan.graph
        self.stored = plan.stored
        self.pointer: dict[Node, int] = {x: i for i, x in enumerate(graph.inputs)}
        made = {s.node for s in plan.steps if isinstance(s, Step) and not s.native}
        self.outputs = [x for x in graph.outputs if x not in made]
        spare = [x for x in graph.inputs if x.params["index"] in donated and x.shape]
        self.replaced = in_place(plan, spare, self.outputs, runs.span)
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
        self.local = local(plan, runs, self.pointer)
        inner = {n for n in plan.stored if n not in self.pointer and n not in self.local}
        by_time = sorted(inner, key=lambda n: (plan.made_in[n], n.number))
        self.layout = layout(plan, inner, in_place(plan, by_time, by_time, runs.span), runs.span)
        self.block = count
        self.beside: dict[Beside, int] = {}
        self.size = end = self.layout.size
        for step in plan.steps:
            run = runs.of.get(step.index)
            if runs.begins(step):
                end = self.layout.size  # what came before is no longer needed
            for place, size in needed(step, run, runs.threads, self.local).items():
                self.beside[place] = end
                end += aligned(size)
            self.size = max(self.size, end)

    def address(self, function: Function, place: Place) -> str:
        """Put the address of a node's elements, or of memory beside, into a function.

        Of a local node, only the elements of one part are there, behind that address: the function
        knows the numbers of part and thread.
        """
        if isinstance(place, Node) and place in self.local:
            size = part_bytes(place, self.local[place])
            own = function.times("%thread", aligned(size))
            moved = function.plus(own, function.times("%number", -size))
            return function.at(BYTE, self.address(function, Beside(place, "part")), moved)
        index, offset = self.place(place)
        entry = function.let(f"getelementptr ptr, ptr %table, i64 {index}")
        return function.at(BYTE, function.let(f"load ptr, ptr {entry}"), offset)

    def place(self, place: Place) -> tuple[int, int]:
        """Where a node's elements are, or memory beside: the number of a pointer in the table, and
        an offset in bytes."""
        if isinstance(place, Beside):
            return self.block, self.beside[place]
        if place in self.pointer:
            return self.pointer[place], 0
        return self.block, self.layout.offsets[place]


def local(plan: Schedule, runs: Runs, pointer: Mapping[Node, int]) -> dict[Node, Run]:
    """What each part of a run makes for itself alone: no other step reads it."""
    made = {x: run for x in plan.stored - pointer.keys() if (run := runs.of.get(plan.made_in[x]))}
    for step in plan.steps:
        run = runs.of.get(step.index)
        for x in summed(step):
            made.pop(x, None)
        for x in reads(step):
            if made.get(x) is not run:
                made.pop(x, None)
    return made


def part_bytes(node: Node, run: Run) -> int:
    """The bytes of what a part of a run makes of a node."""
    return node.nbytes // run.units * run.size


def needed(
    step: Group | Step, run: Run | None, threads: int, local: Container[Node]
) -> dict[Beside, int]:
    """The memory that a step needs beside what it reads and makes, in bytes."""
    found: dict[Beside, int] = {}
    if isinstance(step, Step) and step.native:
        found = memory_of(step.node)
    if run is None:
        return found
    count = min(threads, run.parts)
    for place in found:
        if place.what == "scratch":
            found[place] = count * aligned(found[place])
    for node in step.nodes if isinstance(step, Group) else [step.node]:
        if node in local:
            found[Beside(node, "part")] = count * aligned(part_bytes(node, run))
    for node in summed(step):
        found[Beside(node, "partial")] = run.parts * partial_bytes(node)
    return found


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
