"""Interpolation of scattered data by radial basis functions."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations_with_replacement
from operator import index
from typing import Any

import numpy

from ... import errors
from ...numpy.dispatch import np
from ...ops.elementary import exp, log, sqrt
from ...ops.norm import length
from ...ops.selection import where
from .arguments import floating


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

INVARIANT = ("linear", "thin_plate_spline", "cubic", "quintic")
"""Kernels whose interpolants do not depend on the unit of length."""


class RBFInterpolator:
    """Interpolation by radial basis functions and a polynomial, as SciPy's class of this name.

    It is differentiable in the places `y`, the data `d`, `smoothing`, `epsilon` and the points. All
    data are used for all points: `neighbors` must be None.

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
        if neighbors is not None:
            raise errors.not_in_scipy_face(
                "interpolate.RBFInterpolator", "neighbors=", "Use all data for all points."
            )
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
        if len(self._powers) > count:
            raise ValueError(
                f"At least {len(self._powers)} data points are required when `degree` is {degree} "
                f"and the number of dimensions is {size}."
            )
        self.y, self.d = y, d
        self._shift = (np.max(y, axis=0) + np.min(y, axis=0)) / 2
        half = (np.max(y, axis=0) - np.min(y, axis=0)) / 2
        self._half = where(half == 0, 1, half)
        self._coefficients = self._solve(smoothing)

    def _solve(self, smoothing: Any) -> Any:
        count, extra = self.y.shape[0], len(self._powers)
        kernel = self._between(self.y) + np.eye(count) * smoothing
        polynomial = self._polynomial(self.y)
        matrix = np.concatenate(
            [
                np.concatenate([kernel, polynomial], axis=1),
                np.concatenate([polynomial.T, numpy.zeros((extra, extra))], axis=1),
            ]
        )
        flat = np.reshape(self.d, (count, -1))
        right = np.concatenate([flat, numpy.zeros((extra, flat.shape[1]))])
        return np.linalg.solve(matrix, right)

    def _between(self, x: Any) -> Any:
        """The basis function of each place at each point."""
        return self._function(self.epsilon * (np.expand_dims(x, 1) - self.y))

    def _polynomial(self, x: Any) -> Any:
        """The monomials at each point."""
        scaled = (x - self._shift) / self._half
        columns = [np.prod(scaled[:, power], axis=1) for power in self._powers]
        return np.stack(columns, axis=1) if columns else numpy.zeros((x.shape[0], 0))

    def __call__(self, x: Any) -> Any:
        """The values at points, the rows of `x`."""
        x = floating(x)
        if x.ndim != 2 or x.shape[1] != self.y.shape[1]:
            raise ValueError(
                f"Expected the second axis of `x` to have length {self.y.shape[1]}."
                if x.ndim == 2
                else "`x` must be a 2-dimensional array."
            )
        basis = np.concatenate([self._between(x), self._polynomial(x)], axis=1)
        return np.reshape(basis @ self._coefficients, (x.shape[0], *self.d.shape[1:]))


def _exponents(size: int, degree: int) -> list[list[int]]:
    """For each monomial up to a degree, the variables that are its factors."""
    return [
        list(factors)
        for d in range(degree + 1)
        for factors in combinations_with_replacement(range(size), d)
    ]
