"""Random numbers inside transforms: drawn once, or once for each lane."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from .. import errors
from ..backend import as_data, namespace
from ..core.array import Traced, tracked
from ..core.lanes import lane
from ..core.tape import ReplayTape, current_tape, local, set_current, tick

Sampler = Callable[[tuple[int, ...]], Any]
"""`sampler(lanes)` draws, with these leading axes, of which there may be none."""


def draw(sampler: Sampler) -> Any:
    """Random numbers as the running transforms want them.

    Outside of `vmap`, and with its `randomness="same"`, they are plain numbers: constants. With
    `"different"` they are drawn here for all lanes at once, and the value differs between lanes.
    With `"again"`, of a program that is compiled, every run is to draw its own.
    """
    tape = current_tape()
    if not isinstance(tape, ReplayTape):
        return sampler(())
    if tape.randomness == "error":
        raise errors.random_in_lanes()
    previous = local.tape
    try:
        set_current(tape.parent)  # outer transforms have a say in it too
        if tape.randomness == "same":
            return draw(sampler)
        if tape.randomness == "again":
            return drawn_again(tape, sampler)
        values = draw(lambda lanes: sampler((*lanes, tape.lanes)))
    finally:
        set_current(previous)
    slot = tick()
    tape.drawn[slot] = values
    tape.mapped.add(slot)
    return tracked(Traced, lane(values), slot, tape)


def drawn_again(tape: ReplayTape, sampler: Sampler) -> Any:
    """Random numbers as an input of the program on `tape`, which asks `sampler` at each run."""
    values = as_data(tape.sample(sampler))
    slot = tick()
    tape.drawn[slot] = values
    tape.samplers[slot] = sampler
    tape.mapped.add(slot)
    return tracked(Traced, values, slot, tape)


def one_by_one(sample: Callable[[], Any]) -> Sampler:
    """The sampler that draws what one lane draws for one after another."""

    def sampler(lanes: tuple[int, ...]) -> Any:
        if not lanes:
            return sample()
        drawn = [as_data(sample()) for _ in range(prod(lanes))]
        return namespace(drawn[0]).stack(drawn).reshape((*lanes, *drawn[0].shape))

    return sampler
