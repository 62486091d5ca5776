"""Elements and rows by their positions, as indexing; parts of what was joined."""

from __future__ import annotations

import numpy

from ...ops.index import ARRAY
from ..graph import Node
from ..loops.views import expanded
from .rewriting import Rewriter, Rule


def take_rows(graph: Rewriter, node: Node) -> Node | None:
    x, index = node.inputs
    return graph.node("getitem", (x, index), {"key": (ARRAY,)}, node.shape, node.dtype)


def add_rows(graph: Rewriter, node: Node) -> Node | None:
    params = {"key": (ARRAY,), "to": node.shape}
    return graph.node("scatter_add", node.inputs, params, node.shape, node.dtype)


def grid(graph: Rewriter, positions: Node, axis: int) -> tuple[Node, ...]:
    """Positions along an axis, beside every other place's own."""
    ndim = len(positions.shape)
    return tuple(
        positions
        if i == axis
        else graph.constant(numpy.arange(n).reshape((n, *(1,) * (ndim - i - 1))))
        for i, n in enumerate(positions.shape)
    )


def take_along(graph: Rewriter, node: Node) -> Node | None:
    x, positions = node.inputs
    places = grid(graph, positions, node.params["axis"])
    key = {"key": (ARRAY,) * len(places)}
    return graph.node("getitem", (x, *places), key, node.shape, node.dtype)


def put_along(graph: Rewriter, node: Node) -> Node | None:
    g, positions = node.inputs
    places = grid(graph, positions, node.params["axis"])
    params = {"key": (ARRAY,) * len(places), "to": node.shape}
    return graph.node("scatter_add", (g, *places), params, node.shape, node.dtype)


def part_of(graph: Rewriter, node: Node) -> Node | None:
    """What was joined with others, and is taken out again."""
    x = node.inputs[0]
    if x.op != "concat" or len(node.inputs) > 1:
        return None
    axis, key = x.params["axis"], expanded(node.params["key"], len(x.shape))
    if len(key) != len(x.shape) or not all(isinstance(part, slice) for part in key):
        return None
    ranges = [part.indices(n) for part, n in zip(key, x.shape, strict=True)]
    whole = [r == (0, n, 1) for r, n in zip(ranges, x.shape, strict=True)]
    if not all(whole[:axis] + whole[axis + 1 :]):
        return None
    start = 0
    for part in x.inputs:
        stop = start + part.shape[axis]
        if ranges[axis] == (start, stop, 1):
            return part if part.dtype == node.dtype else None
        start = stop
    return None


GATHERING: dict[str, list[Rule]] = {
    "getitem": [part_of],
    "take_rows": [take_rows],
    "add_rows": [add_rows],
    "take_along": [take_along],
    "put_along": [put_along],
}
