"""Shapes that fit each other: broadcasting tensors, and summing back what was broadcast."""

from __future__ import annotations

from typing import Any

import numpy

from ..ops import linear
from . import errors
from .calls import on_arrays
from .shapes import expand
from .size import Size
from .tensor import Tensor

__all__ = ["broadcast_shapes", "broadcast_tensors"]


def broadcast_shapes(*shapes: Any) -> Size:
    """The shape that tensors of these shapes broadcast to; an integer stands for one axis."""
    whole = [(s,) if isinstance(s, int) else tuple(s) for s in shapes]
    try:
        return Size(numpy.broadcast_shapes(*whole))
    except ValueError as error:
        raise errors.no_broadcast(whole) from error


def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """The tensors as views of their common shape."""
    if len(tensors) == 1 and isinstance(tensors[0], tuple | list):
        tensors = tuple(tensors[0])
    to = broadcast_shapes(*(x.raw.shape for x in tensors))
    return tuple(expand(x, to) for x in tensors)


def sum_to_size(self: Tensor, *size: Any) -> Tensor:
    """The sum over axes, so that what is left has a shape that broadcasts to the tensor's."""
    to = tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else size
    own = self.raw.shape
    lead = len(own) - len(to)
    if lead < 0 or any(n not in (1, m) for n, m in zip(to, own[lead:], strict=True)):
        raise errors.not_expandable(to, own)
    return self if to and to == own else summed(self, to)


@on_arrays
def summed(x: Any, to: tuple[int, ...]) -> Any:
    """The sum that has a shape."""
    lead = x.ndim - len(to)
    ones = tuple(lead + i for i, n in enumerate(to) if n == 1 and x.shape[lead + i] != 1)
    total = linear.sum(x, axis=(*range(lead), *ones), keepdims=True)
    return linear.reshape(total, to=to)


_name = "sum_to_size"
setattr(Tensor, _name, sum_to_size)
