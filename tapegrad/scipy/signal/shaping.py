"""Trends removed, analytic signals, resampling and smoothing."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Literal

import numpy
import scipy.fft
import scipy.signal
from numpy.lib.array_utils import normalize_axis_index

from ...backend import is_complex, is_inexact
from ...core.array import Array
from ...numpy.dispatch import np
from ...numpy.spectrum import inexact, transform
from ...ops.contract import matmul
from ...ops.linear import cast
from ..dispatch import implements
from ..ndimage.filters import convolve1d
from .convolution import signal
from .filtering import last
from .windows import get_window


def trend_removed(x: Any, points: list[int]) -> Any:
    """The last axis without the straight line through each of the pieces between points."""
    pieces = []
    for start, stop in pairwise(points):
        n = stop - start
        line = numpy.stack([numpy.arange(1, n + 1) / n, numpy.ones(n)], axis=1)
        basis = numpy.linalg.qr(line)[0].astype(x.dtype)
        piece = last(x, start, stop)
        pieces.append(piece - matmul(matmul(piece, basis), numpy.ascontiguousarray(basis.T)))
    return pieces[0] if len(pieces) == 1 else np.concatenate(pieces, axis=-1)


@implements(scipy.signal.detrend)
def detrend(
    data: Any,
    axis: int = -1,
    type: Literal["linear", "constant", "l", "c"] = "linear",
    bp: Any = 0,
    overwrite_data: bool = False,
) -> Any:
    if type not in ("linear", "l", "constant", "c"):
        raise ValueError("Trend type must be 'linear' or 'constant'.")
    x = signal(data)
    axis = normalize_axis_index(axis, x.ndim)
    if type in ("constant", "c"):
        return x - np.mean(x, axis, keepdims=True)
    n = x.shape[axis]
    points = sorted({0, n, *numpy.atleast_1d(bp).tolist()})
    if points[-1] > n:
        raise ValueError("Breakpoints must be less than length of data along given axis.")
    x = cast(x, x.dtype if x.dtype.char in "dfDF" else numpy.dtype(float))
    return np.moveaxis(trend_removed(np.moveaxis(x, axis, -1), points), -1, axis)


def one_sided(n: int) -> Any:
    """The factors that take a spectrum of size n to that of the analytic signal."""
    factors = numpy.zeros(n)
    factors[0] = 1
    factors[1 : (n + 1) // 2] = 2
    if n % 2 == 0:
        factors[n // 2] = 1
    return factors


@implements(scipy.signal.hilbert)
def hilbert(x: Any, N: int | None = None, axis: int = -1) -> Any:
    x = inexact(signal(x))
    if is_complex(x.dtype):
        raise ValueError("x must be real.")
    axis = normalize_axis_index(axis, x.ndim)
    n = x.shape[axis] if N is None else N
    if n <= 0:
        raise ValueError("N must be positive.")
    spectrum = transform("whole", x, (axis,), (n,), None, inverse=False)
    factors = one_sided(n).astype(x.dtype).reshape((n,) + (1,) * (x.ndim - axis - 1))
    return transform("whole", spectrum * factors, (axis,), None, None, inverse=True)


@implements(scipy.signal.hilbert2)
def hilbert2(x: Any, N: Any = None, axes: tuple[int, int] = (-2, -1)) -> Any:
    x = inexact(np.atleast_2d(signal(x)))
    if is_complex(x.dtype):
        raise ValueError("x must be real.")
    if len(axes) != 2:
        raise ValueError("axes must be a tuple of length 2")
    places = tuple(normalize_axis_index(a, x.ndim) for a in axes)
    if places[0] == places[1]:
        raise ValueError("axes must contain 2 distinct axes")
    sizes = [x.shape[a] for a in places] if N is None else [N, N] if isinstance(N, int) else list(N)
    if len(sizes) != 2 or any(n <= 0 for n in sizes):
        raise ValueError("N must be positive, and if it is a tuple, hold two integers")
    out = transform("whole", x, places, sizes, None, inverse=False)
    for axis, n in zip(places, sizes, strict=True):
        factors = one_sided(n)
        if n % 2 == 0:
            factors[n // 2] = 0  # as SciPy's: twice as much there, and none
        out = out * factors.astype(x.dtype).reshape((n,) + (1,) * (x.ndim - axis - 1))
    return transform("whole", out, places, None, None, inverse=True)


@implements(scipy.signal.resample)
def resample(
    x: Any,
    num: int,
    t: Any = None,
    axis: int = 0,
    window: Any = None,
    domain: str = "time",
) -> Any:
    if domain not in ("time", "freq"):
        raise ValueError(f"Parameter {domain=} not in ('time', 'freq')!")
    x = inexact(signal(x))
    axis = normalize_axis_index(axis, x.ndim)
    x = np.moveaxis(x, axis, -1)
    n = x.shape[-1]
    factors = spectral_window(window, n)
    m = min(num, n)
    out = (
        resampled_real(x, num, m, factors)
        if domain == "time" and not is_complex(x.dtype)
        else resampled_complex(x, num, m, factors, domain)
    )
    out = np.moveaxis(out, -1, axis)
    if t is None:
        return out
    return out, t[0] + (t[1] - t[0]) * (n / num) * numpy.arange(num)


def spectral_window(window: Any, n: int) -> Any:
    """The factors of all n frequencies that a window stands for; None for none."""
    if window is None:
        return None
    if callable(window):
        return window(scipy.fft.fftfreq(n))
    if isinstance(window, Array | numpy.ndarray):
        if window.shape != (n,):
            raise ValueError(
                f"window.shape={window.shape} != ({n},), i.e., window length is not equal to "
                "number of frequency bins!"
            )
        return window
    return np.fft.fftshift(get_window(window, n))


def resampled_real(x: Any, num: int, m: int, window: Any) -> Any:
    """A real last axis with `num` samples, of which the spectra share `m` frequencies."""
    n, axis = x.shape[-1], x.ndim - 1
    spectrum = transform("half", x, (axis,), None, None, inverse=False)
    if window is not None:
        count = spectrum.shape[-1]
        mirrored = np.concatenate([window[:1], window[:0:-1]])
        spectrum = spectrum * ((window + mirrored) / 2)[:count].astype(x.dtype)
    spectrum = last(spectrum, 0, m // 2 + 1)
    weights = numpy.full(m // 2 + 1, num / n)
    if m % 2 == 0 and num != n:  # the last frequency stands alone in one of the two
        weights[-1] *= 2 if num < n else 0.5
    spectrum = spectrum * weights.astype(x.dtype)
    return transform("real", spectrum, (axis,), (num,), None, inverse=True)


def resampled_complex(x: Any, num: int, m: int, window: Any, domain: str) -> Any:
    """As `resampled_real`, for complex signals and for spectra."""
    n, axis = x.shape[-1], x.ndim - 1
    spectrum = x if domain == "freq" else transform("whole", x, (axis,), None, None, inverse=False)
    if window is not None:
        spectrum = spectrum * window
    half = m // 2 + 1
    low, high = last(spectrum, 0, half), last(spectrum, n - (m - half))
    gap = num - m
    if m % 2 == 0 and num != n:  # a pair of frequencies in one of the two, one alone in the other
        alone = last(low, half - 1)
        if num < n:
            alone = alone + last(spectrum, n - m // 2, n - m // 2 + 1)
        else:
            alone = alone / 2
            high = np.concatenate([alone, high], axis=-1)
            gap -= 1
        low = np.concatenate([last(low, 0, half - 1), alone], axis=-1)
    zeros = numpy.zeros((*x.shape[:-1], gap), dtype=spectrum.dtype)
    moved = np.concatenate([low, zeros, high], axis=-1) * (num / n)
    return transform("whole", moved, (axis,), (num,), None, inverse=True)


@implements(scipy.signal.savgol_filter)
def savgol_filter(
    x: Any,
    window_length: int,
    polyorder: int,
    deriv: int = 0,
    delta: float = 1.0,
    axis: int = -1,
    mode: str = "interp",
    cval: Any = 0.0,
) -> Any:
    if mode not in ("mirror", "constant", "nearest", "interp", "wrap"):
        raise ValueError("mode must be 'mirror', 'constant', 'nearest' 'wrap' or 'interp'.")
    x = signal(x)
    axis = normalize_axis_index(axis, x.ndim)
    if not is_inexact(x.dtype) or x.dtype.char not in "fd":
        x = cast(x, numpy.dtype(float))
    weights = scipy.signal.savgol_coeffs(window_length, polyorder, deriv=deriv, delta=delta)
    if mode != "interp":
        return convolve1d(x, weights, axis, mode=mode, cval=cval)
    n = x.shape[axis]
    if window_length > n:
        raise ValueError(
            "If mode is 'interp', window_length must be less than or equal to the size of x."
        )
    x = np.moveaxis(x, axis, -1)
    half = window_length // 2
    at_edges = scipy.signal.savgol_filter(
        numpy.eye(window_length), window_length, polyorder, deriv, delta, axis=0
    ).T.astype(x.dtype)
    middle = last(convolve1d(x, weights, -1, mode="constant"), half, n - half)
    left = matmul(last(x, 0, window_length), at_edges[:, :half])
    right = matmul(last(x, n - window_length), at_edges[:, window_length - half :])
    return np.moveaxis(np.concatenate([left, middle, right], axis=-1), -1, axis)
