"""Seeds of random numbers on GPUs.

The numbers of tensors on a GPU are drawn by the default generator and copied there: for a seed they
are the same on every device. So these are the functions of `torch` itself.
"""

from __future__ import annotations

from typing import Any

from .. import random
from ..tensor import Tensor


def manual_seed(seed: int) -> None:
    """Begin random numbers anew from a seed."""
    random.manual_seed(seed)


def manual_seed_all(seed: int) -> None:
    """As `manual_seed`: the GPUs have one generator."""
    random.manual_seed(seed)


def seed() -> None:
    """Begin random numbers anew from a seed of the operating system's."""
    random.seed()


def seed_all() -> None:
    """As `seed`."""
    random.seed()


def initial_seed() -> int:
    """The seed that random numbers began from."""
    return random.initial_seed()


def get_rng_state(device: Any = "cuda") -> Tensor:
    """The state of the generator."""
    return random.get_rng_state()


def set_rng_state(new_state: Tensor, device: Any = "cuda") -> None:
    """Have the generator go on from a state."""
    random.set_rng_state(new_state)
