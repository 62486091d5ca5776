"""Transforms of vectors and matrices to triangular and to positive definite matrices."""

from __future__ import annotations

import math
from typing import Any

from ..dtypes import finfo
from ..filling import eye, ones_like
from ..joining import cat
from ..linalg import cholesky
from ..size import Size
from . import constraints, errors
from .transform import Transform
from .utils import softplus, tril_matrix_to_vec, vec_to_tril_matrix

__all__ = ["CorrCholeskyTransform", "LowerCholeskyTransform", "PositiveDefiniteTransform"]


class OfMatrices(Transform):
    """A transform without parameters, of square matrices."""

    domain = constraints.independent(constraints.real, 2)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))


class LowerCholeskyTransform(OfMatrices):
    """Square matrices as lower triangular ones with the exponentials of their diagonals."""

    codomain = constraints.lower_cholesky

    def _call(self, x: Any) -> Any:
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y: Any) -> Any:
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(OfMatrices):
    """Square matrices as positive definite ones, by a Cholesky factor."""

    codomain = constraints.positive_definite

    def _call(self, x: Any) -> Any:
        factor = LowerCholeskyTransform()(x)
        return factor @ factor.mT

    def _inverse(self, y: Any) -> Any:
        return LowerCholeskyTransform().inv(cholesky(y))


def shifted(x: Any) -> Any:
    """A tensor moved by one along the last axis, with ones at the front."""
    return cat([ones_like(x[..., :1]), x[..., :-1]], -1)


class CorrCholeskyTransform(Transform):
    """Vectors as Cholesky factors of matrices of correlation.

    The hyperbolic tangents of the elements, row by row below the diagonal, are correlations given
    the columns before: each takes its part of the length that those have left (as in Stan).
    """

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x: Any) -> Any:
        eps = finfo(x.dtype).eps
        r = vec_to_tril_matrix(x.tanh().clamp(-1 + eps, 1 - eps), -1)
        left = (1 - r**2).sqrt().cumprod(-1)
        return (r + eye(r.shape[-1], dtype=r.dtype, device=r.device)) * shifted(left)

    def _inverse(self, y: Any) -> Any:
        left = shifted(1 - (y * y).cumsum(-1))
        r = tril_matrix_to_vec(y, -1) / tril_matrix_to_vec(left, -1).sqrt()
        return (r.log1p() - (-r).log1p()) / 2

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        left = tril_matrix_to_vec(1 - (y * y).cumsum(-1), -2)
        slopes = -2 * (x + softplus(-2 * x) - math.log(2))
        return left.log().sum(-1) / 2 + slopes.sum(-1)

    def forward_shape(self, shape: Any) -> Any:
        if len(shape) < 1:
            raise errors.too_few_dimensions()
        count = shape[-1]
        n = round(math.sqrt(0.25 + 2 * count) + 0.5)
        if n * (n - 1) // 2 != count:
            raise errors.no_flat_triangle()
        return Size((*shape[:-1], n, n))

    def inverse_shape(self, shape: Any) -> Any:
        if len(shape) < 2:
            raise errors.too_few_dimensions()
        n = shape[-1]
        if shape[-2] != n:
            raise errors.not_square()
        return Size((*shape[:-2], n * (n - 1) // 2))
