"""How long each step of a program takes: the program made again, with its steps apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

from ..graph import Graph
from .driver import Call
from .program import LlvmProgram

RUNS = 7
"""How often a program is run; what is reported is the fastest."""


class Timed:
    """What does the same as a function, and notes how long it took at the least."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.seconds = float("inf")

    def __call__(self, *args: Any) -> Any:
        start = perf_counter()
        result = self.function(*args)
        self.seconds = min(self.seconds, perf_counter() - start)
        return result


def step_times(
    graph: Graph, watched: Sequence[int], fast: bool, inputs: Sequence[Any]
) -> tuple[float, ...]:
    """The seconds that each step of a graph's program takes on some inputs."""
    program = LlvmProgram(graph, watched, (), (), fast, apart=True)
    actions = program.driver.actions
    timed: list[Timed] = []
    for i, action in enumerate(actions):
        if isinstance(action, Call):
            timed.append(Timed(action.compute))
            actions[i] = replace(action, compute=timed[-1])
        else:
            timed.append(Timed(action))
            actions[i] = timed[-1]
    for _ in range(RUNS):
        program(*inputs)
    return tuple(t.seconds for t in timed)
