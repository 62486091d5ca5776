"""The assembly of a plan: functions for its steps, of which equal ones share one, and tables of
which function comes when, with which arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from ..graph import Node
from ..loops.groups import Group, Schedule, Step
from . import team
from .arguments import Place, Pointer
from .columns import write_group
from .convolving import Convolutions, convolution_of, turns
from .host import Host
from .indexing import write_index
from .parallel import NUMBERED, call_parts, ranges_of, write_end
from .pooling import native_pool, write_pool
from .products import Products
from .runs import Run, Runs
from .storage import Storage
from .text import Function, Index

NAME = "loops"
"""What functions of arrays are called, with a number."""

Call = tuple[str, Sequence[Place]]
"""A function, and which arrays it takes; with none, it gets the pointers to all."""


@dataclass
class Segment:
    """Steps that one call of machine code runs, by the table of that name."""

    name: str
    steps: list[Group | Step] = field(default_factory=list)


def segments_of(plan: Schedule, runs: Runs, apart: bool = False) -> list[Segment | Step]:
    """The steps of a plan that follow each other in machine code, and between them the others.

    If `apart`, each run, or step outside of one, is a segment.
    """
    found: list[Segment | Step] = []
    for step in plan.steps:
        if isinstance(step, Step) and not step.native:
            found.append(step)
            continue
        begins = apart and runs.begins(step)
        if begins or not found or not isinstance(found[-1], Segment):
            found.append(Segment(f"segment{len(found)}"))
        last = found[-1]
        assert isinstance(last, Segment)
        last.steps.append(step)
    return found


class Code:
    """The assembly of a plan: functions, and a table for each segment, by which they are called."""

    def __init__(
        self,
        plan: Schedule,
        segments: Sequence[Segment],
        storage: Storage,
        runs: Runs,
        watched: set[Node],
        machine: Host,
        fast: bool,
    ) -> None:
        self.plan, self.storage, self.machine, self.fast = plan, storage, machine, fast
        self.runs, self.watched = runs, watched
        self.parts: list[str] = []
        self.needs: dict[str, str] = {}
        self.products = Products(machine)
        self.convolutions = Convolutions(machine)
        self.known: dict[str, str] = {}  # names of functions of arrays, by their text
        for segment in segments:
            calls: list[Call] = []
            for step in segment.steps:
                run = runs.of.get(step.index)
                if run is None:
                    calls.append(self.step(step))
                elif runs.begins(step):
                    calls += self.run(run)
            self.parts.append(table(segment.name, calls, storage))
        for function in (*self.products.functions, *self.convolutions.functions):
            self.add(function)

    def step(self, step: Group | Step, run: Run | None = None) -> Call:
        """Add the function of a step, or of a part of one that is done in a run."""
        machine, by_parts = self.machine, run is not None
        write: Callable[[str, Pointer], Function]
        if isinstance(step, Group):
            stored, watched, fast = self.plan.stored, self.watched, self.fast
            group = step

            def write(name: str, at: Pointer) -> Function:
                return write_group(name, group, stored, watched, at, machine, fast, by_parts)

        elif step.node.op == "matmul":
            rows = run.share(step) if run is not None else None
            write = partial(self.products.write, step, step.node in self.watched, rows=rows)
        elif convolution_of(step.node) is not None:
            write = partial(self.convolutions.write, step, by_parts=by_parts)
        elif native_pool(step.node):
            write = partial(write_pool, step, machine=machine, by_parts=by_parts)
        else:
            write = partial(write_index, step, machine=machine)
        return self.add_once(write)

    def run(self, run: Run) -> list[Call]:
        """Add the functions of a run: what comes before its parts, these, and what comes after."""
        name, storage = f"run{run.steps[0].index}", self.storage
        calls = [
            self.add_once(partial(self.convolutions.write_before, step))
            for step in run.steps
            if isinstance(step, Step) and turns(step.node)
        ]
        called = [self.step(step, run) for step in run.steps]
        part = Function(f"define internal i32 @{name}.part({NUMBERED})", glue=True)
        part.do(f"ret i32 {self.call_part(part, run, called)}")
        self.add(part)
        whole = Function(f"define internal i32 @{name}(ptr %table)", glue=True)
        whole.do(f"ret i32 {call_parts(whole, f'{name}.part', run.parts, self.runs.threads)}")
        self.add(whole)
        calls.append((name, []))
        end = write_end(f"{name}.end", run, storage, self.watched, self.machine)
        if end is not None:
            self.add(end)
            calls.append((f"{name}.end", []))
        return calls

    def add_once(self, write: Callable[[str, Pointer], Function]) -> Call:
        """Add the function of a step, with pointers to its arrays, if there is none that is equal.

        ``write(name, pointer)`` writes it as a function of the table.
        """
        operands: dict[Place, str] = {}

        def pointer(_: Function, place: Place) -> str:
            return operands.setdefault(place, f"%p{len(operands)}")

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
        return self.known[text], list(operands)

    def add(self, function: Function) -> None:
        self.parts.append(function.text())
        self.needs.update(function.needs)

    def call_part(self, f: Function, run: Run, calls: Sequence[Call]) -> str:
        """Call the functions of a run's steps for a part, and give the results, joined by `or`."""
        total = "0"
        for (name, places), given in zip(calls, ranges_of(f, run), strict=True):
            table = f.variable(f"[{len(places)} x ptr]")
            for i, place in enumerate(places):
                entry = f.let(f"getelementptr ptr, ptr {table}, i64 {i}")
                f.do(f"store ptr {self.storage.address(f, place)}, ptr {entry}")
            odd = f.let(f"call i32 @{name}(ptr {table}, {given})")
            total = f.let(f"or i32 {total}, {odd}")
        return total

    @property
    def imports(self) -> dict[str, int]:
        """The addresses of kernels that the code calls, by name."""
        kernels = self.products.imports | self.convolutions.imports
        return kernels | team.imports() if team.SHARE in self.needs else kernels

    @property
    def text(self) -> str:
        return "\n".join([*self.needs.values(), *self.parts])


def table(name: str, calls: Sequence[Call], storage: Storage) -> str:
    """The table of functions of a segment, as `run` takes it (see `entry_machine`)."""
    words: list[Index] = [max(len(places) for _, places in calls)]
    for function, places in calls:
        words += [f"@{function}", len(places)]
        for place in places:
            words += storage.place(place)
    values = [f"ptr {x}" if isinstance(x, str) else f"i64 {x}" for x in [*words, 0]]
    types = ", ".join(value.split()[0] for value in values)
    return f"@{name} = constant {{ {types} }} {{ {', '.join(values)} }}\n"
