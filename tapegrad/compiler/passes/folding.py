"""What is computed from constants alone is computed once, here."""

from __future__ import annotations

import numpy

from ..graph import Node
from .rewriting import Rewriter, Rule

LARGEST = 1 << 16
"""Bytes: a larger constant is computed in each call rather than kept."""


def computed(graph: Rewriter, node: Node) -> Node | None:
    """An operation on constants: its result."""
    if node.call is None or node.call.outputs or not node.inputs or node.nbytes > LARGEST:
        return None
    if any(x.op not in ("constant", "number") for x in node.inputs) or node.op == "broadcast_to":
        return None
    if node.dtype is None or node.dtype.kind not in "biufc":
        return None
    values = [x.params["value"] for x in node.inputs]
    values = [v[()] if isinstance(v, numpy.ndarray) else v for v in values]
    with numpy.errstate(all="ignore"):
        result = numpy.asarray(node.call.forward(numpy, *values, **node.params))
    if result.shape != node.shape or result.dtype != node.dtype:
        return None
    return graph.constant(result.copy())


def cast_constant(graph: Rewriter, node: Node) -> Node | None:
    """A constant in another dtype."""
    (x,) = node.inputs
    if x.op not in ("constant", "number") or node.nbytes > LARGEST:
        return None
    value = numpy.asarray(x.params["value"])
    if value.dtype.kind == "c" and node.dtype.kind not in "cb":
        value = value.real
    with numpy.errstate(all="ignore"):
        return graph.constant(value.astype(node.dtype))


FOLDING: dict[str, list[Rule]] = {
    "elementwise": [computed],
    "structural": [computed],
    "cast": [cast_constant],
}
