"""How rewrites are applied: every node of the new graph goes through the rules as it is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy

from ...core.op import Op
from ..graph import LEAVES, Graph, Node, Shape
from .dtypes import uniform

Rule = Callable[["Rewriter", Node], Node | None]
"""Gives what is to stand in a node's place, or None where the rule does not apply.

The node is one that is about to be made: its inputs are rewritten already, and what the rule makes
goes through the rules in turn.
"""


class Rewriter(Graph):
    """A graph whose nodes are rewritten as they are made.

    `kept` are the guards of the original graph that must stay, None for all.
    """

    def __init__(self, rules: Mapping[str, Sequence[Rule]], kept: set[Node] | None) -> None:
        super().__init__()
        self.rules = rules
        self.kept_guards = kept
        self.final: dict[Node, Node] = {}

    def rewrite(self, graph: Graph) -> Graph:
        """The rewritten form of a graph."""
        new: dict[Node, Node] = {}
        for node in graph.inputs:
            new[node] = self.input(node.shape, node.dtype)
        for node in graph.order():
            if node not in new:
                new[node] = self.translated(node, tuple(new[x] for x in node.inputs))
        self.outputs = [new[x] for x in graph.outputs]
        return self

    def translated(self, node: Node, inputs: tuple[Node, ...]) -> Node:
        if node.op == "guard" and self.kept_guards is not None and node not in self.kept_guards:
            return self.broadcast(inputs[0], node.shape)
        if node.op == "constant":
            return self.constant(node.params["value"])
        return self.node(node.op, inputs, node.params, node.shape, node.dtype, node.call)

    def node(
        self,
        op: str,
        inputs: tuple[Node, ...] = (),
        params: dict[str, Any] | None = None,
        shape: Shape = (),
        dtype: Any = None,
        call: Op | None = None,
    ) -> Node:
        if op not in LEAVES:
            inputs = uniform(self, op, inputs, dtype)
        node = super().node(op, inputs, params, shape, dtype, call)
        found = self.final.get(node)
        if found is None:
            found = self.final[node] = self.rewritten(node)
        return found

    def rewritten(self, node: Node) -> Node:
        for rule in (*self.rules.get(node.op, ()), *self.rules.get(category(node), ())):
            new = rule(self, node)
            if new is not None:
                return new
        return node

    def number(self, value: Any, like: Node) -> Node:
        """A number of the dtype of a node."""
        return self.constant(like.dtype.type(value))

    def constant(self, value: Any) -> Node:
        """An array as a node; equal elements are one number, broadcast."""
        if type(value) is numpy.ndarray and value.size > 1 and value.dtype.kind in "biufc":
            first = value[(0,) * value.ndim]
            if all_equal(value, first):
                return self.broadcast(super().constant(first), value.shape)
        return super().constant(value)


def category(node: Node) -> str:
    """The name under which the rules for all elementwise, or all other operations stand."""
    if node.op in LEAVES:
        return ""
    return "elementwise" if node.elementwise else "structural"


def all_equal(value: numpy.ndarray, first: Any) -> bool:
    """Whether all elements have the same bits, zeros' signs and NaN's included."""
    if not any(value.strides):
        return True
    if first != first:
        return False
    return bool((value == first).all()) and (
        first != 0 or value.dtype.kind not in "fc" or not numpy.signbit(value.real).any()
    )
