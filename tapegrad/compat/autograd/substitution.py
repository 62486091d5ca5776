"""Sequences with other values in some places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any


def subvals(x: Sequence[Any], ivs: Iterable[tuple[int, Any]]) -> tuple[Any, ...]:
    """`x` as a tuple with other values in some places.

    >>> subvals((1, 2, 3), [(0, 10), (2, 30)])
    (10, 2, 30)
    """
    values = list(x)
    for i, v in ivs:
        values[i] = v
    return tuple(values)


def subval(x: Sequence[Any], i: int, v: Any) -> tuple[Any, ...]:
    """`x` as a tuple with another value in the place `i`."""
    return subvals(x, [(i, v)])
