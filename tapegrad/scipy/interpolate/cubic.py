"""Cubic splines, and cubic polynomials between nodes of given values and slopes."""

from __future__ import annotations

from typing import Any

import numpy

from ...backend import is_complex
from ...numpy.dispatch import np
from ...ops.banded import solve_banded
from ...ops.linear import broadcast_to, cast, reshape
from .arguments import column, floating, nodes_and_values, values
from .piecewise import Extrapolate, PPoly

COMPLEX = numpy.dtype(complex)


class CubicHermiteSpline(PPoly):
    """Cubic polynomials between nodes of given values and slopes."""

    def __init__(
        self, x: Any, y: Any, dydx: Any, axis: int = 0, extrapolate: Extrapolate | None = None
    ) -> None:
        slopes = floating(dydx)
        x, y, place = nodes_and_values(x, y, axis)
        slopes = np.moveaxis(slopes, place, 0) if slopes.ndim > place else slopes
        if y.shape != slopes.shape:
            raise ValueError("The shapes of `y` and `dydx` must be identical.")
        self._interpolate(x, y, slopes, extrapolate, place)

    def _interpolate(
        self, x: Any, y: Any, slopes: Any, extrapolate: Extrapolate | None, axis: int
    ) -> None:
        """Set the coefficients, from arrays whose first axis is that of the nodes."""
        if is_complex(slopes.dtype):
            y = cast(y, COMPLEX)
        width = column(np.diff(x), like=y)
        secant = np.diff(y, axis=0) / width
        t = (slopes[:-1] + slopes[1:] - 2 * secant) / width
        c = np.stack([t / width, (secant - slopes[:-1]) / width - t, slopes[:-1], y[:-1]])
        self._set(c, x, True if extrapolate is None else extrapolate, axis)


class CubicSpline(CubicHermiteSpline):
    """A cubic spline through given values, twice continuously differentiable.

    `bc_type`, the conditions at both ends: "not-a-knot", "natural", "clamped", "periodic", or for
    each end one of these or the order and the value of a derivative.
    """

    def __init__(
        self,
        x: Any,
        y: Any,
        axis: int = 0,
        bc_type: Any = "not-a-knot",
        extrapolate: Extrapolate | None = None,
    ) -> None:
        x, y, place = nodes_and_values(x, y, axis)
        ends, y = conditions(bc_type, y, place)
        if extrapolate is None:
            extrapolate = "periodic" if ends[0] == "periodic" else True
        self._interpolate(x, y, slopes_of_spline(x, y, ends), extrapolate, place)


def conditions(bc_type: Any, y: Any, axis: int) -> tuple[list[Any], Any]:
    """The conditions at both ends: a name, or an order and a value; and the values."""
    if isinstance(bc_type, str):
        known = values(y)
        closed = known is None or numpy.allclose(known[0], known[-1], rtol=1e-15, atol=1e-15)
        if bc_type == "periodic" and not closed:
            raise ValueError(
                f"The first and last `y` point along axis {axis} must be identical (within "
                "machine precision) when bc_type='periodic'."
            )
        bc_type = (bc_type, bc_type)
    else:
        if len(bc_type) != 2:
            raise ValueError(
                "`bc_type` must contain 2 elements to specify start and end conditions."
            )
        if any(isinstance(end, str) and end == "periodic" for end in bc_type):
            raise ValueError(
                "'periodic' `bc_type` is defined for both curve ends and cannot be used with other "
                "boundary conditions."
            )
    found: list[Any] = []
    for end in bc_type:
        if isinstance(end, str):
            orders = {"clamped": 1, "natural": 2}
            if end in orders:
                found.append((orders[end], numpy.zeros(y.shape[1:])))
            elif end in ("not-a-knot", "periodic"):
                found.append(end)
            else:
                raise ValueError(f"bc_type={end} is not allowed.")
            continue
        try:
            order, value = end
        except (TypeError, ValueError) as error:
            raise ValueError(
                "A specified derivative value must be given in the form (order, value)."
            ) from error
        if order not in (1, 2):
            raise ValueError("The specified derivative order must be 1 or 2.")
        value = floating(value)
        if value.shape != y.shape[1:]:
            raise ValueError(
                f"`deriv_value` shape {value.shape} is not the expected one {y.shape[1:]}."
            )
        if is_complex(value.dtype):
            y = cast(y, COMPLEX)
        found.append((order, value))
    return found, y


def slopes_of_spline(x: Any, y: Any, ends: list[Any]) -> Any:
    """The spline's first derivatives at its nodes."""
    n = x.shape[0]
    dx = np.diff(x)
    width = column(dx, like=y)
    secant = np.diff(y, axis=0) / width
    if n == 2:
        ends = [(1, secant[0]) if isinstance(end, str) else end for end in ends]
    if n == 3 and ends[0] == "periodic":
        slope = np.sum(secant / width, axis=0) / np.sum(1.0 / width, axis=0)
        return broadcast_to(slope, to=y.shape)
    if n == 3 and ends[0] == ends[1] == "not-a-knot":
        return slopes_of_parabola(dx, width, secant)
    inner = 3 * (width[1:] * secant[:-1] + width[:-1] * secant[1:])
    diagonal = 2 * (dx[:-1] + dx[1:])
    if ends[0] == "periodic":
        return slopes_of_period(dx, width, secant, inner, diagonal)
    first, last = (
        end_condition(ends[0], dx[0], dx[1:2], secant[:2], y[1] - y[0], 1),
        end_condition(ends[1], dx[-1], dx[-2:-1], secant[:-3:-1], y[-1] - y[-2], -1),
    )
    bands = np.stack(
        [
            np.concatenate([[0.0], vector(first[1]), dx[:-1]]),
            np.concatenate([vector(first[0]), diagonal, vector(last[0])]),
            np.concatenate([dx[1:], vector(last[1]), [0.0]]),
        ]
    )
    return tridiagonal(bands, np.concatenate([first[2][None], inner, last[2][None]]))


def vector(x: Any) -> Any:
    return reshape(floating(x), to=(1,))


def tridiagonal(bands: Any, right: Any) -> Any:
    """The solution of a tridiagonal system for a right-hand side of any trailing axes."""
    matrix = reshape(right, to=(right.shape[0], right.size // right.shape[0]))
    out = solve_banded(bands, matrix, lower=1, upper=1, definite=False)
    return reshape(out, to=right.shape)


def end_condition(end: Any, h: Any, others: Any, secants: Any, rise: Any, sign: int) -> Any:
    """The diagonal element, that beside it and the right-hand side of an end's equation.

    `others` is the width of the interval after the first, `secants` has those of both.
    """
    if isinstance(end, str):  # not-a-knot
        h1 = others[0]
        d = h + h1
        right = ((h + 2 * d) * h1 * secants[0] + h**2 * secants[1]) / d
        return h1, d, right
    order, value = end
    if order == 1:
        return 1.0, 0.0, value + 0 * rise
    return 2 * h, h, 3 * rise - sign * 0.5 * value * h**2


def slopes_of_parabola(dx: Any, width: Any, secant: Any) -> Any:
    """The slopes at three nodes of the parabola through them."""
    h0, h1 = width[0], width[1]
    middle = (h1 * secant[0] + h0 * secant[1]) / (h0 + h1)
    return np.stack([2 * secant[0] - middle, middle, 2 * secant[1] - middle])


def slopes_of_period(dx: Any, width: Any, secant: Any, inner: Any, diagonal: Any) -> Any:
    """The slopes of a periodic spline: a system that is tridiagonal but for its corners.

    The last of the unknowns is taken out of it, and follows from the last equation.
    """
    first = 3 * (width[0] * secant[-1] + width[-1] * secant[0])
    right = np.concatenate([first[None], inner])
    start = 2 * (dx[-1] + dx[0])
    bands = np.stack(
        [
            np.concatenate([[0.0], vector(dx[-1]), dx[:-3]]),
            np.concatenate([vector(start), diagonal[:-1]]),
            np.concatenate([dx[1:-1], [0.0]]),
        ]
    )
    n = bands.shape[1]
    unit = numpy.eye(n)
    beside = reshape(-dx[0] * unit[0] - dx[-3] * unit[-1], to=(n, 1))
    known = tridiagonal(bands, right[:-1])
    moved = tridiagonal(bands, beside)[:, 0]
    last = (right[-1] - dx[-2] * known[0] - dx[-1] * known[-1]) / (
        2 * (dx[-1] + dx[-2]) + dx[-2] * moved[0] + dx[-1] * moved[-1]
    )
    found = known + column(moved, like=known) * last
    return np.concatenate([found, last[None], found[:1]])
