"""`scipy.signal.windows`: windows that are differentiable in their parameters.

Those without a continuous parameter are SciPy's own.

>>> import numpy as np
>>> import tapegrad as tg
>>> print(tg.jacobian(lambda beta: kaiser(5, beta))(2.0).round(4))
[-0.3061 -0.1137  0.     -0.1137 -0.3061]
"""

from __future__ import annotations

import inspect
import math
from typing import Any

import numpy
import scipy.signal.windows

from ... import errors
from ...numpy.dispatch import np
from ...ops.specials.bessel_fixed import i0, i0e
from ..dispatch import implements
from ..names import own
from .convolution import signal

__all__ = [
    "exponential",
    "gaussian",
    "general_cosine",
    "general_gaussian",
    "general_hamming",
    "get_window",
    "kaiser",
    "kaiser_bessel_derived",
    "tukey",
]

LARGE = 500.0
"""From where on `i0` is taken without its exponential, which overflows."""

ORIGINAL = scipy.signal.windows
SIGNATURE = inspect.signature(ORIGINAL.get_window)


def places(M: int, sym: bool) -> tuple[Any, int]:
    """The places of `M` samples, and of how many the symmetric window is that they begin."""
    if int(M) != M or M < 0:
        raise ValueError("Window length M must be a non-negative integer")
    M = int(M)
    return numpy.arange(M, dtype=float), M if sym or M <= 1 else M + 1


@implements(ORIGINAL.kaiser)
def kaiser(M: int, beta: Any, sym: bool = True) -> Any:
    n, count = places(M, sym)
    if count <= 1:
        return numpy.ones(M)
    half = (count - 1) / 2
    height = numpy.sqrt(1 - ((n - half) / half) ** 2)
    near = np.abs(beta) < LARGE
    small, size = np.where(near, beta, 0.0), np.where(near, LARGE, np.abs(beta))
    scaled = i0e(size * height) / i0e(size) * np.exp(size * (height - 1))
    return np.where(near, i0(small * height) / i0(small), scaled)


@implements(ORIGINAL.kaiser_bessel_derived)
def kaiser_bessel_derived(M: int, beta: Any, *, sym: bool = True) -> Any:
    if not sym:
        raise ValueError("Kaiser-Bessel Derived windows are only defined for symmetric shapes")
    if M < 1:
        return numpy.empty(0)
    if M % 2:
        raise ValueError("Kaiser-Bessel Derived windows are only defined for even number of points")
    sums = np.cumsum(kaiser(M // 2 + 1, beta))
    half = np.sqrt(sums[:-1] / sums[-1])
    return np.concatenate([half, half[::-1]])


@implements(ORIGINAL.gaussian)
def gaussian(M: int, std: Any, sym: bool = True) -> Any:
    n, count = places(M, sym)
    if count <= 1:
        return numpy.ones(M)
    return np.exp(-((n - (count - 1) / 2) ** 2) / (2 * std * std))


@implements(ORIGINAL.general_gaussian)
def general_gaussian(M: int, p: Any, sig: Any, sym: bool = True) -> Any:
    n, count = places(M, sym)
    if count <= 1:
        return numpy.ones(M)
    return np.exp(-0.5 * np.abs((n - (count - 1) / 2) / sig) ** (2 * p))


@implements(ORIGINAL.exponential)
def exponential(M: int, center: Any = None, tau: Any = 1.0, sym: bool = True) -> Any:
    if sym and center is not None:
        raise ValueError("If sym==True, center must be None.")
    n, count = places(M, sym)
    if count <= 1:
        return numpy.ones(M)
    return np.exp(-np.abs(n - ((count - 1) / 2 if center is None else center)) / tau)


@implements(ORIGINAL.tukey)
def tukey(M: int, alpha: Any = 0.5, sym: bool = True) -> Any:
    n, count = places(M, sym)
    if count <= 1:
        return numpy.ones(M)
    from_edge = numpy.minimum(n, count - 1 - n)
    share = np.clip(alpha, 0.0, 1.0)
    edge = from_edge <= np.floor(share * (count - 1) / 2)
    none = share <= 0
    turn = from_edge / (np.where(none, 1.0, share) * (count - 1))
    return np.where(edge & ~none, 0.5 * (1 - np.cos(2 * math.pi * turn)), 1.0)


@implements(ORIGINAL.general_cosine)
def general_cosine(M: int, a: Any, sym: bool = True) -> Any:
    n, count = places(M, sym)
    if count <= 1:
        return numpy.ones(M)
    angles = n * (2 * math.pi / (count - 1)) - math.pi
    weights = signal(a)
    return np.matmul(numpy.cos(angles[:, None] * numpy.arange(weights.size)), weights)


@implements(ORIGINAL.general_hamming)
def general_hamming(M: int, alpha: Any, sym: bool = True) -> Any:
    return general_cosine(M, np.stack([alpha, 1.0 - alpha]), sym)


NAMES = {
    "exp": exponential,
    "exponential": exponential,
    "gauss": gaussian,
    "gaussian": gaussian,
    "gss": gaussian,
    "general cosine": general_cosine,
    "general_cosine": general_cosine,
    "general gaussian": general_gaussian,
    "general gauss": general_gaussian,
    "general_gauss": general_gaussian,
    "general_gaussian": general_gaussian,
    "ggs": general_gaussian,
    "general hamming": general_hamming,
    "general_hamming": general_hamming,
    "kaiser": kaiser,
    "ksr": kaiser,
    "tuk": tukey,
    "tukey": tukey,
}


@implements(ORIGINAL.get_window)
def get_window(*args: Any, **kwargs: Any) -> Any:
    given = SIGNATURE.bind(*args, **kwargs).arguments
    window, count = given["window"], given["Nx"]
    sym = not given.get("fftbins", True)
    if not isinstance(window, tuple):  # the parameter of a Kaiser window
        return kaiser(count, np.reshape(window, ()), sym)
    name, *parameters = window
    if name.endswith("_symmetric"):
        sym, name = True, name.removesuffix("_symmetric")
    elif name.endswith("_periodic"):
        sym, name = False, name.removesuffix("_periodic")
    if name not in NAMES:
        raise errors.no_scipy_rule(f"scipy.signal.get_window of {name!r}")
    return NAMES[name](count, *parameters, sym=sym)


def __getattr__(name: str) -> Any:
    """SciPy's own, for every name that is not here."""
    return own(ORIGINAL, __name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(ORIGINAL)})
