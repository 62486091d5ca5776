"""Devices by number."""

from __future__ import annotations

from typing import Any

from ...backend import gpu
from .. import errors
from ..device import cupy, device


def device_count() -> int:
    """The number of GPUs; 0 where none can be used."""
    return int(cupy().cuda.runtime.getDeviceCount()) if gpu()[0] is not None else 0


def index_of(place: Any) -> int:
    """The number of a GPU given as a number, a name or a `torch.device`; None is the one in use."""
    if type(place) is int and place >= 0:
        return place
    where = device("cuda") if place is None or place == -1 else device(place)
    if where.type != "cuda":
        raise errors.no_cuda_device(where)
    return int(cupy().cuda.Device().id) if where.index is None else where.index
