"""Stages: in how many passes a group goes over each row, and what it computes in each.

A reduction of the row is known after the pass that it is made in; what depends on it comes in a
later one. Elements that a later pass needs again are computed again where that is cheap, and kept
in a scratch row where it is not.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..graph import Node
from .groups import FULL, PER_ROW, ROW, Group

CHEAP = 6
"""What an element may cost, in simple operations, to be computed again."""

SIMPLE = frozenset(
    [
        "add",
        "subtract",
        "multiply",
        "negative",
        "abs",
        "maximum",
        "minimum",
        "where",
        "copy",
        "equal",
        "not_equal",
        "less",
        "less_equal",
        "greater",
        "greater_equal",
        "cast",
        "logical_and",
        "logical_or",
        "logical_xor",
        "logical_not",
    ]
)


@dataclass(eq=False)
class Stage:
    """One pass: row values to compute first, elements to compute (or to `load` from scratch), in
    order, and reductions to make."""

    rows: list[Node] = field(default_factory=list)
    elements: list[Node] = field(default_factory=list)
    load: set[Node] = field(default_factory=set)
    reductions: list[Node] = field(default_factory=list)

    @property
    def work(self) -> int:
        """What an element takes in it, in simple operations."""
        return sum(price(n) for n in self.elements if n not in self.load) + len(self.reductions)


@dataclass
class Stages:
    passes: list[Stage]
    scratch: set[Node]


def stages_of(group: Group, stored: set[Node]) -> Stages:
    """The stages of a group; `stored` are the nodes whose elements go to memory."""
    level = levels(group)
    passes = [Stage() for _ in range(max(level.values()) + 1)]
    position = {node: i for i, node in enumerate(group.nodes)}
    cost = costs(group)
    done: set[Node] = set()
    scratch: set[Node] = set()
    for number, stage in enumerate(passes):
        wanted: set[Node] = set()
        for node in group.nodes:
            if level[node] != number:
                continue
            role = group.role[node]
            if role == ROW:
                stage.rows.append(node)
            elif role != FULL:
                stage.reductions.append(node)
                wanted.update(registers(group, node))
            elif node in stored:
                wanted.add(node)
        waiting = [x for x in wanted if group.role[x] == FULL]
        seen: set[Node] = set()
        while waiting:
            node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            if node in done and cost[node] > CHEAP:
                scratch.add(node)
                stage.load.add(node)
                continue
            waiting.extend(x for x in registers(group, node) if group.role[x] == FULL)
        stage.elements = sorted(seen, key=position.__getitem__)
        done |= seen - stage.load
    return Stages(passes, scratch)


def registers(group: Group, node: Node) -> list[Node]:
    """The operands of a node that are computed in the group."""
    return [x for x in group.operands[node] if isinstance(x, Node)]


def levels(group: Group) -> dict[Node, int]:
    """In which pass each node can be computed first."""
    level: dict[Node, int] = {}
    for node in group.nodes:
        level[node] = max(
            (level[x] + (group.role[x] == PER_ROW) for x in registers(group, node)), default=0
        )
    return level


def costs(group: Group) -> dict[Node, int]:
    """What it takes to compute an element of each node again, from what is in memory."""
    cost: dict[Node, int] = {}
    for node in group.nodes:
        own = price(node)
        for x in group.operands[node]:
            if isinstance(x, Node):
                own += cost[x] if group.role[x] == FULL else 0
            elif x.windowed or (x.strides and x.strides[-1] not in (0, 1)):
                own += CHEAP
        cost[node] = min(own, 4 * CHEAP)
    return cost


def price(node: Node) -> int:
    """What an operation takes for one element, in simple ones."""
    return 1 if node.op in SIMPLE else 2 * CHEAP
