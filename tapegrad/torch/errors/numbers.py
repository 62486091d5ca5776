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
