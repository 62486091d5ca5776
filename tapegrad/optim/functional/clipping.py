"""Gradients that are not too large."""

from __future__ import annotations

from typing import Any

from ... import tree
from ...core.op import table
from ..arithmetic import Pure
from ..updating import like
from .stage import Stage, apply, plain_leaf, stateless


def size_squared(x: Any) -> Any:
    """The sum of the squares of the absolute values of all elements."""
    if x.dtype.kind == "c":
        x = table["abs"].function(x)
    return table["sum"].function(x * x, axis=tuple(range(x.ndim)), keepdims=False)


def global_norm(x: Any) -> Any:
    """The root of the sum of the squares of all elements of all leaves."""
    return Pure.sqrt(sum(size_squared(plain_leaf(leaf)) for leaf in tree.leaves(x)))


def shrunk(x: Any, norm: Any, most: Any) -> Any:
    """`x`, times what makes a `norm` that is larger than `most` equal to it."""
    share = most / Pure.maximum(norm, most)
    return x * like(share, x.real.dtype if x.dtype.kind == "c" else x.dtype)


def clip_by_global_norm(most: float) -> Stage:
    """Gradients whose `global_norm` is at most so large, all shrunk alike."""

    def clip(x: Any) -> Any:
        norm = global_norm(x)
        return apply(lambda leaf: shrunk(leaf, norm, most), x)

    return stateless(clip)


def clip_by_norm(most: float) -> Stage:
    """Gradients each of whose leaves has a norm that is at most so large."""

    def clip(leaf: Any) -> Any:
        return shrunk(leaf, Pure.sqrt(size_squared(leaf)), most)

    return stateless(lambda x: apply(clip, x))


def clip_by_value(most: float) -> Stage:
    """Gradients each of whose elements is at most so large, up and down."""
    return stateless(lambda x: apply(lambda leaf: Pure.clamp_(leaf, -most, most), x))
