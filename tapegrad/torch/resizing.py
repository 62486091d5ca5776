"""Tensors that get another number of elements in place."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy

from . import errors
from .tensor import Tensor, writable

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
    self.__dict__.pop("base", None)
    return self


def resize_as_(input: Tensor, the_template: Tensor, *, memory_format: Any = None) -> Tensor:
    """Give a tensor the shape of another."""
    return resize_(input, *the_template.raw.shape)


for _name, _method in (("resize_", resize_), ("resize_as_", resize_as_)):
    setattr(Tensor, _name, _method)
