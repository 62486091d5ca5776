"""The classes of tensors by dtype, such as `FloatTensor`, which older programs use."""

from __future__ import annotations

from typing import Any

import numpy

from . import dtypes
from .creation import numbers
from .dtypes import dtype
from .size import Size
from .tensor import Tensor, wrap

__all__ = [
    "BFloat16Tensor",
    "BoolTensor",
    "ByteTensor",
    "CharTensor",
    "DoubleTensor",
    "FloatTensor",
    "HalfTensor",
    "IntTensor",
    "LongTensor",
    "ShortTensor",
    "set_default_tensor_type",
    "typename",
]


class Typed(type):
    """The classes that are told by the dtype of a tensor."""

    kind: dtype

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.kind

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        d = cls.kind.dtype
        if len(args) == 1 and not isinstance(args[0], int | Size):
            return wrap(numbers(args[0], cls.kind))
        sizes = args[0] if len(args) == 1 and isinstance(args[0], Size) else args
        return wrap(numpy.empty(tuple(sizes) if args else (0,), d))


def typed(name: str, kind: dtype) -> Any:
    """A class whose call makes tensors of a dtype: of numbers, or uninitialised of sizes."""
    doc = f"Tensors of {kind}: ``{name}([1, 2])`` of numbers, ``{name}(2, 3)`` of sizes."
    return Typed(name, (), {"kind": kind, "__doc__": doc, "__module__": __name__})


BFloat16Tensor = typed("BFloat16Tensor", dtypes.bfloat16)
BoolTensor = typed("BoolTensor", dtypes.bool_)
ByteTensor = typed("ByteTensor", dtypes.uint8)
CharTensor = typed("CharTensor", dtypes.int8)
DoubleTensor = typed("DoubleTensor", dtypes.float64)
FloatTensor = typed("FloatTensor", dtypes.float32)
HalfTensor = typed("HalfTensor", dtypes.float16)
IntTensor = typed("IntTensor", dtypes.int32)
LongTensor = typed("LongTensor", dtypes.int64)
ShortTensor = typed("ShortTensor", dtypes.int16)


def set_default_tensor_type(t: Any) -> None:
    """`set_default_dtype` by a class of tensors, such as `torch.DoubleTensor`, or by its name."""
    name = t.rpartition(".")[2] if isinstance(t, str) else t.__name__
    dtypes.set_default_dtype(globals()[name].kind)


def typename(obj: Any) -> str:
    """The name of a class, or of that of an object; of a tensor, that of its dtype."""
    if isinstance(obj, Tensor):
        name: str = obj.type()
        return name
    kind = obj if isinstance(obj, type) else type(obj)
    return (
        kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
    )


def new_of(self: Tensor, *args: Any, device: Any = None) -> Any:
    """A tensor of the same dtype: of numbers, or uninitialised of sizes."""
    name = self.type().rpartition(".")[2]
    return globals()[name](*args)


for _name, _method in (("new", new_of),):
    setattr(Tensor, _name, _method)
