"""In which dtype an elementwise operation computes: its inputs are converted to it beforehand."""

from __future__ import annotations

from typing import Any

import numpy

from ..graph import Graph, Node
from .operations import of_result

COMPARISONS = frozenset(["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"])

LOGICAL = frozenset(["logical_and", "logical_or", "logical_xor", "logical_not"])

KINDS = "biufc"


def uniform(graph: Graph, op: str, inputs: tuple[Node, ...], dtype: Any) -> tuple[Node, ...]:
    """The inputs of an operation, converted to what it computes in, where that is known."""
    if dtype is None or dtype.kind not in KINDS or any(x.dtype is None for x in inputs):
        return inputs
    if op in of_result:
        return tuple(converted(graph, x, dtype) for x in inputs)
    if op == "where":
        mask, x, y = inputs
        mask = converted(graph, mask, numpy.dtype(bool))
        return mask, converted(graph, x, dtype), converted(graph, y, dtype)
    if op == "keep":
        kept, mask = inputs
        return converted(graph, kept, dtype), converted(graph, mask, numpy.dtype(bool))
    if op == "where_larger":
        kept, x, y = inputs
        return (converted(graph, kept, dtype), *common(graph, (x, y)))
    if op in COMPARISONS:
        return common(graph, inputs)
    if op in LOGICAL:
        return tuple(converted(graph, x, numpy.dtype(bool)) for x in inputs)
    return inputs


def common(graph: Graph, inputs: tuple[Node, ...]) -> tuple[Node, ...]:
    """Inputs in the dtype that NumPy compares them in; left alone where they are compared exactly.

    NumPy compares signed with unsigned integers, and arrays with Python integers of any size, by
    value.
    """
    numbers = [x.params["value"] if x.op == "number" else numpy.empty(0, x.dtype) for x in inputs]
    kinds = {x.dtype.kind for x in inputs}
    if not kinds <= set(KINDS) or {"i", "u"} <= kinds:
        return inputs
    for x, other in zip(inputs, reversed(inputs), strict=True):
        value = x.params["value"] if x.op == "number" else 0.0
        if type(value) is int and other.dtype.kind in "iu":
            bounds = numpy.iinfo(other.dtype)
            if not bounds.min <= value <= bounds.max:
                return inputs
    dtype = numpy.result_type(*numbers)
    return tuple(converted(graph, x, dtype) for x in inputs)


def converted(graph: Graph, x: Node, dtype: Any) -> Node:
    """A node in another dtype."""
    if x.op == "number":
        value = x.params["value"]
        return graph.constant(numpy.bool_(bool(value)) if dtype.kind == "b" else dtype.type(value))
    return graph.cast(x, dtype)
