"""What the parts of `check.py` share: lines of its table, the device, and copies there and back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .networks import Network

TABLE_SECONDS = 150.0
"""The operations are left after this: each kernel is compiled when it is first met."""


@dataclass(frozen=True)
class Row:
    """A line of the table."""

    what: str
    result: str
    good: bool = True


@dataclass(frozen=True)
class Device:
    """Where everything runs, and how much of it."""

    xp: Any
    torch: Any
    rehearsal: bool = False
    seconds: float = TABLE_SECONDS

    @property
    def repeats(self) -> int:
        """How often a step is timed."""
        return 2 if self.rehearsal else 50


def put(xp: Any) -> Callable[[Any], Any]:
    """Copies trees of arrays to the device."""

    def to_device(value: Any) -> Any:
        if isinstance(value, np.ndarray | np.generic):
            return xp.asarray(value)
        if isinstance(value, tuple | list):
            return type(value)(map(to_device, value))
        if isinstance(value, dict):
            return {key: to_device(x) for key, x in value.items()}
        return value

    return to_device


def take(xp: Any) -> Callable[[Any], Any]:
    """Copies an array back, which must be on the device."""

    def to_host(value: Any) -> Any:
        assert type(value) is xp.ndarray, f"on the host: {type(value)}"
        return value.get()

    return to_host


def on(xp: Any, network: Network) -> Network:
    """A network on the device."""
    there = put(xp)
    return replace(
        network,
        params=there(network.params),
        inputs=there(network.inputs),
        labels=there(network.labels),
    )
