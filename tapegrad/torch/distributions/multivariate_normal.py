"""The normal distribution of vectors."""

from __future__ import annotations

from typing import Any, ClassVar

from ..broadcasting import broadcast_shapes
from ..linalg import cholesky, inv, solve_triangular
from ..tensor import Tensor
from . import constraints, errors
from .distribution import Distribution
from .normal import LOG_SQRT_TWO_PI
from .utils import lazy_property, normals_like

__all__ = ["MultivariateNormal"]

WAYS = ("covariance_matrix", "precision_matrix", "scale_tril")


def squared_distance(scale_tril: Tensor, difference: Tensor) -> Any:
    """The square length of vectors where lengths are measured by a Cholesky factor."""
    shape = broadcast_shapes(scale_tril.shape[:-1], difference.shape)
    n = shape[-1]
    if scale_tril.dim() == 2:  # one matrix for all: one system of many right-hand sides
        columns = difference.reshape(-1, n).mT
        return (solve_triangular(scale_tril, columns, upper=False) ** 2).sum(0).reshape(shape[:-1])
    solved = solve_triangular(scale_tril, difference.expand(shape)[..., None], upper=False)
    return (solved**2).sum((-1, -2))


def half_log_determinant(scale_tril: Tensor) -> Any:
    """The logarithm of the determinant of a Cholesky factor."""
    return scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)


class MultivariateNormal(Distribution):
    """The normal distribution of vectors with mean `loc`.

    Its covariance is given as it is, by its inverse (the precision) or by its Cholesky factor.

    >>> import tapegrad.torch as torch
    >>> d = torch.distributions.MultivariateNormal(torch.zeros(2), torch.eye(2))
    >>> d.log_prob(torch.zeros(2))
    tensor(-1.8379)
    """

    arg_constraints: ClassVar[Any] = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        loc: Tensor,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise errors.no_axes("loc")
        given = zip(WAYS, (covariance_matrix, precision_matrix, scale_tril), strict=True)
        chosen = [(name, matrix) for name, matrix in given if matrix is not None]
        if len(chosen) != 1:
            raise errors.one_covariance()
        ((name, matrix),) = chosen
        if matrix.dim() < 2:
            raise errors.no_matrix(name)
        batch = broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        self.loc = loc.expand((*batch, loc.shape[-1]))
        self.__dict__[name] = matrix.expand((*batch, *matrix.shape[-2:]))
        self.given = name, matrix
        super().__init__(batch, loc.shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new.given = self.given
        return new

    @lazy_property
    def factor(self) -> Any:
        """The Cholesky factor of the covariance, in the shape that the matrix was given in."""
        name, matrix = self.given
        if name == "scale_tril":
            return matrix
        return cholesky(matrix if name == "covariance_matrix" else inv(matrix))

    def in_batch(self, matrix: Any) -> Any:
        """A matrix for each distribution of the batch."""
        return matrix.expand((*self.batch_shape, *matrix.shape[-2:]))

    @lazy_property
    def scale_tril(self) -> Any:
        """The Cholesky factor of the covariance."""
        return self.in_batch(self.factor)

    @lazy_property
    def covariance_matrix(self) -> Any:
        """The covariance."""
        return self.in_batch(self.factor @ self.factor.mT)

    @lazy_property
    def precision_matrix(self) -> Any:
        """The inverse of the covariance."""
        inverse = inv(self.factor)
        return self.in_batch(inverse.mT @ inverse)

    @property
    def mean(self) -> Any:
        return self.loc

    @property
    def mode(self) -> Any:
        return self.loc

    @property
    def variance(self) -> Any:
        return (self.factor**2).sum(-1).expand((*self.batch_shape, *self.event_shape))

    def rsample(self, sample_shape: Any = ()) -> Any:
        drawn = normals_like(self.loc, self._extended_shape(sample_shape))
        return self.loc + (self.factor @ drawn[..., None]).squeeze(-1)

    def log_prob(self, value: Any) -> Any:
        self.check(value)
        distance = squared_distance(self.factor, value - self.loc)
        area = half_log_determinant(self.factor) + self.event_shape[0] * LOG_SQRT_TWO_PI
        return -distance / 2 - area

    def entropy(self) -> Any:
        n = self.event_shape[0]
        entropy = half_log_determinant(self.factor) + n * (LOG_SQRT_TWO_PI + 0.5)
        return entropy.expand(self.batch_shape)
