"""Which guards of zero cotangents may be left out, since a NaN would be seen in the outputs."""

from __future__ import annotations

from ..graph import Node
from .operations import passes_nan


def needed_guards(nodes: list[Node], outputs: list[Node]) -> set[Node]:
    """The guards that must stay: those from which a NaN may get lost on the way."""
    kept = set(outputs)
    lost: set[Node] = set()
    for node in reversed(nodes):
        if node.dtype is None or node.dtype.kind not in "fc":
            lost.add(node)  # it cannot be NaN: what it was computed from is not seen in it
        if node in lost or node.op not in passes_nan:
            lost.update(x for x in node.inputs if x not in kept)
    return {node for node in nodes if node.op == "guard" and node in lost}


def watched_outputs(nodes: list[Node], outputs: list[Node], kept: set[Node]) -> list[int]:
    """The outputs that depend on a guard which is left out: a NaN in one says it was needed."""
    reached: set[Node] = set()
    for node in nodes:
        if (node.op == "guard" and node not in kept) or any(x in reached for x in node.inputs):
            reached.add(node)
    return [i for i, x in enumerate(outputs) if x in reached and x.dtype.kind in "fc"]
