"""What a tensor tells of itself: its kind, its place, its memory."""

from __future__ import annotations

from typing import Any

from .filling import strided
from .tensor import Tensor, writable

__all__ = ["get_device", "is_same_size", "is_signed"]


def is_signed(input: Tensor) -> bool:
    """Whether the dtype has negative numbers."""
    return input.dtype.is_signed


def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape."""
    return bool(input.raw.shape == other.raw.shape)


def get_device(input: Tensor) -> int:
    """The number of the GPU that a tensor is on; -1 for the CPU."""
    index = input.device.index
    return -1 if index is None else index


def data_ptr(self: Tensor) -> int:
    """Where in memory the first element is."""
    raw = writable(self)
    place: int = raw.__array_interface__["data"][0] if hasattr(raw, "ctypes") else raw.data.ptr
    return place


def storage_offset(self: Tensor) -> int:
    """How many elements of the memory that a view shows a part of come before its first one."""
    base: Any = self
    while (link := getattr(base, "base", None)) is not None:
        base = link[0]
    return (data_ptr(self) - data_ptr(base)) // self.raw.itemsize


def never(self: Tensor) -> bool:
    """False: there are no such tensors here."""
    return False


METHODS: dict[str, Any] = {
    "data_ptr": data_ptr,
    "get_device": get_device,
    "is_cpu": property(lambda self: self.device.type == "cpu"),
    "is_same_size": is_same_size,
    "layout": property(lambda self: strided),
    "storage_offset": storage_offset,
    **dict.fromkeys(
        (
            *("is_hpu", "is_ipu", "is_maia", "is_mps", "is_mtia", "is_vulkan", "is_xla", "is_xpu"),
            *("is_meta", "is_mkldnn", "is_nested", "is_quantized", "is_sparse", "is_sparse_csr"),
        ),
        property(never),
    ),
}
for _name, _method in METHODS.items():
    setattr(Tensor, _name, _method)
