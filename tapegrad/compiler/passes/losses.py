"""Losses in terms of operations that loops compute."""

from __future__ import annotations

import numpy

from ...ops.index import ARRAY
from ..graph import Node
from .layers import over
from .rewriting import Rewriter, Rule

BOOL = numpy.dtype(bool)


def huber(graph: Rewriter, node: Node) -> Node | None:
    """Squares within a number of 0, tangents beyond: ``low * (size - low / 2)``."""
    delta, r = node.inputs
    if delta.op != "number" or r.dtype != node.dtype or not delta.params["value"] >= 0:
        return None
    delta = graph.number(delta.params["value"], node)
    size = graph.elementwise("abs", r)
    low = graph.elementwise("minimum", size, delta)
    half = graph.elementwise("multiply", low, graph.number(0.5, node))
    return graph.elementwise("multiply", low, graph.elementwise("subtract", size, half))


def cross_entropy(graph: Rewriter, node: Node) -> Node | None:
    """The logarithm of the sum of exponentials of a row, less the logit at its label."""
    logits, labels = node.inputs
    if not (logits.dtype == node.dtype and node.dtype.kind == "f" and logits.size):
        return None
    kept, params = over(logits, (1,))
    top = graph.node("max", (logits,), params, kept, node.dtype)
    finite = graph.elementwise("isfinite", top, dtype=BOOL)
    shift = graph.elementwise("where", finite, top, graph.number(0, node))
    shifted = graph.elementwise("subtract", logits, shift)
    total = graph.node("sum", (graph.elementwise("exp", shifted),), params, kept, node.dtype)
    rest = graph.reshape(graph.elementwise("log", total), node.shape)
    rows = graph.constant(numpy.arange(logits.shape[0]))
    key = {"key": (ARRAY, ARRAY)}
    chosen = graph.node("getitem", (shifted, rows, labels), key, node.shape, node.dtype)
    return graph.elementwise("subtract", rest, chosen)


def less_at(graph: Rewriter, node: Node) -> Node | None:
    """Of each row, `y` taken from the element at the label: from all that are at it, of none."""
    x, y, labels = node.inputs
    if not (x.dtype == y.dtype == node.dtype and node.dtype.kind == "f" and x.size):
        return None
    rows, columns = x.shape
    zero = graph.constant(labels.dtype.type(0))
    if labels.dtype.kind == "i":
        counted = graph.elementwise("add", labels, graph.constant(labels.dtype.type(columns)))
        below = graph.elementwise("less", labels, zero, dtype=BOOL)
        labels = graph.elementwise("where", below, counted, labels)
    places = graph.constant(numpy.arange(columns, dtype=labels.dtype))
    there = graph.elementwise("equal", places, graph.reshape(labels, (rows, 1)), dtype=BOOL)
    part = graph.elementwise("where", there, graph.reshape(y, (rows, 1)), graph.number(0, node))
    return graph.elementwise("subtract", x, part)


LOSSES: dict[str, list[Rule]] = {
    "huber": [huber],
    "cross_entropy": [cross_entropy],
    "less_at": [less_at],
}
