"""The Wishart distribution, of sums of squares and products of normal vectors."""

from __future__ import annotations

import math
import warnings
from typing import Any, ClassVar

from ..broadcasting import broadcast_shapes
from ..creation import as_tensor
from ..filling import arange
from ..linalg import slogdet, solve_triangular
from ..special import multigammaln
from ..tensor import Tensor
from . import constraints, errors
from .distribution import ExponentialFamily
from .gamma import standard_gammas
from .multivariate_normal import WithCovariance, half_log_determinant
from .utils import normals_like

__all__ = ["Wishart"]


class Wishart(WithCovariance, ExponentialFamily):
    """The distribution of ``X.T @ X``, where `X` has `df` rows, normal with the given covariance.

    The covariance is given as it is, by its inverse (the precision) or by its Cholesky factor.
    """

    arg_constraints: ClassVar[Any] = property(
        lambda self: {
            "covariance_matrix": constraints.positive_definite,
            "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky,
            "df": constraints.greater_than(self.event_shape[-1] - 1),
        }
    )
    support = constraints.positive_definite
    has_rsample = True

    def __init__(
        self,
        df: Any,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        matrix = self.take(covariance_matrix, precision_matrix, scale_tril)
        freedom = as_tensor(df, dtype=matrix.dtype, device=matrix.device)
        batch = broadcast_shapes(matrix.shape[:-2], freedom.shape)
        n = matrix.shape[-1]
        if bool((freedom <= n - 1).any()):
            raise errors.too_few_degrees(df, n)
        if bool((freedom < n).any()):
            warnings.warn(errors.NEARLY_SINGULAR, stacklevel=2)
        self.df = freedom.expand(batch)
        self.keep(batch)
        super().__init__(batch, matrix.shape[-2:], validate_args=validate_args)

    @property
    def count(self) -> Any:
        """The degrees of freedom, beside matrices."""
        return self.df[..., None, None]

    @property
    def mean(self) -> Any:
        return self.count * self.covariance_matrix

    @property
    def mode(self) -> Any:
        above = self.count - self.event_shape[-1] - 1
        return above.where(above > 0, math.nan) * self.covariance_matrix

    @property
    def variance(self) -> Any:
        matrix = self.covariance_matrix
        diagonal = matrix.diagonal(dim1=-2, dim2=-1)
        return self.count * (matrix**2 + diagonal[..., :, None] * diagonal[..., None, :])

    def drawn(self, sample_shape: Any) -> Any:
        """Values by Bartlett's decomposition."""
        n = self.event_shape[-1]
        shape = self._extended_shape(sample_shape)
        less = arange(n, dtype=self.df.dtype, device=self.df.device)
        square = 2 * standard_gammas((self.df[..., None] - less) / 2, shape[:-1])
        root = normals_like(self.df, shape).tril(-1) + square.sqrt().diag_embed()
        root = self.factor @ root
        return root @ root.mT

    def rsample(self, sample_shape: Any = (), max_try_correction: int | None = None) -> Any:
        """Values at random; matrices that rounding made singular are drawn anew, some times."""
        values = self.drawn(sample_shape)
        for _ in range(10 if max_try_correction is None else max_try_correction):
            good = self.support.check(values)
            if bool(good.all()):
                return values
            values = values.where(good[..., None, None], self.drawn(sample_shape))
        if not bool(self.support.check(values).all()):
            warnings.warn(errors.SINGULAR, stacklevel=2)
        return values

    @property
    def log_area(self) -> Any:
        """The logarithm of the integral, without the power of the determinant."""
        n = self.event_shape[-1]
        return n * math.log(2) / 2 + half_log_determinant(self.factor)

    def log_prob(self, value: Any) -> Any:
        self.check(value)
        n = self.event_shape[-1]
        inner = solve_triangular(self.factor, value, upper=False)
        inner = solve_triangular(self.factor.mT, inner, upper=True)
        trace = inner.diagonal(dim1=-2, dim2=-1).sum(-1)
        height = (self.df - n - 1) / 2 * slogdet(value).logabsdet
        return height - trace / 2 - self.df * self.log_area - multigammaln(self.df / 2, n)

    @property
    def mean_logarithm(self) -> Any:
        """The mean of the logarithm of the determinant."""
        n = self.event_shape[-1]
        less = arange(n, dtype=self.df.dtype, device=self.df.device)
        return ((self.df[..., None] - less) / 2).digamma().sum(-1) + 2 * self.log_area

    def entropy(self) -> Any:
        n = self.event_shape[-1]
        area = self.df * self.log_area + multigammaln(self.df / 2, n)
        return area - (self.df - n - 1) / 2 * self.mean_logarithm + self.df * n / 2
