"""Arrays beside each other, and turned round, as sums of views that are zero outside of a window.

Loops read such views where they are, and read nothing outside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from ..graph import Node, Shape

MOST = 4
"""Of more parts, each element of the result would cost more than to write it apart."""

EVERYTHING = slice(None)


class Building(Protocol):
    """A graph that is being made for loops (see `prepare.Prepared`)."""

    def moved(self, op: str, x: Node, params: dict[str, Any], shape: Shape) -> Node: ...

    def looped(self, op: str, inputs: tuple[Node, ...], shape: Shape) -> Node | None: ...


def as_loops(graph: Building, node: Node, inputs: Sequence[Node]) -> Node | None:
    """What takes the place of one of these operations; None where loops cannot compute it."""
    if node.op not in RULES or not node.size or any(x.dtype != node.dtype for x in inputs):
        return None
    inputs = [x for x in inputs if x.size]
    return RULES[node.op](graph, node, inputs) if node.dtype.kind in "fiu" else None


def placed(graph: Building, x: Node, axis: int, part: Any, shape: Shape) -> Node:
    """`x` as a part of an axis, and zeros elsewhere."""
    params = {"key": (*(EVERYTHING,) * axis, part), "to": shape}
    return graph.moved("scatter_add", x, params, shape)


def joined(graph: Building, parts: list[Node]) -> Node | None:
    total: Node | None = parts[0]
    for part in parts[1:]:
        total = total and graph.looped("add", (total, part), part.shape)
    return total


def concat(graph: Building, node: Node, inputs: Sequence[Node]) -> Node | None:
    axis = node.params["axis"]
    if len(inputs) > MOST:
        return None
    parts, start = [], 0
    for x in inputs:
        stop = start + x.shape[axis]
        parts.append(placed(graph, x, axis, slice(start, stop), node.shape))
        start = stop
    return joined(graph, parts)


def stack(graph: Building, node: Node, inputs: Sequence[Node]) -> Node | None:
    axis = node.params["axis"]
    if len(inputs) > MOST:
        return None
    return joined(graph, [placed(graph, x, axis, i, node.shape) for i, x in enumerate(inputs)])


def roll(graph: Building, node: Node, inputs: Sequence[Node]) -> Node | None:
    """The end, and then the beginning, along one axis after the other."""
    x: Node | None = inputs[0]
    for shift, axis in zip(node.params["shift"], node.params["axis"], strict=True):
        n = node.shape[axis]
        shift %= n
        if x is None or not shift:
            continue
        end = sliced(graph, x, axis, n - shift, n)
        begin = sliced(graph, x, axis, 0, n - shift)
        parts = ((end, slice(0, shift)), (begin, slice(shift, n)))
        x = joined(graph, [placed(graph, y, axis, part, node.shape) for y, part in parts])
    return x


def sliced(graph: Building, x: Node, axis: int, start: int, stop: int) -> Node:
    shape = (*x.shape[:axis], stop - start, *x.shape[axis + 1 :])
    key = (*(EVERYTHING,) * axis, slice(start, stop))
    return graph.moved("getitem", x, {"key": key}, shape)


def put_backwards(graph: Building, node: Node, inputs: Sequence[Node]) -> Node | None:
    """Elements put into an axis from the end on: turned round, and put from the beginning on."""
    key, to = node.params["key"], node.params["to"]
    if len(inputs) != 1 or not all(isinstance(part, slice) for part in key):
        return None
    ranges = [range(*part.indices(n)) for part, n in zip(key, to, strict=False)]
    if not any(places.step == -1 for places in ranges):
        return None
    back = [places.step == -1 for places in ranges]
    turns = tuple(slice(None, None, -1) if turn else EVERYTHING for turn in back)
    places = tuple(
        slice(places[-1], places[0] + 1) if turn else part
        for turn, part, places in zip(back, key, ranges, strict=True)
    )
    turned = graph.moved("getitem", inputs[0], {"key": turns}, inputs[0].shape)
    return graph.moved("scatter_add", turned, {"key": places, "to": to}, node.shape)


RULES: dict[str, Callable[[Building, Node, Sequence[Node]], Node | None]] = {
    "concat": concat,
    "stack": stack,
    "roll": roll,
    "scatter_add": put_backwards,
}
