"""Rewrites that change the rounding, for `fast=True` alone."""

from __future__ import annotations

from ..graph import Node
from .algebra import value_of
from .rewriting import Rewriter, Rule


def reciprocal(graph: Rewriter, node: Node) -> Node | None:
    """x / y = x (1 / y): what is divided by twice, or is the same in a row, is divided by once."""
    x, y = node.inputs
    if node.dtype.kind != "f" or value_of(x) == 1:
        return None
    inverse = graph.elementwise("divide", graph.number(1, y), y)
    return graph.elementwise("multiply", x, inverse)


def common_factor(graph: Rewriter, node: Node) -> Node | None:
    """The sum of products with one number is the product with the sum; of negatives, negative."""
    (x,) = node.inputs
    if node.dtype.kind != "f" or node.dtype != x.dtype:
        return None
    if x.op == "negative":
        total = graph.node("sum", x.inputs, node.params, node.shape, node.dtype)
        return graph.elementwise("negative", total)
    if x.op == "multiply" and value_of(x.inputs[1]) is not None and x.inputs[0].shape == x.shape:
        total = graph.node("sum", x.inputs[:1], node.params, node.shape, node.dtype)
        return graph.elementwise("multiply", total, graph.number(value_of(x.inputs[1]), node))
    return None


FAST: dict[str, list[Rule]] = {"divide": [reciprocal], "sum": [common_factor]}
