"""Convolution and correlation of sequences, with NumPy's names."""

from __future__ import annotations

from typing import Any

import numpy

from ..ops.convolve import convolve_full, convolve_valid, flip
from ..ops.index import getitem
from ..ops.linear import reshape
from .dispatch import implements
from .operands import conjugate, operand

__all__ = ["convolve", "correlate"]

MODES = {0: "valid", 1: "same", 2: "full"}


def sequence(name: str, x: Any) -> Any:
    """An argument as a sequence of at least one element."""
    x = operand(x)
    if x.ndim == 0:
        x = reshape(x, to=(1,))
    if x.ndim != 1 or x.size == 0:
        raise ValueError(
            f"{name}: needs one-dimensional arrays that are not empty, but got shape "
            f"{tuple(x.shape)}."
        )
    return x


def convolved(name: str, a: Any, v: Any, mode: Any) -> Any:
    """The convolution of sequences `a`, the longer or equal one, and `v`."""
    mode = MODES.get(mode, mode)
    if mode == "valid":
        return convolve_valid(a, v)
    if mode == "full":
        return convolve_full(a, v)
    if mode == "same":
        start = (v.size - 1) // 2
        return getitem(convolve_full(a, v), key=(slice(start, start + a.size),))
    raise ValueError(f"{name}: mode must be one of 'valid', 'same', or 'full', not {mode!r}.")


@implements(numpy.convolve)
def convolve(a: Any, v: Any, mode: Any = "full") -> Any:
    a, v = sequence("convolve", a), sequence("convolve", v)
    if v.size > a.size:
        a, v = v, a
    return convolved("convolve", a, v, mode)


@implements(numpy.correlate)
def correlate(a: Any, v: Any, mode: Any = "valid") -> Any:
    a, v = sequence("correlate", a), conjugate(sequence("correlate", v))
    if v.size > a.size:  # aligned as NumPy does: the shorter one moves, the result is reversed
        return flip(convolved("correlate", v, flip(a), mode))
    return convolved("correlate", a, flip(v), mode)
