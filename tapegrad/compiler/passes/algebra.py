"""Rewrites of arithmetic that change no bit of the result, but the sign of a zero."""

from __future__ import annotations

from typing import Any

from ..graph import Node
from .rewriting import Rewriter, Rule


def value_of(node: Node) -> Any:
    """The number that a node is in every element, or None."""
    if node.op == "broadcast_to":
        node = node.inputs[0]
    return node.params["value"][()] if node.op == "constant" and node.shape == () else None


def as_node(graph: Rewriter, x: Node, node: Node) -> Node:
    """`x`, one of the inputs of `node`, in its place."""
    return graph.broadcast(x, node.shape)


def add(graph: Rewriter, node: Node) -> Node | None:
    """x + 0 = x;  x + -y = x - y;  -x + y = y - x."""
    if node.dtype.kind not in "iuf":
        return None
    x, y = node.inputs
    for a, b in ((x, y), (y, x)):
        if equals(b, 0):
            return as_node(graph, a, node)
        if b.op == "negative":
            return graph.elementwise("subtract", a, b.inputs[0])
    if rank(x) > rank(y):
        return graph.elementwise("add", y, x)
    return None


def subtract(graph: Rewriter, node: Node) -> Node | None:
    """x - 0 = x;  0 - x = -x;  x - -y = x + y."""
    x, y = node.inputs
    if equals(y, 0):
        return as_node(graph, x, node)
    if equals(x, 0):
        return as_node(graph, graph.elementwise("negative", y), node)
    if y.op == "negative":
        return graph.elementwise("add", x, y.inputs[0])
    return None


def multiply(graph: Rewriter, node: Node) -> Node | None:
    """x 1 = x;  x -1 = -x;  x -y = -(x y)."""
    if node.dtype.kind not in "iuf":
        return None
    x, y = node.inputs
    for a, b in ((x, y), (y, x)):
        if equals(b, 1):
            return as_node(graph, a, node)
        if equals(b, -1) and node.dtype.kind != "u":
            return as_node(graph, graph.elementwise("negative", a), node)
        if a.op == "negative" and node.dtype.kind != "u":
            product = graph.elementwise("multiply", a.inputs[0], b)
            return graph.elementwise("negative", product)
    if rank(x) > rank(y):
        return graph.elementwise("multiply", y, x)
    return None


def divide(graph: Rewriter, node: Node) -> Node | None:
    """x / 1 = x;  x / c = x (1 / c) for powers of 2;  -x / y = -(x / y)."""
    if node.dtype.kind != "f":
        return None
    x, y = node.inputs
    if equals(y, 1):
        return as_node(graph, x, node)
    c = value_of(y)
    if c is not None and is_power_of_two(float(c)):
        return graph.elementwise("multiply", x, graph.number(1 / float(c), node))
    if x.op == "negative":
        return graph.elementwise("negative", graph.elementwise("divide", x.inputs[0], y))
    return None


def negative(graph: Rewriter, node: Node) -> Node | None:
    """-(-x) = x;  -(x - y) = y - x;  -(x c) = x -c."""
    (x,) = node.inputs
    if x.op == "negative":
        return x.inputs[0]
    if node.dtype.kind != "f":
        return None
    if x.op == "subtract":
        return graph.elementwise("subtract", x.inputs[1], x.inputs[0])
    if x.op == "multiply":
        c = value_of(x.inputs[1])
        if c is not None:
            return graph.elementwise("multiply", x.inputs[0], graph.number(-c, node))
    return None


def where(graph: Rewriter, node: Node) -> Node | None:
    """Of one mask everywhere, what it says; of not m, the other way round."""
    mask, x, y = node.inputs
    value = value_of(mask)
    if value is not None:
        return as_node(graph, x if value else y, node)
    if x is y:
        return as_node(graph, x, node)
    if mask.op == "logical_not":
        return graph.elementwise("where", mask.inputs[0], y, x)
    return None


def logical_not(graph: Rewriter, node: Node) -> Node | None:
    """not not m = m."""
    (x,) = node.inputs
    return x.inputs[0] if x.op == "logical_not" else None


def bitwise_invert(graph: Rewriter, node: Node) -> Node | None:
    """Of truth values: not."""
    return graph.elementwise("logical_not", *node.inputs) if node.dtype.kind == "b" else None


def cast(graph: Rewriter, node: Node) -> Node | None:
    """To the same dtype: nothing. Of a cast that lost nothing: one."""
    (x,) = node.inputs
    if x.dtype == node.dtype:
        return x
    if x.op == "cast" and x.inputs[0].dtype.kind == "b" and x.dtype.kind in "iuf":
        return graph.cast(x.inputs[0], node.dtype)
    return None


def rank(node: Node) -> tuple[bool, int]:
    """The order in which inputs that may change places stand: constants are last."""
    return node.op == "constant", node.number


def equals(node: Node, number: int) -> bool:
    value = value_of(node)
    return value is not None and bool(value == number)


def is_power_of_two(x: float) -> bool:
    """Whether a product with the reciprocal is rounded as the quotient is."""
    return 1e-30 < abs(x) < 1e30 and abs(x).hex().startswith("0x1.0000000000000p")


ALGEBRA: dict[str, list[Rule]] = {
    "add": [add],
    "subtract": [subtract],
    "multiply": [multiply],
    "divide": [divide],
    "negative": [negative],
    "where": [where],
    "logical_not": [logical_not],
    "bitwise_invert": [bitwise_invert],
    "cast": [cast],
}
