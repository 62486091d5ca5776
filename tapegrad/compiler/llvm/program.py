"""Graphs run as machine code, with calls of NumPy between for what has none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...backend import has_nan
from ..graph import Graph, Node, kind
from ..loops.groups import Group, Schedule, Step, schedule
from ..loops.prepare import Prepared
from ..loops.views import View
from ..memory import LARGE, Results
from ..numpy_program import NumpyProgram, owned
from ..report import operations_of
from .cache import Cache, key
from .code import Code
from .convolving import convolution_of
from .driver import Driver, contiguous
from .elements import native, native_dtype, reducible
from .entry import Entry, Item, builtin, imports, trustworthy
from .host import host
from .indexing import OUT_OF_RANGE, native_index
from .jit import Library, compile_object, load
from .pooling import native_pool
from .products import native_product
from .storage import Storage
from .team import threads

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
    return (
        native_product(node)
        or native_index(node)
        or convolution_of(node) is not None
        or native_pool(node)
    )


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
    which there must be no NaN, `donated` those of inputs whose memory results may take; `fast`
    allows fused products. If `apart`, Python calls each step by itself.
    """

    def __init__(
        self,
        graph: Graph,
        watched: Sequence[int],
        kinds: Sequence[type],
        donated: Sequence[int] = (),
        fast: bool = False,
        apart: bool = False,
    ) -> None:
        self.source = graph
        self.graph = Prepared(graph, in_loops)
        self.plan = schedule(self.graph, in_loops, native_step)
        self.storage = storage = Storage(self.plan, donated)
        nodes = {self.graph.outputs[i] for i in watched}
        self.code = code = Code(self.plan, storage, nodes, host(), fast, threads(), apart)
        self.objects = [i for i in watched if not looked_at(self.graph.outputs[i], self.plan)]
        self.constants = [contiguous(n.params["value"]) for n in storage.constants]
        self.large = [x for x in storage.fresh if x.nbytes >= LARGE]
        self.entry: Callable[..., Any] | None = None
        self.items: list[Item] = []
        self.object = b""
        self.needed: dict[str, int] = {}
        entry = None if apart else self.way_in(kinds)
        names = list(code.names)
        library: Library | None = None
        if entry is not None:
            code.add(entry.function)
            names.append("entry")
        if names:
            needed = {n: a for n, a in imports().items() if n in code.needs}
            needed.update(code.imports)
            self.object = object_of(code.text)
            self.needed = needed
            library = load(self.object, names, needed)
        self.driver = Driver(code, storage, self.constants, library)
        if entry is not None:
            assert library is not None
            self.items = entry.items
            self.entry = builtin(entry.items, self.constants, library["entry"], library)
            if self.large:
                self.entry = LargeEntry(self.entry, self.driver.results, self.large)

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
            self.storage.size,
            work,
        )

    def report(self) -> tuple[tuple[str, ...], int, int]:
        """Its steps in words, the bytes that they read and write, those of intermediate arrays."""
        lines = [described(step, self.plan.stored) for step in self.plan.steps]
        traffic = sum(n.nbytes for step in self.plan.steps for n in touched(step, self.plan.stored))
        return tuple(lines), traffic, self.storage.size

    def __call__(self, *inputs: Any) -> list[Any] | None:
        if self.entry is not None:
            results = self.entry(*inputs)
            if results is not NotImplemented:
                return list(results)
        status, results = self.driver.run(inputs)
        if status & OUT_OF_RANGE:
            return NumpyProgram(self.source, ())(*inputs)
        if status or any(has_nan(results[i]) for i in self.objects):
            return None
        replaced = self.storage.replaced.values()
        kept = [x for n, x in zip(self.graph.inputs, inputs, strict=True) if n not in replaced]
        return owned(results, kept)


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
