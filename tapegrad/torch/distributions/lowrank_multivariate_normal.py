"""The normal distribution of vectors whose covariance is a diagonal and a few columns."""

from __future__ import annotations

from typing import Any, ClassVar

from ..broadcasting import broadcast_tensors
from ..filling import eye
from ..joining import cat
from ..linalg import cholesky, solve_triangular
from ..tensor import Tensor
from . import constraints, errors
from .multivariate_normal import VectorNormal, half_log_determinant
from .utils import lazy_property, normals_like

__all__ = ["LowRankMultivariateNormal"]


class LowRankMultivariateNormal(VectorNormal):
    """Normal vectors of the covariance ``cov_factor @ cov_factor.T + diag(cov_diag)``.

    Only matrices as wide as `cov_factor` are factored (by the identities of Woodbury, and of the
    determinant).

    >>> import tapegrad.torch as torch
    >>> factor, diagonal = torch.ones(3, 1), torch.ones(3)
    >>> d = torch.distributions.LowRankMultivariateNormal(torch.zeros(3), factor, diagonal)
    >>> d.log_prob(torch.zeros(3))
    tensor(-3.4500)
    """

    arg_constraints: ClassVar[Any] = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }

    def __init__(
        self,
        loc: Tensor,
        cov_factor: Tensor,
        cov_diag: Tensor,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise errors.no_axes("loc")
        n = loc.shape[-1]
        if cov_factor.dim() < 2:
            raise errors.no_matrix("cov_factor")
        if cov_factor.shape[-2] != n:
            raise errors.no_columns(n)
        if cov_diag.shape[-1:] != loc.shape[-1:]:
            raise errors.no_diagonal(loc.shape[-1:])
        try:
            mean, self.cov_factor, diagonal = broadcast_tensors(
                loc[..., None], cov_factor, cov_diag[..., None]
            )
        except RuntimeError as error:
            raise errors.unlike_batches(loc, cov_factor, cov_diag) from error
        self.loc, self.cov_diag = mean[..., 0], diagonal[..., 0]
        self.given = cov_factor, cov_diag
        super().__init__(self.loc.shape[:-1], loc.shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new.given = self.given
        return new

    @lazy_property
    def inner(self) -> Any:
        """The Cholesky factor of ``I + W.T @ inv(D) @ W``, for the factor W and the diagonal D."""
        factor, diagonal = self.given
        columns = factor / diagonal.sqrt()[..., None]
        one = eye(factor.shape[-1], dtype=factor.dtype, device=factor.device)
        return cholesky(columns.mT @ columns + one)

    @lazy_property
    def covariance_matrix(self) -> Any:
        """The covariance."""
        factor, diagonal = self.given
        return self.in_batch(factor @ factor.mT + diagonal.diag_embed())

    @lazy_property
    def precision_matrix(self) -> Any:
        """The inverse of the covariance."""
        factor, diagonal = self.given
        part = solve_triangular(self.inner, factor.mT / diagonal[..., None, :], upper=False)
        return self.in_batch((1 / diagonal).diag_embed() - part.mT @ part)

    @lazy_property
    def scale_tril(self) -> Any:
        """The Cholesky factor of the covariance."""
        factor, diagonal = self.given
        scale = diagonal.sqrt()[..., None]
        columns = factor / scale  # the matrix that is left has no eigenvalue below 1
        one = eye(factor.shape[-2], dtype=factor.dtype, device=factor.device)
        return self.in_batch(scale * cholesky(columns @ columns.mT + one))

    @property
    def variance(self) -> Any:
        return (self.cov_factor**2).sum(-1) + self.cov_diag

    @property
    def half_log_determinant(self) -> Any:
        return half_log_determinant(self.inner) + self.given[1].log().sum(-1) / 2

    def squared_distances(self, columns: Any) -> Any:
        factor, diagonal = self.given
        weighted = columns / diagonal[..., None]
        part = solve_triangular(self.inner, factor.mT @ weighted, upper=False)
        return (columns * weighted).sum(-2) - (part**2).sum(-2)

    @property
    def root(self) -> Any:
        factor, diagonal = self.cov_factor, self.cov_diag
        return cat([factor, diagonal.sqrt().diag_embed()], -1)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        factor, diagonal = self.given
        along = normals_like(self.loc, (*shape[:-1], factor.shape[-1]))
        alone = normals_like(self.loc, shape)
        return self.loc + (factor @ along[..., None]).squeeze(-1) + diagonal.sqrt() * alone
