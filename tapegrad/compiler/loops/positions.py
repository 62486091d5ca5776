"""Positions of extremes, truth values of many and counts, as operations and reductions of loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy

from ..graph import Node, Shape

INT, BOOL = numpy.dtype("int64"), numpy.dtype(bool)


class Building(Protocol):
    """A graph that is being made for loops (see `prepare.Prepared`)."""

    in_loops: Callable[[Node], bool]

    def constant(self, value: Any) -> Node: ...

    def node(
        self, op: str, inputs: tuple[Node, ...], params: dict[str, Any], shape: Any, dtype: Any
    ) -> Node: ...

    def noted(self, node: Node) -> Node: ...

    def moved(self, op: str, x: Node, params: dict[str, Any], shape: Shape) -> Node: ...


def as_loops(graph: Building, node: Node, x: Node) -> Node | None:
    """What takes the place of one of these operations; None where loops cannot compute it."""
    if node.op not in RULES or x.dtype is None or x.dtype.kind not in "biuf" or not x.size:
        return None
    return RULES[node.op](graph, node, x)


def position(graph: Building, node: Node, x: Node) -> Node | None:
    """The first place with the extreme, or with NaN: the least of the places that have one."""
    axis = node.params["axis"]
    if node.dtype != INT or x.dtype.kind == "b":
        return None
    axis %= len(x.shape)
    top = reduced(graph, node.op[3:], x, (axis,), x.dtype)
    if top is None:
        return None
    kept = tuple(1 if i == axis else n for i, n in enumerate(x.shape))
    hit = applied(graph, "equal", (x, shaped(graph, top, kept)), x.shape, BOOL)
    if hit is not None and x.dtype.kind == "f":
        nan = applied(graph, "not_equal", (x, x), x.shape, BOOL)
        hit = nan and applied(graph, "logical_or", (hit, nan), x.shape, BOOL)
    if hit is None:
        return None
    n = x.shape[axis]
    line = tuple(n if i == axis else 1 for i in range(len(x.shape)))
    count = graph.noted(graph.constant(numpy.arange(n, dtype=INT).reshape(line)))
    beyond = graph.noted(graph.constant(INT.type(n)))
    places = applied(graph, "where", (hit, count, beyond), x.shape, INT)
    return finished(graph, node, places and reduced(graph, "min", places, (axis,), INT))


def counted(graph: Building, node: Node, x: Node, op: str) -> Node | None:
    """How many elements are zero (`equal`) or not (`not_equal`)."""
    zero = graph.noted(graph.constant(x.dtype.type(0)))
    hit: Node | None = x
    if x.dtype.kind != "b" or op == "equal":
        hit = applied(graph, op, (x, zero), x.shape, BOOL)
    number = hit and applied(graph, "cast", (hit,), x.shape, INT)
    return number and reduced(graph, "sum", number, axes(node, x), INT)


def count(graph: Building, node: Node, x: Node) -> Node | None:
    found = counted(graph, node, x, "not_equal") if node.dtype == INT else None
    return finished(graph, node, found)


def truth(op: str, test: str) -> Any:
    """Whether the number of elements that are zero, or not, passes a test against none."""

    def rule(graph: Building, node: Node, x: Node) -> Node | None:
        found = counted(graph, node, x, op) if node.dtype == BOOL else None
        none = graph.noted(graph.constant(INT.type(0)))
        result = found and applied(graph, test, (found, none), found.shape, BOOL)
        return finished(graph, node, result)

    return rule


RULES = {
    "argmax": position,
    "argmin": position,
    "count_nonzero": count,
    "any": truth("not_equal", "not_equal"),
    "all": truth("equal", "equal"),
}


def axes(node: Node, x: Node) -> Shape:
    return tuple(sorted(a % len(x.shape) for a in node.params["axis"]))


def applied(
    graph: Building, op: str, inputs: tuple[Node, ...], shape: Shape, dtype: Any
) -> Node | None:
    """An elementwise operation, if loops can compute it."""
    node = graph.node(op, inputs, {}, shape, dtype)
    return graph.noted(node) if graph.in_loops(node) else None


def reduced(graph: Building, op: str, x: Node, axis: Shape, dtype: Any) -> Node | None:
    """A reduction, if loops can make it."""
    shape = tuple(n for i, n in enumerate(x.shape) if i not in axis)
    node = graph.node(op, (x,), {"axis": axis, "keepdims": False}, shape, dtype)
    return graph.noted(node) if graph.in_loops(node) else None


def shaped(graph: Building, x: Node, shape: Shape) -> Node:
    return graph.moved("reshape", x, {"to": shape}, shape)


def finished(graph: Building, node: Node, result: Node | None) -> Node | None:
    return None if result is None else shaped(graph, result, node.shape)
