"""Graphs run as machine code, with calls of NumPy between for what has none."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy
from numpy import ndarray

from ...backend import has_nan
from ..graph import Graph, Node, kind
from ..loops.groups import Group, Schedule, Step, schedule
from ..loops.in_place import in_place
from ..loops.memory import layout
from ..loops.prepare import Prepared
from ..loops.views import View, whole
from ..memory import LARGE, Results
from ..numpy_program import NumpyProgram, owned
from ..report import operations_of
from .cache import Cache, key
from .elements import native, native_dtype, reducible
from .entry import Entry, builtin, imports, trustworthy
from .host import Host, host
from .indexing import OUT_OF_RANGE, native_index, write_index
from .jit import compile_object, load
from .products import Products, native_product
from .row import write_group
from .text import Function

VERSION = "1"  # of what is done to the assembly on its way to object code


def in_loops(node: Node) -> bool:
    """Whether an operation is computed in loops."""
    if node.size == 0 or node.dtype is None:
        return False
    if node.op == "copy":
        return native_dtype(node.dtype)
    return native(node) if node.elementwise else reducible(node)


def native_step(node: Node) -> bool:
    """Whether an operation that is not computed in loops has machine code of its own."""
    return native_product(node) or native_index(node)


@dataclass
class Segment:
    """Steps that one call of machine code runs."""

    name: str
    steps: list[Group | Step] = field(default_factory=list)


class Storage:
    """Where each stored node of a plan is: the number of its pointer in the table, and an offset.

    Outputs in `replaced` take the place of an input that is donated.

    The table has the inputs, the outputs that are computed here, constants, results of NumPy, and
    last the block of intermediate arrays.
    """

    def __init__(self, plan: Schedule, donated: Sequence[int] = ()) -> None:
        graph = plan.graph
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
    """The assembly of a plan: a function for each segment, which says if there was a NaN."""

    def __init__(self, plan: Schedule, storage: Storage, watched: set[Node], machine: Host) -> None:
        self.segments: list[Segment | Step] = []
        self.parts: list[str] = []
        self.needs: dict[str, str] = {}
        self.products = Products(machine)
        segment: Segment | None = None
        for step in plan.steps:
            if isinstance(step, Step) and not step.native:
                self.segments.append(step)
                segment = None
                continue
            if segment is None:
                segment = Segment(f"segment{len(self.segments)}")
                self.segments.append(segment)
            segment.steps.append(step)
            name = f"step{step.index}"
            if isinstance(step, Group):
                self.add(write_group(name, step, plan.stored, watched, storage.address, machine))
            elif step.node.op == "matmul":
                odd = step.node in watched
                self.add(self.products.write(step, name, odd, storage.address))
            else:
                self.add(write_index(step, name, storage.address, machine))
        for function in self.products.functions:
            self.add(function)
        self.names = [s.name for s in self.segments if isinstance(s, Segment)]
        for s in self.segments:
            if isinstance(s, Segment):
                self.add(calls(s))

    def add(self, function: Function) -> None:
        self.parts.append(function.text())
        self.needs.update(function.needs)

    @property
    def text(self) -> str:
        return "\n".join([*self.needs.values(), *self.parts])


def calls(segment: Segment) -> Function:
    """The function of a segment: it calls those of its groups."""
    f = Function(f"define i32 @{segment.name}(ptr %table)")
    total = "0"
    for step in segment.steps:
        odd = f.let(f"call i32 @step{step.index}(ptr %table)")
        total = f.let(f"or i32 {total}, {odd}")
    f.do(f"ret i32 {total}")
    return f


class Workspace:
    """What one running call needs for itself: the table of pointers and the block."""

    def __init__(self, storage: Storage, constants: Sequence[ndarray]) -> None:
        self.block = numpy.empty(storage.layout.size + 64, numpy.uint8)
        self.start = -self.block.ctypes.data % 64
        self.table = (ctypes.c_void_p * (storage.block + 1))()
        self.table[storage.block] = self.block.ctypes.data + self.start
        for node, value in zip(storage.constants, constants, strict=True):
            self.table[storage.pointer[node]] = value.ctypes.data


def looked_at(node: Node, plan: Schedule) -> bool:
    """Whether the machine code looks for NaN in an output by itself."""
    step = plan.steps[plan.made_in[node]]
    return isinstance(step, Group) or (step.native and step.node.op == "matmul")


def object_of(text: str) -> bytes:
    """The object code of a program: that of an earlier run, on this or another day, if there is."""
    cache, name = Cache(), key(text.encode(), host(), VERSION)
    code = cache.get(name)
    if code is None:
        code = compile_object(text, host())
        cache.put(name, code)
    return code


class LargeEntry:
    """An entry that is given the arrays of its large results, which are used again."""

    __slots__ = ("entry", "nodes", "results")

    def __init__(self, entry: Callable[..., Any], results: Results, nodes: Sequence[Node]) -> None:
        self.entry = entry
        self.results = results
        self.nodes = nodes

    def __call__(self, *inputs: Any) -> Any:
        return self.entry(*inputs, *map(self.results.array, self.nodes))


class LlvmProgram:
    """A graph as a function of raw arrays that gives a list of arrays of the caller's own.

    `entry` is the same as machine code, for programs that are nothing else; it gives
    `NotImplemented` where anything is not as expected. `watched` are the numbers of outputs in
    which there must be no NaN, `donated` those of inputs whose memory results may take.
    """

    def __init__(
        self,
        graph: Graph,
        watched: Sequence[int],
        kinds: Sequence[type],
        donated: Sequence[int] = (),
    ) -> None:
        self.source = graph
        self.graph = Prepared(graph, in_loops)
        self.plan = schedule(self.graph, in_loops, native_step)
        self.storage = storage = Storage(self.plan, donated)
        nodes = {self.graph.outputs[i] for i in watched}
        self.code = code = Code(self.plan, storage, nodes, host())
        self.objects = [i for i in watched if not looked_at(self.graph.outputs[i], self.plan)]
        self.constants = [contiguous(n.params["value"]) for n in storage.constants]
        self.large = [x for x in storage.fresh if x.nbytes >= LARGE]
        self.entry: Callable[..., Any] | None = None
        entry = self.way_in(kinds)
        names = list(code.names)
        if entry is not None:
            code.add(entry.function)
            names.append("entry")
        if names:
            needed = {n: a for n, a in imports().items() if n in code.needs}
            needed.update(code.products.imports)
            self.library = load(object_of(code.text), names, needed)
        typed = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
        self.functions = {name: typed(self.library[name]) for name in code.names}
        self.pool: list[Workspace] = []
        self.results = Results()
        if entry is not None:
            self.entry = builtin(entry, self.library["entry"], self.library)
            if self.large:
                self.entry = LargeEntry(self.entry, self.results, self.large)

    def way_in(self, kinds: Sequence[type]) -> Entry | None:
        """The entry, if the program has one segment."""
        graph, code = self.graph, self.code
        if (
            self.objects
            or len(kinds) != len(graph.inputs)
            or len(code.names) != 1
            or len(code.segments) != 1
        ):
            return None
        if not trustworthy():
            return None
        work = sum(map(operations_of, graph.order()))
        return Entry(
            code.names[0],
            graph.inputs,
            kinds,
            self.storage.outputs,
            self.storage.replaced,
            self.large,
            self.constants,
            self.storage.layout.size,
            work,
        )

    def report(self) -> tuple[tuple[str, ...], int, int]:
        """Its steps in words, the bytes that they read and write, those of intermediate arrays."""
        lines = [described(step, self.plan.stored) for step in self.plan.steps]
        traffic = sum(n.nbytes for step in self.plan.steps for n in touched(step, self.plan.stored))
        return tuple(lines), traffic, self.storage.layout.size

    def __call__(self, *inputs: Any) -> list[Any] | None:
        if self.entry is not None:
            results = self.entry(*inputs)
            if results is not NotImplemented:
                return list(results)
        try:
            space = self.pool.pop()
        except IndexError:
            space = Workspace(self.storage, self.constants)
        results = self.run(space, inputs)
        self.pool.append(space)
        return results

    def run(self, space: Workspace, inputs: Sequence[Any]) -> list[Any] | None:
        """The results, by the segments and the calls of NumPy between them, one by one."""
        storage, table = self.storage, space.table
        arrays: dict[Node, Any] = {}
        donated = set(storage.replaced.values())
        for node, x in zip(self.graph.inputs, inputs, strict=True):
            own = node in donated and not exclusive(x, inputs)
            arrays[node] = x = contiguous(x.copy() if own else x)
            table[storage.pointer[node]] = x.ctypes.data
        for node, x in storage.replaced.items():
            arrays[node] = arrays[x]
        for node in storage.fresh:
            arrays[node] = out = self.results.array(node)
            table[storage.pointer[node]] = out.ctypes.data
        status = 0
        for segment in self.code.segments:
            if isinstance(segment, Segment):
                status |= self.functions[segment.name](table)
            else:
                self.step(space, segment, arrays)
        results = [arrays[x] for x in self.graph.outputs]
        if status & OUT_OF_RANGE:
            return NumpyProgram(self.source)(*inputs)
        if status or any(has_nan(results[i]) for i in self.objects):
            return None
        kept = [x for n, x in zip(self.graph.inputs, inputs, strict=True) if n not in donated]
        return owned(results, kept)

    def step(self, space: Workspace, step: Step, arrays: dict[Node, Any]) -> None:
        """Run one operation with NumPy."""
        node = step.node
        args = [self.array(space, view, arrays) for view in step.operands]
        with numpy.errstate(all="ignore"):
            result = computed(node, args)
        if node.dtype is not None:
            result = contiguous(result)
            space.table[self.storage.pointer[node]] = result.ctypes.data
        arrays[node] = result

    def array(self, space: Workspace, view: View, arrays: dict[Node, Any]) -> Any:
        """A view as NumPy has it."""
        base = view.base
        if base.op == "number":
            return base.params["value"]
        if base.dtype is None:
            return arrays[base]
        if base.op == "constant":
            data = self.constants[self.storage.constants.index(base)]
        elif base in arrays:
            data = arrays[base]
        else:
            start = space.start + self.storage.layout.offsets[base]
            data = space.block[start : start + base.nbytes].view(base.dtype)
        size = base.dtype.itemsize
        if view == whole(base):
            result = data.reshape(base.shape)
        else:
            strides = tuple(size * s for s in view.strides)
            result = ndarray(view.shape, base.dtype, data, view.offset * size, strides)
        return result if result.shape else result[()]


def touched(step: Group | Step, stored: set[Node]) -> set[Node]:
    """The arrays that a step reads or writes."""
    if isinstance(step, Step):
        return {step.node, *(v.base for v in step.operands)}
    read = {x.base for xs in step.operands.values() for x in xs if isinstance(x, View)}
    return read | {n for n in step.nodes if n in stored}


def described(step: Group | Step, stored: set[Node]) -> str:
    """A step in words."""
    if isinstance(step, Step):
        by = "" if step.native else " by NumPy"
        return f"{step.node.op}{by}: {kind(step.node)}"
    size = " x ".join(map(str, step.domain)) if step.domain[0] != 1 else str(step.domain[1])
    kept = ", ".join(kind(n) for n in step.nodes if n in stored)
    return f"loop over {size}: {len(step.nodes)} operations, giving {kept}"


def exclusive(x: Any, others: Sequence[Any]) -> bool:
    """Whether an array can be written to, and nothing of it is in another."""
    return (
        type(x) is ndarray
        and x.flags.carray
        and x.base is None
        and not any(numpy.may_share_memory(x, y) for y in others if y is not x)
        and sum(y is x for y in others) == 1
    )


def computed(node: Node, args: list[Any]) -> Any:
    """What NumPy gives for a node."""
    if node.op == "copy":
        return args[0].copy()
    if node.op == "cast":
        (x,) = args
        real = x.dtype.kind == "c" and node.dtype.kind not in "cb"
        return (x.real if real else x).astype(node.dtype)
    assert node.call is not None
    return node.call.forward(numpy, *args, **node.params)


def contiguous(x: Any) -> ndarray:
    """An array or scalar as an array in C order, aligned."""
    if type(x) is not ndarray:
        x = numpy.array(x)
    return x if x.flags.c_contiguous and x.flags.aligned else x.copy(order="C")
