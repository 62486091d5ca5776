"""Large groups in parts: a function for a part, one that puts the parts together, one for all.

The parts run one after the other in the program's own function, or in several threads, if most of
the program's work is in such groups: what runs in one thread is better run as one function.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy

from ..graph import Node
from ..loops.groups import COLUMN, MIXED, TOTAL, Group, Step
from ..loops.parts import bounds, loops_of, parts_of, reduced_apart, work_of
from ..report import operations_of
from .elements import combine
from .group import in_double
from .host import Host
from .row import write_group
from .storage import Storage
from .text import Function, Index, Kind


def write_parts(
    name: str, group: Group, storage: Storage, watched: set[Node], host: Host, fast: bool
) -> list[Function]:
    """The functions of a group in parts: ``name.part``, ``name.end`` and ``name`` for all."""
    stored = storage.stored
    part = write_group(
        f"{name}.part",
        group,
        stored,
        watched,
        storage.address,
        host,
        fast,
        storage.partial,
    )
    end = write_end(f"{name}.end", group, storage, watched, host)
    whole = Function(f"define internal i32 @{name}(ptr %table)")
    lengths, _ = loops_of(group)
    status = "0"
    for number, (low, high) in enumerate(bounds(lengths[0], parts_of(group))):
        given = f"ptr %table, i64 {low}, i64 {high}, i64 {number}"
        odd = whole.let(f"call i32 @{name}.part({given})")
        status = whole.let(f"or i32 {status}, {odd}")
    odd = whole.let(f"call i32 @{name}.end(ptr %table)")
    whole.do(f"ret i32 {whole.let(f'or i32 {status}, {odd}')}")
    return [part, end, whole]


def write_end(
    name: str, group: Group, storage: Storage, watched: set[Node], host: Host
) -> Function:
    """The function that combines the parts of each reduction, in their order."""
    f = Function(f"define i32 @{name}(ptr %table)")
    odd = f.variable("i32")
    f.do(f"store i32 0, ptr {odd}")
    apart = reduced_apart(group)
    for node in group.nodes:
        if node in apart:
            sources = [storage.partial(f, node, p) for p in range(parts_of(group))]
        elif group.role[node] in (COLUMN, MIXED) and node in watched:
            sources = [storage.address(f, node)]  # to look at
        else:
            continue
        Combination(f, odd, group, node, sources, storage, node in watched).write(host)
    f.do(f"ret i32 {f.let(f'load i32, ptr {odd}')}")
    return f


class Combination:
    """Writes how the parts of one reduction are combined; `odd` is a variable to note NaN in."""

    def __init__(
        self,
        function: Function,
        odd: str,
        group: Group,
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
        lengths, _ = loops_of(group)
        self.double = group.role[node] == TOTAL and in_double(node, lengths[-1])
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
            first = combine(f, self.node.op, kind, first, other)
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


QUICK = 25
"""Operations of a matrix product that take as long as one on elements of a group."""


def threads_for(steps: Sequence[Group | Step]) -> int:
    """How many threads the large groups of a program use: one, if that is not most of the work."""
    shared = alone = 0
    for step in steps:
        if isinstance(step, Step):
            alone += max(step.node.size, operations_of(step.node) // QUICK)
        elif parts_of(step) > 1:
            shared += work_of(step)
        else:
            alone += work_of(step)
    return threads() if shared > alone else 1


def threads() -> int:
    """How many threads large groups use: `OMP_NUM_THREADS`, or as many as there are processors."""
    wanted = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0]
    if wanted.strip().isdigit() and int(wanted) > 0:
        return int(wanted)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@functools.cache
def workers(process: int, count: int) -> ThreadPoolExecutor:
    """The threads of a process that help."""
    return ThreadPoolExecutor(count, thread_name_prefix="tapegrad-part")


class Parallel:
    """A group whose parts run in several threads; called with the table of pointers."""

    def __init__(
        self,
        part: Callable[..., int],
        end: Callable[..., int],
        ranges: Sequence[tuple[int, int]],
        count: int,
    ) -> None:
        self.part = part
        self.end = end
        self.ranges = ranges
        self.count = count

    def __call__(self, table: Any) -> int:
        waiting = iter(list(enumerate(self.ranges)))
        pool = workers(os.getpid(), self.count - 1)
        helpers = [pool.submit(self.work, table, waiting) for _ in range(self.count - 1)]
        status = self.work(table, waiting)
        for helper in helpers:
            status |= helper.result()
        return status | self.end(table)

    def work(self, table: Any, waiting: Iterator[tuple[int, tuple[int, int]]]) -> int:
        """Run parts for as long as there are some that nobody runs."""
        status = 0
        for number, (low, high) in waiting:
            status |= self.part(table, low, high, number)
        return status
