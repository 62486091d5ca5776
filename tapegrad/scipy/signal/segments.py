"""Short-time Fourier transforms and their inverse."""

from __future__ import annotations

import warnings
from typing import Any

import numpy
import scipy.signal
from numpy.lib.array_utils import normalize_axis_index

from ...backend import is_complex
from ...core.array import Array, untracked
from ...core.record import raw
from ...numpy.dispatch import np
from ...numpy.spectrum import inexact, transform
from ...ops.fft import resized
from ...ops.frames import overlap_add
from ...ops.linear import cast
from ..dispatch import implements
from .convolution import signal
from .filtering import continued
from .spectral import (
    HANN,
    cross_spectra,
    detrender,
    frequencies,
    overlap_of,
    scale_of,
    size_of_transform,
    spectra,
    window_of,
)
from .windows import get_window


def _segmented(
    x: Any,
    fs: Any,
    window: Any,
    lengths: tuple[int | None, int | None, int | None],
    detrend: Any,
    return_onesided: bool,
    scaling: str,
    axis: int,
    power: bool,
    boundary: str | None = None,
    whole: bool = False,
) -> Any:
    """Frequencies, times, and the spectra of segments, (..., frequencies, ..., segments)."""
    ways = ("even", "odd", "constant", "zeros", None)
    if boundary not in ways:
        raise ValueError(f"Unknown boundary option '{boundary}', must be one of: {list(ways)}")
    x = inexact(signal(x))
    if x.size == 0:
        empty = untracked(numpy.empty(x.shape))
        return empty, empty, empty
    dtype = numpy.result_type(x.dtype, numpy.complex64)
    moved = np.moveaxis(x, axis, -1)
    nperseg, noverlap, nfft = lengths
    win, nperseg = window_of(window, nperseg, moved.shape[-1])
    size = size_of_transform(nfft, nperseg)
    overlap = overlap_of(noverlap, nperseg)
    step = nperseg - overlap
    moved = continued(moved, nperseg // 2, boundary)
    if whole:
        more = (-(moved.shape[-1] - nperseg) % step) % nperseg
        moved = resized(moved, to=(*moved.shape[:-1], moved.shape[-1] + more))
    onesided = return_onesided
    if onesided and is_complex(x.dtype):
        onesided = False
        warnings.warn("Input data is complex, switching to return_onesided=False", stacklevel=4)
    if power:
        result = cross_spectra(
            moved, None, win, detrend, overlap, size, onesided, fs, scaling, axis
        )
        dtype = numpy.finfo(dtype).dtype
    else:
        result = spectra(moved, win, detrender(detrend, axis), overlap, size, onesided)
        result = result * np.sqrt(scale_of(win, fs, scaling))
    time = numpy.arange(nperseg / 2, moved.shape[-1] - nperseg / 2 + 1, step)
    if boundary is not None:
        time = time - nperseg / 2
    result = np.swapaxes(cast(result, dtype), -1, -2)  # frequencies, segments
    place = axis - 1 if axis < 0 else axis
    return frequencies(size, fs, onesided), time / fs, np.moveaxis(result, -2, place)


@implements(scipy.signal.spectrogram)
def spectrogram(
    x: Any,
    fs: Any = 1.0,
    window: Any = ("tukey", 0.25),
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Any = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
    mode: str = "psd",
) -> Any:
    modes = ("psd", "complex", "magnitude", "angle", "phase")
    if mode not in modes:
        raise ValueError(f"unknown value for mode {mode}, must be one of {list(modes)}")
    x = signal(x)
    window, nperseg = window_of(window, nperseg, x.shape[axis])
    noverlap = nperseg // 8 if noverlap is None else noverlap
    lengths = nperseg, noverlap, nfft
    power = mode == "psd"
    freqs, time, result = _segmented(
        x, fs, window, lengths, detrend, return_onesided, scaling, axis, power
    )
    if mode == "magnitude":
        result = np.abs(result)
    elif mode in ("angle", "phase"):
        result = np.angle(result)
        if mode == "phase":
            result = np.unwrap(result, axis=axis - 1 if axis < 0 else axis)
    return freqs, time, result


@implements(scipy.signal.stft)
def stft(
    x: Any,
    fs: Any = 1.0,
    window: Any = HANN,
    nperseg: int = 256,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Any = False,
    return_onesided: bool = True,
    boundary: str | None = "zeros",
    padded: bool = True,
    axis: int = -1,
    scaling: str = "spectrum",
) -> Any:
    if scaling not in ("spectrum", "psd"):
        raise ValueError(f"Parameter {scaling=} not in ['spectrum', 'psd']!")
    return _segmented(
        x,
        fs,
        window,
        (nperseg, noverlap, nfft),
        detrend,
        return_onesided,
        "density" if scaling == "psd" else scaling,
        axis,
        power=False,
        boundary=boundary,
        whole=padded,
    )


@implements(scipy.signal.istft)
def istft(
    Zxx: Any,
    fs: Any = 1.0,
    window: Any = HANN,
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    input_onesided: bool = True,
    boundary: bool = True,
    time_axis: int = -1,
    freq_axis: int = -2,
    scaling: str = "spectrum",
) -> Any:
    z = inexact(signal(Zxx))
    if z.ndim < 2:
        raise ValueError("Input stft must be at least 2d!")
    time_place, freq_place = (normalize_axis_index(a, z.ndim) for a in (time_axis, freq_axis))
    if time_place == freq_place:
        raise ValueError("Must specify differing time and frequency axes!")
    if scaling not in ("spectrum", "psd"):
        raise ValueError(f"Parameter {scaling=} not in ['spectrum', 'psd']!")
    bins = z.shape[freq_place]
    default = 2 * (bins - 1) if input_onesided else bins
    nperseg = default if nperseg is None else int(nperseg)
    if nperseg < 1:
        raise ValueError("nperseg must be a positive integer")
    if nfft is None:
        odd = input_onesided and nperseg == default + 1
        nfft = nperseg if odd else default
    size = size_of_transform(nfft, nperseg)
    overlap = overlap_of(noverlap, nperseg)
    step = nperseg - overlap
    if isinstance(window, str | tuple):
        win = get_window(window, nperseg)
    else:
        win = signal(window)
        if win.shape != (nperseg,):
            raise ValueError(f"window must have length of {nperseg}")
    z = np.moveaxis(z, (time_place, freq_place), (-2, -1))
    kind: Any = "real" if input_onesided else "whole"
    runs = transform(kind, z, (z.ndim - 1,), (size,), None, inverse=True)[..., :nperseg]
    if not (isinstance(win, Array) and win.slot):
        win = win.astype(runs.dtype)
    runs = runs * (np.sum(win) if scaling == "spectrum" else np.sqrt(fs * np.sum(win**2)))
    count = runs.shape[-2]
    length = nperseg + (count - 1) * step
    x = overlap_add(runs * win, step=step, size=length)
    tiled = np.broadcast_to(win**2, (count, nperseg)) + 0
    weight = overlap_add(tiled, step=step, size=length)
    if boundary:
        x = x[..., nperseg // 2 : -(nperseg // 2)]
        weight = weight[nperseg // 2 : -(nperseg // 2)]
    usable = weight > 1e-10
    if not numpy.all(raw(usable)):
        advice = "" if boundary else " Possibly due to missing boundary"
        warnings.warn(f"NOLA condition failed, STFT may not be invertible.{advice}", stacklevel=3)
    x = x / np.where(usable, weight, 1.0)
    time = numpy.arange(x.shape[0]) / fs
    if x.ndim > 1 and time_place != z.ndim - 1:
        x = np.moveaxis(x, -1, time_place - (freq_place < time_place))
    return time, x
