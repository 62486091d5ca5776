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
