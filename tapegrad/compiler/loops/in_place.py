"""Results in the memory of what they are computed from, where nothing reads that any more."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ..graph import Node
from .groups import FULL, Group, Schedule, Step
from .memory import Span, reads
from .stages import levels
from .views import View, c_strides, restrided

MOST_TRIED = 64
"""How many places are tried for a result: more would make the time quadratic."""


def in_place(
    plan: Schedule, memory: Collection[Node], results: Collection[Node], span: Span
) -> dict[Node, Node]:
    """For some of `results`, the one of `memory` whose place it can take.

    Every step that reads what is there comes before the one that makes the result; or it is that
    step, and has read each element when it writes the element in its place. Steps that are done
    together do not come before each other, but what one makes is complete where another reads it.
    """
    readers: dict[Node, list[Group | Step]] = {x: [] for x in memory}
    for step in plan.steps:
        for base in set(reads(step)):
            if base in readers:
                readers[base].append(step)
    taken: dict[Node, Node] = {}
    free: dict[Any, list[Node]] = {}
    for x in memory:
        free.setdefault((x.shape, x.dtype), []).append(x)
    for node in results:
        maker = plan.steps[plan.made_in[node]]
        alike = free.get((node.shape, node.dtype), [])
        for x in alike[:MOST_TRIED]:
            if plan.made_in.get(x, -1) >= maker.index:
                continue
            begin, _ = span(maker.index)
            last = [step for step in readers[x] if step.index >= begin]
            over = not last and plan.made_in.get(x, -1) < begin
            if over or (last == [maker] and reads_first(maker, x, node)):
                taken[node] = x
                alike.remove(x)
                break
    return taken


def reads_first(step: Group | Step, x: Node, node: Node) -> bool:
    """Whether a step has read an element of `x` when it writes that of `node` in its place."""
    if not isinstance(step, Group) or step.role[node] != FULL or max(levels(step).values()) > 0:
        return False
    whole = c_strides(step.domain)
    before = read = False  # what is read once, at the same place, stays in a register
    for other in step.nodes:
        for view in step.operands[other]:
            if isinstance(view, View) and view.base is x:
                if view.offset or view.windowed:
                    return False
                if restrided(view.shape, view.strides, step.domain) != whole:
                    return False  # after the result too: another element would be read
                read = True
        if other is node:
            before = read
    return before
