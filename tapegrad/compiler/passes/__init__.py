"""Passes over graphs: tables of named rewrites, applied as nodes are made."""

from __future__ import annotations

from ..graph import Graph
from .guards import needed_guards
from .rewriting import Rewriter
from .tables import rules

__all__ = ["optimise"]


def optimise(graph: Graph, careful: bool = True, fast: bool = False) -> tuple[Graph, bool]:
    """The graph as it is run, and whether it relies on no NaN coming out.

    The rules of derivatives are guarded: a zero cotangent stays zero through a singular partial
    derivative. Unless `careful`, guards are left out where a NaN that they would have kept away
    reaches an output for certain; if one does, the careful program has to be run. `fast` allows
    what changes the rounding.
    """
    nodes = graph.order()
    kept = None if careful else needed_guards(nodes, graph.outputs)
    rewriter = Rewriter(rules(fast), kept)
    result = rewriter.rewrite(graph)
    return result, rewriter.dropped
