"""Distributions of positive numbers that are folded, or powers of others."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..selection import where
from . import constraints
from .continuous import Cauchy
from .distribution import Distribution
from .normal import Normal
from .utils import EULER, as_parameter, broadcast_all, uniforms_like

__all__ = ["HalfCauchy", "HalfNormal", "Pareto", "Weibull"]


class Folded(Distribution):
    """The absolute values of a distribution around 0."""

    arg_constraints: ClassVar[Any] = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    whole: Any

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        self.scale = as_parameter(scale)
        super().__init__(self.scale.shape, validate_args=validate_args)

    @property
    def base_dist(self) -> Any:
        """The distribution whose absolute values these are."""
        return type(self).whole(self.scale * 0, self.scale, False)

    @property
    def mode(self) -> Any:
        return self.scale * 0

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.base_dist.rsample(sample_shape).abs()

    def log_prob(self, value: Any) -> Any:
        self.check(value)
        inside = self.base_dist.log_prob(value) + math.log(2)
        return where(value >= 0, inside, -math.inf)

    def cdf(self, value: Any) -> Any:
        self.check(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, value: Any) -> Any:
        return self.base_dist.icdf((value + 1) / 2)

    def entropy(self) -> Any:
        return self.base_dist.entropy() - math.log(2)


class HalfNormal(Folded):
    """The absolute values of a normal distribution of mean 0."""

    whole = Normal

    @property
    def mean(self) -> Any:
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self) -> Any:
        return self.scale**2 * (1 - 2 / math.pi)


class HalfCauchy(Folded):
    """The absolute values of a Cauchy distribution around 0."""

    whole = Cauchy

    @property
    def mean(self) -> Any:
        return self.scale * math.inf

    @property
    def variance(self) -> Any:
        return self.scale * math.inf


class Weibull(Distribution):
    """The Weibull distribution: a power of exponential values."""

    arg_constraints: ClassVar[Any] = {
        "scale": constraints.positive,
        "concentration": constraints.positive,
    }
    support = constraints.positive
    has_rsample = True

    def __init__(self, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        super().__init__(self.scale.shape, validate_args=validate_args)

    def moment(self, n: int) -> Any:
        """The mean of the `n`-th power, for a scale of 1."""
        return (1 + n / self.concentration).lgamma().exp()

    @property
    def mean(self) -> Any:
        return self.scale * self.moment(1)

    @property
    def mode(self) -> Any:
        k = self.concentration
        return self.scale * ((k - 1) / k) ** (1 / k)

    @property
    def variance(self) -> Any:
        return self.scale**2 * (self.moment(2) - self.moment(1) ** 2)

    def rsample(self, sample_shape: Any = ()) -> Any:
        drawn = -uniforms_like(self.scale, self._extended_shape(sample_shape)).log()
        return self.scale * drawn ** (1 / self.concentration)

    def log_prob(self, value: Any) -> Any:
        self.check(value)
        k = self.concentration
        z = value / self.scale
        return k.log() - self.scale.log() + (k - 1) * z.log() - z**k

    def cdf(self, value: Any) -> Any:
        self.check(value)
        return -(-((value / self.scale) ** self.concentration)).expm1()

    def icdf(self, value: Any) -> Any:
        return self.scale * (-(-value).log1p()) ** (1 / self.concentration)

    def entropy(self) -> Any:
        k = self.concentration
        return EULER * (1 - 1 / k) + (self.scale / k).log() + 1


class Pareto(Distribution):
    """The Pareto distribution, from `scale` on, of the power `alpha`."""

    arg_constraints: ClassVar[Any] = {"alpha": constraints.positive, "scale": constraints.positive}
    has_rsample = True

    def __init__(self, scale: Any, alpha: Any, validate_args: bool | None = None) -> None:
        self.scale, self.alpha = broadcast_all(scale, alpha)
        super().__init__(self.scale.shape, validate_args=validate_args)

    @constraints.DependentProperty(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        """The numbers from `scale` on."""
        return constraints.greater_than_eq(self.scale)

    @property
    def mean(self) -> Any:
        a = self.alpha.clamp(min=1)
        return a * self.scale / (a - 1)

    @property
    def mode(self) -> Any:
        return self.scale

    @property
    def variance(self) -> Any:
        a = self.alpha.clamp(min=2)
        return self.scale**2 * a / ((a - 1) ** 2 * (a - 2))

    def rsample(self, sample_shape: Any = ()) -> Any:
        drawn = uniforms_like(self.scale, self._extended_shape(sample_shape))
        return self.scale * drawn ** (-1 / self.alpha)

    def log_prob(self, value: Any) -> Any:
        self.check(value)
        return self.alpha.log() + self.alpha * self.scale.log() - (self.alpha + 1) * value.log()

    def cdf(self, value: Any) -> Any:
        self.check(value)
        return 1 - (self.scale / value) ** self.alpha

    def icdf(self, value: Any) -> Any:
        return self.scale * (1 - value) ** (-1 / self.alpha)

    def entropy(self) -> Any:
        return (self.scale / self.alpha).log() + 1 + 1 / self.alpha
