"""The normal distribution of vectors, and what a covariance can be given by."""

from __future__ import annotations

from typing import Any, ClassVar

from ..broadcasting import broadcast_shapes
from ..linalg import cholesky, inv, solve_triangular
from ..tensor import Tensor
from . import constraints, errors
from .distribution import Distribution
from .normal import LOG_SQRT_TWO_PI
from .utils import lazy_property, normals_like

__all__ = ["MultivariateNormal", "VectorNormal", "WithCovariance"]

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


class WithCovariance(Distribution):
    """A distribution of a covariance: as it is, by its inverse, or by its Cholesky factor."""

    def take(self, *matrices: Tensor | None) -> Tensor:
        """Keep the one matrix that is given of the covariance, the precision and the factor."""
        chosen = [(name, m) for name, m in zip(WAYS, matrices, strict=True) if m is not None]
        if len(chosen) != 1:
            raise errors.one_covariance()
        ((name, matrix),) = chosen
        if matrix.dim() < 2:
            raise errors.no_matrix(name)
        self.given = name, matrix
        return matrix

    def keep(self, batch_shape: Any) -> None:
        """Make the given matrix an attribute of its name, one for each of a batch."""
        name, matrix = self.given
        self.__dict__[name] = matrix.expand((*batch_shape, *matrix.shape[-2:]))

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


class VectorNormal(Distribution):
    """A normal distribution of vectors, of whatever form its covariance has."""

    loc: Any
    support = constraints.real_vector
    has_rsample = True

    @property
    def mean(self) -> Any:
        return self.loc

    @property
    def mode(self) -> Any:
        return self.loc

    @property
    def root(self) -> Any:
        """A matrix whose product with its transpose is the covariance."""
        raise errors.has_no(type(self).__name__, "root")

    @property
    def half_log_determinant(self) -> Any:
        """Half the logarithm of the determinant of the covariance."""
        raise errors.has_no(type(self).__name__, "half_log_determinant")

    def squared_distances(self, columns: Any) -> Any:
        """The square lengths of columns where the covariance measures lengths."""
        raise errors.has_no(type(self).__name__, "squared_distances")

    def squared_distance(self, difference: Any) -> Any:
        """The square length of vectors where the covariance measures lengths."""
        return self.squared_distances(difference[..., None]).squeeze(-1)

    def log_prob(self, value: Any) -> Any:
        self.check(value)
        distance = self.squared_distance(value - self.loc)
        area = self.half_log_determinant + self.event_shape[0] * LOG_SQRT_TWO_PI
        return -distance / 2 - area

    def entropy(self) -> Any:
        n = self.event_shape[0]
        entropy = self.half_log_determinant + n * (LOG_SQRT_TWO_PI + 0.5)
        return entropy.expand(self.batch_shape)


class MultivariateNormal(VectorNormal, WithCovariance):
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
        matrix = self.take(covariance_matrix, precision_matrix, scale_tril)
        batch = broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        self.loc = loc.expand((*batch, loc.shape[-1]))
        self.keep(batch)
        super().__init__(batch, loc.shape[-1:], validate_args=validate_args)

    @property
    def root(self) -> Any:
        return self.scale_tril

    @property
    def half_log_determinant(self) -> Any:
        return half_log_determinant(self.factor)

    def squared_distances(self, columns: Any) -> Any:
        return (solve_triangular(self.factor, columns, upper=False) ** 2).sum(-2)

    def squared_distance(self, difference: Any) -> Any:
        return squared_distance(self.factor, difference)

    @property
    def variance(self) -> Any:
        return (self.factor**2).sum(-1).expand((*self.batch_shape, *self.event_shape))

    def rsample(self, sample_shape: Any = ()) -> Any:
        drawn = normals_like(self.loc, self._extended_shape(sample_shape))
        return self.loc + (self.factor @ drawn[..., None]).squeeze(-1)
