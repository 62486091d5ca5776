"""Arguments of layers as tuples, and what layers are made with."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ...torch.filling import empty
from ..parameter import Parameter

__all__ = ["consume_prefix_in_state_dict_if_present", "learned", "reversed_repeated"]


def _ntuple(n: int) -> Callable[[Any], Any]:
    """The function that repeats a number `n` times, and gives an iterable as a tuple."""

    def spread(x: Any) -> Any:
        return tuple(x) if isinstance(x, Iterable) else (x,) * n

    return spread


_single = _ntuple(1)
_pair = _ntuple(2)
_triple = _ntuple(3)
_quadruple = _ntuple(4)


def reversed_repeated(lengths: Iterable[int]) -> tuple[int, ...]:
    """Lengths by axis as `functional.pad` takes them: the last axis first, both ends.

    >>> reversed_repeated((1, 2))
    (2, 2, 1, 1)
    """
    return tuple(n for n in reversed(tuple(lengths)) for _ in range(2))


def learned(shape: Any, device: Any = None, dtype: Any = None) -> Any:
    """A parameter of a shape, not initialised."""
    return Parameter(empty(shape, device=device, dtype=dtype))


def consume_prefix_in_state_dict_if_present(state_dict: dict[str, Any], prefix: str) -> None:
    """Take a prefix from the names in a state that have it, in place, with its metadata.

    >>> state = {"module.weight": 1, "bias": 2}
    >>> consume_prefix_in_state_dict_if_present(state, "module.")
    >>> state
    {'bias': 2, 'weight': 1}
    """
    for name in [name for name in state_dict if name.startswith(prefix)]:
        state_dict[name.removeprefix(prefix)] = state_dict.pop(name)
    metadata = getattr(state_dict, "_metadata", None)
    if metadata is None:
        return
    for name in [*metadata]:
        if name == prefix.removesuffix("."):
            metadata[""] = metadata.pop(name)
        elif name.startswith(prefix):
            metadata[name.removeprefix(prefix)] = metadata.pop(name)
