"""Errors about arithmetic, reductions and transforms."""

from __future__ import annotations

from typing import Any

from .types import SCALARS


def bad_rounding(mode: str) -> RuntimeError:
    return RuntimeError(
        f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{mode}'"
    )


def mean_of_integers(d: Any) -> RuntimeError:
    return RuntimeError(
        "mean(): could not infer output dtype. Input dtype must be either a floating point or "
        f"complex dtype. Got: {SCALARS[d.name]}\nConvert first, for example with .float()."
    )


def empty_reduction(name: str, dim: Any) -> Exception:
    if dim is None and name in ("argmax", "argmin"):
        return IndexError(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0."
        )
    if dim is None:
        return RuntimeError(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify "
            "the reduction dim with the 'dim' argument."
        )
    return IndexError(f"{name}(): Expected reduction dim {dim} to have non-zero size.")


def negative_power() -> RuntimeError:
    return RuntimeError(
        "Integers to negative integer powers are not allowed.\n"
        "Convert to floats first, for example with .float()."
    )


def no_order(name: str, d: Any) -> NotImplementedError:
    return NotImplementedError(
        f"\"{name}_cpu\" not implemented for '{SCALARS[d.name]}'\n"
        "Complex numbers have no order: compare .abs(), .real or .imag."
    )


def subtraction_of_bools(both: bool) -> RuntimeError:
    if both:
        return RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. "
            "Use the `^` or `logical_xor()` operator instead."
        )
    return RuntimeError(
        "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
        "invert a mask, use the `~` or `logical_not()` operator instead."
    )


def negation_of_bools() -> RuntimeError:
    return RuntimeError(
        "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to "
        "invert a mask, use the `~` or `logical_not()` operator instead."
    )


def zero_divisor() -> RuntimeError:
    return RuntimeError(
        "ZeroDivisionError: an integer divided by zero\nConvert to floats first, for example "
        "with .float(), or replace the zeros with torch.where."
    )


def overflow(value: Any, name: str) -> RuntimeError:
    return RuntimeError(
        f"value cannot be converted to type {C_NAMES.get(name, name)} without overflow: {value}"
    )


C_NAMES = {
    "uint8": "uint8_t",
    "int8": "int8_t",
    "int16": "int16_t",
    "int32": "int",
    "int64": "int64_t",
    "float32": "float",
    "float64": "double",
}
"""How PyTorch's errors name the types of elements."""


def integer_division(name: str) -> RuntimeError:
    return RuntimeError(
        f"Integer division with {name} is no longer supported.\nConvert to floats first."
    )


def bad_interpolation(name: str, given: str) -> RuntimeError:
    return RuntimeError(
        f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, but "
        f"got {given}"
    )


def boundaries_axes(n: int) -> RuntimeError:
    return RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({n})")


def bad_transform_size(n: int) -> RuntimeError:
    return RuntimeError(f"Invalid number of data points ({n}) specified")


def not_pairs(d: Any) -> RuntimeError:
    return RuntimeError(
        "view_as_complex is only supported for half, float and double tensors, but got a tensor of "
        f"scalar type: {SCALARS[d.name]}"
    )


NO_FREEDOM = (
    "{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction "
    "factor (input numel divided by output numel)."
)


def no_complex_inputs(name: str) -> RuntimeError:
    return RuntimeError(
        f"{name} does not support complex inputs.\nTake .real, .imag or .abs() first."
    )


def nanmean_of_integers(d: Any) -> RuntimeError:
    return RuntimeError(
        "nanmean(): expected input to have floating point or complex dtype but got "
        f"{SCALARS[d.name]}"
    )


def no_relu(d: Any) -> Exception:
    if d.is_complex:
        return NotImplementedError("clamp is not supported for complex types")
    return RuntimeError("Boolean inputs not supported for relu")
