"""Signals at other rates: filters between samples that are put in and samples that are left out."""

from __future__ import annotations

from math import gcd
from operator import index
from typing import Any

import numpy
import scipy.signal
from numpy.lib.array_utils import normalize_axis_index

from ... import errors
from ...numpy.dispatch import np
from ...numpy.operands import operand
from ...ops.linear import cast
from ..dispatch import implements
from .design import firwin
from .filtering import lfilter

BACKGROUNDS = ("maximum", "mean", "median", "minimum")


def _filtered(h: Any, x: Any, up: int, down: int) -> Any:
    """Along the last axis: zeros put in, the filter `h`, and samples left out."""
    dtype = numpy.result_type(h.dtype, x.dtype, numpy.float32)  # half precision is too little
    h, x = (v if v.dtype == dtype else cast(v, dtype) for v in (h, x))
    n, taps = x.shape[-1], h.shape[0]
    spread = np.concatenate(
        [np.expand_dims(x, -1), numpy.zeros((*x.shape, up - 1), x.dtype)], axis=-1
    )
    spread = np.reshape(spread, (*x.shape[:-1], n * up))[..., : (n - 1) * up + 1]
    tail = numpy.zeros((*x.shape[:-1], taps - 1), x.dtype)
    return lfilter(h, numpy.ones(1, h.dtype), np.concatenate([spread, tail], axis=-1))[..., ::down]


@implements(scipy.signal.upfirdn)
def upfirdn(
    h: Any,
    x: Any,
    up: int = 1,
    down: int = 1,
    axis: int = -1,
    mode: str = "constant",
    cval: Any = 0,
) -> Any:
    """Zeros put in between samples, a filter, and samples left out; nothing beyond the ends."""
    if mode != "constant" or cval != 0:
        raise errors.no_argument("scipy.signal.upfirdn", "mode= or cval=", "Pad the signal before.")
    h, x = operand(h), operand(x)
    if h.ndim != 1 or h.shape[0] == 0:
        raise ValueError("h must be 1-D with non-zero length")
    up, down = index(up), index(down)
    if up < 1 or down < 1:
        raise ValueError("Both up and down must be >= 1")
    axis = normalize_axis_index(axis, x.ndim)
    return np.moveaxis(_filtered(h, np.moveaxis(x, axis, -1), up, down), -1, axis)


@implements(scipy.signal.resample_poly)
def resample_poly(
    x: Any,
    up: int,
    down: int,
    axis: int = 0,
    window: Any = ("kaiser", 5.0),
    padtype: str | None = "constant",
    cval: Any = None,
) -> Any:
    """A signal at `up / down` times its rate, by a filter: a window, or the filter itself."""
    x = operand(x)
    up, down = index(up), index(down)
    if up < 1 or down < 1:
        raise ValueError("up and down must be >= 1")
    if padtype not in ("constant", *BACKGROUNDS) or cval not in (None, 0):
        raise errors.no_argument(
            "scipy.signal.resample_poly", "this padtype= or cval=", "Pad the signal before."
        )
    common = gcd(up, down)
    up, down = up // common, down // common
    if up == down == 1:
        return x + 0
    axis = normalize_axis_index(axis, x.ndim)
    n = x.shape[axis]
    size = -(-n * up // down)
    if isinstance(window, str | tuple):
        half = 10 * max(up, down)
        h: Any = firwin(2 * half + 1, 1 / max(up, down), window=window)
        h = h.astype(numpy.float32 if x.dtype.char in "fF" else float) * up
    else:
        h = operand(window) * up
        half = (h.shape[0] - 1) // 2
    before = down - half % down
    removed = (half + before) // down
    after = max(0, down * (size + removed - 1) + 1 - (n - 1) * up - h.shape[0] - before)
    h = np.concatenate([numpy.zeros(before, h.dtype), h, numpy.zeros(after, h.dtype)])
    background = 0.0
    if padtype in BACKGROUNDS:
        name = {"maximum": "max", "minimum": "min"}.get(str(padtype), str(padtype))
        background = getattr(np, name)(x, axis=axis, keepdims=True)
        x = x - background
    out = _filtered(h, np.moveaxis(x, axis, -1), up, down)[..., removed : removed + size]
    return np.moveaxis(out, -1, axis) + background
