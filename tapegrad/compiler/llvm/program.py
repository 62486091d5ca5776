"""Graphs run as machine code, with calls of NumPy between for what has none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ...backend import has_nan
from ..graph import Graph, Node, kind
from ..loops.again import compute_again
from ..loops.groups import Group, Schedule, Step, schedule
from ..loops.prepare import Prepared
from ..loops.views import View
from ..numpy_program import NumpyProgram, owned
from ..report import operations_of
from .cache import Cache, key
from .code import Code, Segment, segments_of
from .convolving import convolution_of
from .driver import Driver, contiguous
from .elements import native, native_dtype, reducible
from .entry import Description, builtin, description, trustworthy
from .host import host
from .indexing import OUT_OF_RANGE, native_index
from .jit import Library, compile_object, load
from .pooling import native_pool
from .products import native_product
from .runs import Run, Runs
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


class Assembled(NamedTuple):
    """The machine code of a program, and the addresses of functions that it calls, by name."""

    code: bytes
    imports: Mapping[str, int]


def assembled(code: Code) -> Assembled:
    """The machine code of a program."""
    return Assembled(compile_object(code.text, host()), code.imports)


def assembled_before(code: Code) -> Assembled:
    """The machine code of a program: what is on disk, if the same assembly was compiled before."""
    cache, name = Cache(), key(code.text.encode(), host(), VERSION)
    found = cache.get(name)
    if found is None:
        found = compile_object(code.text, host())
        cache.put(name, found)
    return Assembled(found, code.imports)


class LlvmProgram:
    """A graph as a function of raw arrays that gives a list of arrays of the caller's own.

    `entry` is the same as machine code, for programs that are nothing else; it gives
    `NotImplemented` where anything is not as expected. `watched` are the numbers of outputs in
    which there must be no NaN, `donated` those of inputs whose memory results may take; `fast`
    allows fused products. If `apart`, Python calls each step, or run of them, by itself. `made` is
    the machine code, if it is there, or makes it.
    """

    def __init__(
        self,
        graph: Graph,
        watched: Sequence[int],
        kinds: Sequence[type],
        donated: Sequence[int] = (),
        fast: bool = False,
        apart: bool = False,
        made: Assembled | Callable[[Code], Assembled] = assembled_before,
    ) -> None:
        self.source = graph
        self.graph = Prepared(graph, in_loops)
        self.plan = schedule(self.graph, in_loops, native_step)
        compute_again(self.plan)
        self.runs = runs = Runs(self.plan, threads())
        self.storage = storage = Storage(self.plan, runs, donated)
        self.segments = segments_of(self.plan, runs, apart)
        native = [s for s in self.segments if isinstance(s, Segment)]
        self.names = [s.name for s in native]
        self.objects = [i for i in watched if not looked_at(self.graph.outputs[i], self.plan)]
        self.constants = [contiguous(n.params["value"]) for n in storage.constants]
        library: Library | None = None
        if native:
            if not isinstance(made, Assembled):
                nodes = {self.graph.outputs[i] for i in watched}
                made = made(Code(self.plan, native, storage, runs, nodes, host(), fast))
            library = load(made.code, self.names, made.imports)
        self.assembled = made
        self.driver = Driver(self.segments, storage, self.constants, library)
        self.description = None if apart else self.way_in(kinds)
        self.entry: Callable[..., Any] | None = None
        if self.description is not None:
            assert library is not None
            steps = library[self.names[0]]
            self.entry = builtin(self.description, self.constants, steps, library)

    def way_in(self, kinds: Sequence[type]) -> Description | None:
        """What the entry takes and gives, if the program has one segment."""
        graph = self.graph
        if self.objects or len(kinds) != len(graph.inputs) or not trustworthy():
            return None
        if len(self.names) != 1 or len(self.segments) != 1:
            return None
        work = sum(map(operations_of, graph.order()))
        storage = self.storage
        return description(
            graph.inputs, kinds, storage.outputs, storage.replaced, storage.size, work
        )

    def report(self) -> tuple[tuple[str, ...], int, int]:
        """Its steps in words, the bytes that they read and write, those of intermediate arrays."""
        lines = [
            described(self.runs.of.get(step.index, step), self.plan.stored)
            for step in self.plan.steps
            if self.runs.begins(step)
        ]
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


def described(step: Group | Step | Run, stored: set[Node]) -> str:
    """A step or a run in words."""
    if isinstance(step, Run):
        steps = "; ".join(described(own, stored) for own in step.steps)
        return f"{steps}; in {step.parts} parts"
    if isinstance(step, Step):
        by = "" if step.native else " by NumPy"
        return f"{step.node.op}{by}: {kind(step.node)}"
    size = " x ".join(map(str, step.domain)) if step.domain[0] != 1 else str(step.domain[1])
    kept = ", ".join(kind(n) for n in step.nodes if n in stored)
    return f"loop over {size}: {len(step.nodes)} operations, giving {kept}"
