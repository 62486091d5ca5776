"""Piecewise polynomials."""

from __future__ import annotations

from math import perm
from typing import Any, Self

import numpy
import scipy.interpolate

from ... import errors
from ...backend import is_complex
from ...core.array import untracked
from ...core.record import raw
from ...numpy.dispatch import np
from ...numpy.reading import any_recorded, is_tracked
from ...ops.index import getitem
from ...ops.linear import reshape
from .arguments import at_axis, blank, column, columns, floating, interval, rows, values, wrapped

Extrapolate = Any  # True, False or "periodic"


class PPoly:
    """A piecewise polynomial by its coefficients and breakpoints, as `scipy.interpolate.PPoly`.

    On interval i it is ``sum_m c[m, i] (x - x[i]) ** (k - m)``.
    """

    def __init__(
        self, c: Any, x: Any, extrapolate: Extrapolate | None = None, axis: int = 0
    ) -> None:
        c, x = floating(c), floating(x)
        if c.ndim < 2:
            raise ValueError("Coefficients array must be at least 2-dimensional.")
        if not 0 <= axis < c.ndim - 1:
            raise ValueError(f"axis={axis} must be between 0 and {c.ndim - 1}")
        if axis:
            c = np.moveaxis(c, (axis, axis + 1), (0, 1))
        if x.ndim != 1:
            raise ValueError("x must be 1-dimensional")
        if x.size < 2:
            raise ValueError("at least 2 breakpoints are needed")
        if c.shape[0] == 0:
            raise ValueError("polynomial must be at least of order 0")
        if c.shape[1] != x.size - 1:
            raise ValueError("number of coefficients != len(x)-1")
        known = values(x)
        if known is not None:
            steps = numpy.diff(known)
            if not (numpy.all(steps >= 0) or numpy.all(steps <= 0)):
                raise ValueError("`x` must be strictly increasing or decreasing.")
        self._set(c, x, True if extrapolate is None else extrapolate, axis)

    def _set(self, c: Any, x: Any, extrapolate: Extrapolate, axis: int) -> None:
        self.c = c
        self.x = x
        self.extrapolate = extrapolate if extrapolate == "periodic" else bool(extrapolate)
        self.axis = axis

    @classmethod
    def construct_fast(
        cls, c: Any, x: Any, extrapolate: Extrapolate | None = None, axis: int = 0
    ) -> Self:
        """One without any checks, from coefficients whose interpolation axis is the second."""
        self = object.__new__(cls)
        self._set(c, x, True if extrapolate is None else extrapolate, axis)
        return self

    def _polynomial(self, c: Any, extrapolate: Extrapolate) -> PPoly:
        """Another piecewise polynomial on the same intervals."""
        return PPoly.construct_fast(c, self.x, extrapolate, self.axis)

    def __call__(self, x: Any, nu: int = 0, extrapolate: Extrapolate | None = None) -> Any:
        """The values at `x`, or those of the derivative of order `nu`."""
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        x = floating(x)
        points = reshape(x, to=(x.size,))
        first, last = getitem(self.x, key=(0,)), getitem(self.x, key=(-1,))
        if extrapolate == "periodic":
            points = wrapped(points, first, last)
        out = self._values(points, nu)
        if not extrapolate:
            low, high = (last, first) if self._descends() else (first, last)
            out = blank(out, (points < low) | (points > high))
        out = reshape(out, to=(*x.shape, *self.c.shape[2:]))
        return at_axis(out, x.ndim, self.axis)

    def _descends(self) -> bool:
        known = values(self.x)
        return known is not None and bool(known[0] > known[-1])

    def _values(self, points: Any, nu: int) -> Any:
        """The values at a vector of points, of the polynomials next to it outside."""
        order = self.c.shape[0] - 1
        knots, places = (-self.x, -points) if self._descends() else (self.x, points)
        i = interval(knots, places, 0, self.c.shape[1] - 1)
        c = columns(self.c, i)
        distance = column(points - rows(self.x, i), like=c[0])
        out: Any = c[0] * perm(order, nu) + 0 * distance
        for power in range(order - 1, nu - 1, -1):
            out = out * distance + c[order - power] * perm(power, nu)
        return out

    def derivative(self, nu: int = 1) -> PPoly:
        """The derivative of order `nu`, as a piecewise polynomial."""
        if nu < 0:
            return self.antiderivative(-nu)
        order = self.c.shape[0] - 1
        if nu > order:
            return self._polynomial(self.c[:1] * 0, self.extrapolate)
        factors = numpy.array([perm(order - m, nu) for m in range(order - nu + 1)], dtype=float)
        kept = self.c[: order - nu + 1]
        return self._polynomial(kept * column(factors, kept), self.extrapolate)

    def antiderivative(self, nu: int = 1) -> PPoly:
        """The antiderivative of order `nu`, which is zero at the first breakpoint."""
        if nu <= 0:
            return self.derivative(-nu)
        result: PPoly = self
        for _ in range(nu):
            result = result._integrated()
        extrapolate = False if self.extrapolate == "periodic" else self.extrapolate
        return self._polynomial(result.c, extrapolate)

    def _integrated(self) -> PPoly:
        k = self.c.shape[0]
        divisors = numpy.arange(k, 0, -1.0)
        c = self.c / column(divisors, self.c)
        width = column(np.diff(self.x), like=c[0])
        whole: Any = c[0]
        for m in range(1, k):
            whole = whole * width + c[m]
        sums = np.cumsum(whole * width, axis=0)
        starts = np.concatenate([sums[:1] * 0, sums[:-1]])
        return self._polynomial(np.concatenate([c, starts[None]]), self.extrapolate)

    def integrate(self, a: Any, b: Any, extrapolate: Extrapolate | None = None) -> Any:
        """The integral from `a` to `b`."""
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        whole = self._integrated()
        a, b = floating(a), floating(b)
        if extrapolate != "periodic":
            return whole._at(b, bool(extrapolate)) - whole._at(a, bool(extrapolate))
        first, last = self.x[0], self.x[-1]
        period = whole._at(last, True)

        def until(t: Any) -> Any:
            turns = np.floor((t - first) / (last - first))
            return turns * period + whole._at(wrapped(t, first, last), True)

        return until(b) - until(a)

    def _at(self, x: Any, extrapolate: bool) -> Any:
        """The values at one point, without regard to the axis."""
        out = self._values(reshape(x, to=(1,)), 0)
        if not extrapolate:
            points = reshape(x, to=(1,))
            out = blank(out, (points < self.x[0]) | (points > self.x[-1]))
        return reshape(out, to=self.c.shape[2:])

    def solve(
        self, y: float = 0.0, discontinuity: bool = True, extrapolate: Extrapolate | None = None
    ) -> Any:
        """The real solutions of ``p(x) == y``, for a piecewise polynomial that is not tracked."""
        if is_complex(self.c.dtype):
            raise ValueError("Root finding is only for real-valued polynomials")
        if is_tracked(self.c) or is_tracked(self.x) or is_tracked(y):
            raise errors.no_scipy_rule("scipy.interpolate.PPoly.solve")
        plain = scipy.interpolate.PPoly.construct_fast(raw(self.c), raw(self.x), self.extrapolate)
        found = plain.solve(float(raw(y)), discontinuity, extrapolate)
        recorded = any_recorded((self.c, self.x, y)) and found.dtype.kind == "f"
        return untracked(found) if recorded else found

    def roots(self, discontinuity: bool = True, extrapolate: Extrapolate | None = None) -> Any:
        """The real roots, for a piecewise polynomial that is not tracked."""
        return self.solve(0.0, discontinuity, extrapolate)
