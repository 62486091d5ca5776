"""Arguments of layers as tuples, and what layers are made with."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ...torch.filling import empty
from ..parameter import Parameter

__all__ = ["learned", "ntuple", "reversed_repeated"]


def ntuple(n: int) -> Callable[[Any], Any]:
    """The function that repeats a number `n` times, and gives an iterable as a tuple."""

    def spread(x: Any) -> Any:
        return tuple(x) if isinstance(x, Iterable) else (x,) * n

    return spread


_single = ntuple(1)
_pair = ntuple(2)
_triple = ntuple(3)
_quadruple = ntuple(4)


def reversed_repeated(lengths: Iterable[int]) -> tuple[int, ...]:
    """Lengths by axis as `functional.pad` takes them: the last axis first, both ends.

    >>> reversed_repeated((1, 2))
    (2, 2, 1, 1)
    """
    return tuple(n for n in reversed(tuple(lengths)) for _ in range(2))


def learned(shape: Any, device: Any = None, dtype: Any = None) -> Any:
    """A parameter of a shape, not initialised."""
    return Parameter(empty(shape, device=device, dtype=dtype))
