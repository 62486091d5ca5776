"""`torch.cpu`: the device that is always there."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

__all__ = [
    "current_device",
    "device_count",
    "is_available",
    "is_initialized",
    "set_device",
    "stream",
    "synchronize",
]


def is_available() -> bool:
    """True."""
    return True


is_initialized = is_available


def device_count() -> int:
    """One: the processor."""
    return 1


def current_device() -> str:
    """Its name."""
    return "cpu"


def set_device(device: Any) -> None:
    """There is one to choose."""


def synchronize(device: Any = None) -> None:
    """Every call has ended when it gives its result."""


@contextlib.contextmanager
def stream(stream: Any) -> Iterator[None]:
    """A context that changes nothing: there is one stream of work, the program's."""
    yield
