"""Runs of steps: functions that do a part of them all, and put together what was summed in parts.

The parts are done one after the other, or in several threads (see `team`).
"""

from __future__ import annotations

import numpy

from ..graph import Node
from ..loops.groups import COLUMN, MIXED, TOTAL, Group, Step
from ..loops.parts import loops_of, partial_bytes
from .arguments import BYTE, Beside
from .elements import combine
from .group import in_double
from .host import Host
from .runs import Run, length, summed
from .storage import Storage
from .team import SHARE
from .text import Function, Index, Kind

NUMBERED = "ptr %table, i64 %number, i64 %thread"
"""The arguments of a function that does a part of a run."""


def ranges_of(function: Function, run: Run) -> list[str]:
    """What the function of each step is given of a part, after its arrays (see `PART`)."""
    following, found = function.let("add i64 %number, 1"), []
    for step in run.steps:
        share = run.share(step)
        low = function.times("%number", share)
        high = function.times(following, share)
        if length(step) % share:
            most = [("i64", str(high)), ("i64", str(length(step)))]
            high = function.call("i64", "llvm.smin.i64", *most)
        found.append(f"i64 {low}, i64 {high}, i64 %number, i64 %thread")
    return found


def call_parts(function: Function, part: str, parts: int, threads: int) -> str:
    """Call ``part(%table, number, thread)`` for each number, and give the results' `or`."""
    if threads > 1:
        given = [("ptr", f"@{part}"), ("ptr", "%table"), ("i64", str(parts)), ("i64", str(threads))]
        return function.call("i32", SHARE, *given)
    odd = function.variable("i32")
    function.do(f"store i32 0, ptr {odd}")

    def one(number: Index) -> None:
        own = function.let(f"call i32 @{part}(ptr %table, i64 {number}, i64 0)")
        before = function.let(f"load i32, ptr {odd}")
        function.do(f"store i32 {function.let(f'or i32 {before}, {own}')}, ptr {odd}")

    function.loop(0, parts, 1, one)
    return function.let(f"load i32, ptr {odd}")


def write_end(
    name: str, run: Run, storage: Storage, watched: set[Node], host: Host
) -> Function | None:
    """The function that puts together what the parts have summed; None where that is nothing."""
    f = Function(f"define internal i32 @{name}(ptr %table)")
    odd = f.variable("i32")
    f.do(f"store i32 0, ptr {odd}")
    empty = len(f.lines)
    for step in run.steps:
        apart = summed(step)
        for node in apart:
            start = storage.address(f, Beside(node, "partial"))
            sources = [f.at(BYTE, start, p * partial_bytes(node)) for p in range(run.parts)]
            Combination(f, odd, step, node, sources, storage, node in watched).write(host)
        if isinstance(step, Group):
            for node in step.nodes:
                if step.role[node] in (COLUMN, MIXED) and node in watched and node not in apart:
                    sources = [storage.address(f, node)]  # to look at
                    Combination(f, odd, step, node, sources, storage, watched=True).write(host)
    if len(f.lines) == empty:
        return None
    f.do(f"ret i32 {f.let(f'load i32, ptr {odd}')}")
    return f


class Combination:
    """Writes how the parts of one sum are combined; `odd` is a variable to note NaN in."""

    def __init__(
        self,
        function: Function,
        odd: str,
        step: Group | Step,
        node: Node,
        sources: list[str],
        storage: Storage,
        watched: bool,
    ) -> None:
        self.function = function
        self.odd = odd
        self.node = node
        self.watched = watched
        self.sources = sources
        self.target = storage.address(function, node)
        self.op = node.op if isinstance(step, Group) else "sum"
        self.double = False
        if isinstance(step, Group) and step.role[node] == TOTAL:
            lengths, _ = loops_of(step)
            self.double = in_double(node, lengths[-1])
        self.dtype = numpy.dtype("f8") if self.double else node.dtype

    def write(self, host: Host) -> None:
        width = host.lanes(self.dtype.itemsize)
        whole = self.node.size // width * width
        self.function.loop(0, whole, width, lambda i: self.combine(Kind(self.dtype, width), i))
        self.function.loop(whole, self.node.size, 1, lambda i: self.combine(self.one, i))

    @property
    def one(self) -> Kind:
        return Kind(self.dtype, 1)

    def combine(self, kind: Kind, i: Index) -> None:
        """Elements of the result from those of the parts."""
        f = self.function
        first, *others = [f.load(kind, f.at(kind, source, i)) for source in self.sources]
        for other in others:
            first = combine(f, self.op, kind, first, other)
        out = Kind(self.node.dtype, kind.width)
        if self.double:
            first = f.let(f"fptrunc {kind.text} {first} to {out.text}")
        f.store(out, first, f.at(out, self.target, i))
        if not self.watched:
            return
        nan = f.let(f"fcmp uno {out.text} {first}, {first}")
        if out.width > 1:
            bits = f.let(f"bitcast {out.mask} {nan} to i{out.width}")
            nan = f.let(f"icmp ne i{out.width} {bits}, 0")
        before = f.let(f"load i32, ptr {self.odd}")
        total = f.let(f"or i32 {before}, {f.let(f'zext i1 {nan} to i32')}")
        f.do(f"store i32 {total}, ptr {self.odd}")
