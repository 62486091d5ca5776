"""The values of B-splines by the recursion of de Boor and Cox."""

from __future__ import annotations

from typing import Any

import numpy

from ...core.array import is_mapped
from ...core.record import raw
from ...numpy.dispatch import np
from .arguments import rows


def basis_values(t: Any, x: Any, i: Any, k: int, nu: int = 0) -> list[Any]:
    """The k + 1 B-splines of degree k that do not vanish between the knots i and i + 1, at `x`.

    Those are the ones of the numbers i - k to i; of a derivative of order `nu`, if it is not 0.
    """
    if nu > k:
        return [np.zeros_like(x)] * (k + 1)
    if nu:
        return differentiated(t, x, i, k, nu)
    values: list[Any] = [numpy.ones(x.shape)]
    if not k:
        return [values[0] + 0 * x]
    right = [rows(t, i + j) - x for j in range(1, k + 1)]
    left = [x - rows(t, i + 1 - j) for j in range(1, k + 1)]
    for j in range(1, k + 1):
        carried: Any = 0.0
        following = []
        for r in range(j):
            share = divided(values[r], right[r] + left[j - r - 1])
            following.append(carried + right[r] * share)
            carried = left[j - r - 1] * share
        values = [*following, carried]
    return values


def differentiated(t: Any, x: Any, i: Any, k: int, nu: int) -> list[Any]:
    """As `basis_values`, for a derivative: differences of B-splines of one degree less."""
    lower = basis_values(t, x, i, k - 1, nu - 1)  # of the numbers i - k + 1 to i
    shares = [
        divided(k * value, rows(t, i + (r + 1)) - rows(t, i + (r + 1 - k)))
        for r, value in enumerate(lower)
    ]
    return [(shares[r - 1] if r else 0.0) - (shares[r] if r < k else 0.0) for r in range(k + 1)]


def divided(value: Any, width: Any) -> Any:
    """A quotient that is zero where knots fall together."""
    empty = width == 0
    if not numpy.any(raw(empty)) and not is_mapped(width):
        return value / width
    return np.where(empty, 0.0, value / np.where(empty, 1.0, width))
