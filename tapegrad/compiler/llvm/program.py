"""Graphs run as machine code, with calls of NumPy between for what has none."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy
from numpy import ndarray

from ..graph import Graph, Node
from ..loops.groups import Group, Schedule, Step, schedule
from ..loops.memory import layout
from ..loops.prepare import Prepared
from ..loops.views import View
from ..numpy_program import owned
from .elements import native, native_dtype, reducible
from .host import Host, host
from .jit import Library, compile_object, load
from .row import write_group
from .text import Function


def in_loops(node: Node) -> bool:
    """Whether an operation is computed in loops."""
    if node.size == 0 or node.dtype is None:
        return False
    if node.op == "copy":
        return native_dtype(node.dtype)
    return native(node) if node.elementwise else reducible(node)


@dataclass
class Segment:
    """Steps that one call of machine code runs."""

    name: str
    steps: list[Group] = field(default_factory=list)


class Storage:
    """Where each stored node of a plan is: the number of its pointer in the table, and an offset.

    The table has the inputs, the outputs that are computed here, constants, results of NumPy, and
    last the block of intermediate arrays.
    """

    def __init__(self, plan: Schedule) -> None:
        graph = plan.graph
        self.pointer: dict[Node, int] = {x: i for i, x in enumerate(graph.inputs)}
        made = {s.node for s in plan.steps if isinstance(s, Step)}
        self.outputs = [x for x in graph.outputs if x not in made]
        for x in self.outputs:
            self.pointer[x] = len(self.pointer)
        self.objects = sorted(made & plan.stored, key=lambda n: n.number)
        for x in self.objects:
            self.pointer[x] = len(self.pointer)
        self.constants = [n for n in graph.order() if n.op == "constant"]
        for x in self.constants:
            self.pointer[x] = len(self.pointer)
        inner = {n for n in plan.stored if n not in self.pointer}
        self.layout = layout(plan, inner)
        self.block = len(self.pointer)

    def address(self, function: Function, node: Node) -> str:
        """Put the address of a node's elements into a function."""
        index = self.pointer.get(node, self.block)
        place = function.let(f"getelementptr ptr, ptr %table, i64 {index}")
        pointer = function.let(f"load ptr, ptr {place}")
        if index != self.block:
            return pointer
        offset = self.layout.offsets[node]
        return function.let(f"getelementptr i8, ptr {pointer}, i64 {offset}")


class Code:
    """The machine code of a plan: a function for each segment."""

    def __init__(self, plan: Schedule, storage: Storage, machine: Host) -> None:
        self.segments: list[Segment | Step] = []
        for step in plan.steps:
            if isinstance(step, Step):
                self.segments.append(step)
                continue
            if not self.segments or isinstance(self.segments[-1], Step):
                self.segments.append(Segment(f"segment{len(self.segments)}"))
            self.segments[-1].steps.append(step)
        self.names = [s.name for s in self.segments if isinstance(s, Segment)]
        parts: list[str] = []
        needs: dict[str, str] = {}
        for segment in self.segments:
            if isinstance(segment, Step):
                continue
            calls = []
            for group in segment.steps:
                name = f"group{group.index}"
                function = write_group(name, group, plan.stored, storage.address, machine)
                parts.append(function.text())
                needs |= function.needs
                calls.append(f"  call void @{name}(ptr %table)\n")
            parts.append(
                f"define void @{segment.name}(ptr %table) {{\n{''.join(calls)}  ret void\n}}\n"
            )
        self.text = "\n".join([*needs.values(), *parts])


class Workspace:
    """What one running call needs for itself: the table of pointers and the block."""

    def __init__(self, storage: Storage) -> None:
        self.block = numpy.empty(storage.layout.size + 64, numpy.uint8)
        self.start = -self.block.ctypes.data % 64
        self.table = (ctypes.c_void_p * (storage.block + 1))()
        self.table[storage.block] = self.block.ctypes.data + self.start
        self.constants = [
            numpy.require(n.params["value"], requirements=["C", "A"]) for n in storage.constants
        ]
        for node, value in zip(storage.constants, self.constants, strict=True):
            self.table[storage.pointer[node]] = value.ctypes.data


class LlvmProgram:
    """A graph as a function of raw arrays that gives a list of arrays of the caller's own."""

    def __init__(self, graph: Graph) -> None:
        self.graph = Prepared(graph, in_loops)
        self.plan = schedule(self.graph, in_loops, lambda _: False)
        self.storage = Storage(self.plan)
        self.code = Code(self.plan, self.storage, host())
        self.library: Library | None = None
        if self.code.names:
            self.library = load(compile_object(self.code.text, host()), self.code.names)
        kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
        self.functions = {
            name: kind(self.library[name]) for name in self.code.names if self.library
        }
        self.pool: list[Workspace] = []

    def __call__(self, *inputs: Any) -> list[Any]:
        try:
            space = self.pool.pop()
        except IndexError:
            space = Workspace(self.storage)
        results = self.run(space, inputs)
        self.pool.append(space)
        return results

    def run(self, space: Workspace, inputs: Sequence[Any]) -> list[Any]:
        storage, table = self.storage, space.table
        arrays: dict[Node, Any] = {}
        for node, x in zip(self.graph.inputs, inputs, strict=True):
            arrays[node] = x
            if type(x) is not ndarray or not x.flags.carray:
                x = numpy.require(x, requirements=["C", "A"])
                if not x.shape:
                    x = numpy.array(x)
                arrays[node] = x
            table[storage.pointer[node]] = x.ctypes.data
        for node in storage.outputs:
            arrays[node] = out = numpy.empty(node.shape, node.dtype)
            table[storage.pointer[node]] = out.ctypes.data
        for segment in self.code.segments:
            if isinstance(segment, Segment):
                self.functions[segment.name](table)
            else:
                self.step(space, segment, arrays)
        return owned([arrays[x] for x in self.graph.outputs], inputs)

    def step(self, space: Workspace, step: Step, arrays: dict[Node, Any]) -> None:
        """Run one operation with NumPy."""
        node = step.node
        args = [self.array(space, view, arrays) for view in step.operands]
        with numpy.errstate(all="ignore"):
            if node.op == "copy":
                result = args[0].copy()
            elif node.op == "cast":
                (x,) = args
                real = x.dtype.kind == "c" and node.dtype.kind not in "cb"
                result = (x.real if real else x).astype(node.dtype)
            else:
                assert node.call is not None
                result = node.call.forward(numpy, *args, **node.params)
        arrays[node] = result
        if node in self.storage.pointer and node.dtype is not None:
            plain = numpy.require(result, requirements=["C", "A"])
            arrays[node] = plain = plain if plain.flags.carray else numpy.array(plain)
            space.table[self.storage.pointer[node]] = plain.ctypes.data

    def array(self, space: Workspace, view: View, arrays: dict[Node, Any]) -> Any:
        """A view as NumPy has it."""
        base = view.base
        if base.op == "number":
            return base.params["value"]
        if base.op == "constant":
            data = numpy.asarray(base.params["value"])
        elif base in arrays:
            data = arrays[base]
        else:
            start = space.start + self.storage.layout.offsets[base]
            data = space.block[start : start + base.nbytes].view(base.dtype)
        if base.dtype is None or (
            view.shape == base.shape
            and data.shape == base.shape
            and (view.offset == 0 and view.strides == c_strides_of(base))
        ):
            return data if base.dtype is None or data.shape else data[()]
        size = base.dtype.itemsize
        data = numpy.require(data, requirements=["C"])
        result = ndarray(
            view.shape,
            base.dtype,
            data.reshape(-1).view(numpy.uint8) if data.ndim else data,
            view.offset * size,
            tuple(s * size for s in view.strides),
        )
        return result if result.shape else result[()]


def c_strides_of(node: Node) -> tuple[int, ...]:
    from ..loops.views import c_strides

    return c_strides(node.shape)
