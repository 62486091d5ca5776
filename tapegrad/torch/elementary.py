"""Elementary functions of tensors beside arithmetic, angles and rounding."""

from __future__ import annotations

from typing import Any

import numpy

from ..core.op import table
from . import errors
from .bits import bitwise_not
from .calls import attach, cast, on_arrays, promoted, raw_of
from .dtypes import common, of_numpy
from .pointwise import unary
from .refusals import refuse
from .tensor import Tensor

__all__ = [
    "abs",
    "absolute",
    "addcdiv",
    "addcmul",
    "float_power",
    "lerp",
    "positive",
    "relu",
    "rsqrt",
]


@on_arrays
def abs(input: Any) -> Any:
    """The absolute values."""
    if input.dtype.kind == "b":
        return table["identity"].function(input)
    return table["abs"].function(input)


absolute = abs


@on_arrays
def rsqrt(input: Any) -> Any:
    """One over the square root."""
    (x,) = promoted(input, to_float=True)
    return table["reciprocal"].function(table["sqrt"].function(x))


def positive(input: Tensor) -> Tensor:
    """The tensor itself; booleans raise."""
    if input.raw.dtype.kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


def general_relu(x: Any) -> Any:
    """`relu` of arrays of any dtype."""
    if x.dtype.kind in "bc":
        raise errors.no_relu(of_numpy(x.dtype))
    return table["relu"].function(x)


relu = unary("relu", to_float=False, otherwise=general_relu)


@on_arrays
def float_power(input: Any, exponent: Any) -> Any:
    """A power computed in double precision."""
    d = common(raw_of(input), raw_of(exponent))
    assert d is not None
    to = numpy.complex128 if d.is_complex else numpy.float64
    return table["pow"].function(cast(input, numpy.dtype(to)), cast(exponent, numpy.dtype(to)))


@on_arrays
def lerp(input: Any, end: Any, weight: Any) -> Any:
    """The point that is `weight` of the way from `input` to `end`."""
    if input.dtype != end.dtype:
        raise errors.different_dtypes(of_numpy(input.dtype), of_numpy(end.dtype))
    return input + cast(weight, input.dtype) * (end - input)


@on_arrays
def addcmul(input: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Any:
    """``input + value * tensor1 * tensor2``."""
    x, a, b = promoted(input, tensor1, tensor2)
    product = a * b
    return x + (product if value == 1 else cast(value, product.dtype) * product)


@on_arrays
def addcdiv(input: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Any:
    """``input + value * tensor1 / tensor2``."""
    x, a, b = promoted(input, tensor1, tensor2)
    if x.dtype.kind in "iub":
        raise errors.integer_division("addcdiv")
    quotient = a / b
    return x + (quotient if value == 1 else cast(value, quotient.dtype) * quotient)


attach(
    "abs absolute addcdiv addcmul float_power lerp positive rsqrt",
    globals(),
    "abs absolute addcdiv addcmul float_power lerp rsqrt",
)
for _name, _method in (("__abs__", abs), ("__invert__", bitwise_not), ("__pos__", positive)):
    setattr(Tensor, _name, _method)

refuse(globals(), "{name}_cpu", "bool", "abs")
refuse(globals(), "addcmul_cpu_out", "bool", "addcmul")
refuse(globals(), "lerp_kernel_tensor", "bool integer", "lerp")
