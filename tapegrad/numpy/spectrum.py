"""What `numpy.fft` and `scipy.fft` have in common: arguments completed, and the operations called.

A kind of transform is "whole" (all frequencies), "half" (of a real array, the half of them that
determines the others) or "real" (a real array from that half).
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any, Literal

import numpy
from numpy.lib.array_utils import normalize_axis_index

from .. import errors
from ..backend import is_complex, is_inexact
from ..ops import fft as ops
from ..ops.linear import cast
from .dispatch import np
from .operands import operand

Kind = Literal["whole", "half", "real"]


def inexact(x: Any) -> Any:
    """An argument as an array of floating point, of single precision at least."""
    x = operand(x)
    if not is_inexact(x.dtype):
        return cast(x, numpy.dtype(float))
    return cast(x, numpy.dtype("float32")) if x.dtype == "float16" else x


def scale(norm: str | None, inverse: bool) -> str:
    """How much a transform scales, in the words of a forward one."""
    norm = norm or "backward"
    if norm not in ops.NORMS:
        raise ValueError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".')
    return ops.OPPOSITE[norm] if inverse else norm


def resized(x: Any, axes: Sequence[int], sizes: Sequence[int]) -> Any:
    """`x` cropped or filled up with zeros to the sizes of axes."""
    given = dict(zip(axes, sizes, strict=True))
    to = tuple(given.get(a, n) for a, n in enumerate(x.shape))
    return x if to == x.shape else ops.resized(x, to=to)


def transform(
    kind: Kind,
    x: Any,
    axes: tuple[int, ...],
    sizes: Sequence[int | None] | None,
    norm: str | None,
    inverse: bool,
) -> Any:
    """The transform over some axes, in which sizes of None and -1 are the array's own."""
    x = inexact(x)
    whole = [
        x.shape[a] if n is None or n == -1 else index(n)
        for a, n in zip(axes, sizes or (None,) * len(axes), strict=True)
    ]
    if kind == "real" and (sizes is None or sizes[-1] is None):
        whole[-1] = 2 * (x.shape[axes[-1]] - 1)
    for n in whole:
        if n < 1:
            raise ValueError(f"Invalid number of FFT data points ({n}) specified.")
    by = scale(norm, inverse)
    if kind == "whole":
        return all_frequencies(resized(x, axes, whole), axes, by, inverse)
    last = axes[-1]
    if kind == "half":
        if is_complex(x.dtype):
            raise errors.real_transform_of_complex(x)
        x = resized(x, axes, whole)
        x = ops.r2c(x, axis=last, norm=by, inverse=inverse, twice=False)
        return all_frequencies(x, axes[:-1], by, inverse)
    if not is_complex(x.dtype):
        x = cast(x, numpy.result_type(x.dtype, numpy.complex64))
    n = whole[-1]
    x = resized(x, axes, [*whole[:-1], n // 2 + 1])
    x = all_frequencies(x, axes[:-1], by, inverse)
    return ops.c2r(x, axis=last, n=n, norm=by, inverse=inverse, twice=True)


def all_frequencies(x: Any, axes: tuple[int, ...], norm: str, inverse: bool) -> Any:
    """The transform with all frequencies of an array that has the right sizes."""
    if len(set(axes)) < len(axes):  # an axis named twice is transformed twice
        for a in reversed(axes):
            x = all_frequencies(x, (a,), norm, inverse)
        return x
    if not axes:
        return x
    return ops.c2c(x, axis=axes, norm=norm, inverse=inverse, real=not is_complex(x.dtype))


def places(x: Any, axes: Any, sizes: Sequence[Any] | None) -> tuple[int, ...]:
    """The axes of a transform of several: by default the last as many as there are sizes."""
    ndim = len(x.shape)
    if axes is None:
        axes = range(ndim - (ndim if sizes is None else len(sizes)), ndim)
    elif isinstance(axes, int):
        axes = (axes,)
    found = tuple(normalize_axis_index(index(a), ndim) for a in axes)
    if sizes is not None and len(sizes) != len(found):
        raise ValueError("Shape and axes have different lengths.")
    return found


def shifted(x: Any, axes: Any, inverse: bool) -> Any:
    """`x` with the frequency zero in the middle of some axes, or back at their start."""
    x = operand(x)
    chosen = range(x.ndim) if axes is None else (axes,) if isinstance(axes, int) else tuple(axes)
    by = [-(x.shape[a] // 2) if inverse else x.shape[a] // 2 for a in chosen]
    return np.roll(x, by, tuple(chosen))
