"""Tensors and NumPy's functions, other libraries' arrays, and copies."""

from __future__ import annotations

import copy
import ctypes
from typing import Any

import numpy
from numpy import generic

from ..backend import OF_CUDA, on_device
from ..backend import from_dlpack as share
from ..core.array import Array
from ..core.leaf import make_leaf
from . import errors
from .calls import as_core, as_tensors
from .conversion import to_array
from .device import Devices, cupy
from .dtypes import of_numpy
from .pointwise import fast
from .tensor import Tensor, copied, core, wrap

__all__ = ["from_dlpack", "to_dlpack"]

UFUNCS = {
    numpy.add: "add",
    numpy.divide: "true_divide",
    numpy.multiply: "mul",
    numpy.power: "pow",
    numpy.remainder: "remainder",
    numpy.subtract: "sub",
    numpy.equal: "eq",
    numpy.not_equal: "ne",
    numpy.less: "lt",
    numpy.less_equal: "le",
    numpy.greater: "gt",
    numpy.greater_equal: "ge",
}
"""NumPy's operators: beside a tensor they promote as the tensor's do."""


def array_ufunc(self: Tensor, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """`numpy.sin(tensor)` and ``array * tensor``: recorded, with a tensor as the result."""
    name = UFUNCS.get(ufunc)
    if name is not None and method == "__call__" and not kwargs:
        operands = [x.item() if isinstance(x, generic) else x for x in inputs]
        return fast[name](*operands)
    if any(isinstance(x, Tensor) for x in kwargs.get("out", ())):
        raise errors.numpy_into_tensor(ufunc.__name__)
    result = Array.__array_ufunc__(core(self), ufunc, method, *map(as_core, inputs), **kwargs)
    return as_tensors(result)


def array_function(self: Tensor, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """NumPy's other functions on tensors: recorded, with tensors as results."""
    args = [as_core(x) for x in args]
    kwargs = {name: as_core(x) for name, x in kwargs.items()}
    found = next((x for x in (*args, *kwargs.values()) if isinstance(x, Array)), core(self))
    return as_tensors(Array.__array_function__(found, func, types, args, kwargs))


def deepcopy(self: Tensor, memo: dict[int, Any]) -> Tensor:
    """A copy with its own memory; of leaves and constants only, as in PyTorch."""
    if id(self) in memo:
        return memo[id(self)]
    if self.slot > 0:
        raise errors.deepcopy_of_computed()
    result = Tensor.__copy__(self)
    memo[id(self)] = result
    result.raw = self.raw if isinstance(self.raw, generic) else copied(self.raw)
    result.slot = 0
    result.tape = None
    for name, value in self.__dict__.items():
        result.__dict__[name] = copy.deepcopy(value, memo)
    if self.slot:
        make_leaf(result)
        if self.grad is not None and not self.is_parameter:
            result.grad = copy.deepcopy(self.grad, memo)
    return result


def dlpack(self: Tensor, **kwargs: Any) -> Any:
    """The tensor's memory for another library, by the DLPack protocol."""
    if self.slot:
        raise errors.dlpack_of_tracked()
    return (self.raw if on_device(self.raw) else to_array(self)).__dlpack__(**kwargs)


def dlpack_device(self: Tensor) -> Any:
    """Where the memory is, as DLPack says it."""
    raw = self.raw if on_device(self.raw) else to_array(self, force=True)
    return raw.__dlpack_device__()


class Capsule:
    """A DLPack capsule with the methods of what made it."""

    def __init__(self, capsule: Any) -> None:
        if type(capsule).__name__ != "PyCapsule":
            raise errors.no_capsule(capsule)
        self.capsule = capsule
        name = ctypes.pythonapi.PyCapsule_GetName
        name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
        self.name = name(capsule)
        if self.name not in OFFSETS:
            raise errors.used_capsule(self.name)

    def __dlpack__(self, **kwargs: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        kind, number = self.device()
        return kind, number

    def device(self) -> Any:
        """Where the capsule has the kind and the number of the device."""
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        start = pointer(self.capsule, self.name) + OFFSETS[self.name]
        return (ctypes.c_int32 * 2).from_address(start)


class Writable:
    """The memory of an array to write to: early capsules do not say whether one may."""

    def __init__(self, x: Any) -> None:
        self.owner = x
        interface = x.__array_interface__
        self.__array_interface__ = {**interface, "data": (interface["data"][0], False)}


OFFSETS = {b"dltensor": 8, b"dltensor_versioned": 40}
"""Where a capsule's memory has the device, by the capsule's name."""


def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """A tensor that shares the memory of another library's array, or of a DLPack capsule.

    On another `device`, or with ``copy=True``, it is a copy; ``copy=False`` raises for one.
    """
    source = ext_tensor if hasattr(ext_tensor, "__dlpack__") else Capsule(ext_tensor)
    if source.__dlpack_device__()[0] == OF_CUDA:
        cupy()  # raises where there is none, as PyTorch does
    raw = share(source)
    if isinstance(source, Capsule) and source.name == b"dltensor" and not on_device(raw):
        raw = numpy.asarray(Writable(raw))
    shared = wrap(raw)
    Devices.used |= on_device(shared.raw)
    of_numpy(shared.raw.dtype)
    result: Tensor = shared if device is None else shared.to(device)
    if result is not shared:
        if copy is False:
            raise errors.dlpack_copy(shared.device, result.device)
        return result
    return result.clone() if copy else result


def to_dlpack(tensor: Tensor) -> Any:
    """A DLPack capsule of a tensor's memory."""
    return dlpack(tensor)


METHODS: dict[str, Any] = {
    "__array_function__": array_function,
    "__array_priority__": 1000,
    "__array_ufunc__": array_ufunc,
    "__deepcopy__": deepcopy,
    "__dlpack__": dlpack,
    "__dlpack_device__": dlpack_device,
}
for _name, _method in METHODS.items():
    setattr(Tensor, _name, _method)
