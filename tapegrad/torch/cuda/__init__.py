"""`torch.cuda`: whether there is a GPU that runs kernels, and what CuPy tells of it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ...backend import gpu
from .. import errors
from ..device import device as Device

__all__ = [
    "CUPY_AVAILABLE",
    "Device",
    "current_device",
    "device",
    "device_count",
    "empty_cache",
    "get_default_device",
    "get_device_name",
    "get_device_properties",
    "is_available",
    "is_bf16_supported",
    "is_in_cuda_context",
    "is_initialized",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "memory_allocated",
    "memory_reserved",
    "set_default_device",
    "set_device",
    "synchronize",
]


def is_available() -> bool:
    """Whether a GPU ran a small kernel when it was first asked for.

    >>> is_available() in (True, False)
    True
    """
    return gpu()[0] is not None


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether a GPU computes in bfloat16: tensors are not on one, so it does not."""
    return False


CUPY_AVAILABLE = find_spec("cupy") is not None
"""Whether CuPy is installed."""


def cupy() -> Any:
    """CuPy; raises where there is no GPU, with the reason."""
    found, reason = gpu()
    if found is None:
        raise errors.no_cuda(reason)
    return found


def is_initialized() -> bool:
    """Whether a GPU was used already: as `is_available`, which uses it."""
    return is_available()


def device_count() -> int:
    """The number of GPUs; 0 where none can be used."""
    return int(cupy().cuda.runtime.getDeviceCount()) if is_available() else 0


def current_device() -> int:
    """The number of the GPU that is in use."""
    return int(cupy().cuda.Device().id)


def index_of(place: Any) -> int:
    """The number of a device given as a number, a name or a `torch.device`."""
    if isinstance(place, int):
        return place
    return Device(place).index or 0


def set_device(device: Any) -> None:
    """Use another GPU from now on."""
    cupy().cuda.Device(index_of(device)).use()


class _Default:
    """The device of tensors that are made without one."""

    place = Device("cpu")


def get_default_device() -> Device:
    """The device of tensors that are made without one."""
    return _Default.place


def set_default_device(device: Any) -> None:
    """Make tensors on a device where none is given."""
    place = Device(device)
    if place.type == "cuda":
        cupy()
        raise errors.cuda_tensors()
    _Default.place = place


@contextlib.contextmanager
def device(device: Any) -> Iterator[None]:
    """Use a GPU within a `with` block."""
    with cupy().cuda.Device(index_of(device)):
        yield


def is_in_cuda_context() -> bool:
    """Whether new tensors go to a GPU."""
    return get_default_device().type == "cuda"


def get_device_properties(device: Any = None) -> dict[str, Any]:
    """What the driver tells of a GPU."""
    where = current_device() if device is None else index_of(device)
    return dict(cupy().cuda.runtime.getDeviceProperties(where))


def get_device_name(device: Any = None) -> str:
    """The name of a GPU."""
    name = get_device_properties(device)["name"]
    return name.decode() if isinstance(name, bytes) else str(name)


def synchronize(device: Any = None) -> None:
    """Wait until a GPU has done all that it was asked to."""
    where = current_device() if device is None else index_of(device)
    cupy().cuda.Device(where).synchronize()


def memory_allocated(device: Any = None) -> int:
    """The bytes that arrays on the GPU occupy; 0 where there is none."""
    return int(cupy().get_default_memory_pool().used_bytes()) if is_available() else 0


def memory_reserved(device: Any = None) -> int:
    """The bytes that the pool holds; 0 where there is no GPU."""
    return int(cupy().get_default_memory_pool().total_bytes()) if is_available() else 0


def max_memory_allocated(device: Any = None) -> int:
    """The bytes that the pool holds, for it gives nothing back by itself."""
    return memory_reserved(device)


def empty_cache() -> None:
    """Give unused memory of the pool back to the driver."""
    if is_available():
        cupy().get_default_memory_pool().free_all_blocks()


def manual_seed(seed: int) -> None:
    """Begin the GPU's random numbers anew from a seed; nothing to do where there is none."""
    if is_available():
        cupy().random.seed(seed)


def manual_seed_all(seed: int) -> None:
    """As `manual_seed`, for all GPUs."""
    manual_seed(seed)


def __getattr__(name: str) -> Any:
    """`amp` is loaded when it is first asked for."""
    if name == "amp":
        return import_module("tapegrad.torch.cuda.amp")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
