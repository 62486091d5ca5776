"""Distributions of counts, of independent trials."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..creation import tensor
from ..filling import arange
from ..modes import no_grad
from ..random import bernoulli, binomial, poisson, rand
from ..tensor import Tensor
from . import constraints, errors
from .distribution import Distribution, ExponentialFamily, enumerated, one_given
from .gamma import Gamma
from .utils import (
    as_parameter,
    broadcast_all,
    lazy_property,
    logits_to_probs,
    probs_to_logits,
    softplus,
)

__all__ = ["Bernoulli", "Binomial", "Geometric", "NegativeBinomial", "Poisson"]


class Trials(Distribution):
    """A distribution of trials that succeed with probability `probs`, or the odds `logits`."""

    arg_constraints: ClassVar[Any] = {
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }

    def take(self, probs: Any, logits: Any, *others: Any) -> list[Any]:
        """Keep what was given of `probs` and `logits`; give all other parameters in one shape."""
        name, value = one_given(type(self).__name__, probs=probs, logits=logits)
        value, *rest = broadcast_all(value, *others)
        setattr(self, name, value)
        return [value, *rest]

    @lazy_property
    def probs(self) -> Any:
        """The probability of a success."""
        return logits_to_probs(self.logits, is_binary=True)

    @lazy_property
    def logits(self) -> Any:
        """The logarithm of the odds of a success."""
        return probs_to_logits(self.probs, is_binary=True)

    @property
    def param_shape(self) -> Any:
        """The shape of `probs`."""
        return self.given.shape

    @property
    def given(self) -> Any:
        """`probs` or `logits`, as the distribution was made with."""
        own = self.__dict__
        return own["probs" if "probs" in own else "logits"]


class Bernoulli(Trials, ExponentialFamily):
    """One trial: 1 with probability `probs`, else 0.

    >>> import tapegrad.torch as torch
    >>> coin = torch.distributions.Bernoulli(torch.tensor(0.25))
    >>> coin.log_prob(torch.tensor(1.0)).exp()
    tensor(0.2500)
    """

    support = constraints.boolean
    has_enumerate_support = True

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        (given,) = self.take(probs, logits)
        super().__init__(given.shape, validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return self.probs

    @property
    def mode(self) -> Any:
        return (self.probs >= 0.5).to(self.probs.dtype).where(self.probs != 0.5, math.nan)

    @property
    def variance(self) -> Any:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Any:
        with no_grad():
            return bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Any) -> Any:
        self.check(value)
        return value * self.logits - softplus(self.logits)

    def entropy(self) -> Any:
        return softplus(self.logits) - self.probs * self.logits

    def enumerate_support(self, expand: bool = True) -> Any:
        values = tensor([0, 1], dtype=self.given.dtype, device=self.given.device)
        return enumerated(values, self, expand)


class Geometric(Trials):
    """The number of failures before the first success."""

    support = constraints.nonnegative_integer

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        (given,) = self.take(probs, logits)
        super().__init__(given.shape, validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return 1 / self.probs - 1

    @property
    def mode(self) -> Any:
        return self.probs * 0

    @property
    def variance(self) -> Any:
        return (1 / self.probs - 1) / self.probs

    def sample(self, sample_shape: Any = ()) -> Any:
        with no_grad():
            shape = self._extended_shape(sample_shape)
            drawn = 1 - rand(shape, dtype=self.probs.dtype, device=self.probs.device)
            return (drawn.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Any) -> Any:
        self.check(value)
        return value.xlogy(1 - self.probs) + self.probs.log()

    def entropy(self) -> Any:
        return (softplus(self.logits) - self.probs * self.logits) / self.probs


class Binomial(Trials):
    """The number of successes of `total_count` trials."""

    arg_constraints: ClassVar[Any] = {
        "total_count": constraints.nonnegative_integer,
        **Trials.arg_constraints,
    }
    has_enumerate_support = True

    def __init__(
        self,
        total_count: Any = 1,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        given, self.total_count = self.take(probs, logits, total_count)
        super().__init__(given.shape, validate_args=validate_args)

    @constraints.DependentProperty(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        """The whole numbers up to `total_count`."""
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self) -> Any:
        return self.total_count * self.probs

    @property
    def mode(self) -> Any:
        return ((self.total_count + 1) * self.probs).floor().minimum(self.total_count)

    @property
    def variance(self) -> Any:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Any:
        with no_grad():
            shape = self._extended_shape(sample_shape)
            return binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value: Any) -> Any:
        self.check(value)
        n = self.total_count
        ways = (n + 1).lgamma() - (value + 1).lgamma() - (n - value + 1).lgamma()
        return ways + value * self.logits - n * softplus(self.logits)

    def entropy(self) -> Any:
        each = self.log_prob(self.enumerate_support(False))
        return -(each.exp() * each).sum(0)

    def enumerate_support(self, expand: bool = True) -> Any:
        most = int(self.total_count.max())
        if int(self.total_count.min()) != most:
            raise errors.undefined_axes("Binomial")
        values = arange(most + 1, dtype=self.given.dtype, device=self.given.device)
        return enumerated(values, self, expand)


class NegativeBinomial(Trials):
    """The number of successes before `total_count` failures."""

    arg_constraints: ClassVar[Any] = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer

    def __init__(
        self,
        total_count: Any,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        given, self.total_count = self.take(probs, logits, total_count)
        super().__init__(given.shape, validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return self.total_count * self.logits.exp()

    @property
    def mode(self) -> Any:
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0)

    @property
    def variance(self) -> Any:
        return self.mean / (-self.logits).sigmoid()

    def sample(self, sample_shape: Any = ()) -> Any:
        with no_grad():
            rates = Gamma(self.total_count, (-self.logits).exp(), validate_args=False)
            return poisson(rates.sample(sample_shape))

    def log_prob(self, value: Any) -> Any:
        self.check(value)
        n = self.total_count
        ways = (n + value).lgamma() - (value + 1).lgamma() - n.lgamma()
        ways = ways.where(n + value != 0, 0.0)
        return ways - n * softplus(self.logits) - value * softplus(-self.logits)


class Poisson(ExponentialFamily):
    """The number of events of a `rate`."""

    arg_constraints: ClassVar[Any] = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        self.rate = as_parameter(rate)
        super().__init__(self.rate.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.rate

    @property
    def mode(self) -> Any:
        return self.rate.floor()

    @property
    def variance(self) -> Tensor:
        return self.rate

    def sample(self, sample_shape: Any = ()) -> Any:
        with no_grad():
            return poisson(self.rate.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Any) -> Any:
        self.check(value)
        return value.xlogy(self.rate) - self.rate - (value + 1).lgamma()
