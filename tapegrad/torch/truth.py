"""Tests of elements and of whole tensors, and functions of truth values."""

from __future__ import annotations

from typing import Any

import numpy

from ..backend import namespace
from ..core.op import table
from . import errors
from .calls import attach, on_arrays, raw_of
from .pointwise import Function
from .tensor import Tensor

__all__ = [
    "allclose",
    "equal",
    "is_nonzero",
    "isclose",
    "isfinite",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
]


def tests(name: str, doc: str) -> Function:
    """A test of each element, false for dtypes without such numbers."""
    op = table[name]

    @on_arrays
    def public(input: Any) -> Any:
        return op.function(input)

    public.__name__ = name
    public.__doc__ = doc
    return public


isnan = tests("isnan", "Whether elements are NaN.")
isfinite = tests("isfinite", "Whether elements are neither infinite nor NaN.")
isinf = tests("isinf", "Whether elements are infinite.")


def check_real(name: str, x: Any) -> None:
    """Raise for complex numbers, which are neither positive nor negative."""
    if x.dtype.kind == "c":
        raise errors.no_complex_inputs(name)


@on_arrays
def isposinf(input: Any) -> Any:
    """Whether elements are positive infinity."""
    check_real("isposinf", input)
    return input != input if input.dtype.kind in "biu" else input == numpy.inf


@on_arrays
def isneginf(input: Any) -> Any:
    """Whether elements are negative infinity."""
    check_real("isneginf", input)
    return input != input if input.dtype.kind in "biu" else input == -numpy.inf


@on_arrays
def isclose(
    input: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Any:
    """Whether elements differ by no more than ``atol + rtol * abs(other)``."""
    if input.dtype != other.dtype:
        raise RuntimeError(f"{input.dtype} did not match {other.dtype}")
    a, b = raw_of(input), raw_of(other)
    return namespace(a, b).isclose(a, b, rtol, atol, equal_nan)


def allclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    """Whether all elements are close, as `isclose` says."""
    return bool(isclose(input, other, rtol, atol, equal_nan).raw.all())


def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and elements."""
    a, b = input.raw, other.raw
    return a.shape == b.shape and bool((a == b).all())


def is_nonzero(input: Tensor) -> bool:
    """Whether the only element is not zero."""
    if input.raw.size != 1:
        raise errors.ambiguous(input.raw.size)
    return bool(input.raw.item())


def logical(name: str) -> Function:
    """A function of truth values."""
    op = table[name]

    @on_arrays
    def public(input: Any, other: Any) -> Any:
        return op.function(input != 0, other != 0)

    public.__name__ = name
    return public


logical_and = logical("logical_and")
logical_or = logical("logical_or")
logical_xor = logical("logical_xor")


@on_arrays
def logical_not(input: Any) -> Any:
    """Whether elements are zero."""
    return input == 0


attach(
    "allclose equal is_nonzero isclose isfinite isinf isnan isneginf isposinf logical_and "
    "logical_not logical_or logical_xor",
    globals(),
    "logical_and logical_not logical_or logical_xor",
)
