"""Rewrites of operations that only move elements: two become one, and some become none."""

from __future__ import annotations

import numpy

from ..graph import Node, Shape
from .rewriting import Rewriter, Rule


def reshape(graph: Rewriter, node: Node) -> Node | None:
    """To the same shape: nothing. Of a reshape: one. Of a number repeated: repeated to the new."""
    (x,) = node.inputs
    if x.shape == node.shape:
        return x
    if x.op == "reshape":
        return graph.reshape(x.inputs[0], node.shape)
    if x.op == "broadcast_to" and x.inputs[0].size == 1:
        return graph.broadcast(graph.reshape(x.inputs[0], ()), node.shape)
    if x.op == "broadcast_to" and squeezed(x.shape) == squeezed(node.shape):
        inner = squeezed_broadcast(x.inputs[0], x.shape, node.shape)
        if inner is not None:
            return graph.broadcast(graph.reshape(x.inputs[0], inner), node.shape)
    return None


def squeezed(shape: Shape) -> Shape:
    return tuple(n for n in shape if n != 1)


def squeezed_broadcast(x: Node, whole: Shape, to: Shape) -> Shape | None:
    """The shape for `x`, repeated to `whole`, to be repeated to `to`, which differs in ones."""
    if 0 in whole:
        return None
    aligned = (1,) * (len(whole) - len(x.shape)) + x.shape
    rest = iter([n for n, m in zip(aligned, whole, strict=True) if m != 1])
    return tuple(1 if m == 1 else next(rest) for m in to)


def permute(graph: Rewriter, node: Node) -> Node | None:
    """In place: nothing. Of a permutation: one. Of axes of length 1 alone: a reshape."""
    (x,) = node.inputs
    axes = node.params["axes"]
    if axes == tuple(range(len(axes))):
        return x
    if x.op == "permute_dims":
        inner = x.params["axes"]
        combined = tuple(inner[a] for a in axes)
        return graph.node("permute_dims", x.inputs, {"axes": combined}, node.shape, node.dtype)
    long = [a for a in axes if x.shape[a] != 1]
    if long == sorted(long):
        return graph.reshape(x, node.shape)
    if x.op == "broadcast_to" and x.inputs[0].size == 1:
        return graph.broadcast(x.inputs[0], node.shape) if not x.inputs[0].shape else None
    return None


def broadcast(graph: Rewriter, node: Node) -> Node | None:
    """To the same shape: nothing. Of a broadcast: one. By ones alone: a reshape."""
    (x,) = node.inputs
    if x.shape == node.shape:
        return x
    if x.op == "broadcast_to":
        return graph.broadcast(x.inputs[0], node.shape)
    if x.op == "number":
        return graph.broadcast(graph.constant(numpy.asarray(x.params["value"])), node.shape)
    if x.size == node.size and 0 not in node.shape:
        return graph.reshape(x, node.shape)
    if x.size == 1 and x.shape:
        return graph.broadcast(graph.reshape(x, ()), node.shape)
    return None


def narrowed(graph: Rewriter, node: Node) -> Node | None:
    """An operation on repeated elements: computed before they are repeated, or on the originals."""
    if not any(x.op == "broadcast_to" for x in node.inputs) or node.op == "guard":
        return None
    inputs = tuple(x.inputs[0] if x.op == "broadcast_to" else x for x in node.inputs)
    if any(x.op == "number" for x in inputs):
        return None
    shape = numpy.broadcast_shapes(*(x.shape for x in inputs))
    if 0 in node.shape:
        return None
    small = graph.node(node.op, inputs, node.params, shape, node.dtype, node.call)
    return graph.broadcast(small, node.shape)


def sum_of(graph: Rewriter, node: Node) -> Node | None:
    """Over no axis, or axes of length 1: a reshape. With kept axes: without, and a reshape.

    Of elements that are repeated along the axes: a product.
    """
    (x,) = node.inputs
    axis = node.params["axis"]
    kept = tuple(n for i, n in enumerate(x.shape) if i not in axis)
    if node.dtype == x.dtype and all(x.shape[a] == 1 for a in axis):
        return graph.reshape(x, node.shape)
    if node.params["keepdims"]:
        flat = graph.node("sum", (x,), {"axis": axis, "keepdims": False}, kept, node.dtype)
        return graph.reshape(flat, node.shape)
    if node.dtype != x.dtype:
        return None
    if axis != tuple(sorted(axis)):
        params = {"axis": tuple(sorted(axis)), "keepdims": False}
        return graph.node("sum", (x,), params, kept, node.dtype)
    if x.op == "broadcast_to" and x.dtype.kind == "f" and 0 not in x.shape:
        return repeated_sum(graph, node, x)
    return None


def repeated_sum(graph: Rewriter, node: Node, x: Node) -> Node | None:
    """The sum of a broadcast: the axes along which it repeats count, the others are summed."""
    (y,) = x.inputs
    aligned = (1,) * (len(x.shape) - len(y.shape)) + y.shape
    axis = node.params["axis"]
    repeated = [a for a in axis if aligned[a] == 1 and x.shape[a] != 1]
    if not repeated:
        return None
    count = 1
    for a in repeated:
        count *= x.shape[a]
    whole = tuple(1 if a in repeated else n for a, n in enumerate(x.shape))
    y = graph.broadcast(graph.reshape(y, aligned), whole)
    total = graph.node("sum", (y,), node.params, node.shape, node.dtype)
    return graph.elementwise("multiply", total, graph.number(count, total))


def extreme_of(graph: Rewriter, node: Node) -> Node | None:
    """With kept axes: without, and a reshape."""
    (x,) = node.inputs
    axis = node.params["axis"]
    if node.dtype == x.dtype and all(x.shape[a] == 1 for a in axis):
        return graph.reshape(x, node.shape)
    if node.params["keepdims"]:
        kept = tuple(n for i, n in enumerate(x.shape) if i not in axis)
        flat = graph.node(node.op, (x,), {"axis": axis, "keepdims": False}, kept, node.dtype)
        return graph.reshape(flat, node.shape)
    return None


MOVING: dict[str, list[Rule]] = {
    "reshape": [reshape],
    "permute_dims": [permute],
    "broadcast_to": [broadcast],
    "elementwise": [narrowed],
    "sum": [sum_of],
    "max": [extreme_of],
    "min": [extreme_of],
    "prod": [extreme_of],
}
