"""Diagonals, outer products and windows, by Riemann's names."""

from __future__ import annotations

from typing import Any

import numpy

from ..conversion import clone
from ..diagonals import diag_embed
from ..equations import einsum
from ..filling import empty_like, full_like, ones_like, zeros_like
from ..parts import diagonal
from ..reductions import wrapped
from ..shapes import flatten, movedim
from ..tensor import Tensor, constant

__all__ = ["batch_diag", "batch_outer", "fill_diagonal", "fill_diagonal_", "repeat"]


def batch_diag(v: Tensor) -> Tensor:
    """Vectors (..., n) on the diagonals of matrices (..., n, n): `torch.diag_embed`."""
    result: Tensor = diag_embed(v)
    return result


def batch_outer(x: Tensor, y: Tensor) -> Tensor:
    """The outer products (..., m, n) of vectors (..., m) and (..., n)."""
    result: Tensor = einsum("...i,...j->...ij", x, y)
    return result


def repeat(input: Tensor, repeats: Any) -> Tensor:
    """The tensor side by side with itself: `Tensor.repeat`."""
    result: Tensor = input.repeat(repeats)
    return result


def fill_diagonal_(
    input: Tensor, value: Any, offset: int = 0, dim1: int = -2, dim2: int = -1
) -> Tensor:
    """Write a number, or the elements of a tensor, on the diagonal of two axes, in place."""
    if input.ndim < 2:
        raise ValueError("fill_diagonal_(): the tensor must have at least 2 dimensions")
    part = diagonal(input, offset, dim1, dim2)
    part.copy_(value) if isinstance(value, Tensor) else part.fill_(value)
    return input


def fill_diagonal(
    input: Tensor, value: Any, offset: int = 0, dim1: int = -2, dim2: int = -1
) -> Tensor:
    """As `fill_diagonal_`, in a copy."""
    return fill_diagonal_(clone(input), value, offset, dim1, dim2)


def fold(
    self: Tensor, dimension: int, size: int, step: int | None = None, output_size: int | None = None
) -> Tensor:
    """The transpose of `unfold`: windows, along the last axis, added up where they overlap.

    The axis gets the length ``(windows - 1) * step + size``, or `output_size`; `step` is `size` by
    default, so that windows do not overlap.
    """
    at = wrapped(dimension, self.ndim - 1)
    if self.shape[-1] != size:
        raise ValueError(f"fold(): the windows have {self.shape[-1]} elements, not {size}")
    windows = self.shape[at]
    apart = size if step is None else step
    length = (windows - 1) * apart + size if output_size is None else output_size
    places = numpy.add.outer(numpy.arange(windows) * apart, numpy.arange(size)).reshape(-1)
    lines = flatten(movedim(self, -1, at + 1), at, at + 1)
    shape = (*lines.shape[:at], length, *lines.shape[at + 1 :])
    result: Tensor = self.new_zeros(shape).index_add(at, constant(places), lines)
    return result


METHODS: dict[str, Any] = {
    "batch_diag": batch_diag,
    "empty_like": empty_like,
    "fill_diagonal": fill_diagonal,
    "fold": fold,
    "full_like": full_like,
    "ones_like": ones_like,
    "zeros_like": zeros_like,
}
for _name, _method in METHODS.items():
    setattr(Tensor, _name, _method)
