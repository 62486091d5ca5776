"""`scipy.integrate`: initial value problems and integrals, with derivatives in all that goes in.

>>> import numpy as np
>>> import tapegrad as tg
>>> print(round(tg.grad(lambda b: quad(np.cos, 0.0, b)[0])(0.5), 6), round(np.cos(0.5), 6))
0.877583 0.877583
"""

from __future__ import annotations

from typing import Any

import scipy.integrate

from ..names import own
from .fixed_step import dopri5, rk4
from .ivp import solve_ivp
from .nested import dblquad, nquad, tplquad
from .odeint import odeint
from .quadrature import fixed_quad, quad
from .sampled import (
    cumulative_simpson,
    cumulative_trapezoid,
    romb,
    simpson,
    trapezoid,
)

__all__ = [
    "cumulative_simpson",
    "cumulative_trapezoid",
    "dblquad",
    "dopri5",
    "fixed_quad",
    "nquad",
    "odeint",
    "quad",
    "rk4",
    "romb",
    "simpson",
    "solve_ivp",
    "tplquad",
    "trapezoid",
]


def __getattr__(name: str) -> Any:
    """SciPy's own, for every name that is not here."""
    return own(scipy.integrate, __name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(scipy.integrate)})
