"""Which operations NumPy runs tile by tile: elementwise ones on large arrays of one shape.

One after the other, each would read its operands from memory and write its result there. In tiles
of some rows, what one operation gives is still in the cache when the next one reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .graph import LEAVES, Node, users

LARGE = 1 << 20
"""Bytes of an array from which on tiles pay."""

TILE = 1 << 16
"""Bytes of a tile."""


class Tiled:
    """Operations that are run together, in order, over `step` rows at a time.

    What `inner` ones give is read by the others alone, and never is an array as a whole.
    """

    def __init__(self, nodes: list[Node], inner: set[Node], step: int) -> None:
        self.nodes = nodes
        self.inner = inner
        self.step = step


def tiled(nodes: Sequence[Node], outputs: Iterable[Node]) -> list[Node | Tiled]:
    """The nodes in an order in which operations that are run in tiles stand together."""
    order: list[Node | Tiled] = []
    reading = users(nodes)
    kept = set(outputs)
    group: dict[Node, None] = {}
    later: dict[Node, None] = {}  # what needs results of the group

    def close() -> None:
        order.extend(together(list(group), reading, kept))
        order.extend(later)
        group.clear()
        later.clear()

    for node in nodes:
        fits = suits(node)
        waits = any(x in later for x in node.inputs)
        if fits and (waits or any(x.shape != node.shape for x in list(group)[:1])):
            close()
        if fits:
            group[node] = None
        elif waits or any(x in group for x in node.inputs):
            later[node] = None
        else:
            order.append(node)
    close()
    return order


def suits(node: Node) -> bool:
    """Whether an operation can be run over some rows at a time, and there are enough."""
    if node.op in LEAVES or not node.elementwise or node.dtype is None or not node.shape:
        return False
    return node.dtype.kind in "biufc" and node.nbytes >= LARGE and rows_at_once(node) > 0


def rows_at_once(node: Node) -> int:
    """How many rows a tile has; none where one is too long."""
    return TILE * node.shape[0] // node.nbytes


def together(
    group: list[Node], reading: dict[Node, list[Node]], kept: set[Node]
) -> list[Node | Tiled]:
    """Operations as one, if some of what they give need not go to memory."""
    members = set(group)
    inner = {x for x in group if x not in kept and members.issuperset(reading.get(x, ()))}
    if not inner:
        return list(group)
    return [Tiled(group, inner, min(map(rows_at_once, group)))]
