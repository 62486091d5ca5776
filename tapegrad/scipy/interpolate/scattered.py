"""Interpolation of scattered data: linear on a triangulation, and the nearest value."""

from __future__ import annotations

from typing import Any

import numpy
import scipy.interpolate
import scipy.spatial

from ... import errors
from ...numpy.dispatch import np
from ...numpy.operands import operand
from ...numpy.reading import known
from ..dispatch import implements
from .arguments import blank, floating, rows
from .one_dimensional import interp1d

PLACES = "where scattered data lie"


def coordinates(args: tuple[Any, ...], size: int) -> Any:
    """Points, with their coordinates along the last axis, from such an array or from a tuple."""
    if len(args) == 1 and not isinstance(args[0], tuple):
        x = floating(args[0])
        if size == 1 and (x.ndim == 0 or x.shape[-1] != 1):
            x = np.expand_dims(x, -1)
    else:
        parts = args[0] if len(args) == 1 else args
        x = np.stack(np.broadcast_arrays(*map(floating, parts)), axis=-1)
    if x.shape[-1] != size:
        raise ValueError(
            f"number of dimensions in xi does not match x: {x.shape[-1]} instead of {size}."
        )
    return x


class Scattered:
    """Data at places: `points` has a row for each, or is a tuple of their coordinates."""

    def __init__(self, points: Any, values: Any, rescale: bool) -> None:
        if isinstance(points, tuple):
            points = np.stack(list(map(floating, points)), axis=-1)
        self.points, self.values = floating(points), values
        if self.points.ndim == 1:
            self.points = np.expand_dims(self.points, -1)
        if self.points.ndim != 2 or self.points.shape[0] != self.values.shape[0]:
            raise ValueError("different number of values and points")
        plain = known(self.points, PLACES)
        self._offset, self._scale = numpy.zeros(plain.shape[1]), numpy.ones(plain.shape[1])
        if rescale:
            self._offset, extent = plain.mean(axis=0), numpy.ptp(plain, axis=0)
            self._scale = numpy.where(extent > 0, extent, 1)
        self._plain = (plain - self._offset) / self._scale

    def _seen(self, x: Any) -> Any:
        """Points, of which triangles and neighbours are sought."""
        return (known(x, PLACES) - self._offset) / self._scale


class LinearNDInterpolator(Scattered):
    """Linear in each simplex of a triangulation, as `scipy.interpolate.LinearNDInterpolator`.

    It is differentiable in the points, in the places of the data and in the data; which simplices
    there are is constant.

    >>> corners = numpy.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> float(LinearNDInterpolator(corners, corners[:, 0] * 2)(0.25, 0.5))
    0.5
    """

    def __init__(
        self, points: Any, values: Any, fill_value: float = numpy.nan, rescale: bool = False
    ) -> None:
        if isinstance(points, scipy.spatial.Delaunay):
            points = points.points
        super().__init__(points, floating(values), rescale)
        self.fill_value = fill_value
        self.tri = scipy.spatial.Delaunay(self._plain)

    def __call__(self, *args: Any) -> Any:
        """The values at points; outside of the triangulation the `fill_value`."""
        size = self.points.shape[1]
        x = coordinates(args, size)
        flat = np.reshape(x, (-1, size))
        simplex = self.tri.find_simplex(self._seen(flat))
        corners = self.tri.simplices[simplex]
        places = rows(self.points, corners)  # (points, corners, size)
        last = places[:, -1]
        edges = np.swapaxes(places[:, :-1] - np.expand_dims(last, 1), 1, 2)
        shares = np.linalg.solve(edges, np.expand_dims(flat - last, -1))
        shares = np.concatenate([shares, 1 - np.sum(shares, axis=1, keepdims=True)], axis=1)
        values = rows(self.values, corners)
        shares = np.reshape(shares, (*corners.shape, *(1,) * (values.ndim - 2)))
        out = np.sum(shares * values, axis=1)
        outside = simplex < 0
        if outside.any():
            out = (
                blank(out, outside) if numpy.isnan(self.fill_value) else self._filled(out, outside)
            )
        return np.reshape(out, (*x.shape[:-1], *out.shape[1:]))

    def _filled(self, out: Any, outside: Any) -> Any:
        return np.where(outside.reshape(-1, *(1,) * (out.ndim - 1)), self.fill_value, out)


class NearestNDInterpolator(Scattered):
    """The value of the nearest place, as `scipy.interpolate.NearestNDInterpolator`.

    It is differentiable in the data. In the points it is constant between jumps.
    """

    def __init__(
        self, x: Any, y: Any, rescale: bool = False, tree_options: dict[str, Any] | None = None
    ) -> None:
        super().__init__(x, operand(y), rescale)
        self.tree = scipy.spatial.cKDTree(self._plain, **(tree_options or {}))

    def __call__(self, *args: Any, **query_options: Any) -> Any:
        """The values at points; `query_options` are those of `scipy.spatial.KDTree.query`."""
        x = coordinates(args, self.points.shape[1])
        distance, nearest = self.tree.query(self._seen(x), **query_options)
        far = numpy.isinf(distance)
        if not far.any():
            return rows(self.values, nearest)
        return blank(rows(self.values, numpy.where(far, 0, nearest)), far)


METHODS = ("nearest", "linear", "cubic")


@implements(scipy.interpolate.griddata)
def griddata(
    points: Any,
    values: Any,
    xi: Any,
    method: str = "linear",
    fill_value: float = numpy.nan,
    rescale: bool = False,
) -> Any:
    """Scattered data at other points: by `LinearNDInterpolator` or `NearestNDInterpolator`."""
    if method not in METHODS:
        raise ValueError(f"Unknown interpolation method {method!r} for scattered data.")
    points = points if isinstance(points, tuple) else floating(points)
    line = points[0] if isinstance(points, tuple) and len(points) == 1 else points
    if not isinstance(line, tuple) and line.ndim < 2:
        x = xi[0] if isinstance(xi, tuple) else xi
        order = numpy.argsort(known(line, PLACES))
        fill: Any = "extrapolate" if method == "nearest" else fill_value
        data = rows(floating(values), order)
        return interp1d(rows(floating(line), order), data, method, 0, False, False, fill)(x)
    if method == "cubic":
        raise errors.not_in_scipy_face(
            "interpolate.griddata", "method='cubic' in several dimensions", "Take RBFInterpolator."
        )
    if method == "nearest":
        return NearestNDInterpolator(points, values, rescale)(xi)
    return LinearNDInterpolator(points, values, fill_value, rescale)(xi)
