"""How digital filters respond to frequencies, differentiable in coefficients and frequencies."""

from __future__ import annotations

import math
from typing import Any

import numpy
import scipy.signal

from ...core.array import Array
from ...numpy.dispatch import np
from ...numpy.operands import operand
from ...ops.linear import cast
from ..dispatch import implements


def frequencies(like: Any, worN: Any, whole: bool, fs: float, include_nyquist: bool) -> Any:
    """The frequencies of a response, in radians a sample and in those of `fs`."""
    if isinstance(worN, Array):
        return np.multiply(worN, 2 * math.pi / fs), worN
    w, _ = scipy.signal.freqz([1.0], 1.0, worN, whole, fs=fs, include_nyquist=include_nyquist)
    w = w.astype(numpy.finfo(like.dtype).dtype)
    return 2 * math.pi * w / fs, w


@implements(scipy.signal.freqz)
def freqz(
    b: Any,
    a: Any = 1,
    worN: Any = 512,
    whole: bool = False,
    plot: Any = None,
    fs: float = 2 * math.pi,
    include_nyquist: bool = False,
) -> Any:
    """As SciPy's, for one filter: coefficients are vectors."""
    b, a = (np.ravel(operand(c)) for c in (b, a))
    like = (b + 0.0)[:1] * (a + 0.0)[:1]
    angles, w = frequencies(like, worN, whole, fs, include_nyquist)
    z = np.exp(-1j * angles)
    h = np.polyval(b[::-1], z) / np.polyval(a[::-1], z)
    if plot is not None:
        plot(w, h)
    return w, cast(h, numpy.result_type(like.dtype, angles.dtype, numpy.complex64))


@implements(scipy.signal.freqz_sos)
def freqz_sos(
    sos: Any,
    worN: Any = 512,
    whole: bool = False,
    fs: float = 2 * math.pi,
) -> Any:
    sos = operand(sos)
    if sos.ndim != 2 or sos.shape[1] != 6:
        raise ValueError("sos array must be shape (n_sections, 6)")
    w, h = freqz(sos[0, :3], sos[0, 3:], worN, whole, fs=fs)
    for i in range(1, sos.shape[0]):
        h = h * freqz(sos[i, :3], sos[i, 3:], worN, whole, fs=fs)[1]
    return w, h


sosfreqz = implements(scipy.signal.sosfreqz)(freqz_sos)
