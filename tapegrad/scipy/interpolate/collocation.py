"""The knots and the coefficients of an interpolating spline."""

from __future__ import annotations

from typing import Any

import numpy

from ...numpy.dispatch import np
from ...ops.banded import solve_banded
from ...ops.index import ARRAY, scatter_add
from ...ops.linear import reshape
from .arguments import floating, interval
from .basis import basis_values

ALIASES = {"clamped": 1, "natural": 2}


def repeated(x: Any, times: int) -> Any:
    return np.broadcast_to(x, (times,))


def knots_of(x: Any, k: int, bc_type: Any) -> Any:
    """The knots for nodes `x` and conditions at the ends."""
    if isinstance(bc_type, str) and bc_type == "periodic":
        return periodic_knots(x, k)
    if bc_type is None or (isinstance(bc_type, str) and bc_type == "not-a-knot"):
        inner = x if k % 2 else (x[1:] + x[:-1]) / 2
        half = (k + 1) // 2
        inner = inner[half : inner.shape[0] - half] if k % 2 else inner[k // 2 : -(k // 2)]
        return np.concatenate([repeated(x[0], k + 1), inner, repeated(x[-1], k + 1)])
    if not isinstance(bc_type, str) and all(end is None for end in bc_type):
        return knots_of(x, k, None)
    return np.concatenate([repeated(x[0], k), x, repeated(x[-1], k)])


def periodic_knots(x: Any, k: int) -> Any:
    """Knots on a circle."""
    n = x.shape[0]
    if k % 2 == 0:
        steps = np.diff(x)
        x = np.concatenate([x[:1], x[1:-1] - steps[:-1] / 2, x[-1:]])
    steps = np.diff(x)
    before: list[Any] = []
    after: list[Any] = []
    low, high = x[0], x[-1]
    for i in range(k):
        low = low - steps[-(i % (n - 1)) - 1]
        high = high + steps[i % (n - 1)]
        before.insert(0, low)
        after.append(high)
    return np.concatenate([np.stack(before), x, np.stack(after)])


def end_derivatives(end: Any, shape: tuple[int, ...], where: Any) -> list[tuple[int, Any]]:
    """The orders and values of the derivatives that are given at an end."""
    if end is None:
        return []
    if isinstance(end, str):
        if end not in ALIASES:
            raise ValueError(f"Unknown boundary condition : {end}")
        return [(ALIASES[end], numpy.zeros(shape))]
    try:
        return [(int(order), floating(value)) for order, value in end]
    except TypeError as error:
        raise ValueError(
            "Derivatives, `bc_type`, should be specified as a pair of iterables of pairs of "
            "(order, value)."
        ) from error


def coefficients(x: Any, y: Any, t: Any, k: int, bc_type: Any) -> Any:
    """The coefficients of the spline with knots `t` through `y`."""
    if isinstance(bc_type, str) and bc_type == "periodic":
        return periodic_coefficients(x, y, t, k)
    if bc_type is None or (isinstance(bc_type, str) and bc_type == "not-a-knot"):
        bc_type = (None, None)
    elif isinstance(bc_type, str):
        bc_type = (bc_type, bc_type)
    elif len(bc_type) != 2:
        raise ValueError(f"Unknown boundary condition: {bc_type}")
    first, last = (end_derivatives(end, y.shape[1:], x) for end in bc_type)
    for name, given in (("start", first), ("end", last)):
        if not all(0 <= order <= k for order, _ in given):
            raise ValueError(f"Bad boundary conditions at the {name} of x.")
    count = t.shape[0] - k - 1
    more = count - x.shape[0]
    if more != len(first) + len(last):
        raise ValueError(
            "The number of derivatives at boundaries does not match: expected "
            f"{more}, got {len(first)}+{len(last)}"
        )
    parts = [entries(t, x, k, 0, count, len(first))]
    right = [y]
    for i, (order, value) in enumerate(first):
        parts.append(entries(t, x[:1], k, order, count, i))
        right.insert(i, value[None])
    for i, (order, value) in enumerate(last):
        parts.append(entries(t, x[-1:], k, order, count, count - len(last) + i))
        right.append(value[None])
    weights, row, column = (np.concatenate(group) for group in zip(*parts, strict=True))
    bands = scatter_add(
        weights, k + row - column, column, key=(ARRAY, ARRAY), to=(2 * k + 1, count)
    )
    side = np.concatenate(right)
    matrix = reshape(side, to=(count, side.size // count))
    out = solve_banded(bands, matrix, lower=k, upper=k, definite=False)
    return reshape(out, to=side.shape)


def entries(t: Any, x: Any, k: int, nu: int, count: int, start: int) -> tuple[Any, Any, Any]:
    """The elements of the equations for derivatives at points: values, rows and columns."""
    i = interval(t, x, k, count - 1)
    weights = np.concatenate(basis_values(t, x, i, k, nu))
    numbers = numpy.arange(start, start + x.shape[0])
    columns = np.concatenate([i + (r - k) for r in range(k + 1)])
    return weights, numpy.tile(numbers, k + 1), columns


def periodic_coefficients(x: Any, y: Any, t: Any, k: int) -> Any:
    """The coefficients of a periodic spline, by a full matrix."""
    n = x.shape[0]
    count = n + k - 1
    parts = [entries(t, x, k, 0, count, k - 1)]
    for order in range(1, k):
        parts.append(entries(t, x[:1], k, order, count, order - 1))
        weights, row, column = entries(t, x[-1:], k, order, count, order - 1)
        parts.append((-weights, row, column))
    weights, row, column = (np.concatenate(group) for group in zip(*parts, strict=True))
    matrix = scatter_add(weights, row, column, key=(ARRAY, ARRAY), to=(count, count))
    flat = reshape(y, to=(n, y.size // n))
    side = np.concatenate([numpy.zeros((k - 1, flat.shape[1])), flat])
    return reshape(np.linalg.solve(matrix, side), to=(count, *y.shape[1:]))
