"""Cubic interpolation that follows the shape of the data: PCHIP and Akima's method."""

from __future__ import annotations

from typing import Any, Literal

import numpy

from ...backend import is_complex
from ...numpy.dispatch import np
from ...ops.linear import broadcast_to
from .arguments import column, nodes_and_values
from .cubic import CubicHermiteSpline
from .piecewise import Extrapolate

NEGLIGIBLE = 1e-9  # of the largest difference of slopes: Akima's weights below are taken for zero


def _check_real(name: str, y: Any) -> None:
    if is_complex(y.dtype):
        raise ValueError(
            f"`{name}` only works with real values for `y`. If you are trying to use the real "
            f"components of the passed array, use `np.real` on the array before passing to "
            f"`{name}`."
        )


class PchipInterpolator(CubicHermiteSpline):
    """Cubic interpolation that is monotonic where the data are.

    Where slopes change sign or vanish, the slope at the node is zero, and so is its derivative.
    """

    def __init__(
        self, x: Any, y: Any, axis: int = 0, extrapolate: Extrapolate | None = None
    ) -> None:
        x, y, place = nodes_and_values(x, y, axis)
        _check_real("PchipInterpolator", y)
        self._interpolate(x, y, pchip_slopes(x, y), extrapolate, place)


def pchip_slopes(x: Any, y: Any) -> Any:
    """The slopes at the nodes: weighted harmonic means of those beside them."""
    h = column(np.diff(x), like=y)
    m = np.diff(y, axis=0) / h
    if y.shape[0] == 2:
        return broadcast_to(m, to=y.shape)
    signs = np.sign(m)
    flat = (signs[1:] != signs[:-1]) | (m[1:] == 0) | (m[:-1] == 0)
    before, after = (np.where(flat, 1.0, part) for part in (m[:-1], m[1:]))
    w1 = 2 * h[1:] + h[:-1]
    w2 = h[1:] + 2 * h[:-1]
    inner = np.where(flat, 0.0, (w1 + w2) / (w1 / before + w2 / after))
    first = pchip_end(h[0], h[1], m[0], m[1])
    last = pchip_end(h[-1], h[-2], m[-1], m[-2])
    return np.concatenate([first[None], inner, last[None]])


def pchip_end(h0: Any, h1: Any, m0: Any, m1: Any) -> Any:
    """The slope at an end, from three points, if it preserves the shape."""
    d = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    opposite = np.sign(d) != np.sign(m0)
    steep = (np.sign(m0) != np.sign(m1)) & (np.abs(d) > 3.0 * np.abs(m0))
    return np.where(opposite, 0.0, np.where(steep, 3.0 * m0, d))


def pchip_interpolate(xi: Any, yi: Any, x: Any, der: Any = 0, axis: int = 0) -> Any:
    """The values, or the derivatives of the orders `der`, at `x` of a `PchipInterpolator`."""
    polynomial = PchipInterpolator(xi, yi, axis=axis)
    if isinstance(der, int):
        return polynomial(x, nu=der)
    return [polynomial(x, nu=order) for order in der]


class Akima1DInterpolator(CubicHermiteSpline):
    """Akima's interpolation, or the modified one ("makima")."""

    def __init__(
        self,
        x: Any,
        y: Any,
        axis: int = 0,
        *,
        method: Literal["akima", "makima"] = "akima",
        extrapolate: Extrapolate | None = None,
    ) -> None:
        if method not in ("akima", "makima"):
            raise ValueError(f"`method`={method} is unsupported.")
        x, y, place = nodes_and_values(x, y, axis)
        _check_real("Akima1DInterpolator", y)
        slopes = akima_slopes(x, y, method)
        self._interpolate(x, y, slopes, False if extrapolate is None else extrapolate, place)


def akima_slopes(x: Any, y: Any, method: str) -> Any:
    """The slopes at the nodes: means of those beside them, the straighter side counting more."""
    inner = np.diff(y, axis=0) / column(np.diff(x), like=y)
    if y.shape[0] == 2:
        return broadcast_to(inner, to=y.shape)
    left = 2.0 * inner[0] - inner[1]
    right = 2.0 * inner[-1] - inner[-2]
    m = np.concatenate(
        [
            (2.0 * left - inner[0])[None],
            left[None],
            inner,
            right[None],
            (2.0 * right - inner[-1])[None],
        ]
    )
    change = np.abs(np.diff(m, axis=0))
    if method == "makima":
        change = [change, 0.5 * np.abs(m[1:] + m[:-1])]
        before, after = (change[0][part] + change[1][part] for part in (slice(-2), slice(2, None)))
    else:
        before, after = change[:-2], change[2:]
    both = before + after
    largest = np.max(both) if both.size else -numpy.inf
    defined = both > NEGLIGIBLE * largest
    share = before / np.where(defined, both, 1.0)
    weighted = m[1:-2] + share * (m[2:-1] - m[1:-2])
    return np.where(defined, weighted, 0.5 * (m[3:] + m[:-3]))
