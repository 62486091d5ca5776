"""`scipy.signal`, for plain and for recorded arrays: convolution, filters, spectra.

Coefficients of filters have derivatives too, the frequencies that filters are designed for, and the
parameters of windows.
"""

from __future__ import annotations

from typing import Any

import scipy.signal

from ..names import own
from . import windows as windows
from .chirps import czt, zoom_fft
from .convolution import (
    convolve,
    convolve2d,
    correlate,
    correlate2d,
    fftconvolve,
    oaconvolve,
)
from .design import (
    bessel,
    bilinear_zpk,
    butter,
    cheby1,
    cheby2,
    ellip,
    firwin,
    iirfilter,
    lp2bp_zpk,
    lp2bs_zpk,
    lp2hp_zpk,
    lp2lp_zpk,
    zpk2sos,
    zpk2tf,
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
from .rates import resample_poly, upfirdn
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
from .waveforms import chirp, gausspulse, sweep_poly
from .windows import get_window

__all__ = [
    "bessel",
    "bilinear_zpk",
    "butter",
    "cheby1",
    "cheby2",
    "chirp",
    "coherence",
    "convolve",
    "convolve2d",
    "correlate",
    "correlate2d",
    "csd",
    "czt",
    "detrend",
    "ellip",
    "fftconvolve",
    "filtfilt",
    "firwin",
    "freqz",
    "freqz_sos",
    "gausspulse",
    "get_window",
    "hilbert",
    "hilbert2",
    "iirfilter",
    "istft",
    "lfilter",
    "lfilter_zi",
    "lp2bp_zpk",
    "lp2bs_zpk",
    "lp2hp_zpk",
    "lp2lp_zpk",
    "medfilt",
    "medfilt2d",
    "oaconvolve",
    "order_filter",
    "periodogram",
    "resample",
    "resample_poly",
    "savgol_filter",
    "sosfilt",
    "sosfilt_zi",
    "sosfiltfilt",
    "sosfreqz",
    "spectrogram",
    "stft",
    "sweep_poly",
    "upfirdn",
    "welch",
    "zoom_fft",
    "zpk2sos",
    "zpk2tf",
]


def __getattr__(name: str) -> Any:
    """SciPy's own, for every name that is not here."""
    return own(scipy.signal, __name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(scipy.signal)})
