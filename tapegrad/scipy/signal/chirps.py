"""Spectra on a spiral in the plane: the chirp transform, of which a zoomed spectrum is a case.

The transform is a convolution with a chirp (Bluestein), of which all has derivatives: the signal,
the step and the start of the spiral, and the range of frequencies.
"""

from __future__ import annotations

import math
from typing import Any

import numpy
import scipy.fft
import scipy.signal
from numpy.lib.array_utils import normalize_axis_index

from ...numpy.dispatch import np
from ...numpy.spectrum import inexact, transform
from ..dispatch import implements
from .convolution import signal
from .filtering import last


def counts(n: int, m: int | None) -> tuple[Any, int]:
    """The numbers of the samples and of the frequencies, from 0 on, and the number of these."""
    if n < 1:
        raise ValueError(f"Invalid number of CZT data points ({n}) specified.")
    m = n if m is None else m
    if m < 1:
        raise ValueError(f"Invalid number of CZT output points ({m}) specified.")
    return numpy.arange(max(n, m), dtype=float), m


def chirped(x: Any, start: Any, chirp: Any, m: int, axis: int) -> Any:
    """The sums of ``x[j] * start[j] * w**(j * k)`` over j, where ``chirp[k]`` is ``w**(k**2 / 2)``.

    For j * k = (j**2 + k**2 - (k - j)**2) / 2, they are a convolution.
    """
    x = np.moveaxis(x, axis, -1)
    n, place = x.shape[-1], x.ndim - 1
    size = scipy.fft.next_fast_len(n + m - 1)
    kernel = 1 / np.concatenate([chirp[n - 1 : 0 : -1], chirp[:m]])
    factor = transform("whole", kernel, (0,), (size,), None, inverse=False)
    spectrum = transform("whole", x * (start * chirp[:n]), (place,), (size,), None, inverse=False)
    whole = transform("whole", spectrum * factor, (place,), None, None, inverse=True)
    return np.moveaxis(last(whole, n - 1, n + m - 1) * chirp[:m], -1, axis)


@implements(scipy.signal.czt)
def czt(x: Any, m: int | None = None, w: Any = None, a: Any = 1 + 0j, *, axis: int = -1) -> Any:
    x = inexact(signal(x))
    axis = normalize_axis_index(axis, x.ndim)
    n = x.shape[axis]
    k, m = counts(n, m)
    if w is None:
        chirp = np.exp((-1j * math.pi / m) * (k**2 % (2 * m)))
    else:
        chirp = (w + 0j) ** (k**2 / 2)
    return chirped(x, (a + 0j) ** -k[:n], chirp, m, axis)


@implements(scipy.signal.zoom_fft)
def zoom_fft(
    x: Any,
    fn: Any,
    m: int | None = None,
    *,
    fs: Any = 2,
    endpoint: bool = False,
    axis: int = -1,
) -> Any:
    x = inexact(signal(x))
    axis = normalize_axis_index(axis, x.ndim)
    n = x.shape[axis]
    k, m = counts(n, m)
    ends = signal(fn)
    if ends.size not in (1, 2):
        raise ValueError("fn must be a scalar or 2-length sequence")
    first, end = ends if ends.size == 2 else (0.0, np.reshape(ends, ()))
    width = (end - first) / fs
    if endpoint:
        width = width * m / (m - 1)
    chirp = np.exp(-1j * math.pi * (width * k**2 / m))
    return chirped(x, np.exp(-2j * math.pi * (first / fs * k[:n])), chirp, m, axis)
