"""Norms and distances under the names that stand in `torch` itself."""

from __future__ import annotations

from typing import Any

from ..ops.contract import matmul, transpose
from ..ops.elementary import sqrt
from ..ops.linear import reshape
from ..ops.linear import sum as sum_over
from ..ops.matrices import columns, rows
from ..ops.selection import keep, where
from . import errors
from .calls import attach, in_single, in_wide, on_arrays, promoted
from .dtypes import dtype
from .linalg import norms
from .linalg.operands import inexact
from .reductions import axes_of, wrapped
from .tensor import Tensor

__all__ = ["cdist", "dist", "frobenius_norm", "norm", "nuclear_norm", "renorm"]

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

FEW = 25
"""Up to this many vectors, distances are computed by differences, which lose no digits."""


@on_arrays
def cdist(
    x1: Any, x2: Any, p: float = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary"
) -> Any:
    """The distances of order `p` between all rows of two matrices, or of stacks of them.

    Euclidean distances between more than 25 rows are computed by a product of matrices, faster and
    with fewer digits where they are small, unless `compute_mode` is
    "donot_use_mm_for_euclid_dist". The gradient at distance 0 is 0.
    """
    if x1.shape[-1] != x2.shape[-1]:
        raise errors.cdist_sizes(x1.shape[-1], x2.shape[-1])
    if p < 0:
        raise errors.cdist_order()
    if compute_mode not in MODES:
        raise errors.cdist_mode(compute_mode)
    many = max(x1.shape[-2], x2.shape[-2]) > FEW
    if p == 2 and (compute_mode == MODES[1] or (compute_mode == MODES[0] and many)):
        return by_product(x1, x2)
    a = reshape(x1, to=(*x1.shape[:-1], 1, x1.shape[-1]))
    b = reshape(x2, to=(*x2.shape[:-2], 1, *x2.shape[-2:]))
    difference = a - b
    return norms.of_elements(difference, float(p), (difference.ndim - 1,), False)


MODES = (
    "use_mm_for_euclid_dist_if_necessary",
    "use_mm_for_euclid_dist",
    "donot_use_mm_for_euclid_dist",
)


def by_product(a: Any, b: Any) -> Any:
    """The Euclidean distances, by the binomial formula."""
    left, right = (sum_over(x * x, axis=(x.ndim - 1,), keepdims=False) for x in (a, b))
    squares = columns(left) + rows(right) - 2 * matmul(a, transpose(b))
    apart = squares > 0
    return keep(sqrt(where(apart, squares, 1)), apart)


attach("dist norm renorm", globals(), "renorm")
