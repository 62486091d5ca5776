"""Signals by formulas, differentiable in time and in their parameters."""

from __future__ import annotations

import math
from typing import Any

import numpy
import scipy.signal

from ...numpy.dispatch import np
from ...numpy.operands import operand
from ...numpy.reading import known
from ..dispatch import implements


@implements(scipy.signal.chirp)
def chirp(
    t: Any,
    f0: Any,
    t1: Any,
    f1: Any,
    method: str = "linear",
    phi: Any = 0,
    vertex_zero: bool = True,
    *,
    complex: bool = False,
) -> Any:
    """A cosine whose frequency goes from `f0` at time 0 to `f1` at `t1`; `phi` is in degrees."""
    t = operand(t)
    phase = 2 * math.pi * _cycles(t, f0, t1, f1, method, vertex_zero) + phi * (math.pi / 180)
    return np.exp(1j * phase) if complex else np.cos(phase)


def _cycles(t: Any, f0: Any, t1: Any, f1: Any, method: str, vertex_zero: bool) -> Any:
    """The integral of the frequency."""
    if method in ("linear", "lin", "li"):
        return f0 * t + 0.5 * (f1 - f0) / t1 * t * t
    if method in ("quadratic", "quad", "q"):
        bend = (f1 - f0) / t1**2
        if vertex_zero:
            return f0 * t + bend * t**3 / 3
        return f1 * t + bend * ((t1 - t) ** 3 - t1**3) / 3
    first, last = (known(f, "the frequencies of a chirp") for f in (f0, f1))
    if method in ("logarithmic", "log", "lo"):
        if first * last <= 0:
            raise ValueError(
                "For a logarithmic chirp, f0 and f1 must be nonzero and have the same sign."
            )
        if first == last:
            return f0 * t
        rate = t1 / np.log(f1 / f0)
        return rate * f0 * (np.power(f1 / f0, t / t1) - 1)
    if method in ("hyperbolic", "hyp"):
        if first == 0 or last == 0:
            raise ValueError("For a hyperbolic chirp, f0 and f1 must be nonzero.")
        if first == last:
            return f0 * t
        singular = -f1 * t1 / (f0 - f1)
        return -singular * f0 * np.log(np.abs(1 - t / singular))
    raise ValueError(
        "method must be 'linear', 'quadratic', 'logarithmic', or 'hyperbolic', "
        f"but a value of {method!r} was given."
    )


@implements(scipy.signal.gausspulse)
def gausspulse(
    t: Any,
    fc: Any = 1000,
    bw: Any = 0.5,
    bwr: Any = -6,
    tpr: Any = -60,
    retquad: bool = False,
    retenv: bool = False,
) -> Any:
    """A cosine of frequency `fc` under a Gaussian of a fractional bandwidth `bw`."""
    t = operand(t)
    level = np.power(10.0, np.multiply(bwr, 1 / 20))
    decay = -((math.pi * fc * bw) ** 2) / (4 * np.log(level))
    envelope = np.exp(-decay * t * t)
    angle = 2 * math.pi * fc * t
    parts = [envelope * np.cos(angle)]
    if retquad:
        parts.append(envelope * np.sin(angle))
    if retenv:
        parts.append(envelope)
    return parts[0] if len(parts) == 1 else tuple(parts)


@implements(scipy.signal.sweep_poly)
def sweep_poly(t: Any, poly: Any, phi: Any = 0) -> Any:
    """A cosine whose frequency is a polynomial of time, by its coefficients."""
    if isinstance(poly, numpy.poly1d):
        poly = poly.coeffs
    poly = operand(poly)
    powers = numpy.arange(poly.shape[0], 0, -1)
    cycles = np.polyval(np.concatenate([poly / powers, numpy.zeros(1)]), operand(t))
    return np.cos(2 * math.pi * cycles + phi * (math.pi / 180))
