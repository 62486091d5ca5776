"""Interpolation on grids of several axes."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy
import scipy.interpolate

from ... import errors
from ...backend import is_inexact
from ...core.array import Array
from ...numpy.creation import assembled
from ...numpy.dispatch import np
from ...numpy.operands import operand
from ...numpy.reading import any_recorded, known
from ...ops.index import ARRAY, getitem
from ...ops.linear import cast, reshape
from .arguments import column, floating, interval, rows, values
from .basis import basis_values
from .bspline import make_interp_spline

DEGREES = {"slinear": 1, "cubic": 3, "quintic": 5}
METHODS = ("linear", "nearest", *DEGREES)


class RegularGridInterpolator:
    """Interpolation on a rectilinear grid, as `scipy.interpolate.RegularGridInterpolator`.

    The methods are "linear", "nearest", and splines: "slinear", "cubic", "quintic". On a line of
    the grid, the derivative of "linear" is that of the cell after it.
    """

    def __init__(
        self,
        points: Any,
        values: Any,
        method: str = "linear",
        bounds_error: bool = True,
        fill_value: Any = numpy.nan,
        *,
        solver: Any = None,
        solver_args: Any = None,
    ) -> None:
        self.method = checked(method)
        self.bounds_error = bounds_error
        self.fill_value = fill_value
        grid, turned = grid_of(points)
        y = values if isinstance(values, Array) else operand(assembled(values))
        y = y if is_inexact(y.dtype) else cast(y, numpy.dtype(float))
        if len(grid) > y.ndim:
            raise ValueError(
                f"There are {len(grid)} point arrays, but values has {y.ndim} dimensions"
            )
        for i, p in enumerate(grid):
            if p.ndim != 1:
                raise ValueError(f"The points in dimension {i} must be 1-dimensional")
            if p.shape[0] != y.shape[i]:
                raise ValueError(
                    f"There are {p.shape[0]} points and {y.shape[i]} values on dimension {i}"
                )
        if solver is not None or solver_args:
            raise errors.not_in_scipy_face(
                "interpolate.RegularGridInterpolator",
                "solver= or solver_args=",
                "The systems of splines are solved directly here.",
            )
        self.grid = tuple(grid)
        self.values = np.flip(y, axis=turned) if turned else y
        self._splines: dict[str, tuple[list[Any], Any]] = {}

    def __call__(self, xi: Any, method: str | None = None, *, nu: Any = None) -> Any:
        """The values at points, whose last axis goes over the grid's."""
        method = self.method if method is None else checked(method)
        if nu is not None and method not in DEGREES:
            raise ValueError(
                f"Can only compute derivatives for methods {set(DEGREES)}, got {method =}."
            )
        n = len(self.grid)
        x = points_of(xi, n)
        shape = x.shape[:-1]
        flat = reshape(x, to=(x.size // n, n))
        axes = [flat[:, i] for i in range(n)]
        outside = self._outside(axes)
        if method in DEGREES:
            out = self._spline(axes, method, (0,) * n if nu is None else tuple(nu))
        else:
            out = self._cells(axes, method)
        if outside is not None and self.fill_value is not None:
            out = np.where(column(outside, like=out), self.fill_value, out)
        missing: Any = False
        for a in axes:
            missing = missing | (a != a)
        if numpy.any(numpy.asarray(missing if not isinstance(missing, Array) else missing.raw)):
            out = np.where(column(missing, like=out), numpy.nan, out)
        return reshape(out, to=(*shape, *self.values.shape[n:]))

    def _outside(self, axes: list[Any]) -> Any:
        """Which points lie outside of the grid; an error if there must not be any."""
        outside: Any = False
        for i, (a, p) in enumerate(zip(axes, self.grid, strict=True)):
            here = (a < p[0]) | (a > p[-1])
            if self.bounds_error:
                what = "the interpolator's check of bounds, which bounds_error=False leaves out,"
                inside = (a >= p[0]) & (a <= p[-1])
                if not numpy.all(known(inside, what)):
                    raise ValueError(f"One of the requested xi is out of bounds in dimension {i}")
            outside = outside | here
        return None if self.bounds_error else outside

    def _cells(self, axes: list[Any], method: str) -> Any:
        """Linear or nearest values, from the corners of the cells that points are in."""
        lower, upper, distances = [], [], []
        for a, p in zip(axes, self.grid, strict=True):
            size = p.shape[0]
            if size == 1:
                i = np.searchsorted(p, a) * 0
                lower.append(i)
                upper.append(i)
                distances.append(0 * a)
                continue
            i = interval(p, a, 0, size - 2)
            start = rows(p, i)
            lower.append(i)
            upper.append(i + 1)
            distances.append((a - start) / (rows(p, i + 1) - start))
        if method == "nearest":
            chosen = [
                np.where(d <= 0.5, i, j) for d, i, j in zip(distances, lower, upper, strict=True)
            ]
            return self._at(chosen)
        total: Any = 0.0
        for corner in product((0, 1), repeat=len(axes)):
            weight: Any = 1.0
            for high, d in zip(corner, distances, strict=True):
                weight = weight * (d if high else 1 - d)
            chosen = [j if high else i for high, i, j in zip(corner, lower, upper, strict=True)]
            value = self._at(chosen)
            total = total + value * column(weight, like=value)
        return total

    def _at(self, places: list[Any]) -> Any:
        return getitem(self.values, *places, key=(ARRAY,) * len(places))

    def _spline(self, axes: list[Any], method: str, nu: tuple[int, ...]) -> Any:
        """The values of the product of splines along each axis."""
        k = DEGREES[method]
        if method not in self._splines:
            self._splines[method] = self._coefficients(k)
        knots, c = self._splines[method]
        places, weights = [], []
        for a, t, order in zip(axes, knots, nu, strict=True):
            i = interval(t, a, k, t.shape[0] - k - 2)
            places.append(i)
            weights.append(basis_values(t, a, i, k, order))
        total: Any = 0.0
        for chosen in product(range(k + 1), repeat=len(axes)):
            weight: Any = 1.0
            for w, r in zip(weights, chosen, strict=True):
                weight = weight * w[r]
            at = [i + (r - k) for i, r in zip(places, chosen, strict=True)]
            value = getitem(c, *at, key=(ARRAY,) * len(at))
            total = total + value * column(weight, like=value)
        return total

    def _coefficients(self, k: int) -> tuple[list[Any], Any]:
        """The knots of each axis, and the coefficients of the product of B-splines."""
        knots, c = [], self.values
        for axis, p in enumerate(self.grid):
            if p.shape[0] <= k:
                raise ValueError(
                    f"There are {p.shape[0]} points in dimension {axis}, but method {self.method} "
                    f"requires at least  {k + 1} points per dimension."
                )
            spline = make_interp_spline(p, c, k, axis=axis)
            knots.append(spline.t)
            c = np.moveaxis(spline.c, 0, axis)
        return knots, c


def checked(method: str) -> str:
    if method not in METHODS:
        raise errors.not_in_scipy_face(
            "interpolate.RegularGridInterpolator",
            f"the method {method!r}",
            f"Use one of {', '.join(METHODS)}.",
        )
    return method


def grid_of(points: Any) -> tuple[list[Any], tuple[int, ...]]:
    """The points of each axis in increasing order, and which axes were in the other order."""
    grid, turned = [], []
    for i, p in enumerate(points):
        p = floating(p)
        data = values(p)
        if data is not None and not numpy.all(data[1:] > data[:-1]):
            if not numpy.all(data[1:] < data[:-1]):
                raise ValueError(
                    f"The points in dimension {i} must be strictly ascending or descending"
                )
            turned.append(i)
            p = p[::-1]
        grid.append(p)
    return grid, tuple(turned)


def points_of(xi: Any, n: int) -> Any:
    """Points as an array whose last axis goes over n coordinates."""
    if isinstance(xi, tuple) and len(xi) == 1:
        xi = xi[0]
    if isinstance(xi, tuple):
        x = np.stack(np.broadcast_arrays(*map(floating, xi)), axis=-1)
    else:
        x = floating(xi)
        if x.ndim == 1:
            x = reshape(x, to=(x.size // n, n)) if x.size % n == 0 else reshape(x, to=(1, x.size))
    if x.ndim == 0 or x.shape[-1] != n:
        found = x.shape[-1] if x.ndim else 0
        raise ValueError(
            f"The requested sample points xi have dimension {found} but this "
            f"RegularGridInterpolator has dimension {n}"
        )
    return x


def interpn(
    points: Any,
    values: Any,
    xi: Any,
    method: str = "linear",
    bounds_error: bool = True,
    fill_value: Any = numpy.nan,
) -> Any:
    """Interpolation on a grid; see `scipy.interpolate.interpn`."""
    if not any_recorded((points, values, xi)):
        return scipy.interpolate.interpn(points, values, xi, method, bounds_error, fill_value)
    return RegularGridInterpolator(points, values, method, bounds_error, fill_value)(xi)
