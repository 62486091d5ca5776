"""`torch.accelerator`: the GPU, where one runs kernels."""

from __future__ import annotations

from typing import Any

from . import cuda
from .cuda import device_count, is_available
from .device import device as Device

__all__ = [
    "current_accelerator",
    "current_device_index",
    "device_count",
    "is_available",
    "synchronize",
]


def current_accelerator(check_available: bool = False) -> Device | None:
    """The kind of device other than the processor that tensors can be on; None if there is none."""
    return Device("cuda") if is_available() else None


def current_device_index() -> int:
    """The number of the device in use; -1 for none."""
    return cuda.current_device() if is_available() else -1


def synchronize(device: Any = None) -> None:
    """Wait for the device: with none, there is nothing to wait for."""
    if is_available():
        cuda.synchronize(device)
