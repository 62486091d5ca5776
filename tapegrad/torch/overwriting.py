"""One number, or another tensor, in the place of all elements."""

from __future__ import annotations

from typing import Any

import numpy

from ..backend import full as full_in
from ..backend import place_of
from ..core.array import Array
from ..core.op import table
from ..ops.linear import broadcast_to
from . import errors
from .calls import cast, on_arrays, raw_of
from .conversion import carried
from .creation import number_in
from .inplace import write
from .tensor import Tensor, core, wrap

__all__ = ["fill"]


@on_arrays
def fill(input: Any, value: Any) -> Any:
    """A tensor like `input`, filled with one number, which may be a tensor of no axes."""
    shape, to = input.shape, input.dtype
    if not isinstance(value, Array):
        filled = full_in(shape, number_in(value, to), to, place_of(raw_of(input)))
        return table["held"].function(input, filled) if input.slot else filled
    if value.ndim:
        raise errors.value_with_axes(value.ndim)
    zeros = full_in(shape, 0, to, place_of(raw_of(input)))
    return broadcast_to(cast(value, to), to=shape) + zeros


def zero_(self: Tensor) -> Tensor:
    """Write zeros into the tensor."""
    return write(self, 0, "zero_", overlap=True)


def fill_(self: Tensor, value: Any) -> Tensor:
    """Write one number into the tensor."""
    if isinstance(value, Tensor):
        if value.raw.ndim:
            raise errors.value_with_axes(value.raw.ndim)
        there = carried(value, place_of(self.raw))
        return write(self, core(there), "fill_", unrelated=True)
    return write(self, number_in(value, self.raw.dtype), "fill_", overlap=True)


def copy_(self: Tensor, src: Any, non_blocking: bool = False) -> Tensor:
    """Write another tensor, of a shape that broadcasts, into this one."""
    source = src if isinstance(src, Tensor) else wrap(numpy.asarray(src))
    source = carried(source, place_of(self.raw))
    shape, own = source.raw.shape, self.raw.shape
    if shape != own and numpy.broadcast_shapes(shape, own) != own:
        raise errors.does_not_broadcast(own, shape)
    return write(self, core(source), "copy_", unrelated=True)


for _method in (copy_, fill_, zero_):
    setattr(Tensor, _method.__name__, _method)
