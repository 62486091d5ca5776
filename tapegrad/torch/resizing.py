"""Tensors that get another number of elements in place."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy

from ..core.modes import is_grad_enabled
from . import errors
from .parts import as_strided, diagonal
from .tensor import Tensor, constant, writable

__all__ = ["resize_as_"]


def resize_(self: Tensor, *sizes: Any, memory_format: Any = None) -> Tensor:
    """Give the tensor another shape. Elements are kept in order; new ones are zero.

    Where no new ones are needed it goes on sharing its memory. Raises if it requires grad.
    """
    to = tuple(sizes[0]) if len(sizes) == 1 and not isinstance(sizes[0], int) else sizes
    if self.slot:
        raise errors.resized_with_grad()
    flat = writable(self).reshape(-1)
    if prod(to) > flat.size:
        longer = numpy.zeros(prod(to), flat.dtype)
        longer[: flat.size] = flat
        flat = longer
    self.raw = flat[: prod(to)].reshape(to)
    leave_base(self)
    return self


def leave_base(x: Tensor) -> None:
    """Make a tensor no view any more."""
    if hasattr(x, "base"):
        del x.base


def set_(
    self: Tensor,
    source: Tensor | None = None,
    storage_offset: int = 0,
    size: Any = None,
    stride: Any = None,
) -> Tensor:
    """Have the tensor use the memory of another from now on, or none; as it is, or as a window."""
    if self.slot and is_grad_enabled():
        raise errors.leaf_changed() if self.slot < 0 else errors.set_with_grad()
    if source is None:
        source = constant(numpy.empty(0, self.raw.dtype))
    if source.raw.dtype != self.raw.dtype:
        raise errors.memory_of_other_dtype(self.dtype, source.dtype)
    if size is not None:
        steps = contiguous_steps(size) if stride is None else stride
        source = as_strided(source.detach(), size, steps, storage_offset)
    self.raw = writable(source)
    leave_base(self)
    return self


def contiguous_steps(size: Any) -> tuple[int, ...]:
    """The strides, in elements, of a contiguous tensor of a shape."""
    return tuple(prod(size[i + 1 :]) for i in range(len(size)))


def resize_as_(input: Tensor, the_template: Tensor, *, memory_format: Any = None) -> Tensor:
    """Give a tensor the shape of another."""
    return resize_(input, *the_template.raw.shape)


def fill_diagonal_(self: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """Write a number into the main diagonal, of tall matrices again below it if `wrap`.

    Tensors of more than two axes, all of one length, have one too.
    """
    shape = self.raw.shape
    if len(shape) < 2:
        raise errors.no_diagonal()
    if len(shape) > 2 and len(set(shape)) > 1:
        raise errors.uneven_diagonal()
    if len(shape) == 2 and not wrap:
        diagonal(self).fill_(fill_value)
        return self
    step = sum(prod(shape[k + 1 :]) for k in range(len(shape)))
    end = self.raw.size if wrap else min(shape) * step
    self.view(-1)[:end:step].fill_(fill_value)
    return self


METHODS = {
    "fill_diagonal_": fill_diagonal_,
    "resize_": resize_,
    "resize_as_": resize_as_,
    "set_": set_,
}
for _name, _method in METHODS.items():
    setattr(Tensor, _name, _method)
