"""B-splines, and interpolation by them."""

from __future__ import annotations

from operator import index
from typing import Any, Self

import numpy
import scipy.interpolate
from numpy.lib.array_utils import normalize_axis_index

from ...numpy.dispatch import np
from ...ops.index import getitem
from ...ops.linear import reshape
from .arguments import at_axis, blank, column, floating, interval, rows, values, wrapped
from .basis import basis_values
from .collocation import coefficients, knots_of
from .piecewise import Extrapolate


class BSpline:
    """A spline of degree `k` by its knots and coefficients, as `scipy.interpolate.BSpline`."""

    def __init__(
        self, t: Any, c: Any, k: int, extrapolate: Extrapolate = True, axis: int = 0
    ) -> None:
        t, c = floating(t), floating(c)
        k = index(k)
        axis = normalize_axis_index(axis, c.ndim)
        c = np.moveaxis(c, axis, 0) if axis else c
        n = t.shape[0] - k - 1
        known = values(t)
        if k < 0:
            raise ValueError("Spline order cannot be negative.")
        if t.ndim != 1:
            raise ValueError("Knot vector must be one-dimensional.")
        if n < k + 1:
            raise ValueError(f"Need at least {2 * k + 2} knots for degree {k}")
        if known is not None:
            if (numpy.diff(known) < 0).any():
                raise ValueError("Knots must be in a non-decreasing order.")
            if len(numpy.unique(known[k : n + 1])) < 2:
                raise ValueError("Need at least two internal knots.")
            if not numpy.isfinite(known).all():
                raise ValueError("Knots should not have nans or infs.")
        if c.shape[0] < n:
            raise ValueError("Knots, coefficients and degree are inconsistent.")
        self._set(t, c, k, extrapolate, axis)

    def _set(self, t: Any, c: Any, k: int, extrapolate: Extrapolate, axis: int) -> None:
        self.t = t
        self.c = c
        self.k = k
        self.extrapolate = extrapolate if extrapolate == "periodic" else bool(extrapolate)
        self.axis = axis

    @classmethod
    def construct_fast(
        cls, t: Any, c: Any, k: int, extrapolate: Extrapolate = True, axis: int = 0
    ) -> Self:
        """One without any checks, from coefficients whose interpolation axis is the first."""
        self = object.__new__(cls)
        self._set(t, c, k, extrapolate, axis)
        return self

    @classmethod
    def basis_element(cls, t: Any, extrapolate: Extrapolate = True) -> Self:
        """The B-spline on the knots `t`, of degree ``len(t) - 2``."""
        t = floating(t)
        k = t.shape[0] - 2
        whole = np.concatenate(
            [np.broadcast_to(t[0] - 1, (k,)), t, np.broadcast_to(t[-1] + 1, (k,))]
        )
        return cls.construct_fast(whole, numpy.eye(whole.shape[0])[k], k, extrapolate)

    design_matrix = staticmethod(scipy.interpolate.BSpline.design_matrix)

    @property
    def tck(self) -> tuple[Any, Any, int]:
        return self.t, self.c, self.k

    @property
    def _count(self) -> int:
        """The number of coefficients that count."""
        return int(self.t.shape[0]) - self.k - 1

    def __call__(self, x: Any, nu: int = 0, extrapolate: Extrapolate | None = None) -> Any:
        """The values at `x`, or those of the derivative of order `nu`."""
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        x = floating(x)
        points = reshape(x, to=(x.size,))
        first, last = self._ends()
        if extrapolate == "periodic":
            points = wrapped(points, first, last)
        out = self._values(points, nu)
        if not extrapolate:
            out = blank(out, (points < first) | (points > last))
        out = reshape(out, to=(*x.shape, *self.c.shape[1:]))
        return at_axis(out, x.ndim, self.axis)

    def _ends(self) -> tuple[Any, Any]:
        return getitem(self.t, key=(self.k,)), getitem(self.t, key=(self._count,))

    def _values(self, points: Any, nu: int = 0) -> Any:
        k = self.k
        i = interval(self.t, points, k, self._count - 1)
        weights = basis_values(self.t, points, i, k, nu)
        total: Any = 0.0
        for r in range(k + 1):
            c = rows(self.c, i + (r - k))
            total = total + column(weights[r], like=c) * c
        return total

    def derivative(self, nu: int = 1) -> BSpline:
        """The derivative of order `nu`, as a spline of a lower degree."""
        if nu < 0:
            return self.antiderivative(-nu)
        if nu > self.k:
            raise ValueError(
                f"Order of derivative (n = {nu!r}) must be <= order of spline (k = {self.k!r})"
            )
        t, c, k = self.t, self.c[: self._count], self.k
        for _ in range(nu):
            width = t[k + 1 : -1] - t[1 : -k - 1]
            known = values(width)
            if known is not None and (known == 0).any():
                raise ValueError(
                    f"The spline has internal repeated knots and is not differentiable {nu} times"
                )
            c = np.diff(c, axis=0) * k / column(width, like=c)
            t, k = t[1:-1], k - 1
        return BSpline.construct_fast(t, c, k, self.extrapolate, self.axis)

    def antiderivative(self, nu: int = 1) -> BSpline:
        """The antiderivative of order `nu`, as a spline of a higher degree."""
        if nu < 0:
            return self.derivative(-nu)
        t, c, k = self.t, self.c[: self._count], self.k
        for _ in range(nu):
            width = column(t[k + 1 :] - t[: -k - 1], like=c)
            sums = np.cumsum(c * width, axis=0) / (k + 1)
            c = np.concatenate([sums[:1] * 0, sums])
            t, k = np.concatenate([t[:1], t, t[-1:]]), k + 1
        extrapolate = False if self.extrapolate == "periodic" else self.extrapolate
        return BSpline.construct_fast(t, c, k, extrapolate, self.axis)

    def integrate(self, a: Any, b: Any, extrapolate: Extrapolate | None = None) -> Any:
        """The integral from `a` to `b`; without extrapolation, the spline is zero outside."""
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        whole = self.antiderivative()
        first, last = self._ends()

        def at(x: Any) -> Any:
            return whole._values(reshape(floating(x), to=(1,)))[0]

        if extrapolate != "periodic":
            if not extrapolate:
                a, b = (np.clip(floating(x), first, last) for x in (a, b))
            return at(b) - at(a)
        period = at(last) - at(first)

        def until(x: Any) -> Any:
            x = floating(x)
            return np.floor((x - first) / (last - first)) * period + at(wrapped(x, first, last))

        return until(b) - until(a)


def make_interp_spline(
    x: Any,
    y: Any,
    k: int = 3,
    t: Any = None,
    bc_type: Any = None,
    axis: int = 0,
    check_finite: bool = True,
) -> BSpline:
    """The spline of degree `k` through given values; see `scipy.interpolate.make_interp_spline`."""
    x, y = floating(x), floating(y)
    axis = normalize_axis_index(axis, y.ndim)
    y = np.moveaxis(y, axis, 0)
    k = index(k)
    check_nodes(x, y, bc_type, check_finite)
    given = t is not None
    if k < 2 and not (k == 1 and given):
        if given or bc_type not in (None, "not-a-knot"):
            raise ValueError(f"Too much info for k={k}: t and bc_type can only be None.")
        repeated = [x] if k == 0 else [x[:1], x]
        return BSpline.construct_fast(np.concatenate([*repeated, x[-1:]]), y, k, axis=axis)
    if given and bc_type == "periodic":
        raise ValueError(
            "For periodic case t is constructed automatically and can not be passed manually"
        )
    knots = floating(t) if given else knots_of(x, k, bc_type)
    check_knots(knots, x, k)
    c = coefficients(x, y, knots, k, bc_type)
    extrapolate = "periodic" if isinstance(bc_type, str) and bc_type == "periodic" else True
    return BSpline.construct_fast(knots, c, k, extrapolate, axis)


def check_nodes(x: Any, y: Any, bc_type: Any, check_finite: bool) -> None:
    """Raise as SciPy does for nodes and values that cannot be interpolated."""
    known = values(x), values(y)
    for data in known:
        if check_finite and data is not None and not numpy.isfinite(data).all():
            raise ValueError("Array must not contain infs or nans.")
    periodic = isinstance(bc_type, str) and bc_type == "periodic"
    y_known = known[1]
    if periodic and y_known is not None and not numpy.allclose(y_known[0], y_known[-1], atol=1e-15):
        raise ValueError("First and last points does not match while periodic case expected")
    if x.size != y.shape[0]:
        raise ValueError(f"Shapes of x {x.shape} and y {y.shape} are incompatible")
    if x.ndim != 1:
        raise ValueError("Expect x to be a 1D strictly increasing sequence.")
    if known[0] is not None:
        steps = numpy.diff(known[0])
        if (steps == 0).any():
            raise ValueError("Expect x to not have duplicates")
        if (steps < 0).any():
            raise ValueError("Expect x to be a 1D strictly increasing sequence.")


def check_knots(t: Any, x: Any, k: int) -> None:
    """Raise as SciPy does for knots that do not serve."""
    if t.ndim != 1:
        raise ValueError("Expect t to be a 1-D sorted array_like.")
    if t.size < x.size + k + 1:
        raise ValueError(f"Got {t.size} knots, need at least {x.size + k + 1}.")
    knots, nodes = values(t), values(x)
    if knots is not None and nodes is not None:
        if (numpy.diff(knots) < 0).any():
            raise ValueError("Expect t to be a 1-D sorted array_like.")
        if nodes[0] < knots[k] or nodes[-1] > knots[-k]:
            raise ValueError(f"Out of bounds w/ x = {nodes}.")
