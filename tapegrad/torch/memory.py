"""The memory of tensors: taken from buffers, shown as storages, changed by Python functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from ..core.versions import owner_of
from . import errors
from .dtypes import as_numpy
from .inplace import write_unrecorded
from .tensor import Tensor, constant, writable
from .traits import data_ptr

__all__ = ["UntypedStorage", "frombuffer", "is_storage"]


class UntypedStorage:
    """The memory that a tensor is a part of, as bytes."""

    def __init__(self, raw: Any) -> None:
        self.owner = owner_of(raw)

    def nbytes(self) -> int:
        """How many bytes there are."""
        return int(self.owner.nbytes)

    def size(self) -> int:
        """How many bytes there are."""
        return self.nbytes()

    def __len__(self) -> int:
        return self.nbytes()

    def data_ptr(self) -> int:
        """Where in memory the first one is."""
        return data_ptr(constant(self.owner))


def is_storage(obj: Any) -> bool:
    """Whether something is the memory of a tensor."""
    return isinstance(obj, UntypedStorage)


def untyped_storage(self: Tensor) -> UntypedStorage:
    """The memory that the tensor is a part of."""
    return UntypedStorage(writable(self))


def frombuffer(
    buffer: Any, *, dtype: Any, count: int = -1, offset: int = 0, requires_grad: bool = False
) -> Tensor:
    """A tensor on the memory of a buffer, from the byte `offset` on; of all of it if `count` < 0.

    >>> import tapegrad.torch as torch
    >>> torch.frombuffer(bytearray([1, 2, 3]), dtype=torch.uint8, offset=1)
    tensor([2, 3], dtype=torch.uint8)
    """
    raw = numpy.frombuffer(buffer, as_numpy(dtype), count, offset)
    if not raw.flags.writeable:
        raw = raw.copy()
    return constant(raw).requires_grad_(requires_grad)


def computed(self: Tensor, name: str, function: Callable[..., Any], *others: Tensor) -> Tensor:
    """The tensor, with what a Python function gives for its numbers written into it."""
    if self.slot:
        raise errors.python_function_on_leaf(name)
    own = self.raw.shape
    columns = [numpy.broadcast_to(x.raw, own).ravel().tolist() for x in (self, *others)]
    values = [function(*numbers) for numbers in zip(*columns, strict=True)]
    return write_unrecorded(self, numpy.asarray(values, self.raw.dtype).reshape(own), name)


def apply_(self: Tensor, callable: Callable[[Any], Any]) -> Tensor:
    """Put in place of each number what a Python function gives for it."""
    return computed(self, "apply_", callable)


def map_(self: Tensor, tensor: Tensor, callable: Callable[[Any, Any], Any]) -> Tensor:
    """Put in place of each number what a Python function gives for it and that of another tensor.

    This is of a shape that broadcasts.
    """
    return computed(self, "map_", callable, tensor)


def map2_(self: Tensor, x: Tensor, y: Tensor, callable: Callable[..., Any]) -> Tensor:
    """`map_` with two other tensors."""
    return computed(self, "map2_", callable, x, y)


def resize_as(self: Tensor, tensor: Tensor) -> Any:
    """A copy in the shape of another tensor."""
    return self.clone().resize_(tensor.shape)


def share_memory_(self: Tensor) -> Tensor:
    """The tensor. Processes have copies of what they are sent: `torch.multiprocessing` says so."""
    return self


METHODS: dict[str, Any] = {
    "apply_": apply_,
    "is_shared": lambda self: self.device.type == "cuda",
    "map2_": map2_,
    "map_": map_,
    "resize_as": resize_as,
    "share_memory_": share_memory_,
    "to_dense": lambda self, dtype=None, **_: self if dtype is None else self.to(dtype),
    "untyped_storage": untyped_storage,
}

for _name, _method in METHODS.items():
    setattr(Tensor, _name, _method)
