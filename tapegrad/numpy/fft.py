"""`numpy.fft`, for plain and for recorded arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy.fft
from numpy.lib.array_utils import normalize_axis_index

from ..ops.linear import cast
from .dispatch import Function, implements
from .operands import operand, without_out
from .spectrum import Kind, places, shifted, transform

__all__ = list(numpy.fft.__all__)


def __getattr__(name: str) -> Any:
    """NumPy's own, for every name that is not here."""
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(numpy.fft, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(numpy.fft)})


def _one_axis(original: Function, kind: Kind, inverse: bool) -> Function:
    """A transform along one axis, for which the array is cropped or filled up to the size `n`."""

    def run(
        a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None
    ) -> Any:
        without_out(f"fft.{original.__name__}", out)
        x = operand(a)
        out = transform(kind, x, (normalize_axis_index(axis, x.ndim),), (n,), norm, inverse)
        return cast(out, x.dtype) if kind == "real" and x.dtype == "float16" else out

    return implements(original)(run)


def _several_axes(
    original: Function, kind: Kind, inverse: bool, default: tuple[int, ...] | None
) -> Function:
    """A transform over several axes, which get the sizes `s`."""

    def run(
        a: Any,
        s: Sequence[int] | None = None,
        axes: Sequence[int] | None = default,
        norm: str | None = None,
        out: Any = None,
    ) -> Any:
        without_out(f"fft.{original.__name__}", out)
        x = operand(a)
        return transform(kind, x, places(x, axes, s), s, norm, inverse)

    return implements(original)(run)


fft = _one_axis(numpy.fft.fft, "whole", inverse=False)
ifft = _one_axis(numpy.fft.ifft, "whole", inverse=True)
rfft = _one_axis(numpy.fft.rfft, "half", inverse=False)
irfft = _one_axis(numpy.fft.irfft, "real", inverse=True)
hfft = _one_axis(numpy.fft.hfft, "real", inverse=False)
ihfft = _one_axis(numpy.fft.ihfft, "half", inverse=True)

fftn = _several_axes(numpy.fft.fftn, "whole", inverse=False, default=None)
ifftn = _several_axes(numpy.fft.ifftn, "whole", inverse=True, default=None)
rfftn = _several_axes(numpy.fft.rfftn, "half", inverse=False, default=None)
irfftn = _several_axes(numpy.fft.irfftn, "real", inverse=True, default=None)

fft2 = _several_axes(numpy.fft.fft2, "whole", inverse=False, default=(-2, -1))
ifft2 = _several_axes(numpy.fft.ifft2, "whole", inverse=True, default=(-2, -1))
rfft2 = _several_axes(numpy.fft.rfft2, "half", inverse=False, default=(-2, -1))
irfft2 = _several_axes(numpy.fft.irfft2, "real", inverse=True, default=(-2, -1))


@implements(numpy.fft.fftshift)
def fftshift(x: Any, axes: Any = None) -> Any:
    return shifted(x, axes, inverse=False)


@implements(numpy.fft.ifftshift)
def ifftshift(x: Any, axes: Any = None) -> Any:
    return shifted(x, axes, inverse=True)
