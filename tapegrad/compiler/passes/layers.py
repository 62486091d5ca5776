"""Layers of networks in terms of simpler operations, which loops take together with others."""

from __future__ import annotations

import numpy

from ..graph import Node
from .rewriting import Rewriter, Rule


def real(node: Node) -> bool:
    """Whether a layer and all its inputs are of one real dtype, and there is something in them."""
    return node.dtype.kind == "f" and all(x.dtype == node.dtype and x.size for x in node.inputs)


def affine(graph: Rewriter, node: Node) -> Node | None:
    """x @ weight.T + bias."""
    x, weight, bias = node.inputs
    if not real(node) or len(weight.shape) != 2 or len(x.shape) < 1:
        return None
    turned = graph.node("permute_dims", (weight,), {"axes": (1, 0)}, weight.shape[::-1], node.dtype)
    product = graph.node("matmul", (x, turned), {}, (*x.shape[:-1], weight.shape[0]), node.dtype)
    total = graph.elementwise("add", product, bias)
    return total if total.shape == node.shape else None


def layer_norm(graph: Rewriter, node: Node) -> Node | None:
    """Rows with their mean taken off, over their deviation; perhaps scaled and shifted."""
    x, *affine = node.inputs
    if not real(node) or len(affine) > 2:
        return None
    params = {"axis": (len(x.shape) - 1,), "keepdims": True}
    kept = (*x.shape[:-1], 1)
    mean = graph.node("mean", (x,), params, kept, node.dtype)
    centred = graph.elementwise("subtract", x, mean)
    squares = graph.elementwise("multiply", centred, centred)
    variance = graph.node("mean", (squares,), params, kept, node.dtype)
    raised = graph.elementwise("add", variance, graph.number(node.params["eps"], node))
    out = graph.elementwise("divide", centred, graph.elementwise("sqrt", raised))
    for op, y in zip(("multiply", "add"), affine, strict=False):
        out = graph.elementwise(op, out, y)
    return out if out.shape == node.shape else None


def leaky_relu(graph: Rewriter, node: Node) -> Node | None:
    """x where it is positive, else a multiple."""
    (x,) = node.inputs
    slope = node.params["slope"]
    if not real(node):
        return None
    scaled = graph.elementwise("multiply", x, graph.number(slope, node))
    if 0 <= slope <= 1:
        return graph.elementwise("maximum", x, scaled)
    above = graph.elementwise("greater", x, graph.number(0, node), dtype=numpy.dtype(bool))
    return graph.elementwise("where", above, x, scaled)


LAYERS: dict[str, list[Rule]] = {
    "affine": [affine],
    "layer_norm": [layer_norm],
    "leaky_relu": [leaky_relu],
}
