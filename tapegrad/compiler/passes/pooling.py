"""Sums over windows that lie side by side, as sums over axes."""

from __future__ import annotations

from typing import Any

from ..graph import Node, Shape
from .rewriting import Rewriter, Rule


def split(shape: Shape, params: dict[str, Any], images: Shape, to: Shape) -> Shape | None:
    """The shape of images whose axes are split into windows and what is in one.

    None where the windows overlap, or do not cover everything.
    """
    kernel = params["kernel"]
    side_by_side = params["stride"] == kernel and not any(params["padding"])
    if not side_by_side or images != tuple(n * k for n, k in zip(to, kernel, strict=True)):
        return None
    windows = (size for pair in zip(to, kernel, strict=True) for size in pair)
    return (*shape[: len(shape) - len(kernel)], *windows)


def sum_pool(graph: Rewriter, node: Node) -> Node | None:
    (x,) = node.inputs
    n = len(node.params["kernel"])
    shape = split(x.shape, node.params, x.shape[len(x.shape) - n :], node.params["to"])
    if shape is None or x.dtype != node.dtype:
        return None
    axis = tuple(range(len(shape) - 2 * n + 1, len(shape), 2))
    params = {"axis": axis, "keepdims": False}
    return graph.node("sum", (graph.reshape(x, shape),), params, node.shape, node.dtype)


def spread_sum(graph: Rewriter, node: Node) -> Node | None:
    (g,) = node.inputs
    n = len(node.params["kernel"])
    shape = split(node.shape, node.params, node.params["to"], g.shape[len(g.shape) - n :])
    if shape is None or g.dtype != node.dtype:
        return None
    ones = (size for count in g.shape[len(g.shape) - n :] for size in (count, 1))
    windows = graph.reshape(g, (*g.shape[: len(g.shape) - n], *ones))
    return graph.reshape(graph.broadcast(windows, shape), node.shape)


POOLING: dict[str, list[Rule]] = {"sum_pool": [sum_pool], "spread_sum": [spread_sum]}
