"""The design of filters, differentiable in their frequencies, and their zeros, poles and gains."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy
import scipy.signal

from ... import errors
from ...backend import is_complex
from ...numpy.dispatch import np
from ...numpy.operands import operand
from ...numpy.reading import any_recorded, known
from ..dispatch import implements
from .windows import get_window

__all__ = [
    "bessel",
    "bilinear_zpk",
    "butter",
    "cheby1",
    "cheby2",
    "ellip",
    "firwin",
    "iirfilter",
    "lp2bp_zpk",
    "lp2bs_zpk",
    "lp2hp_zpk",
    "lp2lp_zpk",
    "zpk2sos",
    "zpk2tf",
]

LENGTHS = "the zeros and poles of a filter"


def vector(x: Any) -> Any:
    """An argument as an array of one axis."""
    return np.atleast_1d(operand(x))


def _excess(z: Any, p: Any) -> int:
    """By how many poles outnumber zeros."""
    degree = p.shape[0] - z.shape[0]
    if degree < 0:
        raise ValueError("Improper transfer function. Must have at least as many poles as zeros.")
    return degree


def _gain(z: Any, p: Any) -> Any:
    """The quotient of two products over roots, which is real."""
    return np.real(np.prod(z) / np.prod(p))


def _with(roots: Any, value: Any, count: int) -> Any:
    return np.concatenate([roots, value * numpy.ones(count)])


@implements(scipy.signal.lp2lp_zpk)
def lp2lp_zpk(z: Any, p: Any, k: Any, wo: Any = 1.0) -> Any:
    """A low-pass filter of another cutoff frequency."""
    z, p = vector(z), vector(p)
    return wo * z, wo * p, k * wo ** _excess(z, p)


@implements(scipy.signal.lp2hp_zpk)
def lp2hp_zpk(z: Any, p: Any, k: Any, wo: Any = 1.0) -> Any:
    """The high-pass filter of a low-pass prototype."""
    z, p = vector(z), vector(p)
    return _with(wo / z, 0.0, _excess(z, p)), wo / p, k * _gain(-z, -p)


def _split(roots: Any, wo: Any) -> Any:
    """The two roots, about the frequency of a band, that each becomes."""
    roots = roots + 0j
    apart = np.sqrt(roots * roots - wo * wo)
    return np.concatenate([roots + apart, roots - apart])


@implements(scipy.signal.lp2bp_zpk)
def lp2bp_zpk(z: Any, p: Any, k: Any, wo: Any = 1.0, bw: Any = 1.0) -> Any:
    """The band-pass filter of a low-pass prototype."""
    z, p = vector(z), vector(p)
    degree = _excess(z, p)
    zeros = _with(_split(z * bw / 2, wo), 0.0, degree)
    return zeros, _split(p * bw / 2, wo), k * bw**degree


@implements(scipy.signal.lp2bs_zpk)
def lp2bs_zpk(z: Any, p: Any, k: Any, wo: Any = 1.0, bw: Any = 1.0) -> Any:
    """The band-stop filter of a low-pass prototype."""
    z, p = vector(z), vector(p)
    degree = _excess(z, p)
    zeros = _with(_with(_split(bw / 2 / z, wo), 1j * wo, degree), -1j * wo, degree)
    return zeros, _split(bw / 2 / p, wo), k * _gain(-z, -p)


@implements(scipy.signal.bilinear_zpk)
def bilinear_zpk(z: Any, p: Any, k: Any, fs: Any) -> Any:
    """The digital filter of an analog one."""
    z, p = vector(z), vector(p)
    twice = 2.0 * fs
    zeros = _with((twice + z) / (twice - z), -1.0, _excess(z, p))
    return zeros, (twice + p) / (twice - p), k * _gain(twice - z, twice - p)


def polynomial(roots: Any) -> Any:
    """The coefficients of a polynomial; real if its roots are, or come in conjugate pairs."""
    out = np.atleast_1d(np.poly(roots))
    real = is_complex(out.dtype) and not numpy.iscomplexobj(numpy.poly(known(roots, LENGTHS)))
    return np.real(out) if real else out


@implements(scipy.signal.zpk2tf)
def zpk2tf(z: Any, p: Any, k: Any) -> Any:
    """The coefficients of numerator and denominator, for one filter."""
    return k * polynomial(vector(z)), polynomial(vector(p))


def _sections(roots: Any, polynomials: Any) -> list[Any]:
    """Polynomials again, of those of `roots` that are nearest to their roots."""
    values = known(roots, LENGTHS)
    left = list(range(len(values)))
    found = []
    for each in polynomials:
        chosen: list[int] = []
        for root in numpy.roots(each):
            distances = abs(values[left] - root)
            chosen.append(left.pop(int(distances.argmin())))
        found.append(np.real(np.poly(roots[numpy.array(chosen, dtype=int)])))
    return found


@implements(scipy.signal.zpk2sos)
def zpk2sos(z: Any, p: Any, k: Any, pairing: Any = None, *, analog: bool = False) -> Any:
    """Sections of second order, of a digital filter; which roots go together, SciPy says."""
    if analog:
        raise errors.no_argument("scipy.signal.zpk2sos", "analog=True", "Take zpk2tf.")
    z, p = vector(z), vector(p)
    plain = [known(x, LENGTHS) for x in (z, p, k)]
    sections = scipy.signal.zpk2sos(*plain, pairing=pairing)
    size = 2 * len(sections)
    z, p = (_with(roots + 0j, 0.0, size - roots.shape[0]) for roots in (z, p))
    above = _sections(z, [section[:3] / section[0] for section in sections])
    below = _sections(p, [section[3:] for section in sections])
    above[0] = above[0] * k
    return np.stack([np.concatenate(pair) for pair in zip(above, below, strict=True)])


PROTOTYPES: dict[str, Callable[[int, Any, Any], Any]] = {
    "butter": lambda n, rp, rs: scipy.signal.buttap(n),
    "cheby1": lambda n, rp, rs: scipy.signal.cheb1ap(n, rp),
    "cheby2": lambda n, rp, rs: scipy.signal.cheb2ap(n, rs),
    "ellip": lambda n, rp, rs: scipy.signal.ellipap(n, rp, rs),
    "bessel": lambda n, rp, rs: scipy.signal.besselap(n, norm="phase"),
}
KINDS = {
    **dict.fromkeys(("butter", "butterworth"), "butter"),
    **dict.fromkeys(("cheby1", "chebyshev1", "chebyshevi"), "cheby1"),
    **dict.fromkeys(("cheby2", "chebyshev2", "chebyshevii"), "cheby2"),
    **dict.fromkeys(("ellip", "elliptic", "cauer"), "ellip"),
    "bessel": "bessel",
}
BANDS = {
    **dict.fromkeys(("low", "lowpass", "lp", "l"), "lowpass"),
    **dict.fromkeys(("high", "highpass", "hp", "h"), "highpass"),
    **dict.fromkeys(("band", "bandpass", "bp", "pass"), "bandpass"),
    **dict.fromkeys(("bandstop", "stop", "bs", "bands"), "bandstop"),
}


def _designed(
    prototype: Any, frequencies: Any, band: str, analog: bool, output: str, fs: Any
) -> Any:
    """A filter of a low-pass prototype."""
    w = vector(frequencies)
    if fs is not None:
        if analog:
            raise ValueError("fs cannot be specified for an analog filter")
        w = 2 * w / fs
    if band not in BANDS:
        raise ValueError(f"'{band}' is an invalid bandtype for filter.")
    band = BANDS[band]
    single = band in ("lowpass", "highpass")
    if w.shape != ((1,) if single else (2,)):
        raise ValueError(
            f"Wn must be {'one frequency' if single else 'two frequencies'} for a {band} filter, "
            f"but has shape {w.shape}."
        )
    values = known(w, "the frequencies of a filter")
    if (values <= 0).any() or (not analog and (values >= 1).any()):
        raise ValueError("Digital filter critical frequencies must be 0 < Wn < 1 (fs / 2).")
    w = w if analog else 4 * np.tan(math.pi / 2 * w)
    if single:
        change = lp2lp_zpk if band == "lowpass" else lp2hp_zpk
        z, p, k = change(*prototype, w[0])
    else:
        change = lp2bp_zpk if band == "bandpass" else lp2bs_zpk
        z, p, k = change(*prototype, np.sqrt(w[0] * w[1]), w[1] - w[0])
    if not analog:
        z, p, k = bilinear_zpk(z, p, k, 2.0)
    if output == "zpk":
        return z, p, k
    if output == "ba":
        return zpk2tf(z, p, k)
    if output == "sos":
        return zpk2sos(z, p, k, analog=analog)
    raise ValueError(f"'{output}' is not a valid output form.")


def _plain(name: str, *values: Any) -> None:
    if any_recorded(values):
        raise errors.no_argument(f"scipy.signal.{name}", "a traced rp= or rs=", "Only Wn may be.")


@implements(scipy.signal.iirfilter)
def iirfilter(
    N: int,
    Wn: Any,
    rp: Any = None,
    rs: Any = None,
    btype: str = "band",
    analog: bool = False,
    ftype: str = "butter",
    output: str = "ba",
    fs: Any = None,
) -> Any:
    """A filter of infinite response, differentiable in its critical frequencies `Wn`."""
    _plain("iirfilter", rp, rs)
    if ftype not in KINDS:
        raise ValueError(f"'{ftype}' is not a valid basic IIR filter.")
    prototype = PROTOTYPES[KINDS[ftype]](N, rp, rs)
    return _designed(prototype, Wn, btype.lower(), analog, output, fs)


@implements(scipy.signal.butter)
def butter(
    N: int, Wn: Any, btype: str = "low", analog: bool = False, output: str = "ba", fs: Any = None
) -> Any:
    """Butterworth's filter."""
    return iirfilter(N, Wn, None, None, btype, analog, "butter", output, fs)


@implements(scipy.signal.cheby1)
def cheby1(
    N: int,
    rp: Any,
    Wn: Any,
    btype: str = "low",
    analog: bool = False,
    output: str = "ba",
    fs: Any = None,
) -> Any:
    """Chebyshev's filter with ripples in the band that passes."""
    return iirfilter(N, Wn, rp, None, btype, analog, "cheby1", output, fs)


@implements(scipy.signal.cheby2)
def cheby2(
    N: int,
    rs: Any,
    Wn: Any,
    btype: str = "low",
    analog: bool = False,
    output: str = "ba",
    fs: Any = None,
) -> Any:
    """Chebyshev's filter with ripples in the band that is stopped."""
    return iirfilter(N, Wn, None, rs, btype, analog, "cheby2", output, fs)


@implements(scipy.signal.ellip)
def ellip(
    N: int,
    rp: Any,
    rs: Any,
    Wn: Any,
    btype: str = "low",
    analog: bool = False,
    output: str = "ba",
    fs: Any = None,
) -> Any:
    """Cauer's filter, with ripples in both bands."""
    return iirfilter(N, Wn, rp, rs, btype, analog, "ellip", output, fs)


@implements(scipy.signal.bessel)
def bessel(
    N: int,
    Wn: Any,
    btype: str = "low",
    analog: bool = False,
    output: str = "ba",
    norm: str = "phase",
    fs: Any = None,
) -> Any:
    """Bessel's filter."""
    prototype = scipy.signal.besselap(N, norm=norm)
    return _designed(prototype, Wn, btype.lower(), analog, output, fs)


PASS_ZERO = {"bandstop": True, "lowpass": True, "bandpass": False, "highpass": False}


@implements(scipy.signal.firwin)
def firwin(
    numtaps: int,
    cutoff: Any,
    *,
    width: Any = None,
    window: Any = "hamming",
    pass_zero: bool | str = True,
    scale: bool = True,
    fs: Any = None,
) -> Any:
    """A filter of finite response by a window, differentiable in its cutoff frequencies."""
    half = 1.0 if fs is None else 0.5 * fs
    edges = vector(cutoff) / half
    values = known(edges, "the cutoff frequencies of a filter")
    if isinstance(pass_zero, str):
        if pass_zero not in PASS_ZERO:
            raise ValueError(f"`pass_zero` must be a bool or one of {set(PASS_ZERO)}.")
        pass_zero = PASS_ZERO[pass_zero]
    name = window if isinstance(window, str) else "hamming"
    scipy.signal.firwin(  # its own checks
        numtaps, values, width=width, window=name, pass_zero=pass_zero, scale=scale
    )
    if width is not None:
        window = (
            "kaiser",
            scipy.signal.kaiser_beta(scipy.signal.kaiser_atten(numtaps, width / half)),
        )
    ends = [[0.0]] * pass_zero, [[1.0]] * (pass_zero ^ (edges.shape[0] & 1))
    bands = np.reshape(np.concatenate([*ends[0], edges, *ends[1]]), (-1, 2))
    m = numpy.arange(numtaps) - 0.5 * (numtaps - 1)
    low, high = bands[:, :1], bands[:, 1:]
    taps = np.sum(high * np.sinc(high * m) - low * np.sinc(low * m), axis=0)
    taps = taps * get_window(window, numtaps, fftbins=False)
    if not scale:
        return taps
    first, last = bands[0, 0], bands[0, 1]
    left, right = (known(v, "") for v in (first, last))
    centre = 0.0 if left == 0 else 1.0 if right == 1 else 0.5 * (first + last)
    return taps / np.sum(taps * np.cos(math.pi * m * centre))
