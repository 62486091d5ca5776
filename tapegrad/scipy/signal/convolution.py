"""Convolution and correlation of signals and images."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy
import scipy.signal
from numpy.lib.array_utils import normalize_axis_index

from ...backend import is_inexact
from ...core.array import Array, untracked
from ...core.record import raw
from ...numpy.creation import assembled
from ...numpy.dispatch import np
from ...numpy.operands import conjugate, operand
from ...ops.convolve_nd import (
    convolve_by_fft,
    convolve_nd_full,
    convolve_nd_valid,
    reverse,
)
from ...ops.index import getitem
from ...ops.linear import cast
from ..dispatch import implements
from ..ndimage.filters import extended

MODES = ("full", "same", "valid")
BOUNDARIES = {
    "fill": "constant",
    "pad": "constant",
    "wrap": "wrap",
    "circular": "wrap",
    "symm": "reflect",
    "symmetric": "reflect",
}


def signal(x: Any) -> Any:
    """An argument as an array; lists may have recorded arrays in them."""
    return x if isinstance(x, Array) else operand(assembled(x))


def pair(in1: Any, in2: Any) -> tuple[Any, Any]:
    """Two arrays of equally many axes."""
    x, y = signal(in1), signal(in2)
    if x.ndim != y.ndim:
        raise ValueError("in1 and in2 should have the same dimensionality")
    return x, y


def check_mode(mode: str) -> None:
    if mode not in MODES:
        raise ValueError("acceptable mode flags are 'valid', 'same', or 'full'")


def ordered(x: Any, y: Any, axes: Sequence[int]) -> tuple[Any, Any]:
    """Two arrays, that which contains the other along the axes first."""
    pairs = [(x.shape[a], y.shape[a]) for a in axes]
    if all(n >= m for n, m in pairs):
        return x, y
    if all(n <= m for n, m in pairs):
        return y, x
    raise ValueError(
        "For 'valid' mode, one must be at least as large as the other in every dimension"
    )


def middle(x: Any, sizes: dict[int, int]) -> Any:
    """The middle part of `x` along some axes."""
    parts = [slice(None)] * x.ndim
    for axis, n in sizes.items():
        start = (x.shape[axis] - n) // 2
        parts[axis] = slice(start, start + n)
    return getitem(x, key=tuple(parts))


@implements(scipy.signal.convolve)
def convolve(in1: Any, in2: Any, mode: str = "full", method: str = "auto") -> Any:
    x, y = pair(in1, in2)
    if x.ndim == 0:
        return x * y
    check_mode(mode)
    if mode == "valid":
        x, y = ordered(x, y, range(x.ndim))
    if method == "auto":
        method = scipy.signal.choose_conv_method(raw(x), raw(y), mode)
    if method == "fft":
        dtype = numpy.result_type(x.dtype, y.dtype)
        out = fftconvolve(x, y, mode)
        return cast(out if is_inexact(dtype) else np.round(out), dtype)
    if method != "direct":
        raise ValueError("Acceptable method flags are 'auto', 'direct', or 'fft'.")
    if mode == "valid":
        return convolve_nd_valid(x, y)
    out = convolve_nd_full(x, y)
    return out if mode == "full" else middle(out, dict(enumerate(x.shape)))


@implements(scipy.signal.correlate)
def correlate(in1: Any, in2: Any, mode: str = "full", method: str = "auto") -> Any:
    x, y = pair(in1, in2)
    return convolve(x, reverse(conjugate(y)), mode, method)


def _convolve_by_fft(in1: Any, in2: Any, mode: str, axes: Any) -> Any:
    x, y = pair(in1, in2)
    if x.ndim == 0:
        return x * y
    if x.size == 0 or y.size == 0:
        return untracked(numpy.array([]))
    check_mode(mode)
    if axes is None:
        places = list(range(x.ndim))
    else:
        given = (axes,) if isinstance(axes, int) else axes
        places = [normalize_axis_index(index(a), x.ndim) for a in given]
        if not places:
            raise ValueError("when provided, axes cannot be empty")
        if len(set(places)) < len(places):
            raise ValueError("all axes must be unique")
    places = [a for a in places if x.shape[a] != 1 and y.shape[a] != 1]
    for a, (n, m) in enumerate(zip(x.shape, y.shape, strict=True)):
        if a not in places and n != m and 1 not in (n, m):
            raise ValueError(
                f"incompatible shapes for in1 and in2: {tuple(x.shape)} and {tuple(y.shape)}"
            )
    if mode == "valid":
        x, y = ordered(x, y, places)
    shape, sizes = x.shape, {a: (x.shape[a], y.shape[a]) for a in places}
    out = convolve_by_fft(x, y, places)
    if mode == "full":
        return out
    if mode == "same":
        return middle(out, dict(enumerate(shape)))
    return middle(out, {a: n - m + 1 for a, (n, m) in sizes.items()})


@implements(scipy.signal.fftconvolve)
def fftconvolve(in1: Any, in2: Any, mode: str = "full", axes: Any = None) -> Any:
    return _convolve_by_fft(in1, in2, mode, axes)


@implements(scipy.signal.oaconvolve)
def oaconvolve(in1: Any, in2: Any, mode: str = "full", axes: Any = None) -> Any:
    return _convolve_by_fft(in1, in2, mode, axes)


def _convolve2d(x: Any, y: Any, mode: str, boundary: str, fillvalue: Any, start: Any) -> Any:
    """The convolution of images; `start` gives where "same" begins, for a size of `y`."""
    if x.ndim != 2:
        raise ValueError("convolve2d inputs must both be 2-D arrays")
    check_mode(mode)
    if boundary not in BOUNDARIES:
        raise ValueError(
            "Acceptable boundary flags are 'fill', 'circular' (or 'wrap'), and 'symmetric' (or "
            "'symm')."
        )
    if mode == "valid":
        return convolve_nd_valid(*ordered(x, y, (0, 1)))
    if boundary == "fill" and not isinstance(fillvalue, Array) and fillvalue == 0:
        out = convolve_nd_full(x, y)
    else:
        whole = x
        for axis, n in enumerate(y.shape):
            whole = extended(whole, axis, n - 1, n - 1, BOUNDARIES[boundary], fillvalue)
        out = convolve_nd_valid(whole, y)
    if mode == "full":
        return out
    starts = map(start, y.shape)
    parts = tuple(slice(i, i + n) for i, n in zip(starts, x.shape, strict=True))
    return getitem(out, key=parts)


@implements(scipy.signal.convolve2d)
def convolve2d(
    in1: Any, in2: Any, mode: str = "full", boundary: str = "fill", fillvalue: Any = 0
) -> Any:
    x, y = pair(in1, in2)
    return _convolve2d(x, y, mode, boundary, fillvalue, lambda n: (n - 1) // 2)


@implements(scipy.signal.correlate2d)
def correlate2d(
    in1: Any, in2: Any, mode: str = "full", boundary: str = "fill", fillvalue: Any = 0
) -> Any:
    x, y = pair(in1, in2)
    return _convolve2d(x, reverse(conjugate(y)), mode, boundary, fillvalue, lambda n: n // 2)
