"""Operations in terms of simpler ones, computed as their NumPy forward computes them."""

from __future__ import annotations

import numpy

from ..graph import Node
from .rewriting import Rewriter, Rule

Axes = tuple[int, ...]

BOOL = numpy.dtype(bool)


def positive(graph: Rewriter, node: Node) -> Node | None:
    return node.inputs[0] if node.dtype.kind != "b" else None


def square(graph: Rewriter, node: Node) -> Node | None:
    (x,) = node.inputs
    return graph.elementwise("multiply", x, x) if node.dtype.kind in "iuf" else None


def cube(graph: Rewriter, node: Node) -> Node | None:
    (x,) = node.inputs
    return graph.elementwise("multiply", graph.elementwise("multiply", x, x), x)


def reciprocal(graph: Rewriter, node: Node) -> Node | None:
    (x,) = node.inputs
    if node.dtype.kind != "f":
        return None
    return graph.elementwise("divide", graph.number(1, node), x)


def power(graph: Rewriter, node: Node) -> Node | None:
    """Of the exponents for which NumPy does not call its general power."""
    x, y = node.inputs
    if y.op == "broadcast_to":
        y = y.inputs[0]
    if y.op != "constant" or y.shape or node.dtype.kind != "f" or x.dtype != node.dtype:
        return None
    exponent = float(y.params["value"])
    if exponent == 1:
        return graph.broadcast(x, node.shape)
    if exponent == 2:
        return graph.elementwise("multiply", x, x)
    if exponent == 0.5:
        return graph.elementwise("sqrt", x)
    if exponent == -1:
        return graph.elementwise("divide", graph.number(1, node), x)
    return None


def keep(graph: Rewriter, node: Node) -> Node | None:
    kept, mask = node.inputs
    return graph.elementwise("where", mask, kept, graph.number(0, node))


def where_larger(graph: Rewriter, node: Node) -> Node | None:
    kept, x, y = node.inputs
    if node.dtype.kind not in "f":
        return None
    half = graph.elementwise("multiply", kept, graph.number(0.5, node))
    tie = graph.elementwise("equal", x, y, dtype=BOOL)
    larger = graph.elementwise("greater", x, y, dtype=BOOL)
    otherwise = graph.elementwise("where", tie, half, graph.number(0, node))
    return graph.elementwise("where", larger, kept, otherwise)


def guard(graph: Rewriter, node: Node) -> Node | None:
    d, zero = node.inputs
    if d.dtype != node.dtype or zero.dtype.kind not in "fiub":
        return None
    if node.dtype.kind != "f":
        return None
    nan = graph.elementwise("not_equal", d, d, dtype=BOOL)
    none = graph.elementwise("equal", zero, graph.number(0, zero), dtype=BOOL)
    poisoned = graph.elementwise("logical_and", nan, none, dtype=BOOL)
    result = graph.elementwise("where", poisoned, graph.number(0, node), d)
    return graph.broadcast(result, node.shape)


def clip(graph: Rewriter, node: Node) -> Node | None:
    x, low, high = node.inputs
    if node.dtype.kind not in "fiu":
        return None
    return graph.elementwise("minimum", graph.elementwise("maximum", x, low), high)


def isnan(graph: Rewriter, node: Node) -> Node | None:
    (x,) = node.inputs
    return graph.elementwise("not_equal", x, x, dtype=BOOL) if x.dtype.kind == "f" else None


def compared(op: str, value: float, size: bool = False) -> Rule:
    """Whether x, or its size, is so beside a number."""

    def rule(graph: Rewriter, node: Node) -> Node | None:
        (x,) = node.inputs
        if x.dtype.kind != "f":
            return None
        left = graph.elementwise("abs", x) if size else x
        return graph.elementwise(op, left, graph.number(value, x), dtype=BOOL)

    return rule


def of_real(graph: Rewriter, node: Node) -> Node | None:
    """The real part, or the conjugate, of a real number."""
    (x,) = node.inputs
    return x if x.dtype == node.dtype and x.dtype.kind in "fiu" else None


def fabs(graph: Rewriter, node: Node) -> Node | None:
    (x,) = node.inputs
    return graph.elementwise("abs", x) if x.dtype == node.dtype and node.dtype.kind == "f" else None


def scaled(factor: str) -> Rule:
    def rule(graph: Rewriter, node: Node) -> Node | None:
        (x,) = node.inputs
        if x.dtype != node.dtype or node.dtype.kind != "f":
            return None
        return graph.elementwise("multiply", x, graph.number(FACTORS[factor], node))

    return rule


FACTORS = {"degrees": 57.29577951308232, "radians": 0.017453292519943295}


def count(x: Node, axis: Axes) -> int:
    size = 1
    for a in axis:
        size *= x.shape[a]
    return size


def mean(graph: Rewriter, node: Node) -> Node | None:
    (x,) = node.inputs
    if x.dtype != node.dtype or node.dtype.kind != "f" or node.dtype.itemsize < 4 or not x.size:
        return None
    total = graph.node("sum", (x,), node.params, node.shape, node.dtype)
    return graph.elementwise("divide", total, graph.number(count(x, node.params["axis"]), node))


def variance(graph: Rewriter, node: Node) -> Node | None:
    (x,) = node.inputs
    if x.dtype != node.dtype or node.dtype.kind != "f" or not x.size:
        return None
    axis, freedom = node.params["axis"], count(x, node.params["axis"]) - node.params["correction"]
    kept = tuple(1 if i in axis else n for i, n in enumerate(x.shape))
    params = {"axis": axis, "keepdims": True}
    d = graph.elementwise("subtract", x, graph.node("mean", (x,), params, kept, x.dtype))
    params = {"axis": axis, "keepdims": node.params["keepdims"]}
    total = graph.node(
        "sum", (graph.elementwise("multiply", d, d),), params, node.shape, node.dtype
    )
    return graph.elementwise("divide", total, graph.number(max(freedom, 0), node))


def deviation(graph: Rewriter, node: Node) -> Node | None:
    if node.inputs[0].dtype != node.dtype or node.dtype.kind != "f" or not node.inputs[0].size:
        return None
    inner = graph.node("var", node.inputs, node.params, node.shape, node.dtype)
    return graph.elementwise("sqrt", inner)


def length(graph: Rewriter, node: Node) -> Node | None:
    """The root of the sum of squares."""
    (x,) = node.inputs
    if x.dtype != node.dtype or node.dtype.kind != "f":
        return None
    squares = graph.elementwise("multiply", x, x)
    return graph.elementwise(
        "sqrt", graph.node("sum", (squares,), node.params, node.shape, node.dtype)
    )


def logsumexp(graph: Rewriter, node: Node) -> Node | None:
    """The logarithm of the sum of exponentials less the largest, unless that is infinite."""
    (x,) = node.inputs
    axis = node.params["axis"]
    if x.dtype != node.dtype or node.dtype.kind != "f" or not x.size:
        return None
    kept = tuple(1 if i in axis else n for i, n in enumerate(x.shape))
    params = {"axis": axis, "keepdims": True}
    top = graph.node("max", (x,), params, kept, node.dtype)
    finite = graph.elementwise("isfinite", top, dtype=BOOL)
    shift = graph.elementwise("where", finite, top, graph.number(0, node))
    powers = graph.elementwise("exp", graph.elementwise("subtract", x, shift))
    total = graph.node("sum", (powers,), params, kept, node.dtype)
    return graph.reshape(
        graph.elementwise("add", graph.elementwise("log", total), shift), node.shape
    )


LOWERING: dict[str, list[Rule]] = {
    "positive": [positive],
    "square": [square],
    "cube": [cube],
    "reciprocal": [reciprocal],
    "pow": [power],
    "keep": [keep],
    "where_larger": [where_larger],
    "guard": [guard],
    "clip": [clip],
    "isnan": [isnan],
    "isfinite": [compared("less", float("inf"), size=True)],
    "isinf": [compared("equal", float("inf"), size=True)],
    "isposinf": [compared("equal", float("inf"))],
    "isneginf": [compared("equal", float("-inf"))],
    "real": [of_real],
    "conj": [of_real],
    "fabs": [fabs],
    "mean": [mean],
    "var": [variance],
    "std": [deviation],
    "length": [length],
    "logsumexp": [logsumexp],
    "degrees": [scaled("degrees")],
    "radians": [scaled("radians")],
}
