"""Distributions of transformed values."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..modes import no_grad
from . import constraints, errors
from .distribution import Distribution
from .independent import Independent
from .normal import Normal
from .transform import ComposeTransform, Transform
from .transforms import ExpTransform, StickBreakingTransform
from .utils import sum_rightmost

__all__ = ["LogNormal", "LogisticNormal", "TransformedDistribution"]


class TransformedDistribution(Distribution):
    """The distribution of values of another one after transforms.

    >>> import tapegrad.torch as torch
    >>> from tapegrad.torch.distributions import Normal, TransformedDistribution
    >>> from tapegrad.torch.distributions.transforms import ExpTransform
    >>> positive = TransformedDistribution(Normal(0.0, 1.0), ExpTransform())
    >>> positive.log_prob(torch.tensor(1.0))
    tensor(-0.9189)
    """

    def __init__(
        self, base_distribution: Distribution, transforms: Any, validate_args: bool | None = None
    ) -> None:
        parts = [transforms] if isinstance(transforms, Transform) else transforms
        if not isinstance(parts, list) or not all(isinstance(t, Transform) for t in parts):
            raise errors.no_transforms(transforms)
        self.transforms = parts
        whole = ComposeTransform(parts)
        shape = (*base_distribution.batch_shape, *base_distribution.event_shape)
        need = whole.domain.event_dim
        if len(shape) < need:
            raise errors.base_too_small(need, base_distribution._extended_shape())
        forward = whole.forward_shape(shape)
        base = base_distribution.expand(
            whole.inverse_shape(forward)[: len(shape) - len(base_distribution.event_shape)]
        )
        missing = need - len(base.event_shape)
        self.base_dist: Any = Independent(base, missing) if missing > 0 else base
        self.has_rsample = self.base_dist.has_rsample
        axes = whole.codomain.event_dim + max(len(base.event_shape) - need, 0)
        cut = len(forward) - axes
        super().__init__(forward[:cut], forward[cut:], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        shape = (*batch_shape, *self.event_shape)
        inner = ComposeTransform(self.transforms).inverse_shape(shape)
        base = self.base_dist.expand(inner[: len(inner) - len(self.base_dist.event_shape)])
        new = type(self).__new__(type(self)) if _instance is None else _instance
        TransformedDistribution.__init__(new, base, self.transforms, self._validate_args)
        return new

    @constraints.DependentProperty(is_discrete=False)
    def support(self) -> Any:
        """Where the last transform leads."""
        if not self.transforms:
            return self.base_dist.support
        own = self.transforms[-1].codomain
        missing = len(self.event_shape) - own.event_dim
        return constraints.independent(own, missing) if missing > 0 else own

    def forward(self, x: Any) -> Any:
        """What values of the base distribution become."""
        for transform in self.transforms:
            x = transform(x)
        return x

    def sample(self, sample_shape: Any = ()) -> Any:
        with no_grad():
            return self.forward(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.forward(self.base_dist.rsample(sample_shape))

    def log_prob(self, value: Any) -> Any:
        self.check(value)
        axes = len(self.event_shape)
        total: Any = 0
        y = value
        for transform in reversed(self.transforms):
            x = transform.back(y)
            axes += transform.domain.event_dim - transform.codomain.event_dim
            stretched = transform.log_abs_det_jacobian(x, y)
            total = total - sum_rightmost(stretched, axes - transform.domain.event_dim)
            y = x
        own = self.base_dist.log_prob(y)
        return total + sum_rightmost(own, axes - len(self.base_dist.event_shape))

    def direction(self) -> Any:
        """Whether the transforms rise (1) or fall (-1), together."""
        return math.prod(t.sign for t in self.transforms)

    def cdf(self, value: Any) -> Any:
        self.check(value)
        for transform in reversed(self.transforms):
            value = transform.back(value)
        return self.turned(self.base_dist.cdf(value))

    def icdf(self, value: Any) -> Any:
        return self.forward(self.base_dist.icdf(self.turned(value)))

    def turned(self, probability: Any) -> Any:
        """A probability, or what it lacks to 1 where the transforms fall."""
        sign = self.direction()
        return sign * (probability - 0.5) + 0.5


class LogNormal(TransformedDistribution):
    """The distribution of the exponential of a normal distribution's values."""

    arg_constraints: ClassVar[Any] = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.positive

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args)
        super().__init__(base, ExpTransform(), validate_args)

    @property
    def loc(self) -> Any:
        """The mean of the logarithm."""
        return self.base_dist.loc

    @property
    def scale(self) -> Any:
        """The standard deviation of the logarithm."""
        return self.base_dist.scale

    @property
    def mean(self) -> Any:
        return (self.loc + self.scale**2 / 2).exp()

    @property
    def mode(self) -> Any:
        return (self.loc - self.scale**2).exp()

    @property
    def variance(self) -> Any:
        square = self.scale**2
        return square.expm1() * (2 * self.loc + square).exp()

    def entropy(self) -> Any:
        return self.base_dist.entropy() + self.loc


class LogisticNormal(TransformedDistribution):
    """The distribution of probabilities whose stick-breaking parts are normal."""

    arg_constraints: ClassVar[Any] = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.simplex

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args)
        if not base.batch_shape:
            base = base.expand((1,))
        super().__init__(base, StickBreakingTransform(), validate_args)

    @property
    def loc(self) -> Any:
        """The means of the parts."""
        return self.base_dist.base_dist.loc

    @property
    def scale(self) -> Any:
        """The standard deviations of the parts."""
        return self.base_dist.base_dist.scale
