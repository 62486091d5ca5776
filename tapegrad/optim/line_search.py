"""A line search for Wolfe's strong conditions, by cubic interpolation in a bracket.

The method is that of Nocedal and Wright, Numerical Optimization, algorithms 3.5 and 3.6; the cubic
is that of minFunc, on which PyTorch's steps are built too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy
from numpy import ndarray

SUFFICIENT = 1e-4
CURVATURE = 0.9
SMALLEST = 1e-9
"""The change of a parameter at which a bracket is small enough."""


@dataclass(frozen=True)
class Point:
    """A loss and its gradient."""

    loss: float
    gradient: ndarray


Evaluate = Callable[[float, ndarray], Point]


@dataclass(frozen=True)
class Trial:
    """A step with what it leads to, and the slope along the line there."""

    step: float
    point: Point
    slope: float

    @property
    def loss(self) -> float:
        """The loss there."""
        return self.point.loss


def cubic_minimum(a: Trial, b: Trial, bounds: tuple[float, float] | None = None) -> float:
    """The step at which the cubic through two trials, with their slopes, is least.

    It is kept within `bounds`, by default between the two; their middle if there is no minimum.
    """
    low, high = bounds or (min(a.step, b.step), max(a.step, b.step))
    if a.step == b.step:
        return (low + high) / 2
    if a.step > b.step:
        a, b = b, a
    d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.step - b.step)
    square = d1**2 - a.slope * b.slope
    if not square >= 0:
        return (low + high) / 2
    d2 = math.sqrt(square)
    denominator = b.slope - a.slope + 2 * d2
    if denominator == 0:
        return (low + high) / 2
    return min(max(b.step - (b.step - a.step) * ((b.slope + d2 - d1) / denominator), low), high)


def strong_wolfe(
    evaluate: Evaluate, step: float, direction: ndarray, start: Point, slope: float, most: int
) -> tuple[float, Point]:
    """A step along `direction`, with what is there, after at most `most` evaluations or so.

    ``evaluate(step, direction)`` gives the loss and the gradient; `slope` is that at the start.
    """

    def attempt(step: float) -> Trial:
        point = evaluate(step, direction)
        return Trial(step, point, float(point.gradient @ direction))

    origin = previous = Trial(0.0, start, slope)
    trial = attempt(step)
    count = 0
    bracket: tuple[Trial, Trial] | None = None
    while count < most:
        too_high = trial.loss > start.loss + SUFFICIENT * trial.step * slope
        if too_high or (count > 1 and trial.loss >= previous.loss):
            bracket = previous, trial
            break
        if abs(trial.slope) <= -CURVATURE * slope:
            return trial.step, trial.point
        if trial.slope >= 0:
            bracket = previous, trial
            break
        bounds = trial.step + 0.01 * (trial.step - previous.step), trial.step * 10
        further = attempt(cubic_minimum(previous, trial, bounds))
        previous, trial = trial, further
        count += 1
    if bracket is None:
        bracket = origin, trial
    best, other = sorted(bracket, key=lambda end: end.loss)
    reach = float(numpy.max(numpy.abs(direction)))
    best = zoom(attempt, best, other, origin, reach, most - count)
    return best.step, best.point


def zoom(
    attempt: Callable[[float], Trial],
    best: Trial,
    other: Trial,
    origin: Trial,
    reach: float,
    most: int,
) -> Trial:
    """The best end of a bracket that is made smaller until a trial satisfies the conditions.

    `reach` is the largest change of a parameter in a step of length one.
    """
    stalled = False
    for _ in range(most):
        low, high = sorted((best.step, other.step))
        if (high - low) * reach < SMALLEST:
            break
        step = cubic_minimum(best, other)
        margin = 0.1 * (high - low)
        near = min(high - step, step - low) < margin
        if near and (stalled or step >= high or step <= low):
            step = high - margin if abs(step - high) < abs(step - low) else low + margin
            near = False
        stalled = near
        trial = attempt(step)
        too_high = trial.loss > origin.loss + SUFFICIENT * step * origin.slope
        if too_high or trial.loss >= best.loss:
            other = trial
            if other.loss < best.loss:
                best, other = other, best
            continue
        if abs(trial.slope) <= -CURVATURE * origin.slope:
            return trial
        if trial.slope * (other.step - best.step) >= 0:
            other = best
        best = trial
    return best
