"""Optimality conditions as residuals: of minima in a box, and of those with constraints.

Complementarity is written as a projection. With bounds, ``x = clip(x - gradient, lower, upper)``
holds exactly at a minimum: where a bound is active it says ``x = bound``, elsewhere that the
gradient vanishes. Constraints ``lower <= c(x) <= upper`` with multipliers m have
``c = clip(c - m, lower, upper)`` in the same way, and the gradient of ``f - m @ c``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy

from ...implicit.condition import Residual
from ...ops.comparison import equal, less
from ...ops.selection import where
from ...transforms.rules import Flat, pull_function


def projected(x: Any, step: Any, lower: Any, upper: Any) -> Any:
    """``x - clip(x - step, lower, upper)``, with ``x - lower`` where both bounds are the same.

    Where ``x - step`` is at a bound exactly, there is no derivative; the convention is that the
    bound is not active, so that a solution which is not the only one has a singular Jacobian.
    """
    moved = x - step
    outside = where(less(moved, lower), x - lower, where(less(upper, moved), x - upper, step))
    return where(equal(lower, upper), x - lower, outside)


def gradient_of(function: Flat, x: Any, rest: Sequence[Any], *weights: Any) -> Any:
    """The gradient in `x` of the results of a function, with weights."""
    (g,) = pull_function("minimize", lambda x: function(x, *rest), [x], [True], weights)
    return g


def box_condition(place: int) -> Residual:
    """The residual of a minimum in a box, whose two bounds are `rest[place:]`."""

    def residual(function: Flat, xs: Sequence[Any], rest: Sequence[Any]) -> list[Any]:
        (x,) = xs
        return [projected(x, gradient_of(function, x, rest, 1.0), *rest[place : place + 2])]

    return residual


def constrained_condition(place: int) -> Residual:
    """The residual of a constrained minimum, for `x` and the multipliers.

    The function takes both, and gives an objective and a vector of constraints; `rest[place:]` has
    the bounds of `x`, two, and those of the constraints, two.
    """

    def residual(function: Flat, xs: Sequence[Any], rest: Sequence[Any]) -> list[Any]:
        x, multipliers = xs
        lower, upper, least, most = rest[place : place + 4]
        g = gradient_of(function, x, (multipliers, *rest), 1.0, -multipliers)
        values = function(x, multipliers, *rest)[1]
        return [projected(x, g, lower, upper), projected(values, multipliers, least, most)]

    return residual


def fit_condition(place: int, cost: Callable[[Any, Sequence[Any]], Any]) -> Residual:
    """The residual of a fit in a box, whose two bounds are `rest[place:]`.

    ``cost(values, rest)`` makes a number of the function's values, and is what is minimised.
    """
    box = box_condition(place)

    def residual(function: Flat, xs: Sequence[Any], rest: Sequence[Any]) -> list[Any]:
        def total(x: Any, *rest: Any) -> list[Any]:
            return [cost(function(x, *rest)[0], rest)]

        return box(total, xs, rest)

    return residual


NEAR = 1e-5
"""How near to its bound a constraint counts as active, relative to the bound's size."""


def multipliers_at(gradient: Any, jacobian: Any, values: Any, lower: Any, upper: Any) -> Any:
    """The multipliers of constraints at a minimum, on plain data, by least squares.

    They balance the gradient. An active inequality whose multiplier comes out with the wrong sign
    is taken as inactive.
    """
    at_lower, at_upper = near(values, lower), near(values, upper)
    active = at_lower | at_upper
    while True:
        multipliers = numpy.zeros(values.shape)
        multipliers[active] = numpy.linalg.lstsq(jacobian[active].T, gradient, rcond=None)[0]
        wrong = (at_lower & (multipliers < 0)) | (at_upper & (multipliers > 0))
        wrong &= ~(at_lower & at_upper)
        if not wrong.any():
            return multipliers
        active &= ~wrong


def near(values: Any, bound: Any) -> Any:
    """Which values are at a bound."""
    return numpy.isfinite(bound) & (abs(values - bound) <= NEAR * numpy.maximum(1.0, abs(bound)))
