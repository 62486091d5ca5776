"""The memory plan: where in one block each intermediate array lies while it is needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..graph import Node
from .groups import Group, Schedule
from .views import View

ALIGNMENT = 64


def aligned(size: int) -> int:
    """So many bytes, rounded up."""
    return -(-size // ALIGNMENT) * ALIGNMENT


@dataclass
class Layout:
    """Offsets in bytes into a block of `size` bytes."""

    offsets: dict[Node, int]
    size: int


Span = Callable[[int], tuple[int, int]]
"""The numbers of the first and the last of the steps that are done together with one."""


def layout(plan: Schedule, nodes: set[Node], shared: Mapping[Node, Node], span: Span) -> Layout:
    """A place for each of some stored nodes, such that none that are needed at once overlap.

    The largest are placed first, each at the lowest place that is free for its time. Nodes in
    `shared` take the place of another.
    """
    first, last = spans(plan, span)
    owner = {node: node for node in nodes}
    for node in sorted(shared, key=plan.made_in.__getitem__):
        owner[node] = own = owner[shared[node]]
        last[own] = max(last[own], last[node])
    placed: list[tuple[int, int, Node]] = []
    offsets: dict[Node, int] = {}
    owners = (node for node in nodes if owner[node] is node)
    order = sorted(owners, key=lambda n: (-n.nbytes, n.number))
    for node in order:
        need = aligned(node.nbytes)
        at = 0
        for low, high, other in placed:  # by where they begin
            if last[other] < first[node] or first[other] > last[node]:
                continue
            if at + need <= low:
                break
            at = max(at, high)
        offsets[node] = at
        placed.append((at, at + need, node))
        placed.sort(key=lambda p: p[0])
    offsets = {node: offsets[owner[node]] for node in nodes}
    return Layout(offsets, max((high for _, high, _ in placed), default=0))


def spans(plan: Schedule, span: Span) -> tuple[dict[Node, int], dict[Node, int]]:
    """The steps in which each stored node is made and read last."""
    first = {node: span(plan.made_in[node])[0] for node in plan.stored}
    last = {node: span(plan.made_in[node])[1] for node in plan.stored}
    for step in plan.steps:
        for base in reads(step):
            if base in last:
                last[base] = max(last[base], span(step.index)[1])
    return first, last


def reads(step: object) -> list[Node]:
    """What a step reads from memory."""
    if isinstance(step, Group):
        return [x.base for xs in step.operands.values() for x in xs if isinstance(x, View)]
    return [x.base for x in getattr(step, "operands", ())]
