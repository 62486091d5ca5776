"""`torch.cuda`: whether there is a GPU that runs kernels, and what CuPy tells of it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ...backend import gpu
from ..device import Devices, cupy, set_default
from ..device import device as Device
from .memory import (
    empty_cache,
    max_memory_allocated,
    max_memory_reserved,
    mem_get_info,
    memory_allocated,
    memory_reserved,
    reset_peak_memory_stats,
)
from .numbers import device_count, index_of
from .seeds import (
    get_rng_state,
    get_rng_state_all,
    initial_seed,
    manual_seed,
    manual_seed_all,
    seed,
    seed_all,
    set_rng_state,
    set_rng_state_all,
)
from .streams import Event, Stream, current_stream, default_stream, set_stream, stream

__all__ = [
    "CUPY_AVAILABLE",
    "Device",
    "DeviceProperties",
    "Event",
    "Stream",
    "current_device",
    "current_stream",
    "default_stream",
    "device",
    "device_count",
    "empty_cache",
    "get_default_device",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "get_rng_state",
    "get_rng_state_all",
    "initial_seed",
    "is_available",
    "is_bf16_supported",
    "is_in_cuda_context",
    "is_initialized",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "max_memory_reserved",
    "mem_get_info",
    "memory_allocated",
    "memory_reserved",
    "reset_peak_memory_stats",
    "seed",
    "seed_all",
    "set_default_device",
    "set_device",
    "set_rng_state",
    "set_rng_state_all",
    "set_stream",
    "stream",
    "synchronize",
]


def is_available() -> bool:
    """Whether a GPU ran a small kernel when it was first asked for.

    >>> is_available() in (True, False)
    True
    """
    return gpu()[0] is not None


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether the GPU in use computes in bfloat16: those of compute capability 8.0 and later do."""
    return is_available() and get_device_capability()[0] >= 8


CUPY_AVAILABLE = find_spec("cupy") is not None
"""Whether CuPy is installed."""


def is_initialized() -> bool:
    """Whether a GPU was used already: as `is_available`, which uses it."""
    return is_available()


def current_device() -> int:
    """The number of the GPU that is in use."""
    return int(cupy().cuda.Device().id)


def set_device(device: Any) -> None:
    """Use another GPU from now on."""
    cupy().cuda.Device(index_of(device)).use()


def get_default_device() -> Device:
    """The device of tensors that are made without one."""
    return Device("cpu") if Devices.default is None else Devices.default


def set_default_device(device: Any) -> None:
    """Make tensors on a device where none is given."""
    set_default(device)


@contextlib.contextmanager
def device(device: Any) -> Iterator[None]:
    """Use a GPU within a `with` block."""
    with cupy().cuda.Device(index_of(device)):
        yield


def is_in_cuda_context() -> bool:
    """Whether new tensors go to a GPU."""
    return get_default_device().type == "cuda"


@dataclass(frozen=True)
class DeviceProperties:
    """What the driver tells of a GPU."""

    name: str
    major: int
    minor: int
    total_memory: int
    multi_processor_count: int


def get_device_properties(device: Any = None) -> DeviceProperties:
    """What the driver tells of a GPU, by default of the one in use."""
    found = cupy().cuda.runtime.getDeviceProperties(index_of(device))
    name = found["name"]
    return DeviceProperties(
        name.decode() if isinstance(name, bytes) else str(name),
        *(int(found[k]) for k in ("major", "minor", "totalGlobalMem", "multiProcessorCount")),
    )


def get_device_name(device: Any = None) -> str:
    """The name of a GPU."""
    return get_device_properties(device).name


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """The compute capability of a GPU: its major and its minor number."""
    found = get_device_properties(device)
    return found.major, found.minor


def synchronize(device: Any = None) -> None:
    """Wait until a GPU has done all that it was asked to."""
    cupy().cuda.Device(index_of(device)).synchronize()


def __getattr__(name: str) -> Any:
    """`amp` is loaded when it is first asked for."""
    if name == "amp":
        return import_module("tapegrad.torch.cuda.amp")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
