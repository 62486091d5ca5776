"""Passes over graphs."""

from __future__ import annotations

from .graph import Graph


def optimise(graph: Graph) -> Graph:
    """The graph as it is run."""
    return graph
