"""Windows under the names that stand in `torch`: periodic ones by default."""

from __future__ import annotations

from typing import Any

from .. import errors
from ..tensor import Tensor
from . import windows

__all__ = [
    "bartlett_window",
    "blackman_window",
    "hamming_window",
    "hann_window",
    "kaiser_window",
]


def check_length(name: str, length: int) -> None:
    """Raise for a negative number of elements."""
    if length < 0:
        raise errors.negative_window_length(name, length)


def bartlett_window(window_length: int, periodic: bool = True, **options: Any) -> Tensor:
    """A triangle that is zero at the ends."""
    check_length("bartlett_window", window_length)
    return windows.bartlett(window_length, sym=not periodic, **options)


def blackman_window(window_length: int, periodic: bool = True, **options: Any) -> Tensor:
    """``0.42 - 0.5 * cos(t) + 0.08 * cos(2 t)`` for t from 0 to a period."""
    check_length("blackman_window", window_length)
    return windows.blackman(window_length, sym=not periodic, **options)


def hamming_window(
    window_length: int,
    periodic: bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    **options: Any,
) -> Tensor:
    """``alpha - beta * cos(t)`` for t from 0 to a period."""
    check_length("hamming_window", window_length)
    return windows.general_cosine(window_length, a=[alpha, beta], sym=not periodic, **options)


def hann_window(window_length: int, periodic: bool = True, **options: Any) -> Tensor:
    """``0.5 - 0.5 * cos(t)`` for t from 0 to a period."""
    check_length("hann_window", window_length)
    return windows.hann(window_length, sym=not periodic, **options)


def kaiser_window(
    window_length: int, periodic: bool = True, beta: float = 12.0, **options: Any
) -> Tensor:
    """``i0(beta * sqrt(1 - x * x)) / i0(beta)`` for x from -1 to 1."""
    check_length("kaiser_window", window_length)
    return windows.kaiser(window_length, beta=beta, sym=not periodic, **options)
