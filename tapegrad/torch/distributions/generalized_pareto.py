"""The generalised Pareto distribution, of what exceeds a high threshold."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..random import rand
from ..truth import isclose
from . import constraints
from .distribution import Distribution
from .utils import broadcast_all

__all__ = ["GeneralizedPareto"]


class GeneralizedPareto(Distribution):
    """The generalised Pareto distribution from `loc` on.

    Without `concentration` it is exponential. With a positive one it falls by a power; with a
    negative one it ends at ``loc - scale / concentration``.
    """

    arg_constraints: ClassVar[Any] = {
        "loc": constraints.real,
        "scale": constraints.positive,
        "concentration": constraints.real,
    }
    has_rsample = True

    def __init__(
        self, loc: Any, scale: Any, concentration: Any, validate_args: bool | None = None
    ) -> None:
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @constraints.DependentProperty(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        """From `loc` to where the distribution ends."""
        c = self.concentration
        return constraints.interval(self.loc, (self.loc - self.scale / c).where(c < 0, math.inf))

    @property
    def exponential(self) -> Any:
        """Where the concentration is too near to 0 to divide by it."""
        return isclose(self.concentration, self.concentration * 0)

    @property
    def divisor(self) -> Any:
        """The concentration, or 1 where the distribution is exponential."""
        return self.concentration.where(~self.exponential, 1.0)

    @property
    def mean(self) -> Any:
        c = self.concentration
        inside = c.where(c < 1, 0.5)
        return (self.loc + self.scale / (1 - inside)).where(c < 1, math.nan)

    @property
    def mode(self) -> Any:
        return self.loc

    @property
    def variance(self) -> Any:
        c = self.concentration
        inside = c.where(c < 0.5, 0.25)
        finite = self.scale**2 / ((1 - inside) ** 2 * (1 - 2 * inside))
        return finite.where(c < 0.5, math.nan)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        return self.icdf(rand(shape, dtype=self.loc.dtype, device=self.loc.device))

    def log_prob(self, value: Any) -> Any:
        self.check(value)
        z = (value - self.loc) / self.scale
        power = 1 / self.divisor + 1
        fallen = (power * (self.divisor * z).log1p()).where(power != 0, 0.0)
        return -self.scale.log() - z.where(self.exponential, fallen)

    def log_survival_function(self, value: Any) -> Any:
        """The logarithm of the probability of values above these."""
        self.check(value)
        z = (value - self.loc) / self.scale
        return -z.where(self.exponential, (self.divisor * z).log1p() / self.divisor)

    def log_cdf(self, value: Any) -> Any:
        """The logarithm of the probability of values up to these."""
        return (-self.log_survival_function(value).exp()).log1p()

    def cdf(self, value: Any) -> Any:
        return -self.log_survival_function(value).expm1()

    def icdf(self, value: Any) -> Any:
        left = -(-value).log1p()
        rise = (self.divisor * left).expm1() / self.divisor
        return self.loc + self.scale * left.where(self.exponential, rise)

    def entropy(self) -> Any:
        return self.scale.log() + self.concentration + 1
