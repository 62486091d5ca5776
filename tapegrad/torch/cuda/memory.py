"""What CuPy's pool of memory tells; zeros where there is no GPU."""

from __future__ import annotations

from typing import Any

from ...backend import gpu
from ..device import cupy
from .numbers import index_of


def of_pool(name: str, device: Any) -> int:
    """A number that the pool tells for a GPU."""
    if gpu()[0] is None:
        return 0
    library = cupy()
    with library.cuda.Device(index_of(device)):
        return int(getattr(library.get_default_memory_pool(), name)())


def memory_allocated(device: Any = None) -> int:
    """The bytes that arrays on a GPU occupy."""
    return of_pool("used_bytes", device)


def memory_reserved(device: Any = None) -> int:
    """The bytes that the pool holds of a GPU."""
    return of_pool("total_bytes", device)


def max_memory_allocated(device: Any = None) -> int:
    """The bytes that the pool holds: it gives nothing back by itself, so no less was ever used.

    This is what was held since the last `empty_cache` or `reset_peak_memory_stats`, blocks that do
    not fit their arrays exactly included: PyTorch's number is smaller.
    """
    return memory_reserved(device)


max_memory_reserved = max_memory_allocated


def empty_cache() -> None:
    """Give unused memory of the pool back to the driver."""
    if gpu()[0] is not None:
        cupy().get_default_memory_pool().free_all_blocks()


def reset_peak_memory_stats(device: Any = None) -> None:
    """Count the largest use of memory anew: unused memory goes back to the driver."""
    if gpu()[0] is not None:
        with cupy().cuda.Device(index_of(device)):
            empty_cache()


def mem_get_info(device: Any = None) -> tuple[int, int]:
    """The free bytes of a GPU, and all of its bytes."""
    with cupy().cuda.Device(index_of(device)):
        free, total = cupy().cuda.runtime.memGetInfo()
    return int(free), int(total)
