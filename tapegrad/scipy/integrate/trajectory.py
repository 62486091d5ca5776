"""A solution as a function of time, piece by piece, from the end to the start, in little memory.

A piece has some steps of the solver, and only the dense output of the piece in hand exists. The
states that pieces begin with are few too: the number kept grows with the logarithm of the length,
and the others are computed again from these, by the schedule of fewest steps (see
`transforms/schedule.py`): recursive, or binomial, checkpointing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy
from scipy.integrate import OdeSolution

from ...transforms.schedule import Online, first_advance
from .solvers import Function, Ivp

STEPS = 100
"""How many steps of the solver a piece has."""

SLOTS = 32
"""How many states are kept, besides those that the caller has."""

Piece = tuple[float, float, Callable[[Any], Any]]
"""Where a piece begins, where it ends, and the state as a function of time in it."""


def pieces(
    solver: Ivp, f: Function, y0: Any, start: float, stop: float, jac: Function | None
) -> Iterator[Piece]:
    """The pieces of a solution from `start` to `stop`, the last one first."""
    times = [start]
    states = {0: y0}  # by the number of the piece that begins with it
    online = Online(SLOTS)
    at = [start]
    interpolants: list[Any] = []
    state = y0
    for stepper in solver.steps(f, y0, start, stop, jac):
        if len(interpolants) == STEPS:
            times.append(at[-1])
            number = len(times) - 1
            states[number] = state
            dropped = online.add(number)
            if dropped is not None:
                del states[dropped]
            at, interpolants = [times[-1]], []
        interpolants.append(stepper.dense_output())
        at.append(stepper.t)
        state = stepper.y
    yield times[-1], stop, OdeSolution(at, interpolants)
    del interpolants, stepper
    times.append(stop)
    states.pop(len(times) - 2)
    for number in reversed(range(len(times) - 2)):
        first = max(n for n in states if n <= number)
        state = states[first]
        while first < number:
            free = SLOTS + 1 - len(states)
            nearer = first + first_advance(number - first + 1, free)
            state = solver.solve(f, state, numpy.array([times[first], times[nearer]]), jac)[-1]
            first = nearer
            if free and first < number:
                states[first] = state
        begin, end = times[number], times[number + 1]
        yield begin, end, solver.dense(f, state, begin, end, jac)
        states.pop(number, None)
