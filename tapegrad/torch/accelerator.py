"""`torch.accelerator`: which device other than the processor tensors can be on. There is none."""

from __future__ import annotations

from typing import Any

from .device import device

__all__ = [
    "current_accelerator",
    "current_device_index",
    "device_count",
    "is_available",
    "synchronize",
]


def is_available() -> bool:
    """Whether tensors can be on another device than the processor."""
    return False


def device_count() -> int:
    """How many such devices there are."""
    return 0


def current_accelerator(check_available: bool = False) -> device | None:
    """The device; None as long as there is none."""
    return None


def current_device_index() -> int:
    """The number of the device in use; -1 for none."""
    return -1


def synchronize(device: Any = None) -> None:
    """Wait for the device: with none, there is nothing to wait for."""
