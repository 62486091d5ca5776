"""Complex tensors: parts, angles, conjugates, and pairs of reals in their place."""

from __future__ import annotations

import math
from typing import Any

import numpy

from ..backend import namespace
from ..core.op import table
from . import errors
from .calls import attach, on_arrays, promoted, raw_of
from .dtypes import dtype
from .rounding import without_slope
from .tensor import Tensor
from .views import view

__all__ = [
    "angle",
    "conj",
    "conj_physical",
    "is_complex",
    "is_conj",
    "is_floating_point",
    "is_neg",
    "isreal",
    "resolve_conj",
    "resolve_neg",
    "view_as_complex",
    "view_as_real",
]


@on_arrays
def angle(input: Any) -> Any:
    """The angles of complex numbers; 0 or pi for real ones."""
    if input.dtype.kind == "c":
        parts = (table[name].function(input) for name in ("imag", "real"))
        return table["atan2"].function(*parts)
    (x,) = promoted(input, to_float=True)

    def turned(x: Any) -> Any:
        raw = raw_of(x)
        xp = namespace(raw)
        out = xp.where(raw < 0, math.pi, 0.0).astype(raw.dtype)
        return xp.where(xp.isnan(raw), raw, out)[()]

    return without_slope(turned)(x)


@on_arrays
def conj_physical(input: Any) -> Any:
    """The complex conjugates."""
    return table["conj" if input.dtype.kind == "c" else "identity"].function(input)


def conj(input: Tensor) -> Tensor:
    """The complex conjugates; a real tensor as it is."""
    return conj_physical(input) if input.raw.dtype.kind == "c" else input


def resolve_conj(input: Tensor) -> Tensor:
    """The tensor itself: conjugation is never left for later."""
    return input


resolve_neg = resolve_conj


def is_conj(input: Tensor) -> bool:
    """Whether conjugation was left for later: never."""
    return False


is_neg = is_conj


def view_as_real(input: Tensor) -> Tensor:
    """Real and imaginary parts along a new last axis, as a view."""
    if input.raw.dtype.kind != "c":
        raise RuntimeError("view_as_real is only supported for complex tensors")
    return view(input, "as_pairs")


def view_as_complex(input: Tensor) -> Tensor:
    """The complex numbers whose parts are the pairs along the last axis, as a view."""
    raw = input.raw
    if raw.dtype == numpy.float16:
        raise errors.half_complex("view_as_complex")
    if raw.dtype not in (numpy.float32, numpy.float64):
        raise errors.not_pairs(input.dtype)
    if not raw.ndim or raw.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    if raw.strides[-1] != raw.itemsize and raw.size:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    return view(input, "of_pairs")


@on_arrays
def isreal(input: Any) -> Any:
    """Whether elements have no imaginary part."""
    if input.dtype.kind != "c":
        return table["isfinite"].function(input) | True
    return table["imag"].function(input) == 0


def is_complex(input: Tensor | dtype) -> bool:
    """Whether a tensor's dtype, or a dtype, is complex."""
    return (input if isinstance(input, dtype) else input.dtype).is_complex


def is_floating_point(input: Tensor) -> bool:
    """Whether the dtype is real floating point."""
    return input.dtype.is_floating_point


attach(
    "angle conj conj_physical is_conj is_neg isreal resolve_conj resolve_neg",
    globals(),
    "conj_physical",
)
