"""Runs a program step by step: machine code, and NumPy for the operations that have none."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy
from numpy import ndarray

from ..graph import Node
from ..loops.groups import Step
from ..loops.memory import reads
from ..loops.views import View, whole
from ..memory import Results
from .code import Segment
from .jit import Library
from .machine import machine
from .storage import Storage, Workspace, seen

VALUE, SCALAR, LITERAL, IN_BLOCK, STRIDED = range(5)
"""What an operand of NumPy's is: a value as it is, its number, a constant, an array in the block,
a view of a value."""


@dataclass(frozen=True)
class Call:
    """An operation that NumPy runs; `pointer` is the place of its result in the table, if machine
    code reads it."""

    compute: Callable[..., Any]
    operands: tuple[tuple[int, Any, View], ...]
    slot: int
    pointer: int | None


class Driver:
    """The steps of a program as Python runs them."""

    def __init__(
        self,
        segments: Sequence[Segment | Step],
        storage: Storage,
        constants: Sequence[ndarray],
        library: Library | None,
    ) -> None:
        self.storage = storage
        self.constants = constants
        self.library = library  # the code lives as long as this is referred to
        self.slots: dict[Node, int] = {}
        graph = storage.graph
        for node in (*graph.inputs, *storage.outputs):
            self.slots[node] = len(self.slots)
        self.views: list[View] = []
        native = [step for s in segments if isinstance(s, Segment) for step in s.steps]
        exposed = {base for step in native for base in reads(step)}
        run = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(machine()["run"])
        self.actions: list[Any] = []
        for part in segments:
            if isinstance(part, Segment):
                assert library is not None
                self.actions.append(partial(all_of, run, library[part.name]))
            else:
                self.actions.append(self.call(part, part.node in exposed))
        self.returned = [self.slots[x] for x in graph.outputs]
        self.pool: list[Workspace] = []
        self.results = Results()

    def call(self, step: Step, exposed: bool) -> Call:
        node = step.node
        operands = tuple(map(self.operand, step.operands))
        slot = self.slots.setdefault(node, len(self.slots))
        pointer = self.storage.pointer[node] if exposed else None
        return Call(compute_of(node), operands, slot, pointer)

    def operand(self, view: View) -> tuple[int, Any, View]:
        """How an operand is found."""
        base = view.base
        if base.op == "number":
            return LITERAL, base.params["value"], view
        if base.op == "constant":
            data = self.constants[self.storage.constants.index(base)]
            return LITERAL, seen(view, data)[()], view
        if base in self.storage.layout.offsets:
            self.views.append(view)
            return IN_BLOCK, len(self.views) - 1, view
        slot = self.slots[base]
        if base.dtype is None:
            return VALUE, slot, view
        if view != whole(base):
            return STRIDED, slot, view
        return (VALUE if view.shape else SCALAR), slot, view

    def run(self, inputs: Sequence[Any]) -> tuple[int, list[Any]]:
        """The status and the results."""
        try:
            space = self.pool.pop()
        except IndexError:
            space = Workspace(self.storage, self.constants, self.views)
        storage, table = self.storage, space.table
        values: list[Any] = [None] * len(self.slots)
        donated = storage.replaced.values()
        for i, (node, x) in enumerate(zip(storage.graph.inputs, inputs, strict=True)):
            own = node in donated and not exclusive(x, inputs)
            values[i] = x = contiguous(x.copy() if own else x)
            table[storage.pointer[node]] = x.ctypes.data
        for node, x in storage.replaced.items():
            values[self.slots[node]] = values[self.slots[x]]
        for node in storage.fresh:
            values[self.slots[node]] = out = self.results.array(node)
            table[storage.pointer[node]] = out.ctypes.data
        status = 0
        with numpy.errstate(all="ignore"):
            for action in self.actions:
                if type(action) is not Call:
                    status |= action(table)
                    continue
                args = [
                    fetched(kind, at, view, values, space) for kind, at, view in action.operands
                ]
                result = action.compute(*args)
                if action.pointer is not None:
                    result = contiguous(result)
                    table[action.pointer] = result.ctypes.data
                values[action.slot] = result
        self.pool.append(space)
        return status, [values[slot] for slot in self.returned]


def all_of(run: Callable[[Any, int], int], steps: int, table: Any) -> int:
    """Run a table of steps."""
    return run(table, steps)


def fetched(kind: int, at: Any, view: View, values: list[Any], space: Workspace) -> Any:
    """An operand for NumPy."""
    if kind == VALUE:
        return values[at]
    if kind == LITERAL:
        return at
    if kind == IN_BLOCK:
        x = space.views[at]
        return x if x.shape else x[()]
    if kind == SCALAR:
        return values[at][()]
    return seen(view, contiguous(values[at]))[()]


def compute_of(node: Node) -> Callable[..., Any]:
    """What gives a node's result with NumPy."""
    if node.op == "copy":
        return numpy.copy
    if node.op == "cast":
        (x,) = node.inputs
        real = x.dtype.kind == "c" and node.dtype.kind not in "cb"
        return partial(converted, to=node.dtype, real=real)
    assert node.call is not None
    return partial(node.call.forward, numpy, **node.params)


def converted(x: Any, to: Any, real: bool) -> Any:
    return numpy.asarray(x.real if real else x).astype(to)


def exclusive(x: Any, others: Sequence[Any]) -> bool:
    """Whether an array can be written to, and nothing of it is in another."""
    return (
        type(x) is ndarray
        and x.flags.carray
        and x.base is None
        and not any(numpy.may_share_memory(x, y) for y in others if y is not x)
        and sum(y is x for y in others) == 1
    )


def contiguous(x: Any) -> ndarray:
    """An array or scalar as an array in C order, aligned."""
    if type(x) is not ndarray:
        x = numpy.array(x)
    return x if x.flags.c_contiguous and x.flags.aligned else x.copy(order="C")
