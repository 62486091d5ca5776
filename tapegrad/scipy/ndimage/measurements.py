"""Statistics of the labelled regions of an image."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import scipy.ndimage

from ...numpy.dispatch import np
from ...numpy.operands import operand
from ...numpy.reading import known, on_values
from ..dispatch import implements

Reduce = Callable[[Any], Any]


def over_regions(name: str, input: Any, labels: Any, index: Any, reduce: Reduce) -> Any:
    """What `reduce` gives for the elements of each region, as a vector."""
    x = operand(input)
    if labels is None:
        if index is not None:
            raise ValueError("index without defined labels")
        return reduce(np.ravel(x))
    labels = numpy.broadcast_to(known(labels, f"labels of scipy.ndimage.{name}"), x.shape)
    if index is None:
        return reduce(x[labels > 0])
    index = numpy.asarray(known(index, f"index of scipy.ndimage.{name}"))
    if index.ndim == 0:
        return reduce(x[labels == index])
    order = numpy.argsort(labels, axis=None, kind="stable")
    bounds = labels.ravel()[order].searchsorted
    x = np.ravel(x)[order]
    parts = [reduce(x[bounds(i) : bounds(i, side="right")]) for i in index.ravel()]
    return np.reshape(np.stack(parts), index.shape)


def measurement(reduce: Reduce, *names: str) -> Any:
    """This namespace's function of the (first) name, from what it gives for a vector."""

    def compute(input: Any, labels: Any = None, index: Any = None) -> Any:
        return over_regions(names[0], input, labels, index, reduce)

    return [implements(getattr(scipy.ndimage, name))(compute) for name in names]


def or_zero(reduce: Reduce) -> Reduce:
    """As SciPy, 0 for a region of several that is not there."""
    return lambda x: reduce(x) if x.size else numpy.float64(0)


def mean_of(x: Any) -> Any:
    return np.sum(x) / numpy.float64(x.size)


def variance_of(x: Any) -> Any:
    away = x - mean_of(x)
    return np.sum(away * np.conj(away)) / numpy.float64(x.size)


sum_labels, sum = measurement(np.sum, "sum_labels", "sum")
(mean,) = measurement(mean_of, "mean")
(variance,) = measurement(variance_of, "variance")
(standard_deviation,) = measurement(lambda x: np.sqrt(variance_of(x)), "standard_deviation")
(maximum,) = measurement(or_zero(np.max), "maximum")
(minimum,) = measurement(or_zero(np.min), "minimum")
(median,) = measurement(or_zero(np.median), "median")
maximum_position, minimum_position = (
    implements(f)(on_values(f, f"scipy.ndimage.{f.__name__}"))
    for f in (scipy.ndimage.maximum_position, scipy.ndimage.minimum_position)
)


@implements(scipy.ndimage.extrema)
def extrema(input: Any, labels: Any = None, index: Any = None) -> Any:
    values = (f(input, labels, index) for f in (minimum, maximum))
    places = (f(input, labels, index) for f in (minimum_position, maximum_position))
    return *values, *places


@implements(scipy.ndimage.center_of_mass)
def center_of_mass(input: Any, labels: Any = None, index: Any = None) -> Any:
    x = operand(input)
    total = sum_labels(x, labels, index)
    grids = numpy.ogrid[tuple(slice(0, n) for n in x.shape)]
    centers = [sum_labels(x * grid.astype(float), labels, index) / total for grid in grids]
    if total.ndim == 0:
        return tuple(centers)
    return [tuple(center[i] for center in centers) for i in range(total.shape[0])]
