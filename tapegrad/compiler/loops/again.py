"""What is cheap is computed again in the loops that read it, rather than written and read."""

from __future__ import annotations

from ..graph import Node
from .groups import FULL, ROW, Group, Schedule, add_cuts, consistent, constant, in_order
from .memory import reads
from .stages import price
from .views import View, whole

LARGE = 1 << 16
"""Bytes from which on reading an array takes longer than computing it: it fills the first cache."""


def compute_again(plan: Schedule) -> None:
    """Let groups compute what they read of others by one simple operation, from other memory.

    An array is left out if all of its readers can, and none reads twice as much for it.
    """
    kept = set(plan.graph.outputs)
    readers: dict[Node, list[Group]] = {}
    for step in plan.steps:
        for base in set(reads(step)):
            if isinstance(step, Group):
                readers.setdefault(base, []).append(step)
            else:
                kept.add(base)
    for group in plan.steps:
        if not isinstance(group, Group):
            continue
        for node in list(group.nodes):
            if node in kept or node not in plan.stored or plan.made_in[node] != group.index:
                continue
            if group.role[node] != FULL or node.nbytes < LARGE or price(node) > 1:
                continue
            copies = [Copy(plan, group, node, reader) for reader in readers[node]]
            if all(copy.possible for copy in copies):
                for copy in copies:
                    copy.make(plan)
                    for base in copy.more:
                        readers.setdefault(base, []).append(copy.reader)
                plan.stored.discard(node)


class Copy:
    """A node of a group, as another group would compute it; `more` is what that would read anew."""

    def __init__(self, plan: Schedule, group: Group, node: Node, reader: Group) -> None:
        self.node = node
        self.reader = reader
        self.cuts, self.solid = set(reader.cuts), set(reader.solid)
        operands = [self.operand(plan, group, x) for x in group.operands[node]]
        self.operands = [x for x in operands if x is not None]
        views = [x for x in self.operands if isinstance(x, View) and not constant(x)]
        for view in views:
            add_cuts(view, 1, self.cuts, self.solid)
        self.more = {view.base for view in views} - set(reads(reader))
        whole_rows = not reader.has_rows or min(self.cuts, default=0) >= reader.domain[1]
        self.possible = (
            reader.domain == group.domain
            and len(self.operands) == len(operands)
            and sum(base.nbytes for base in self.more) < 2 * node.nbytes
            and consistent(self.cuts, self.solid)
            and whole_rows
            and all(
                reader.role[other] != ROW and in_order(x, reader.domain)
                for other, given in reader.operands.items()
                for x in given
                if isinstance(x, View) and x.base is node
            )
        )

    def operand(self, plan: Schedule, group: Group, x: Node | View) -> Node | View | None:
        """What the other group reads for an operand, None if it cannot."""
        if isinstance(x, View):
            scattered = x.windowed or (x.strides and x.strides[-1] not in (0, 1))
            return None if scattered else x
        if group.role[x] != FULL:
            return None
        if x in self.reader.role:
            return x
        return whole(x) if x in plan.stored else None

    def make(self, plan: Schedule) -> None:
        """Put it into the other group, before what reads it."""
        reader, node = self.reader, self.node
        reader.cuts, reader.solid = self.cuts, self.solid
        for other, given in reader.operands.items():
            reader.operands[other] = tuple(
                node if isinstance(x, View) and x.base is node else x for x in given
            )
        copied = sum(plan.made_in[x] != reader.index for x in reader.nodes)
        reader.nodes.insert(copied, node)
        reader.role[node] = FULL
        reader.operands[node] = tuple(self.operands)
