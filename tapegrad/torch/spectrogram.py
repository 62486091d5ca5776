"""Short-time spectra of signals, and signals from them."""

from __future__ import annotations

from typing import Any

import numpy

from ..numpy.padding import pad
from ..numpy.reading import known
from ..ops.frames import frames, overlap_add
from . import errors
from .calls import attach, on_arrays
from .complexes import view_as_real
from .creation import finished
from .fft import fft, ifft, irfft, rfft
from .tensor import Tensor

__all__ = ["istft", "stft"]

MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}
"""PyTorch's names of ways to pad, and NumPy's."""


def whole_window(window: Tensor | None, length: int, n_fft: int, like: Any) -> Tensor:
    """The window (ones if there is none) in the middle of zeros, as long as a transform."""
    if window is None:
        window = finished(numpy.ones(length, like.raw.real.dtype), False)
    return centred(window, n_fft - length)


@on_arrays
def centred(window: Any, missing: int) -> Any:
    """A window between zeros."""
    if not missing:
        return window
    return pad(window, (missing // 2, missing - missing // 2))


@on_arrays
def padded(x: Any, n: int, mode: str) -> Any:
    """A signal with `n` elements put before and after it."""
    if mode == "reflect" and n >= x.shape[-1]:
        raise errors.padding_too_wide(n, x.shape[-1])
    return pad(x, ((0, 0),) * (x.ndim - 1) + ((n, n),), MODES[mode])


@on_arrays
def framed(x: Any, length: int, step: int) -> Any:
    """Overlapping runs of a signal, as rows."""
    return frames(x, length=length, step=step, count=1 + (x.shape[-1] - length) // step)


@on_arrays
def added(x: Any, step: int) -> Any:
    """The sum of overlapping runs."""
    *_, count, length = x.shape
    return overlap_add(x, step=step, size=length + step * (count - 1))


def checked(
    name: str, window: Tensor | None, n_fft: int, hop: int | None, length: int | None
) -> tuple[int, int]:
    """The step and the length of the window, by default a quarter and the whole of a transform."""
    hop = n_fft // 4 if hop is None else hop
    length = n_fft if length is None else length
    if hop <= 0:
        raise errors.bad_frames(name, "hop_length > 0", f"hop_length={hop}")
    if not 0 < length <= n_fft:
        raise errors.bad_frames(name, "0 < win_length <= n_fft", f"win_length={length}")
    if window is not None and window.raw.shape != (length,):
        expected = f"a 1D window tensor of size equal to win_length={length}"
        raise errors.bad_frames(name, expected, f"window with size {list(window.raw.shape)}")
    return hop, length


def stft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Tensor:
    """The spectra of overlapping runs of a signal, or of several as rows: (frequency, time).

    Runs of `n_fft` elements, each `hop_length` (a quarter of them) after the one before, times a
    window in their middle. If `center`, the signal is padded, so that a run has its middle at the
    signal's first element. `onesided` leaves out the negative frequencies, as it is for real
    signals by default. Divided by the square root of `n_fft` if `normalized`.
    """
    if center and align_to_window is not None:
        raise errors.aligned_and_centred()
    is_complex = "c" in {x.raw.dtype.kind for x in (input, window) if x is not None}
    if return_complex is None:
        if not is_complex:
            raise errors.complex_not_chosen()
        return_complex = True
    if input.raw.ndim not in (1, 2):
        raise errors.bad_frames("stft", "a 1D or 2D tensor", f"{input.raw.ndim} dimensions")
    if onesided and is_complex:
        raise errors.one_sided_complex()
    hop, length = checked("stft", window, n_fft, hop_length, win_length)
    x = padded(input, n_fft // 2, pad_mode) if center else input
    if not 0 < n_fft <= x.raw.shape[-1]:
        raise errors.bad_frames("stft", f"0 < n_fft <= {x.raw.shape[-1]}", f"n_fft={n_fft}")
    runs = framed(x, n_fft, hop) * whole_window(window, length, n_fft, x)
    transform = fft if is_complex or onesided is False else rfft
    spectra = transform(runs, norm="ortho" if normalized else None).mT
    return spectra if return_complex else view_as_real(spectra)


def istft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Tensor:
    """The signal whose spectra by `stft` these are: the sum of the runs, each times the window
    again, divided by that of the squared windows.

    `length` elements of it, with zeros at the end if there are fewer.
    """
    if input.raw.dtype.kind != "c":
        raise errors.real_spectrum()
    hop, wide = checked("istft", window, n_fft, hop_length, win_length)
    if hop > wide:
        raise errors.bad_frames("istft", "0 < hop_length <= win_length", f"hop_length={hop}")
    rows = input.raw.shape[-2]
    one_sided = rows != n_fft if onesided is None else onesided
    if rows != (n_fft // 2 + 1 if one_sided else n_fft):
        raise errors.bad_frames("istft", f"spectra of n_fft={n_fft} elements", f"{rows} rows")
    if return_complex and one_sided:
        raise errors.one_sided_complex()
    spectra = input.mT
    norm = "ortho" if normalized else None
    if return_complex:
        runs = ifft(spectra, norm=norm)
    else:
        runs = irfft(spectra[..., : n_fft // 2 + 1], n=n_fft, norm=norm)
    shape = whole_window(window, wide, n_fft, runs)
    total = added(runs * shape, hop)
    envelope = added((shape * shape).expand(runs.raw.shape[-2:]), hop)
    start = n_fft // 2 if center else 0
    size = total.raw.shape[-1]
    end = size - start if length is None else start + length
    envelope = envelope[start:end]
    least = float(abs(known(envelope, "istft")).min(initial=1.0))
    if least <= 1e-11:
        raise errors.uncovered(least)
    result = total[..., start:end] / envelope
    return lengthened(result, end - size) if end > size else result


@on_arrays
def lengthened(x: Any, missing: int) -> Any:
    """A signal with zeros after it."""
    return pad(x, ((0, 0),) * (x.ndim - 1) + ((0, missing),))


attach("istft stft", globals())
