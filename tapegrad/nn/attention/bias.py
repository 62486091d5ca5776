"""Causal masks for queries and keys of different number."""

from __future__ import annotations

from typing import Any

from ...torch.diagonals import tril
from ...torch.filling import ones

__all__ = ["causal_lower_right", "causal_upper_left"]


def causal_upper_left(*size: int) -> Any:
    """The mask (queries, keys) in which the first query sees the first key alone.

    >>> causal_upper_left(2, 3).tolist()
    [[True, False, False], [True, True, False]]
    """
    queries, keys = size
    return tril(ones(queries, keys, dtype=bool))


def causal_lower_right(*size: int) -> Any:
    """The mask (queries, keys) in which the last query sees all keys.

    >>> causal_lower_right(2, 3).tolist()
    [[True, True, False], [True, True, True]]
    """
    queries, keys = size
    return tril(ones(queries, keys, dtype=bool), keys - queries)
