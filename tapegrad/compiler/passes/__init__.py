"""Passes over graphs: tables of named rewrites, applied as nodes are made."""

from __future__ import annotations

from ..graph import Graph
from .guards import needed_guards, watched_outputs
from .rewriting import Rewriter
from .tables import rules

__all__ = ["optimise"]


def optimise(graph: Graph, careful: bool = True, fast: bool = False) -> tuple[Graph, list[int]]:
    """The graph as it is run, and the outputs in which there must be no NaN for it to be right.

    The rules of derivatives are guarded: a zero cotangent stays zero through a singular partial
    derivative. Unless `careful`, guards are left out where a NaN that they would have kept away
    reaches an output for certain; if one does, the careful program has to be run. `fast` allows
    what changes the rounding.
    """
    if careful:
        return Rewriter(rules(fast), None).rewrite(graph), []
    nodes = graph.order()
    kept = needed_guards(nodes, graph.outputs)
    watched = watched_outputs(nodes, graph.outputs, kept)
    return Rewriter(rules(fast), kept).rewrite(graph), watched
