"""`scipy.interpolate`: interpolators that are differentiable in their values, in their nodes and in
the points where they are evaluated.

The classes here take the place of SciPy's, for plain arrays too, so that one made from plain
arrays can be evaluated at a recorded point.

>>> import numpy as np
>>> import tapegrad as tg
>>> spline = CubicSpline([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 8.0, 27.0])
>>> print(round(tg.grad(spline)(2.0), 6), round(tg.grad(tg.grad(spline))(2.0), 6))
12.0 12.0
"""

from __future__ import annotations

from typing import Any

import scipy.interpolate

from ..names import own
from .bspline import BSpline, make_interp_spline
from .cubic import CubicHermiteSpline, CubicSpline
from .grid import RegularGridInterpolator, interpn
from .one_dimensional import interp1d
from .piecewise import PPoly
from .radial import RBFInterpolator
from .scattered import LinearNDInterpolator, NearestNDInterpolator, griddata
from .shape_preserving import Akima1DInterpolator, PchipInterpolator, pchip_interpolate
from .splines import (
    make_lsq_spline,
    make_smoothing_spline,
    make_splrep,
    splantider,
    splder,
    splev,
    splint,
    splrep,
)

__all__ = [
    "Akima1DInterpolator",
    "BSpline",
    "CubicHermiteSpline",
    "CubicSpline",
    "LinearNDInterpolator",
    "NearestNDInterpolator",
    "PPoly",
    "PchipInterpolator",
    "RBFInterpolator",
    "RegularGridInterpolator",
    "griddata",
    "interp1d",
    "interpn",
    "make_interp_spline",
    "make_lsq_spline",
    "make_smoothing_spline",
    "make_splrep",
    "pchip_interpolate",
    "splantider",
    "splder",
    "splev",
    "splint",
    "splrep",
]


def __getattr__(name: str) -> Any:
    """SciPy's own, for every name that is not here."""
    return own(scipy.interpolate, __name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(scipy.interpolate)})
