"""The deliberate errors of solvers of initial value problems."""

from __future__ import annotations

from typing import Any

from ...errors import ConcretizationError, NotDifferentiableError


def complex_state(solver: str) -> TypeError:
    return TypeError(
        f"{solver} of traced arrays needs a real state and real parameters. Take real and "
        "imaginary parts side by side."
    )


def lanes_of_solve_ivp() -> ConcretizationError:
    return ConcretizationError(
        "solve_ivp under vmap needs t_eval, without events and dense_output: the number of steps "
        "and of events may differ between lanes. Pass t_eval, or loop over the lanes in Python."
    )


def grazing_event(index: int, time: float) -> NotDifferentiableError:
    return NotDifferentiableError(
        f"event {index} at t = {time:g} has no derivative: there the event function only touches "
        "zero, so its time jumps when a parameter changes."
    )


def outside_of_span(time: float, start: float, stop: float) -> ValueError:
    return ValueError(
        f"the dense output of traced arrays goes from {start:g} to {stop:g}, but was asked for "
        f"t = {time:g}, where it would extrapolate. Integrate that far."
    )


def bad_sensitivity(function: str, known: tuple[str, ...], given: Any) -> ValueError:
    return ValueError(f"{function}: sensitivity must be one of {known}, but is {given!r}.")


def hidden_parameter(solver: str) -> TypeError:
    return TypeError(
        f"{solver}: the right-hand side depends on a traced value that was not found in args, nor "
        "in the variables that the function closes over, and its derivative would be lost without "
        "a word. Pass it through args, or use tapegrad.stop_gradient(value) inside."
    )
