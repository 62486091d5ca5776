"""Copies where a view would not do, so that all moves of a graph are views."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from ..graph import LEAVES, Graph, Node, Shape
from . import joining, positions
from .views import View, c_strides, view_of, whole

REDUCTIONS = ("sum", "prod", "max", "min")
"""Operations that loops make of many elements one."""


WHOLE = ("convolve", "convolve_transposed", "convolve_kernel", "max_pool", "spread_max")
"""Operations whose machine code reads arrays in one piece."""


class Prepared(Graph):
    """A graph in which every output has memory of its own, every move that can be is a view, and
    only loops read views with windows. Reductions read the dtype that they give.

    `views` has for every node what it is a view of, which may be itself. `in_loops` says of an
    elementwise operation or a reduction whether loops compute it.
    """

    def __init__(self, graph: Graph, in_loops: Callable[[Node], bool]) -> None:
        super().__init__()
        self.source = graph
        self.in_loops = in_loops
        self.views: dict[Node, View] = {}
        self.run()

    def run(self) -> None:
        new: dict[Node, Node] = {}
        for node in self.source.inputs:
            new[node] = self.noted(self.input(node.shape, node.dtype))
        for node in self.source.order():
            if node not in new:
                new[node] = self.translated(node, [new[x] for x in node.inputs])
        taken: set[Node] = set()
        for x in self.source.outputs:
            node = new[x]
            if self.views[node].base is not node or node.op in LEAVES or node in taken:
                node = self.copied(node, len(taken))
            taken.add(node)
            self.outputs.append(node)

    def translated(self, node: Node, inputs: list[Node]) -> Node:
        if node.op in REDUCTIONS and node.dtype != inputs[0].dtype and node.dtype is not None:
            inputs = [self.noted(self.cast(inputs[0], node.dtype))]
        if node.op == "matmul":
            looped = self.as_loops(node, *inputs)
            if looped is not None:
                return looped
        if node.op in positions.RULES:
            looped = positions.as_loops(self, node, *inputs)
            if looped is not None:
                return looped
        looped = joining.as_loops(self, node, inputs)
        if looped is not None:
            return looped
        again = self.node(node.op, tuple(inputs), node.params, node.shape, node.dtype, node.call)
        if not inputs or again in self.views:
            return self.noted(again)
        view = self.view(again, inputs[0])
        if view is None and moves(again) and self.views[inputs[0]].base is not inputs[0]:
            again = self.again(again, (self.copied(inputs[0]),))
            view = self.view(again, again.inputs[0])
        if view is not None:
            self.views[again] = view
            return again
        if not self.in_loops(again):
            whole = node.op in WHOLE
            plain = [self.copied(x) if self.scattered(x, whole) else x for x in inputs]
            again = self.again(again, tuple(plain))
        return self.noted(again)

    def as_loops(self, node: Node, x: Node, y: Node) -> Node | None:
        """A product with a vector as a sum of products, and one of vectors as products: loops
        read each element once, and do with it what comes before and after."""
        m, k = x.shape[-2:] if len(x.shape) > 1 else (1, x.shape[0])
        n = y.shape[-1] if len(y.shape) > 1 else 1
        if node.dtype.kind != "f" or x.dtype != y.dtype or not node.size or not k:
            return None
        if k == 1 and len(x.shape) > 1 and len(y.shape) > 1:
            return self.looped("multiply", (x, y), node.shape)
        if n != 1 or (m == 1 and len(x.shape) > 1 and len(y.shape) > 1 and m * n * k > 1 << 14):
            return None
        if len(y.shape) > 1:
            turned = (*range(len(y.shape) - 2), len(y.shape) - 1, len(y.shape) - 2)
            shape = tuple(y.shape[a] for a in turned)
            y = self.moved("permute_dims", y, {"axes": turned}, shape)
        shape = numpy.broadcast_shapes(x.shape, y.shape)
        terms = self.looped("multiply", (x, y), shape)
        if terms is None:
            return None
        axis = (len(shape) - 1,)
        params = {"axis": axis, "keepdims": False}
        total = self.node("sum", (terms,), params, shape[:-1], node.dtype)
        if not self.in_loops(total):
            return None
        return self.moved("reshape", self.noted(total), {"to": node.shape}, node.shape)

    def looped(self, op: str, inputs: tuple[Node, ...], shape: Shape) -> Node | None:
        """An elementwise operation, if loops can compute it."""
        node = self.node(op, inputs, {}, shape, inputs[-1].dtype)
        return self.noted(node) if self.in_loops(node) else None

    def moved(self, op: str, x: Node, params: dict[str, Any], shape: Shape) -> Node:
        if shape == x.shape and op == "reshape":
            return x
        return self.translated(self.node(op, (x,), params, shape, x.dtype), [x])

    def view(self, node: Node, x: Node) -> View | None:
        """A node that moves the elements of another as a view; with a window, only for loops."""
        if node.dtype is None or self.views[x].base.dtype is None:
            return None
        view = view_of(node, self.views[x])
        if view is not None and view.windowed and not self.in_loops(copy_of(self, node)):
            return None
        return view

    def scattered(self, node: Node, whole: bool) -> bool:
        """Whether a step cannot read a node as it lies: with `whole`, unless it is in one piece."""
        view = self.views[node]
        return view.windowed or (whole and view.strides != c_strides(view.shape))

    def noted(self, node: Node) -> Node:
        self.views.setdefault(node, whole(node))
        return node

    def copied(self, node: Node, mark: int = 0) -> Node:
        """A copy; those with different marks are different."""
        return self.noted(copy_of(self, node, mark))


def copy_of(graph: Graph, node: Node, mark: int = 0) -> Node:
    params = {"mark": mark} if mark else {}
    return graph.node("copy", (node,), params, node.shape, node.dtype)


def moves(node: Node) -> bool:
    """Whether an operation may be a view."""
    return node.op in ("reshape", "permute_dims", "broadcast_to", "getitem", "scatter_add") and (
        len(node.inputs) == 1 and node.size > 0
    )
