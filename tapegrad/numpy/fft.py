"""`numpy.fft`: NumPy's own, on plain arrays."""

from __future__ import annotations

from typing import Any

import numpy.fft

__all__ = list(numpy.fft.__all__)


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(numpy.fft, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(numpy.fft)})
