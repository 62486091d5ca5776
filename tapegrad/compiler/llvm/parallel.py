"""Large groups in parts: a function for a part, one that puts the parts together, one for all.

The parts run one after the other, or in several threads (see `team`).
"""

from __future__ import annotations

import numpy

from ..graph import Node
from ..loops.groups import COLUMN, MIXED, TOTAL, Group
from ..loops.parts import loops_of, parts_of, reduced_apart
from .elements import combine
from .group import in_double
from .host import Host
from .row import write_group
from .storage import Storage
from .text import Function, Index, Kind


def write_parts(
    name: str,
    group: Group,
    storage: Storage,
    watched: set[Node],
    host: Host,
    fast: bool,
    threads: int,
) -> list[Function]:
    """The functions of a group in parts, of which ``name`` is the one that runs it."""
    part = write_group(
        f"{name}.range",
        group,
        storage.stored,
        watched,
        storage.address,
        host,
        fast,
        storage.partial,
    )
    numbered = Function(f"define internal i32 @{name}.part(ptr %table, i64 %number)", glue=True)
    lengths, _ = loops_of(group)
    low, high = bounds(numbered, "%number", lengths[0], parts_of(group))
    given = f"ptr %table, i64 {low}, i64 {high}, i64 %number"
    numbered.do(f"ret i32 {numbered.let(f'call i32 @{name}.range({given})')}")
    end = write_end(f"{name}.end", group, storage, watched, host)
    whole = Function(f"define internal i32 @{name}(ptr %table)", glue=True)
    odd = run_parts(whole, f"{name}.part", parts_of(group), threads)
    last = whole.let(f"call i32 @{name}.end(ptr %table)")
    whole.do(f"ret i32 {whole.let(f'or i32 {odd}, {last}')}")
    return [part, numbered, end, whole]


def bounds(function: Function, number: str, length: int, parts: int) -> tuple[Index, Index]:
    """The range of a loop that a part has."""
    products = [function.times(i, length) for i in (number, function.plus(number, 1))]
    low, high = (function.let(f"udiv i64 {product}, {parts}") for product in products)
    return low, high


def run_parts(function: Function, part: str, parts: int, threads: int) -> str:
    """Call ``part(%table, number)`` for each number, and give the results, joined by `or`."""
    if threads > 1:
        given = [("ptr", f"@{part}"), ("ptr", "%table"), ("i64", str(parts)), ("i64", str(threads))]
        return function.call("i32", "tapegrad.share", *given)
    odd = function.variable("i32")
    function.do(f"store i32 0, ptr {odd}")

    def one(number: Index) -> None:
        own = function.let(f"call i32 @{part}(ptr %table, i64 {number})")
        before = function.let(f"load i32, ptr {odd}")
        function.do(f"store i32 {function.let(f'or i32 {before}, {own}')}, ptr {odd}")

    function.loop(0, parts, 1, one)
    return function.let(f"load i32, ptr {odd}")


def write_end(
    name: str, group: Group, storage: Storage, watched: set[Node], host: Host
) -> Function:
    """The function that combines the parts of each reduction, in their order."""
    f = Function(f"define internal i32 @{name}(ptr %table)")
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
