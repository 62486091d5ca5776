"""Spectra of signals in windowed segments, and signals from them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy
import scipy.fft
import scipy.signal
from numpy.lib.array_utils import normalize_axis_index

from ...backend import is_complex
from ...core.array import Array, untracked
from ...core.record import raw
from ...numpy.dispatch import np
from ...numpy.operands import conjugate
from ...numpy.spectrum import inexact, transform
from ...ops.complex import real as real_part
from ...ops.fft import resized
from ...ops.frames import frames
from ...ops.linear import cast, reshape
from ..dispatch import implements
from .convolution import signal
from .shaping import detrend as without_trend
from .windows import get_window

HANN = "hann"


def window_of(window: Any, nperseg: int | None, length: int) -> tuple[Any, int]:
    """The window, and the number of samples in a segment."""
    if isinstance(window, str | tuple):
        nperseg = 256 if nperseg is None else int(nperseg)
        if nperseg < 1:
            raise ValueError("nperseg must be a positive integer")
        if nperseg > length:
            warnings.warn(
                f"nperseg = {nperseg} is greater than input length = {length}, using nperseg = "
                f"{length}",
                stacklevel=4,
            )
            nperseg = length
        return get_window(window, nperseg), nperseg
    window = signal(window)
    if window.ndim != 1:
        raise ValueError("window must be 1-D")
    if length < window.shape[0]:
        raise ValueError("window is longer than input signal")
    if nperseg is not None and nperseg != window.shape[0]:
        raise ValueError("value specified for nperseg is different from length of window")
    return window, window.shape[0]


def overlap_of(noverlap: int | None, nperseg: int) -> int:
    noverlap = nperseg // 2 if noverlap is None else int(noverlap)
    if noverlap >= nperseg:
        raise ValueError("noverlap must be less than nperseg.")
    return noverlap


def size_of_transform(nfft: int | None, nperseg: int) -> int:
    nfft = nperseg if nfft is None else int(nfft)
    if nfft < nperseg:
        raise ValueError("nfft must be greater than or equal to nperseg.")
    return nfft


def detrender(detrend: Any, axis: int) -> Callable[[Any], Any]:
    """What is done to segments, which are in the last axis, before they are windowed."""
    if not detrend:
        return lambda segments: segments
    if not callable(detrend):
        return lambda segments: without_trend(segments, type=detrend)
    if axis == -1:
        return detrend
    return lambda segments: np.moveaxis(detrend(np.moveaxis(segments, -1, axis)), axis, -1)


def spectra(
    x: Any,
    window: Any,
    prepare: Callable[[Any], Any],
    noverlap: int,
    nfft: int,
    onesided: bool,
) -> Any:
    """The transforms of the windowed segments of the last axis: (..., segments, frequencies)."""
    nperseg = window.shape[0]
    step = nperseg - noverlap
    count = (x.shape[-1] - noverlap) // step
    segments = prepare(frames(x, length=nperseg, step=step, count=count)) * window
    kind: Any = "half" if onesided else "whole"
    return transform(kind, segments, (segments.ndim - 1,), (nfft,), None, inverse=False)


def frequencies(nfft: int, fs: Any, onesided: bool) -> Any:
    make: Any = np.fft.rfftfreq if onesided else np.fft.fftfreq
    return make(nfft, 1 / fs)


def scale_of(window: Any, fs: Any, scaling: str) -> Any:
    """The factor of the squared absolute values."""
    if scaling == "density":
        return 1.0 / (fs * np.sum(window * window))
    if scaling == "spectrum":
        return 1.0 / np.sum(window) ** 2
    raise ValueError(f"Unknown scaling: {scaling!r}")


def doubled(x: Any, nfft: int) -> Any:
    """The last axis, in which all frequencies count twice that stand for two."""
    factors = numpy.full(nfft // 2 + 1, 2.0)
    factors[0] = 1
    if nfft % 2 == 0:
        factors[-1] = 1
    return x * factors.astype(raw(x).real.dtype)


def cross_spectra(
    x: Any,
    y: Any | None,
    window: Any,
    detrend: Any,
    noverlap: int,
    nfft: int,
    onesided: bool,
    fs: Any,
    scaling: str,
    axis: int,
) -> Any:
    """The scaled products of the segments' spectra, of last axes; real where `y` is None."""
    prepare = detrender(detrend, axis)
    first = spectra(x, window, prepare, noverlap, nfft, onesided)
    if y is None:
        product = real_part(conjugate(first) * first)
    else:
        second = spectra(y, window, prepare, noverlap, nfft, onesided)
        product = conjugate(first) * second
    product = product * scale_of(window, fs, scaling)
    return doubled(product, nfft) if onesided else product


def with_equal_length(x: Any, y: Any) -> tuple[Any, Any]:
    """Two arrays whose last axes are filled up with zeros to the longer."""
    n = max(x.shape[-1], y.shape[-1])
    return tuple(z if z.shape[-1] == n else resized(z, to=(*z.shape[:-1], n)) for z in (x, y))


@implements(scipy.signal.csd)
def csd(
    x: Any,
    y: Any,
    fs: Any = 1.0,
    window: Any = HANN,
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Any = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
    average: str = "mean",
) -> Any:
    same = y is x
    x = inexact(signal(x))
    y = x if same else inexact(signal(y))
    if x.size == 0 or y.size == 0:
        empty = untracked(numpy.empty(x.shape))
        return empty, empty
    dtype = numpy.result_type(x.dtype, y.dtype, numpy.complex64)
    moved = np.moveaxis(x, axis, -1)
    other = moved if same else np.moveaxis(y, axis, -1)
    if not same:
        moved, other = with_equal_length(moved, other)
    win, nperseg = window_of(window, nperseg, moved.shape[-1])
    overlap = overlap_of(noverlap, nperseg)
    size = size_of_transform(nfft, nperseg)
    onesided = return_onesided and not (is_complex(x.dtype) or is_complex(y.dtype))
    product = cross_spectra(
        moved, None if same else other, win, detrend, overlap, size, onesided, fs, scaling, axis
    )
    averaged = over_segments(product, average)
    averaged = cast(averaged, numpy.finfo(dtype).dtype if same else dtype)
    return frequencies(size, fs, onesided), np.moveaxis(averaged, -1, axis)


def over_segments(x: Any, average: str) -> Any:
    """The average over the segments, the last axis but one."""
    count = x.shape[-2]
    if count == 1:
        return reshape(x, to=(*x.shape[:-2], x.shape[-1]))
    if average == "mean":
        return np.mean(x, axis=-2)
    if average != "median":
        raise ValueError(f"Parameter {average=} must be 'median' or 'mean'!")
    twice = 2 * numpy.arange(1.0, (count - 1) // 2 + 1)
    bias = 1 + numpy.sum(1.0 / (twice + 1) - 1.0 / twice)
    if is_complex(x.dtype):
        x = np.median(np.real(x), axis=-2) + 1j * np.median(np.imag(x), axis=-2)
    else:
        x = np.median(x, axis=-2)
    return x / bias


@implements(scipy.signal.welch)
def welch(
    x: Any,
    fs: Any = 1.0,
    window: Any = HANN,
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Any = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
    average: str = "mean",
) -> Any:
    x = signal(x)
    options = (nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average)
    return csd(x, x, fs, window, *options)


@implements(scipy.signal.periodogram)
def periodogram(
    x: Any,
    fs: Any = 1.0,
    window: Any = "boxcar",
    nfft: int | None = None,
    detrend: Any = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
) -> Any:
    x = signal(x)
    if x.size == 0:
        empty = untracked(numpy.empty(x.shape))
        return empty, empty
    place = normalize_axis_index(axis, x.ndim)
    n = x.shape[place]
    if nfft is not None and nfft < n:
        x = x[(*(slice(None),) * place, slice(nfft))]
        n, nfft = nfft, None
    if isinstance(window, Array | numpy.ndarray) and window.size != n:
        raise ValueError(
            "the size of the window must be the same size of the input on the specified axis"
        )
    window = "boxcar" if window is None else window
    options = (n, 0, nfft, detrend, return_onesided, scaling, axis)
    return welch(x, fs, window, *options)


@implements(scipy.signal.coherence)
def coherence(
    x: Any,
    y: Any,
    fs: Any = 1.0,
    window: Any = HANN,
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Any = "constant",
    axis: int = -1,
) -> Any:
    options: dict[str, Any] = {
        "window": window,
        "nperseg": nperseg,
        "noverlap": noverlap,
        "nfft": nfft,
        "detrend": detrend,
        "axis": axis,
    }
    x, y = signal(x), signal(y)
    freqs, of_x = welch(x, fs, **options)
    of_y = welch(y, fs, **options)[1]
    of_both = csd(x, y, fs, **options)[1]
    return freqs, np.abs(of_both) ** 2 / of_x / of_y
