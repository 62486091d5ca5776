"""Norms and distances under the names that stand in `torch` itself."""

from __future__ import annotations

from typing import Any

from ..ops.selection import where
from . import errors
from .calls import attach, in_single, in_wide, on_arrays, promoted
from .dtypes import dtype
from .linalg import norms
from .linalg.operands import inexact
from .reductions import axes_of, wrapped
from .refusals import TWO_BOOLS, refuse
from .tensor import Tensor

__all__ = ["dist", "frobenius_norm", "norm", "nuclear_norm", "renorm"]

Dims = Any


@on_arrays
@in_single
def norm(
    input: Any,
    p: float | str | None = "fro",
    dim: Dims = None,
    keepdim: bool = False,
    dtype: dtype | None = None,
) -> Any:
    """The norm of order `p` of the elements along axes, of all by default.

    "fro" is the 2-norm of the elements; "nuc" the sum of the singular values of the matrices along
    two axes. `torch.linalg` has functions that tell norms of vectors and of matrices apart.
    """
    if p == "nuc":
        dims = (0, 1) if dim is None else dim
        if not isinstance(dims, tuple | list) or len(dims) != 2:
            raise errors.nuclear_dims(dims)
        return norms.of_matrix(norms.in_dtype(input, "linalg.matrix_norm", dtype), p, dims, keepdim)
    if isinstance(p, str) and p != "fro":
        raise errors.no_such_norm(p)
    x = norms.in_dtype(input, "linalg.vector_norm", dtype)
    order = 2.0 if p is None or isinstance(p, str) else float(p)
    return norms.of_elements(x, order, axes_of(x, dim), keepdim)


def frobenius_norm(input: Tensor, dim: Dims = (), keepdim: bool = False) -> Tensor:
    """The 2-norm of the elements along axes, of all by default."""
    return norm(input, "fro", dim, keepdim)


def nuclear_norm(input: Tensor, dim: Dims = (0, 1), keepdim: bool = False) -> Tensor:
    """The sum of the singular values of the matrices along two axes."""
    return norm(input, "nuc", dim, keepdim)


@on_arrays
@in_wide
def dist(input: Any, other: Any, p: float = 2) -> Any:
    """The norm of order `p` of the difference."""
    x, y = promoted(input, other)
    difference = inexact(x - y, "linalg.vector_norm")
    return norms.of_elements(difference, float(p), tuple(range(difference.ndim)), False)


@on_arrays
@in_single
def renorm(input: Any, p: float, dim: int, maxnorm: float) -> Any:
    """The slices along an axis, scaled to norm `maxnorm` where theirs of order `p` is larger."""
    if input.ndim < 2:
        raise errors.renorm_axes(input.ndim)
    axis = wrapped(dim, input.ndim)
    others = tuple(i for i in range(input.ndim) if i != axis)
    size = norms.of_elements(inexact(input, "renorm"), float(p), others, True)
    large = size > maxnorm
    return input * where(large, maxnorm / (where(large, size, 1) + SMALL), 1)


SMALL = 1e-7
"""What PyTorch adds to a norm before it divides by it."""


attach("dist norm renorm", globals(), "renorm")

refuse(globals(), TWO_BOOLS, "bool", "dist")
