"""Riemann's names of dtypes and constants, and its questions about kinds of values."""

from __future__ import annotations

import contextlib
import math
from numbers import Number
from typing import Any

import numpy
from numpy import generic, ndarray

from .. import return_types
from ..cuda import device as cuda_device
from ..cuda import is_in_cuda_context
from ..device import device
from ..dtypes import (
    bool_,
    complex64,
    defaults,
    dtype,
    float32,
    int32,
    int64,
    of_numpy,
    promote_types,
)
from ..serialization import DEFAULT_PROTOCOL, MAGIC_NUMBER, PROTOCOL_VERSION
from ..tensor import Tensor

__all__ = [
    "DEFAULT_PROTOCOL",
    "MAGIC_NUMBER",
    "PROTOCOL_VERSION",
    "TN",
    "Device",
    "MaxMinReturnType",
    "bool_",
    "complex_",
    "device_context",
    "float_",
    "get_default_complex",
    "infer_data_type",
    "infer_dtype_in_binoper",
    "init_grad_mode_stack",
    "int_",
    "is_float",
    "is_float_or_complex",
    "is_in_cuda_context",
    "is_number",
    "is_numeric_array",
    "is_scalar",
    "ninf",
    "type_value_dict",
]

TN = Tensor
Device = device
MaxMinReturnType = (return_types.max, return_types.min)
"""What `max` and `min` along an axis give, for `isinstance`."""

float_ = float32
complex_ = complex64
int_ = int32
ninf = -math.inf

type_value_dict = {
    of_numpy(numpy.dtype(name)): (bits, signed)
    for name, bits, signed in (
        ("bool", 1, 0),
        ("uint8", 8, 0),
        ("int8", 8, 1),
        ("uint16", 16, 0),
        ("int16", 16, 1),
        ("uint32", 32, 0),
        ("int32", 32, 1),
        ("uint64", 64, 0),
        ("int64", 64, 1),
        ("float16", 64 + 16, 1),
        ("float32", 64 + 32, 1),
        ("float64", 64 + 64, 0),
        ("complex64", 64 + 64, 1),
        ("complex128", 64 + 128, 1),
    )
}
"""The rank of dtypes in a mixture of kinds, as Riemann orders them: a size, and a sign."""


def get_default_complex() -> dtype:
    """The complex dtype whose parts are of the default dtype."""
    return defaults.complex


def is_float(dtype: dtype) -> bool:
    """Whether a dtype is real floating point."""
    return dtype.is_floating_point


def is_float_or_complex(dtype: dtype) -> bool:
    """Whether a dtype is floating point, real or complex."""
    return dtype.is_floating_point or dtype.is_complex


def is_number(v: Any) -> bool:
    """Whether a value is a number of Python's or NumPy's."""
    return isinstance(v, Number | numpy.bool_)


def is_numeric_array(numpy_arr: ndarray) -> bool:
    """Whether the elements of an ndarray are numbers or truth values."""
    return numpy_arr.dtype.kind in "biufc"


def is_scalar(value: Any) -> bool:
    """Whether a value is a number, or a tensor without axes."""
    return is_number(value) or (isinstance(value, Tensor) and not value.raw.shape)


def infer_data_type(v: Any) -> dtype:
    """The dtype that `torch.tensor(v)` has: of numbers, arrays, or lists of them."""
    if isinstance(v, bool):
        return bool_
    if isinstance(v, int):
        return int64
    if isinstance(v, ndarray | generic):
        return of_numpy(v.dtype)
    if isinstance(v, float):
        return defaults.real
    if isinstance(v, complex):
        return defaults.complex
    if isinstance(v, Tensor):
        return v.dtype
    if isinstance(v, list | tuple):
        found: dtype | None = None
        for x in v:
            kind = infer_data_type(x)
            found = kind if found is None else promote_types(found, kind)
        return defaults.real if found is None else found
    raise TypeError("elements of v need to be number")


def infer_dtype_in_binoper(non_tensor_value: Any, tensor_dtype: dtype) -> dtype:
    """The dtype in which a number, or what else is no tensor, meets a tensor of a dtype."""
    real = isinstance(non_tensor_value, int | float)
    if tensor_dtype.is_complex or (tensor_dtype.is_floating_point and real):
        return tensor_dtype
    return infer_data_type(non_tensor_value)


def init_grad_mode_stack() -> None:
    """Begin with recording switched on, as each thread does of itself: nothing is left to do."""


def device_context(tensor_obj: Tensor) -> Any:
    """A context in which arrays are made where a tensor is."""
    place = tensor_obj.device
    return cuda_device(place) if place.type == "cuda" else contextlib.nullcontext()
