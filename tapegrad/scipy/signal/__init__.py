"""`scipy.signal`, for plain and for recorded arrays: convolution, filters, spectra.

Windows and the design of filters are SciPy's own. Coefficients of filters have derivatives too.
"""

from __future__ import annotations

from typing import Any

import scipy.signal

from ..names import own
from .convolution import (
    convolve,
    convolve2d,
    correlate,
    correlate2d,
    fftconvolve,
    oaconvolve,
)
from .filtering import (
    filtfilt,
    lfilter,
    lfilter_zi,
    sosfilt,
    sosfilt_zi,
    sosfiltfilt,
)
from .ranks import medfilt, medfilt2d, order_filter
from .response import freqz, freqz_sos, sosfreqz
from .segments import istft, spectrogram, stft
from .shaping import (
    detrend,
    hilbert,
    hilbert2,
    resample,
    savgol_filter,
)
from .spectral import (
    coherence,
    csd,
    periodogram,
    welch,
)

__all__ = [
    "coherence",
    "convolve",
    "convolve2d",
    "correlate",
    "correlate2d",
    "csd",
    "detrend",
    "fftconvolve",
    "filtfilt",
    "freqz",
    "freqz_sos",
    "hilbert",
    "hilbert2",
    "istft",
    "lfilter",
    "lfilter_zi",
    "medfilt",
    "medfilt2d",
    "oaconvolve",
    "order_filter",
    "periodogram",
    "resample",
    "savgol_filter",
    "sosfilt",
    "sosfilt_zi",
    "sosfiltfilt",
    "sosfreqz",
    "spectrogram",
    "stft",
    "welch",
]


def __getattr__(name: str) -> Any:
    """SciPy's own, for every name that is not here."""
    return own(scipy.signal, __name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(scipy.signal)})
