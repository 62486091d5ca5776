"""`interp1d`."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.lib.array_utils import normalize_axis_index

from ...backend import is_complex, is_inexact
from ...core.array import Array
from ...numpy.creation import assembled
from ...numpy.dispatch import np
from ...numpy.operands import operand
from ...numpy.reading import known
from ...ops.linear import broadcast_to, cast, reshape
from .arguments import at_axis, column, floating, rows
from .bspline import make_interp_spline

DEGREES = {"zero": 0, "slinear": 1, "quadratic": 2, "cubic": 3}
KINDS = ("linear", "nearest", "nearest-up", "previous", "next")


class interp1d:
    """Interpolation of a function of one variable, as `scipy.interpolate.interp1d`.

    At a node, the derivative of "linear" is that of the segment before it; that of "nearest",
    "nearest-up", "previous" and "next" in the points is zero. Within `vmap` the points are not
    known, and so need ``bounds_error=False`` or ``fill_value="extrapolate"``.
    """

    def __init__(
        self,
        x: Any,
        y: Any,
        kind: Any = "linear",
        axis: int = -1,
        copy: bool = True,
        bounds_error: bool | None = None,
        fill_value: Any = numpy.nan,
        assume_sorted: bool = False,
    ) -> None:
        x, y = (z if isinstance(z, Array) else operand(assembled(z)) for z in (x, y))
        if x.ndim != 1:
            raise ValueError("the x array must have exactly one dimension.")
        if y.ndim == 0:
            raise ValueError("the y array must have at least one dimension.")
        axis = normalize_axis_index(axis, y.ndim)
        if y.shape[axis] != x.shape[0]:
            raise ValueError("x and y arrays must be equal in length along interpolation axis.")
        y = y if is_inexact(y.dtype) else cast(y, numpy.dtype(float))
        if not assume_sorted:
            order = np.argsort(x, kind="stable")
            x, y = rows(x, order), np.take(y, order, axis=axis)
        self.axis = axis
        self.x, self.y = x, y
        self._y = np.moveaxis(y, axis, 0)
        self.bounds_error = bounds_error
        degree = DEGREES.get(kind) if isinstance(kind, str) else kind
        if degree is None and kind not in KINDS:
            raise ValueError(f"{kind} is unsupported: use make_interp_spline for other types.")
        least = 1 if degree is None else degree + 1
        if x.shape[0] < least:
            raise ValueError(f"x and y arrays must have at least {least} entries")
        self._kind = "spline" if degree is not None else kind
        self._spline = None if degree is None else make_interp_spline(x, self._y, k=degree)
        self._set_fill_value(fill_value)

    def _set_fill_value(self, fill_value: Any) -> None:
        shape = self._y.shape[1:]
        self._extrapolate = isinstance(fill_value, str) and fill_value == "extrapolate"
        if self._extrapolate:
            if self.bounds_error:
                raise ValueError("Cannot extrapolate and raise at the same time.")
            self.bounds_error = False
            sides: Any = (numpy.nan, numpy.nan)
            if self._kind in ("previous", "next"):  # beyond one end they have no value
                self._extrapolate = False
                sides = (
                    (numpy.nan, self._y[-1])
                    if self._kind == "previous"
                    else (self._y[0], numpy.nan)
                )
        else:
            pair = isinstance(fill_value, tuple) and len(fill_value) == 2
            sides = fill_value if pair else (fill_value, fill_value)
            if self.bounds_error is None:
                self.bounds_error = True
        sides = [z if isinstance(z, Array) else operand(assembled(z)) for z in sides]
        if self._kind in ("previous", "next") and isinstance(fill_value, str):
            self._below, self._above = (broadcast_to(z, to=shape) for z in sides)
        else:
            self._below, self._above = (
                broadcast_to(self._at_axis_first(z), to=shape) for z in sides
            )
        self.fill_value = fill_value

    def _at_axis_first(self, z: Any) -> Any:
        """A fill value, which has the axes of `y` without the interpolated one."""
        if z.ndim and z.shape == (1,) and not self._y.shape[1:]:
            return reshape(z, to=())
        return z

    def __call__(self, x: Any) -> Any:
        """The values at `x`."""
        x = x if isinstance(x, Array) else operand(assembled(x))
        x = x if is_inexact(x.dtype) else cast(x, numpy.dtype(float))
        points = reshape(x, to=(x.size,))
        out = self._values(points)
        if not self._extrapolate:
            out = self._filled(points, out)
        dtype = numpy.dtype(complex if is_complex(out.dtype) else float)
        out = reshape(cast(out, dtype), to=(*x.shape, *self._y.shape[1:]))
        return at_axis(out, x.ndim, self.axis)

    def _filled(self, points: Any, out: Any) -> Any:
        """The values, with what is to be put outside of the nodes."""
        below, above = points < self.x[0], points > self.x[-1]
        if self.bounds_error:
            what = "interp1d's check of bounds, which bounds_error=False leaves out,"
            for name, mask in (("below", below), ("above", above)):
                outside = numpy.flatnonzero(known(mask, what))
                if outside.size:
                    value = known(points, what)[outside[0]]
                    edge, end = ("minimum", 0) if name == "below" else ("maximum", -1)
                    raise ValueError(
                        f"A value ({value}) in x_new is {name} the interpolation range's {edge} "
                        f"value ({known(self.x, what)[end]})."
                    )
        out = np.where(column(below, like=out), self._below, out)
        return np.where(column(above, like=out), self._above, out)

    def _values(self, points: Any) -> Any:
        """The values at a vector of points, as if all were inside of the nodes."""
        x, y, n = self.x, self._y, self.x.shape[0]
        if self._kind == "spline":
            assert self._spline is not None
            return self._spline._values(floating(points))
        if self._kind == "linear":
            high = (
                np.clip(np.searchsorted(x, points), 1, n - 1)
                if n > 1
                else np.searchsorted(x, points) * 0
            )
            low = high - 1
            x_low, y_low = rows(x, low), rows(y, low)
            slope = (rows(y, high) - y_low) / column(rows(x, high) - x_low, like=y_low)
            return slope * column(points - x_low, like=y_low) + y_low
        if self._kind in ("nearest", "nearest-up"):
            half = x / 2.0
            side = "left" if self._kind == "nearest" else "right"
            return rows(
                y, np.clip(np.searchsorted(half[1:] + half[:-1], points, side=side), 0, n - 1)
            )
        if self._kind == "previous":
            return rows(y, np.clip(np.searchsorted(x, points, side="right") - 1, 0, n - 1))
        return rows(y, np.clip(np.searchsorted(x, points, side="left"), 0, n - 1))
