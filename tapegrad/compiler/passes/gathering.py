"""Elements and rows by their positions, as indexing."""

from __future__ import annotations

import numpy

from ...ops.index import ARRAY
from ..graph import Node
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


GATHERING: dict[str, list[Rule]] = {
    "take_rows": [take_rows],
    "add_rows": [add_rows],
    "take_along": [take_along],
    "put_along": [put_along],
}
