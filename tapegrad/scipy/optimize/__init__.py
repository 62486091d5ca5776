"""`scipy.optimize` with exact derivatives inside, and with derivatives of the answers."""

from __future__ import annotations

from typing import Any

import scipy.optimize

from ..names import own
from .fits import curve_fit, least_squares, lsq_linear, nnls
from .linear_programs import linprog
from .minimize import minimize, rosen
from .roots import fixed_point, root
from .scalars import (
    bisect,
    brenth,
    brentq,
    minimize_scalar,
    newton,
    ridder,
    root_scalar,
    toms748,
)

__all__ = [
    "bisect",
    "brenth",
    "brentq",
    "curve_fit",
    "fixed_point",
    "least_squares",
    "linprog",
    "lsq_linear",
    "minimize",
    "minimize_scalar",
    "newton",
    "nnls",
    "ridder",
    "root",
    "root_scalar",
    "rosen",
    "toms748",
]


def __getattr__(name: str) -> Any:
    """SciPy's own, for every name that is not here."""
    return own(scipy.optimize, __name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(scipy.optimize)})
