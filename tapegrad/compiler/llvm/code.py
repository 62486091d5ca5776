"""The assembly of a plan: functions for its steps, of which equal ones share one, and a table of
steps for each run of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from ..graph import Node
from ..loops.groups import Group, Schedule, Step
from ..loops.parts import parts_of
from . import team
from .convolving import Convolutions, convolution_of
from .host import Host
from .indexing import write_index
from .parallel import write_parts
from .pooling import native_pool, write_pool
from .products import Products
from .row import write_group
from .storage import Storage
from .text import Function, Index

Pointer = Callable[[Function, Node | None], str]
"""Puts the address of a node's elements into a function, or for None that of spare memory."""

NAME = "loops"
"""What functions of arrays are called, with a number."""


@dataclass
class Segment:
    """Steps that one call of machine code runs, by the table of that name."""

    name: str
    steps: list[Group | Step] = field(default_factory=list)


def segments_of(plan: Schedule, apart: bool = False) -> list[Segment | Step]:
    """The runs of steps of a plan that have machine code, and between them the others.

    If `apart`, each step is a segment.
    """
    found: list[Segment | Step] = []
    for step in plan.steps:
        if isinstance(step, Step) and not step.native:
            found.append(step)
            continue
        if apart or not found or not isinstance(found[-1], Segment):
            found.append(Segment(f"segment{len(found)}"))
        last = found[-1]
        assert isinstance(last, Segment)
        last.steps.append(step)
    return found


class Code:
    """The assembly of a plan: functions, and a table for each segment, by which they are called.

    Large steps use as many `threads`.
    """

    def __init__(
        self,
        plan: Schedule,
        segments: Sequence[Segment],
        storage: Storage,
        watched: set[Node],
        machine: Host,
        fast: bool,
        threads: int,
    ) -> None:
        self.plan, self.storage, self.machine, self.fast = plan, storage, machine, fast
        self.threads = threads
        self.parts: list[str] = []
        self.needs: dict[str, str] = {}
        self.products = Products(machine)
        self.convolutions = Convolutions(machine)
        self.known: dict[str, str] = {}  # names of functions of arrays, by their text
        self.called: dict[int, tuple[str, list[Node | None]]] = {}  # for a step, with which arrays
        for segment in segments:
            for step in segment.steps:
                self.write(step, watched)
        for function in (*self.products.functions, *self.convolutions.functions):
            self.add(function)
        for segment in segments:
            self.parts.append(self.table(segment))

    def write(self, step: Group | Step, watched: set[Node]) -> None:
        """Add the function of a step."""
        machine = self.machine
        if isinstance(step, Group):
            self.group(f"step{step.index}", step, watched)
        elif step.node.op == "matmul":
            self.add_once(step, partial(self.products.write, step, step.node in watched))
        elif convolution_of(step.node) is not None:
            self.add_once(step, partial(self.convolve, step))
        elif native_pool(step.node):
            self.add_once(step, partial(write_pool, step, machine=machine))
        else:
            self.add_once(step, partial(write_index, step, machine=machine))

    def group(self, name: str, group: Group, watched: set[Node]) -> None:
        """Add the functions of a group."""
        storage, machine, fast = self.storage, self.machine, self.fast
        if parts_of(group) > 1:
            for function in write_parts(name, group, storage, watched, machine, fast, self.threads):
                self.add(function)
            return
        stored = self.plan.stored
        self.add_once(
            group, lambda name, at: write_group(name, group, stored, watched, at, machine, fast)
        )

    def convolve(self, step: Step, name: str, pointer: Pointer) -> Function:
        """The function of a convolution, which takes spare memory beside its arrays."""
        return self.convolutions.write(step, name, pointer, lambda f: pointer(f, None))

    def add_once(self, step: Group | Step, write: Callable[[str, Pointer], Function]) -> None:
        """Add the function of a step, with pointers to its arrays, if there is none that is equal.

        ``write(name, pointer)`` writes it as a function of the table.
        """
        operands: dict[Node | None, str] = {}

        def pointer(_: Function, node: Node | None) -> str:
            return operands.setdefault(node, f"%p{len(operands)}")

        function = write(NAME, pointer)
        function.lines[:0] = [
            line
            for i, name in enumerate(operands.values())
            for line in (
                f"  {name}.at = getelementptr ptr, ptr %table, i64 {i}",
                f"  {name} = load ptr, ptr {name}.at",
            )
        ]
        text = function.text()
        if text not in self.known:
            self.known[text] = own = f"{NAME}{len(self.known)}"
            function.head = function.head.replace(f"@{NAME}(", f"@{own}(")
            self.add(function)
        self.called[step.index] = self.known[text], list(operands)

    def add(self, function: Function) -> None:
        self.parts.append(function.text())
        self.needs.update(function.needs)

    def table(self, segment: Segment) -> str:
        """The table of a segment's steps, as `run` takes it."""
        words: list[Index] = []
        most = 0
        for step in segment.steps:
            name, nodes = self.called.get(step.index, (f"step{step.index}", []))
            words += [f"@{name}", len(nodes)]
            most = max(most, len(nodes))
            for node in nodes:
                words += self.storage.place(node)
        values = [f"ptr {x}" if isinstance(x, str) else f"i64 {x}" for x in [most, *words, 0]]
        types = ", ".join(value.split()[0] for value in values)
        return f"@{segment.name} = constant {{ {types} }} {{ {', '.join(values)} }}\n"

    @property
    def imports(self) -> dict[str, int]:
        """The addresses of kernels that the code calls, by name."""
        kernels = self.products.imports | self.convolutions.imports
        return kernels | team.imports() if team.SHARE in self.needs else kernels

    @property
    def text(self) -> str:
        return "\n".join([*self.needs.values(), *self.parts])
