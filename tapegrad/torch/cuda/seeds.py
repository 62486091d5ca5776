"""Seeds of the generators that draw on GPUs: each GPU has one.

Without GPUs, what sets seeds does nothing.
"""

from __future__ import annotations

from typing import Any

from ..device import device as Device
from ..device import place_for
from ..random import Generator, generator_at
from ..tensor import Tensor
from .numbers import device_count, index_of


def default_of(device: Any = None) -> Generator:
    """The generator that draws on a GPU where none is given."""
    return generator_at(place_for(Device("cuda", index_of(device))))


def manual_seed(seed: int) -> None:
    """Begin the random numbers of the GPU in use anew from a seed."""
    if device_count():
        default_of().manual_seed(int(seed))


def manual_seed_all(seed: int) -> None:
    """As `manual_seed`, for all GPUs."""
    for number in range(device_count()):
        default_of(number).manual_seed(int(seed))


def seed() -> None:
    """Begin the random numbers of the GPU in use anew from a seed of the operating system's."""
    if device_count():
        default_of().seed()


def seed_all() -> None:
    """As `seed`, for all GPUs, which get the same one."""
    if device_count():
        manual_seed_all(default_of().seed())


def initial_seed() -> int:
    """The seed that the random numbers of the GPU in use began from."""
    return default_of().initial_seed()


def get_rng_state(device: Any = "cuda") -> Tensor:
    """The state of a GPU's generator: bytes on the CPU."""
    return default_of(device).get_state()


def get_rng_state_all() -> list[Tensor]:
    """The states of all GPUs' generators."""
    return [get_rng_state(number) for number in range(device_count())]


def set_rng_state(new_state: Tensor, device: Any = "cuda") -> None:
    """Have a GPU's generator go on from a state."""
    default_of(device).set_state(new_state)


def set_rng_state_all(new_states: list[Tensor]) -> None:
    """Have the generators of all GPUs go on from their states."""
    for number, state in enumerate(new_states):
        set_rng_state(state, number)
