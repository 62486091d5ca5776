"""Continuous distributions of single numbers, each in closed form."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..random import rand
from ..selection import where
from . import constraints, errors
from .distribution import Distribution, ExponentialFamily
from .location_scale import LocationScale
from .utils import EULER, broadcast_all, holds, uniforms_like

__all__ = ["Cauchy", "Exponential", "Gumbel", "Laplace", "Uniform"]


class Uniform(Distribution):
    """The uniform distribution from `low` to `high`."""

    arg_constraints: ClassVar[Any] = dict.fromkeys(
        ("low", "high"), constraints.Dependent(event_dim=0)
    )
    has_rsample = True

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        self.low, self.high = broadcast_all(low, high)
        super().__init__(self.low.shape, validate_args=validate_args)

    def check_parameters(self) -> None:
        below, above = constraints.less_than(self.high), constraints.greater_than(self.low)
        for name, constraint in (("low", below), ("high", above)):
            value = getattr(self, name)
            if not holds(constraint.check(value)):
                raise errors.invalid_parameter(name, value, self, constraint)

    @constraints.DependentProperty(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        """From `low` to `high`."""
        return constraints.interval(self.low, self.high)

    @property
    def mean(self) -> Any:
        return (self.low + self.high) / 2

    @property
    def mode(self) -> Any:
        return math.nan * self.high

    @property
    def stddev(self) -> Any:
        return (self.high - self.low) / math.sqrt(12)

    @property
    def variance(self) -> Any:
        return (self.high - self.low) ** 2 / 12

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        drawn = rand(shape, dtype=self.low.dtype, device=self.low.device)
        return self.low + drawn * (self.high - self.low)

    def log_prob(self, value: Any) -> Any:
        self.check(value)
        inside = (value >= self.low) & (value < self.high)
        return where(inside, -(self.high - self.low).log(), -math.inf)

    def cdf(self, value: Any) -> Any:
        self.check(value)
        return ((value - self.low) / (self.high - self.low)).clamp(0, 1)

    def icdf(self, value: Any) -> Any:
        return self.low + value * (self.high - self.low)

    def entropy(self) -> Any:
        return (self.high - self.low).log()


class Exponential(ExponentialFamily):
    """The exponential distribution of a `rate`."""

    arg_constraints: ClassVar[Any] = {"rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.shape, validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return 1 / self.rate

    @property
    def mode(self) -> Any:
        return self.rate * 0

    @property
    def stddev(self) -> Any:
        return 1 / self.rate

    @property
    def variance(self) -> Any:
        return self.rate**-2

    def rsample(self, sample_shape: Any = ()) -> Any:
        drawn = uniforms_like(self.rate, self._extended_shape(sample_shape))
        return -drawn.log() / self.rate

    def log_prob(self, value: Any) -> Any:
        self.check(value)
        return self.rate.log() - self.rate * value

    def cdf(self, value: Any) -> Any:
        self.check(value)
        return -(-self.rate * value).expm1()

    def icdf(self, value: Any) -> Any:
        return -(-value).log1p() / self.rate

    def entropy(self) -> Any:
        return 1 - self.rate.log()


class Laplace(LocationScale):
    """The Laplace distribution around `loc`, which falls by e within a `scale`."""

    @property
    def stddev(self) -> Any:
        return math.sqrt(2) * self.scale

    @property
    def variance(self) -> Any:
        return 2 * self.scale**2

    def log_prob(self, value: Any) -> Any:
        self.check(value)
        return -(2 * self.scale).log() - (value - self.loc).abs() / self.scale

    def cdf(self, value: Any) -> Any:
        self.check(value)
        z = self.standard(value)
        return 0.5 - z.sign() * (-z.abs()).expm1() / 2

    def icdf(self, value: Any) -> Any:
        part = value - 0.5
        return self.loc - self.scale * part.sign() * (-2 * part.abs()).log1p()

    def entropy(self) -> Any:
        return 1 + (2 * self.scale).log()


class Cauchy(LocationScale):
    """The Cauchy distribution around `loc`, half of it within a `scale`."""

    @property
    def mean(self) -> Any:
        return self.loc * 0 + math.nan

    @property
    def variance(self) -> Any:
        return self.loc * 0 + math.inf

    def log_prob(self, value: Any) -> Any:
        self.check(value)
        z = self.standard(value)
        return -math.log(math.pi) - self.scale.log() - (z * z).log1p()

    def cdf(self, value: Any) -> Any:
        self.check(value)
        return self.standard(value).atan() / math.pi + 0.5

    def icdf(self, value: Any) -> Any:
        return self.loc + self.scale * (math.pi * (value - 0.5)).tan()

    def entropy(self) -> Any:
        return math.log(4 * math.pi) + self.scale.log()


class Gumbel(LocationScale):
    """The Gumbel distribution, of the largest of many values."""

    @property
    def mean(self) -> Any:
        return self.loc + self.scale * EULER

    @property
    def stddev(self) -> Any:
        return math.pi / math.sqrt(6) * self.scale

    @property
    def variance(self) -> Any:
        return math.pi**2 / 6 * self.scale**2

    def log_prob(self, value: Any) -> Any:
        self.check(value)
        z = self.standard(value)
        return -z - (-z).exp() - self.scale.log()

    def cdf(self, value: Any) -> Any:
        self.check(value)
        return (-(-self.standard(value)).exp()).exp()

    def icdf(self, value: Any) -> Any:
        return self.loc - self.scale * (-value.log()).log()

    def entropy(self) -> Any:
        return self.scale.log() + (1 + EULER)
