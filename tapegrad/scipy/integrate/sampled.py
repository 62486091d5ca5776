"""Integrals of samples: the trapezoidal rule, Simpson's, Romberg's, also cumulative."""

from __future__ import annotations

from typing import Any

import numpy
import scipy.integrate

from ... import errors
from ...backend import is_inexact
from ...core.array import Array
from ...numpy.dispatch import np
from ...numpy.operands import operand
from ...numpy.reading import known
from ...ops.linear import cast
from ..dispatch import implements

__all__ = ["cumulative_simpson", "cumulative_trapezoid", "romb", "simpson", "trapezoid"]

Where = tuple[Any, ...]


@implements(scipy.integrate.trapezoid)
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    y, widths = samples("trapezoid", y, x, dx, axis)
    return np.sum(0.5 * widths * (y[..., 1:] + y[..., :-1]), axis=-1)


@implements(scipy.integrate.cumulative_trapezoid)
def cumulative_trapezoid(
    y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1, initial: Any = None
) -> Any:
    if initial is not None and initial != 0:
        raise ValueError("`initial` must be `None` or `0`.")
    y, widths = samples("cumulative_trapezoid", y, x, dx, axis)
    sums = np.cumsum(0.5 * widths * (y[..., 1:] + y[..., :-1]), axis=-1)
    return np.moveaxis(started(sums, initial), -1, axis)


@implements(scipy.integrate.simpson)
def simpson(y: Any, x: Any = None, *, dx: Any = 1.0, axis: int = -1) -> Any:
    y, h = samples("simpson", y, x, dx, axis)
    n = y.shape[-1]
    if n == 2:
        return np.sum(0.5 * h * (y[..., 1:] + y[..., :-1]), axis=-1)
    m = n if n % 2 else n - 1  # pairs of intervals; perhaps one is left
    h0, h1 = h[..., 0 : m - 1 : 2], h[..., 1 : m - 1 : 2]
    both = h0 + h1
    parts = (both / 6) * (
        y[..., 0 : m - 2 : 2] * (2 - ratio(h1, h0))
        + y[..., 1 : m - 1 : 2] * both * ratio(both, h0 * h1)
        + y[..., 2:m:2] * (2 - ratio(h0, h1))
    )
    total = np.sum(parts, axis=-1)
    if m == n:
        return total
    h0, h1 = h[..., -2], h[..., -1]  # the last interval, under the parabola of the last points
    return (
        total
        + ratio(2 * h1**2 + 3 * h0 * h1, 6 * (h1 + h0)) * y[..., -1]
        + ratio(h1**2 + 3 * h0 * h1, 6 * h0) * y[..., -2]
        - ratio(h1**3, 6 * h0 * (h0 + h1)) * y[..., -3]
    )


@implements(scipy.integrate.cumulative_simpson)
def cumulative_simpson(
    y: Any, *, x: Any = None, dx: Any = 1.0, axis: int = -1, initial: Any = None
) -> Any:
    samples_y, h = samples("cumulative_simpson", y, x, dx, axis)
    if samples_y.shape[-1] < 3:
        parts = 0.5 * h * (samples_y[..., 1:] + samples_y[..., :-1])
    else:
        if x is not None and numpy.any(known(h, "the spacing of cumulative_simpson") <= 0):
            raise ValueError("Input x must be strictly increasing.")
        left = first_parts(samples_y, h)
        right = np.flip(first_parts(np.flip(samples_y, -1), np.flip(h, -1)), -1)
        count = samples_y.shape[-1] - 1
        # the parabola over an interval and the next, but over the previous at every other place
        places = numpy.arange(count)
        use_right = (places % 2 == 1) | (places == count - 1)
        padded = np.concatenate([left, right[..., -1:]], axis=-1)
        shifted = np.concatenate([left[..., :1], right], axis=-1)
        parts = np.where(use_right, shifted, padded)
    sums = np.cumsum(parts, axis=-1)
    if initial is not None:
        initial = operand(initial)
        sums = sums + (initial if initial.ndim == 0 else np.moveaxis(initial, axis, -1))
    return np.moveaxis(started(sums, initial, axis), -1, axis)


@implements(scipy.integrate.romb)
def romb(y: Any, dx: Any = 1.0, axis: int = -1, show: Any = False) -> Any:
    if show:
        raise errors.not_in_scipy_face("integrate.romb", "show", "Print the table of plain arrays.")
    y = np.moveaxis(operand(y), axis, -1)
    weights = scipy.integrate.romb(numpy.eye(y.shape[-1]), axis=0)  # it is linear
    return np.sum(y * weights, axis=-1) * dx


def samples(name: str, y: Any, x: Any, dx: Any, axis: int) -> tuple[Any, Any]:
    """The samples with their axis last, and the spacings, of a shape that broadcasts."""
    y = operand(y)
    y = y if is_inexact(y.dtype) else cast(y, numpy.dtype(float))
    n = y.shape[axis]
    if x is None:
        real = numpy.finfo(y.dtype).dtype.type
        dx = real(dx) if type(dx) in (int, float) else operand(dx)  # a number widens nothing
        if dx.ndim:
            dx = np.moveaxis(dx, axis, -1)
        shape = (*dx.shape[:-1], n - 1)
        return np.moveaxis(y, axis, -1), np.broadcast_to(dx, shape)
    x = operand(x)
    if x.ndim == 1:
        if x.shape[0] != n:
            raise ValueError(f"{name}: x has {x.shape[0]} elements, but y has {n} along the axis.")
    elif x.shape != y.shape:
        raise ValueError(f"{name}: x must be 1-D or of the shape of y.")
    else:
        x = np.moveaxis(x, axis, -1)
    return np.moveaxis(y, axis, -1), x[..., 1:] - x[..., :-1]


def ratio(a: Any, b: Any) -> Any:
    """`a / b`, and 0 where `b` is 0: between points that coincide."""
    zero = (b.raw if isinstance(b, Array) and not b.slot else b) == 0
    return np.where(zero, 0.0, a / np.where(zero, 1.0, b))


def started(sums: Any, initial: Any, axis: int = -1) -> Any:
    """Sums along the last axis, with `initial` before them if it is given."""
    if initial is None:
        return sums
    initial = operand(initial)
    if initial.ndim:
        initial = np.moveaxis(initial, axis, -1)
    first = np.broadcast_to(initial, (*sums.shape[:-1], 1))
    return np.concatenate([first, sums], axis=-1)


def first_parts(y: Any, h: Any) -> Any:
    """The integrals over the first of two intervals, under the parabola through three points."""
    h0, h1 = h[..., :-1], h[..., 1:]
    a = h0 / (h0 + h1)
    b = h0 / h1
    c = a * b
    return h0 / 6 * ((3 - a) * y[..., :-2] + (3 + c + a) * y[..., 1:-1] - c * y[..., 2:])
