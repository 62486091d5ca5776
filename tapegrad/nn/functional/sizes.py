"""Arguments that give a number for each axis, or one for all."""

from __future__ import annotations

import operator
from typing import Any

from ...ops.linear import reshape
from . import errors

Ints = tuple[int, ...]


def each(value: Any, n: int, name: str, function: str) -> Ints:
    """A number for each of `n` axes."""
    if isinstance(value, tuple | list):
        values = tuple(map(operator.index, value))
        if len(values) == 1:
            return values * n
        if len(values) != n:
            raise errors.wrong_length(function, name, n, values)
        return values
    return (operator.index(value),) * n


def batched(x: Any, n: int, function: str) -> tuple[Any, bool]:
    """Images (N, C, ...) of `n` axes, and whether an axis N had to be added."""
    if x.ndim == n + 2:
        return x, False
    if x.ndim == n + 1:
        return reshape(x, to=(1, *x.shape)), True
    raise errors.wrong_axes(function, n, x.shape)


def unbatched(x: Any, added: bool) -> Any:
    """The inverse of `batched`."""
    return reshape(x, to=x.shape[1:]) if added else x
