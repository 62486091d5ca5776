"""Schedules: functions of the number of steps so far that give a learning rate.

They are pure and closed, so that they run mapped and compiled.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ...core.op import table
from ..arithmetic import Pure

Schedule = Callable[[Any], Any]

clip = Pure.clamp_
cos = table["cos"].function
floor = table["floor"].function


def share(step: Any, count: float) -> Any:
    """How much of a number of steps is done, at most all."""
    return clip(step / count, 0.0, 1.0)


def constant(lr: float) -> Schedule:
    """Always the same."""
    return lambda step: lr


def linear(start: float, end: float, steps: int) -> Schedule:
    """From `start` to `end` in so many steps, then `end`."""
    return lambda step: start + (end - start) * share(step, steps)


def exponential(lr: float, gamma: float) -> Schedule:
    """Times `gamma` each step."""
    return lambda step: lr * gamma**step


def steps(lr: float, size: int, gamma: float = 0.1) -> Schedule:
    """Times `gamma` after each `size` steps."""
    return lambda step: lr * gamma ** floor(step / size)


def polynomial(lr: float, steps: int, power: float = 1.0, lowest: float = 0.0) -> Schedule:
    """Down to `lowest` in so many steps, with ``(1 - share) ** power``."""
    return lambda step: lowest + (lr - lowest) * (1.0 - share(step, steps)) ** power


def cosine(lr: float, steps: int, lowest: float = 0.0) -> Schedule:
    """Down to `lowest` in so many steps along half a wave, then that."""

    def schedule(step: Any) -> Any:
        return lowest + (lr - lowest) * 0.5 * (1.0 + cos(math.pi * share(step, steps)))

    return schedule


def sequence(schedules: Sequence[Schedule], milestones: Sequence[int]) -> Schedule:
    """One schedule after the other; the next one begins, at its step 0, at each milestone."""

    def schedule(step: Any) -> Any:
        rate = schedules[0](step)
        for start, following in zip(milestones, schedules[1:], strict=True):
            later = following(Pure.maximum(step - start, 0.0))
            rate = Pure.where(Pure.less(step, start), rate, later)
        return rate

    return schedule


def warmup(schedule: Schedule, steps: int) -> Schedule:
    """From 0 up to where a schedule begins, in so many steps, and then that."""
    return sequence([linear(0.0, schedule(0.0), steps), schedule], [steps])


def one_cycle(
    most: float, steps: int, rise: float = 0.3, start: float = 1 / 25, end: float = 1e-4
) -> Schedule:
    """From ``most * start`` up to `most` in a part `rise`, down to ``most * start * end``.

    Both along half a wave, as `OneCycleLR` does.
    """
    turn = max(rise * steps - 1, 1e-9)
    last = max(steps - 1 - turn, 1e-9)

    def wave(a: float, b: float, done: Any) -> Any:
        return b + (a - b) * 0.5 * (1.0 + cos(math.pi * done))

    def schedule(step: Any) -> Any:
        up = wave(most * start, most, share(step, turn))
        down = wave(most, most * start * end, share(step - turn, last))
        return Pure.where(Pure.less(step, turn), up, down)

    return schedule
