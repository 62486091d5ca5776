"""`torch.signal.windows`: symmetric windows by default, periodic ones with ``sym=False``.

A periodic window of n elements is the symmetric one of n + 1 without its last element. Windows are
computed in double precision and rounded once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy

from .. import errors
from ..creation import finished
from ..dtypes import as_numpy, defaults, dtype, float32, float64
from ..tensor import Tensor

__all__ = [
    "bartlett",
    "blackman",
    "cosine",
    "exponential",
    "gaussian",
    "general_cosine",
    "general_hamming",
    "hamming",
    "hann",
    "kaiser",
    "nuttall",
]


def window(
    name: str,
    count: int,
    shape: Callable[[Any], Any],
    sym: bool,
    dtype: dtype | None = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    alone: bool = True,
) -> Tensor:
    """A window of `count` elements, `shape` of the places from -1 to 1 of the symmetric one.

    That of one element is 1, if `alone`.
    """
    to = defaults.real if dtype is None else dtype
    if count < 0:
        raise errors.negative_window(name, count)
    if to not in (float32, float64):
        raise errors.window_dtype(name, to)
    last = count - 1 if sym else count
    places = 2 * numpy.arange(count) / max(last, 1) - 1
    values = numpy.ones(1) if count == 1 and alone else shape(places)
    return finished(values.astype(as_numpy(to)), requires_grad)


def exponential(
    M: int, *, center: float | None = None, tau: float = 1.0, sym: bool = True, **options: Any
) -> Tensor:
    """``exp(-abs(n - center) / tau)``; `center` is the middle by default, and if `sym`."""
    if tau <= 0:
        raise errors.not_positive("Tau", tau)
    if sym and center is not None:
        raise errors.centre_of_symmetric()
    last = M - 1 if sym or M <= 1 else M

    def shape(places: Any) -> Any:
        middle = last / 2 if center is None else center
        return numpy.exp(-numpy.abs((places + 1) * last / 2 - middle) / tau)

    return window("exponential", M, shape, sym, alone=center is None, **options)


def gaussian(M: int, *, std: float = 1.0, sym: bool = True, **options: Any) -> Tensor:
    """``exp(-((n - middle) / std)**2 / 2)``."""
    if std <= 0:
        raise errors.not_positive("Standard deviation", std)
    last = M - 1 if sym or M <= 1 else M
    return window(
        "gaussian", M, lambda x: numpy.exp(-((x * last / 2 / std) ** 2) / 2), sym, **options
    )


def kaiser(M: int, *, beta: float = 12.0, sym: bool = True, **options: Any) -> Tensor:
    """``i0(beta * sqrt(1 - x * x)) / i0(beta)`` for x from -1 to 1."""
    if beta < 0:
        raise errors.negative_beta(beta)

    def shape(places: Any) -> Any:
        inside = numpy.sqrt(numpy.maximum(1 - places * places, 0))
        return numpy.i0(beta * inside) / numpy.i0(beta)

    return window("kaiser", M, shape, sym, **options)


def bartlett(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """A triangle that is zero at the ends."""
    return window("bartlett", M, lambda x: 1 - numpy.abs(x), sym, **options)


def cosine(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """Half a period of the sine, from half a step after its beginning."""
    count = M if sym or M <= 1 else M + 1
    half_steps = numpy.arange(M) + 0.5
    return window("cosine", M, lambda x: numpy.sin(math.pi * half_steps / count), sym, **options)


def general_cosine(M: int, *, a: Iterable[float], sym: bool = True, **options: Any) -> Tensor:
    """The sum of ``(-1)**k * a[k] * cos(k t)`` for t from 0 to a period."""
    if not isinstance(a, Iterable):
        raise errors.no_coefficients(TypeError, "must be a list/tuple")
    weights = list(a)
    if not weights:
        raise errors.no_coefficients(ValueError, "cannot be empty")

    def shape(places: Any) -> Any:  # cos(k t) = (-1)**k cos(k pi x), since t = pi (1 + x)
        terms = (w * numpy.cos(k * math.pi * places) for k, w in enumerate(weights))
        return numpy.sum([*terms], axis=0)

    return window("general_cosine", M, shape, sym, **options)


def general_hamming(M: int, *, alpha: float = 0.54, sym: bool = True, **options: Any) -> Tensor:
    """``alpha - (1 - alpha) * cos(t)`` for t from 0 to a period."""
    return general_cosine(M, a=[alpha, 1 - alpha], sym=sym, **options)


def hamming(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """``0.54 - 0.46 * cos(t)`` for t from 0 to a period."""
    return general_hamming(M, sym=sym, **options)


def hann(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """``0.5 - 0.5 * cos(t)`` for t from 0 to a period."""
    return general_hamming(M, alpha=0.5, sym=sym, **options)


def blackman(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """``0.42 - 0.5 * cos(t) + 0.08 * cos(2 t)`` for t from 0 to a period."""
    return general_cosine(M, a=[0.42, 0.5, 0.08], sym=sym, **options)


def nuttall(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """The window of four cosines with the lowest side lobes, by Nuttall."""
    return general_cosine(M, a=[0.3635819, 0.4891775, 0.1365995, 0.0106411], sym=sym, **options)
