"""Interpolation of scattered data by radial basis functions."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations_with_replacement
from operator import index
from typing import Any

import numpy
import scipy.spatial

from ...numpy.dispatch import np
from ...numpy.reading import known
from ...ops.elementary import exp, log, sqrt
from ...ops.norm import length
from ...ops.selection import where
from .arguments import floating, rows


def _square(apart: Any) -> Any:
    return np.sum(apart * apart, axis=-1)


def _distance(apart: Any) -> Any:
    return length(apart, axis=(apart.ndim - 1,), keepdims=False)


def _thin_plate(apart: Any) -> Any:
    square = _square(apart)
    zero = square == 0
    return 0.5 * square * log(where(zero, 1, square))


KERNELS: dict[str, tuple[int, Callable[[Any], Any]]] = {
    "linear": (0, lambda apart: -_distance(apart)),
    "thin_plate_spline": (1, _thin_plate),
    "cubic": (1, lambda apart: _square(apart) * _distance(apart)),
    "quintic": (2, lambda apart: -(_square(apart) ** 2) * _distance(apart)),
    "multiquadric": (0, lambda apart: -sqrt(1 + _square(apart))),
    "inverse_multiquadric": (-1, lambda apart: 1 / sqrt(1 + _square(apart))),
    "inverse_quadratic": (-1, lambda apart: 1 / (1 + _square(apart))),
    "gaussian": (-1, lambda apart: exp(-_square(apart))),
}
"""By name: the least degree of the polynomial beside it, and the function of the vectors between
points and places, along the last axis."""

NEAREST = "the data nearest to a point"

INVARIANT = ("linear", "thin_plate_spline", "cubic", "quintic")
"""Kernels whose interpolants do not depend on the unit of length."""


class RBFInterpolator:
    """Interpolation by radial basis functions and a polynomial, as SciPy's class of this name.

    It is differentiable in the places `y`, the data `d`, `smoothing`, `epsilon` and the points.
    With `neighbors`, each point has an interpolant of its own, of the data nearest to it.

    >>> import numpy as np
    >>> import tapegrad as tg
    >>> places = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> interpolant = RBFInterpolator(places, places[:, 0] ** 2, kernel="cubic")
    >>> print(tg.grad(lambda x: interpolant(x[None])[0])(np.array([1.5])).round(3))
    [3.]
    """

    def __init__(
        self,
        y: Any,
        d: Any,
        neighbors: Any = None,
        smoothing: Any = 0.0,
        kernel: str = "thin_plate_spline",
        epsilon: Any = None,
        degree: int | None = None,
    ) -> None:
        y, d, smoothing = floating(y), floating(d), floating(smoothing)
        if kernel.lower() not in KERNELS:
            raise ValueError(f"`kernel` must be one of {set(KERNELS)}.")
        self.kernel = kernel.lower()
        least, self._function = KERNELS[self.kernel]
        if y.ndim != 2:
            raise ValueError("`y` must be a 2-dimensional array.")
        count, size = y.shape
        if d.shape[:1] != (count,):
            raise ValueError(f"Expected the first axis of `d` to have length {count}.")
        if smoothing.shape not in ((), (count,)):
            raise ValueError(
                "Expected `smoothing` to be a scalar or have shape "
                f"({count},), but it has shape {smoothing.shape}."
            )
        if epsilon is None and self.kernel not in INVARIANT:
            raise ValueError(f"`epsilon` must be specified if `kernel` is not one of {INVARIANT}.")
        self.epsilon = floating(1.0 if epsilon is None else epsilon)
        degree = max(least, 0) if degree is None else index(degree)
        if degree < -1:
            raise ValueError("`degree` must be at least -1.")
        self._powers = _exponents(size, degree)
        self.neighbors = None if neighbors is None else min(index(neighbors), count)
        used = count if self.neighbors is None else self.neighbors
        if len(self._powers) > used:
            raise ValueError(
                f"At least {len(self._powers)} data points are required when `degree` is {degree} "
                f"and the number of dimensions is {size}."
            )
        self.y, self.d = y, np.reshape(d, (count, -1))
        self.smoothing = np.broadcast_to(smoothing, (count,))
        self._shape = d.shape[1:]
        if self.neighbors is None:
            self._whole = self._solved(self.y, self.d, self.smoothing)

    def _solved(self, y: Any, d: Any, smoothing: Any) -> tuple[Any, Any, Any]:
        """The coefficients for data along the last axis but one, and the frame of the monomials."""
        count, extra = y.shape[-2], len(self._powers)
        high, low = (f(y, axis=-2, keepdims=True) for f in (np.max, np.min))
        shift, half = (high + low) / 2, (high - low) / 2
        frame = shift, where(half == 0, 1, half)
        kernel = self._between(y, y) + np.eye(count) * np.expand_dims(smoothing, -1)
        polynomial = self._polynomial(y, *frame)
        below = np.swapaxes(polynomial, -1, -2)
        corner = numpy.zeros((*y.shape[:-2], extra, extra))
        matrix = np.concatenate(
            [
                np.concatenate([kernel, polynomial], axis=-1),
                np.concatenate([below, corner], axis=-1),
            ],
            axis=-2,
        )
        rest = numpy.zeros((*d.shape[:-2], extra, d.shape[-1]))
        return np.linalg.solve(matrix, np.concatenate([d, rest], axis=-2)), *frame

    def _between(self, x: Any, y: Any) -> Any:
        """The basis function of each place at each point."""
        apart = np.expand_dims(x, -2) - np.expand_dims(y, -3)
        return self._function(self.epsilon * apart)

    def _polynomial(self, x: Any, shift: Any, half: Any) -> Any:
        """The monomials at each point."""
        scaled = (x - shift) / half
        columns = [np.prod(scaled[..., power], axis=-1) for power in self._powers]
        return np.stack(columns, axis=-1) if columns else numpy.zeros((*x.shape[:-1], 0))

    def _values(self, x: Any, y: Any, solved: tuple[Any, Any, Any]) -> Any:
        coefficients, *frame = solved
        basis = np.concatenate([self._between(x, y), self._polynomial(x, *frame)], axis=-1)
        return basis @ coefficients

    def __call__(self, x: Any) -> Any:
        """The values at points, the rows of `x`."""
        x = floating(x)
        if x.ndim != 2:
            raise ValueError("`x` must be a 2-dimensional array.")
        if x.shape[1] != self.y.shape[1]:
            raise ValueError(f"Expected the second axis of `x` to have length {self.y.shape[1]}.")
        if self.neighbors is None:
            out = self._values(x, self.y, self._whole)
        else:
            near = self._nearest(known(x, NEAREST))
            y, d, smoothing = (rows(v, near) for v in (self.y, self.d, self.smoothing))
            out = self._values(np.expand_dims(x, 1), y, self._solved(y, d, smoothing))
        return np.reshape(out, (x.shape[0], *self._shape))

    def _nearest(self, points: Any) -> Any:
        """The indices of the data that are nearest to each point."""
        tree = scipy.spatial.KDTree(known(self.y, NEAREST))
        found = tree.query(points, self.neighbors)[1]
        return numpy.reshape(found, (len(points), self.neighbors))


def _exponents(size: int, degree: int) -> list[list[int]]:
    """For each monomial up to a degree, the variables that are its factors."""
    return [
        list(factors)
        for d in range(degree + 1)
        for factors in combinations_with_replacement(range(size), d)
    ]
