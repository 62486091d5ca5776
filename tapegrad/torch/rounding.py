"""Rounding and signs of tensors, and what takes numbers apart."""

from __future__ import annotations

from typing import Any

import numpy

from ..core.array import Array
from ..core.op import table
from ..ops.linear import broadcast_to
from . import errors, return_types
from .calls import attach, cast, in_single, on_arrays, promoted, raw_of
from .dtypes import of_numpy
from .pointwise import Function
from .refusals import refuse

__all__ = [
    "ceil",
    "fix",
    "floor",
    "frac",
    "frexp",
    "ldexp",
    "nextafter",
    "round",
    "sgn",
    "sign",
    "signbit",
    "trunc",
]


def without_slope(function: Function) -> Function:
    """A function that is constant but for jumps: its gradient is zero, as PyTorch gives it."""

    def stepped(*inputs: Any, **params: Any) -> Any:
        result = function(*inputs, **params)
        x = inputs[0]
        if isinstance(x, Array) and x.slot and raw_of(result).dtype.kind in "fcV":
            if raw_of(x).shape != raw_of(result).shape:
                x = broadcast_to(x, to=raw_of(result).shape)
            return table["held"].function(x, raw_of(result))
        return result

    return stepped


def steps(name: str, function: Function, doc: str) -> Function:
    """`torch.<name>(input, *, out=None)` of a function that keeps integers."""
    stepped = without_slope(function)

    @on_arrays
    def public(input: Any) -> Any:
        if input.dtype.kind in "iub":
            return table["identity"].function(input)
        return stepped(input)

    public.__name__ = name
    public.__doc__ = doc
    return public


floor = steps("floor", table["floor"].function, "The largest integers not above the elements.")
ceil = steps("ceil", table["ceil"].function, "The smallest integers not below the elements.")
trunc = fix = steps("trunc", table["trunc"].function, "The elements without their fractions.")


@on_arrays
def round(input: Any, *, decimals: int = 0) -> Any:
    """The elements rounded to a number of decimals, halves to the even neighbour."""
    if input.dtype.kind in "bc":
        raise errors.not_for("round_vml_cpu", of_numpy(input.dtype))
    if input.dtype.kind in "iub":
        if decimals >= 0:
            return table["identity"].function(input)
        return table["round"].function(input, decimals=decimals)
    return without_slope(table["round"].function)(input, decimals=decimals)


@on_arrays
def sign(input: Any) -> Any:
    """-1, 0 or 1."""
    if input.dtype.kind == "c":
        raise RuntimeError("Unlike NumPy, torch.sign doesn't support complex numbers. Use sgn.")
    if input.dtype.kind == "b":
        return table["identity"].function(input)
    return without_slope(table["sign"].function)(input)


@on_arrays
def sgn(input: Any) -> Any:
    """-1, 0 or 1; of a complex number, the number of its angle and of size 1."""
    if input.dtype.kind != "c":
        return sign_of(input)
    return table["phase"].function(input)


def sign_of(x: Any) -> Any:
    """The sign of real numbers."""
    if x.dtype.kind == "b":
        return table["identity"].function(x)
    return without_slope(table["sign"].function)(x)


@on_arrays
def frac(input: Any) -> Any:
    """The fractions, with the elements' signs."""
    return input - raw_of(table["trunc"].function(input))


@on_arrays
def ldexp(input: Any, other: Any) -> Any:
    """``input * 2 ** other``."""
    x, y = promoted(input, other, to_float=True)
    return x * table["exp2"].function(y)


@on_arrays
def nextafter(input: Any, other: Any) -> Any:
    """The next number after `input` towards `other`."""
    x, y = promoted(input, other)
    return table["nextafter"].function(x, y)


@on_arrays
@in_single
def frexp(input: Any) -> Any:
    """Mantissas and exponents: ``input == mantissa * 2 ** exponent``."""
    if input.dtype.kind != "f":
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    exponent = table["exponent_of"].function(input)
    return return_types.frexp(
        table["mantissa_of"].function(input), cast(exponent, numpy.dtype("int32"))
    )


@on_arrays
def signbit(input: Any) -> Any:
    """Whether elements are negative, the zero -0.0 among them."""
    if input.dtype.kind == "c":
        raise errors.no_complex_inputs("signbit")
    if input.dtype.kind in "bu":
        return input != input
    return table["signbit"].function(input) if input.dtype.kind == "f" else input < 0


attach(
    "ceil fix floor frac frexp ldexp nextafter round sgn sign signbit trunc",
    globals(),
    "ceil fix floor frac ldexp nextafter round sgn sign trunc",
)

refuse(globals(), "{name}_vml_cpu", "bool", "floor ceil trunc")
refuse(
    globals(),
    "NotImplementedError: {name} is not supported for complex inputs",
    "complex",
    "floor ceil trunc",
)
refuse(globals(), "frac_cpu", "bool integer complex", "frac")
refuse(globals(), "{name}_cpu", "bool integer complex", "nextafter")
refuse(
    globals(),
    "NotImplementedError: Unlike NumPy, torch.sign is not intended to support complex "
    "numbers. Please use torch.sgn instead.",
    "complex",
    "sign",
)
refuse(
    globals(),
    "NotImplementedError: signbit is not implemented for complex tensors.",
    "complex",
    "signbit",
)
