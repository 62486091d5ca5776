"""From tensors to numbers, arrays, other dtypes and devices; sizes and layout."""

from __future__ import annotations

import operator
from typing import Any

import numpy
from numpy import ndarray

from ..backend import HOST, Place, namespace, on_device, place_of
from ..core.op import table
from ..numpy.reading import read
from ..ops.transfer import to_place
from . import errors
from .calls import cast
from .device import device, place_for
from .dtypes import (
    as_numpy,
    bfloat16,
    bool_,
    complex64,
    complex128,
    dtype,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
)
from .tensor import Tensor, copied, core, wrap, writable

__all__ = [
    "channels_last",
    "channels_last_3d",
    "clone",
    "contiguous_format",
    "is_tensor",
    "memory_format",
    "numel",
    "preserve_format",
]


class memory_format:
    """How the elements of a tensor follow one another in memory."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"


contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")


def is_tensor(obj: Any) -> bool:
    """Whether an object is a tensor."""
    return isinstance(obj, Tensor)


def number(x: Tensor, what: str) -> Any:
    """The only element of a tensor."""
    raw = read(x, what)
    if raw.size != 1:
        raise errors.not_one_element(raw.size) if what == "item()" else errors.not_one_number()
    return raw.item()


def item(self: Tensor) -> Any:
    """The only element as a Python number."""
    return number(self, "item()")


def to_bool(self: Tensor) -> bool:
    raw = read(self, "bool()")
    if raw.size != 1:
        raise errors.ambiguous(raw.size)
    return bool(raw.item())


def to_index(self: Tensor) -> int:
    raw = read(self, "an index")
    if raw.dtype.kind not in "biu" or raw.size != 1:
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return operator.index(int(raw.item()))


def tolist(self: Tensor) -> Any:
    """Nested lists of Python numbers; a number for a tensor without axes."""
    return read(self, "tolist()").tolist()


def to_array(self: Tensor, *, force: bool = False) -> ndarray:
    """An array that shares the memory of the tensor.

    Raises for a tensor that requires grad, unless `force`, which is as ``detach().cpu()``.
    """
    if self.slot and not force and self.raw.dtype.kind in "fcV" and is_tracked(self):
        raise errors.numpy_of_tracked()
    read(self, "numpy()")
    if on_device(self.raw):
        if not force:
            raise errors.numpy_of_gpu(self.device)
        return numpy.asarray(carried(self, HOST).raw)
    return numpy.asarray(writable(self))


def is_tracked(x: Tensor) -> bool:
    """Whether a conversion of `x` would lose a derivative."""
    return x.slot != 0


def array_protocol(self: Tensor, dtype: Any = None, copy: bool | None = None) -> ndarray:
    """`numpy.asarray(tensor)`."""
    raw = to_array(self)
    if dtype is not None and raw.dtype != dtype:
        return raw.astype(dtype)
    return raw.copy() if copy else raw


def carried(x: Tensor, place: Place) -> Tensor:
    """`x` in a place; itself if it is there. Gradients flow back to where it was."""
    return x if place_of(x.raw) == place else wrap(to_place(core(x), place))


def converted(x: Tensor, to: Any, copy: bool = False) -> Tensor:
    """`x` in a dtype of NumPy's; itself if it is of that dtype already."""
    if x.raw.dtype == to:
        return clone(x) if copy else x
    source = core(x)
    if to.kind != "c" and x.raw.dtype.kind == "c":
        source = table["real"].function(source)
    return wrap(cast(source, to))


def to(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """The tensor on another device or in another dtype; itself if nothing changes.

    ``to(dtype)``, ``to(device, dtype)``, ``to(other)``, each with `copy` and `non_blocking`.
    """
    wanted = kwargs.get("dtype")
    place = kwargs.get("device")
    for a in args[:2]:
        if isinstance(a, Tensor):
            wanted, place = a.dtype, a.device
        elif isinstance(a, dtype) or a in (float, int, bool):
            wanted = a
        elif isinstance(a, str | device | int) and not isinstance(a, bool):
            place = a
    result = self if place is None else carried(self, place_for(place))
    copy = bool(kwargs.get("copy", False)) and result is self
    return converted(result, self.raw.dtype if wanted is None else as_numpy(wanted), copy)


def cuda(
    self: Tensor, device: Any = None, non_blocking: bool = False, memory_format: Any = None
) -> Tensor:
    """The tensor on a GPU."""
    return carried(self, place_for("cuda" if device is None else device))


def cpu(self: Tensor, memory_format: Any = None) -> Tensor:
    """The tensor in the processor's memory; itself if it is there."""
    return carried(self, HOST)


def pin_memory(self: Tensor, device: Any = None) -> Tensor:
    """The tensor itself: it is copied to a GPU as it is, and not faster."""
    return self


def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """A copy; gradients flow through it to the original."""
    source = core(input)
    if not source.slot:
        return wrap(copied(source.raw))
    result = wrap(table["identity"].function(source))
    if result.raw is source.raw or result.raw.base is not None:
        result.raw = copied(result.raw)
    return result


def numel(input: Tensor) -> int:
    """The number of elements."""
    return int(input.raw.size)


def size(self: Tensor, dim: int | None = None) -> Any:
    """The shape, or the length of one axis."""
    return self.shape if dim is None else self.shape[dim]


def stride(self: Tensor, dim: int | None = None) -> Any:
    """The steps between neighbours along each axis, in elements."""
    raw = writable(self)
    steps = tuple(s // raw.itemsize for s in raw.strides)
    return steps if dim is None else steps[dim]


def is_contiguous(self: Tensor, memory_format: Any = None) -> bool:
    """Whether the elements follow one another in memory, the last axis fastest."""
    raw = self.raw if on_device(self.raw) else numpy.asarray(self.raw)
    return bool(raw.flags.c_contiguous)


def contiguous(self: Tensor, memory_format: Any = None) -> Tensor:
    """The tensor itself if it is contiguous, else a copy that is."""
    if is_contiguous(self):
        return self
    result = clone(self)
    result.raw = namespace(result.raw).ascontiguousarray(result.raw)
    return result


def length(self: Tensor) -> int:
    if not self.raw.shape:
        raise TypeError("len() of a 0-d tensor")
    return int(self.raw.shape[0])


def element_size(self: Tensor) -> int:
    """The size of an element in bytes."""
    return int(self.raw.itemsize)


def type_name(self: Tensor, dtype: Any = None) -> Any:
    """PyTorch's older name of the class and dtype, or the tensor in another dtype."""
    if dtype is None:
        package = "torch.cuda" if on_device(self.raw) else "torch"
        return f"{package}.{errors.SCALARS[self.dtype.name]}Tensor"
    if isinstance(dtype, str):
        names = {f"{old}Tensor": new for new, old in errors.SCALARS.items()}
        package, _, name = dtype.rpartition(".")
        return to(self, "cuda" if package == "torch.cuda" else "cpu", BY_NAME[names[name]])
    return converted(self, as_numpy(dtype))


CASTS = {
    "bool": bool_,
    "byte": uint8,
    "char": int8,
    "short": int16,
    "int": int32,
    "long": int64,
    "half": float16,
    "bfloat16": bfloat16,
    "float": float32,
    "double": float64,
    "cfloat": complex64,
    "cdouble": complex128,
}
BY_NAME = {d.name: d for d in CASTS.values()}


def caster(d: dtype) -> Any:
    """The method that converts to a dtype."""
    return lambda self, memory_format=None: converted(self, d.dtype)


METHODS: dict[str, Any] = {
    "__array__": array_protocol,
    "__bool__": to_bool,
    "__complex__": lambda self: complex(number(self, "complex()")),
    "__float__": lambda self: float(number(self, "float()")),
    "__hash__": object.__hash__,
    "__index__": to_index,
    "__int__": lambda self: int(number(self, "int()")),
    "__len__": length,
    "clone": clone,
    "contiguous": contiguous,
    "cuda": cuda,
    "cpu": cpu,
    "dim": lambda self: self.raw.ndim,
    "element_size": element_size,
    "is_complex": lambda self: self.raw.dtype.kind == "c",
    "is_contiguous": is_contiguous,
    "is_cuda": property(lambda self: self.device.type == "cuda"),
    "is_floating_point": lambda self: self.dtype.is_floating_point,
    "is_pinned": lambda self, device=None: False,
    "is_signed": lambda self: self.dtype.is_signed,
    "item": item,
    "itemsize": property(element_size),
    "ndim": property(lambda self: self.raw.ndim),
    "ndimension": lambda self: self.raw.ndim,
    "nelement": numel,
    "numel": numel,
    "numpy": to_array,
    "pin_memory": pin_memory,
    "size": size,
    "stride": stride,
    "to": to,
    "tolist": tolist,
    "type": type_name,
    "type_as": to,
    **{name: caster(d) for name, d in CASTS.items()},
}
for _name, _method in METHODS.items():
    setattr(Tensor, _name, _method)
