"""Distributions of one choice among several, and of the counts of many."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..broadcasting import broadcast_shapes
from ..dtypes import finfo
from ..filling import arange, eye
from ..modes import no_grad
from ..multinomials import multinomial
from . import constraints, errors
from .distribution import Distribution, enumerated, one_given
from .utils import lazy_property, logits_to_probs, probs_to_logits

__all__ = ["Categorical", "Multinomial", "OneHotCategorical", "OneHotCategoricalStraightThrough"]


class Categorical(Distribution):
    """The numbers from 0 on, with the probabilities `probs`, or their logarithms, `logits`.

    Both are along the last axis, and need not be normalised.

    >>> import tapegrad.torch as torch
    >>> die = torch.distributions.Categorical(torch.ones(6))
    >>> die.log_prob(torch.tensor(2))
    tensor(-1.7918)
    """

    arg_constraints: ClassVar[Any] = {
        "probs": constraints.simplex,
        "logits": constraints.real_vector,
    }
    has_enumerate_support = True

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        name, value = one_given("Categorical", probs=probs, logits=logits)
        if value.dim() < 1:
            raise errors.no_axes(f"`{name}` parameter")
        if name == "probs":
            self.probs = value / value.sum(-1, keepdim=True)
        else:
            self.logits = value - value.logsumexp(-1, keepdim=True)
        super().__init__(value.shape[:-1], validate_args=validate_args)

    @lazy_property
    def probs(self) -> Any:
        """The probabilities, which sum to 1."""
        return logits_to_probs(self.logits)

    @lazy_property
    def logits(self) -> Any:
        """The logarithms of the probabilities."""
        return probs_to_logits(self.probs)

    @property
    def given(self) -> Any:
        """`probs` or `logits`, as the distribution was made with."""
        own = self.__dict__
        return own["probs" if "probs" in own else "logits"]

    @property
    def param_shape(self) -> Any:
        """The shape of `probs`."""
        return self.given.shape

    @property
    def _num_events(self) -> int:
        return int(self.given.shape[-1])

    @constraints.DependentProperty(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        """The numbers of the choices."""
        return constraints.integer_interval(0, self._num_events - 1)

    @property
    def mean(self) -> Any:
        return self.probs[..., 0] * math.nan

    @property
    def mode(self) -> Any:
        return self.probs.argmax(-1)

    @property
    def variance(self) -> Any:
        return self.probs[..., 0] * math.nan

    def sample(self, sample_shape: Any = ()) -> Any:
        with no_grad():
            shape = self._extended_shape(sample_shape)
            count = math.prod(sample_shape)
            rows = self.probs.reshape(-1, self._num_events)
            if not (count and rows.shape[0]):
                return arange(0).reshape(shape)
            return multinomial(rows, count, True).T.reshape(shape)

    def log_prob(self, value: Any) -> Any:
        self.check(value)
        shape = broadcast_shapes(value.shape, self.batch_shape)
        logits = self.logits.expand((*shape, self._num_events))
        return logits.gather(-1, value.long().expand(shape)[..., None]).squeeze(-1)

    def entropy(self) -> Any:
        finite = self.logits.clamp(min=finfo(self.logits.dtype).min)
        return -(self.probs * finite).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Any:
        return enumerated(arange(self._num_events, device=self.given.device), self, expand)


class OneHotCategorical(Distribution):
    """One choice among several, as a vector of zeros and a one."""

    arg_constraints: ClassVar[Any] = {
        "probs": constraints.simplex,
        "logits": constraints.real_vector,
    }
    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self.choice = Categorical(probs, logits, validate_args=False)
        name = "probs" if probs is not None else "logits"
        self.__dict__[name] = getattr(self.choice, name)
        shape = self.choice.param_shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new.choice = self.choice.expand(batch_shape)
        return new

    @lazy_property
    def probs(self) -> Any:
        """The probabilities, which sum to 1."""
        return self.choice.probs

    @lazy_property
    def logits(self) -> Any:
        """The logarithms of the probabilities."""
        return self.choice.logits

    @property
    def param_shape(self) -> Any:
        """The shape of `probs`."""
        return self.choice.param_shape

    @property
    def mean(self) -> Any:
        return self.probs

    @property
    def mode(self) -> Any:
        return self.of(self.probs.argmax(-1))

    @property
    def variance(self) -> Any:
        return self.probs * (1 - self.probs)

    def of(self, number: Any) -> Any:
        """Numbers of choices as vectors."""
        like = self.choice.given
        return eye(self.choice._num_events, dtype=like.dtype, device=like.device)[number]

    def sample(self, sample_shape: Any = ()) -> Any:
        return self.of(self.choice.sample(sample_shape))

    def log_prob(self, value: Any) -> Any:
        self.check(value)
        return self.choice.log_prob(value.argmax(-1))

    def entropy(self) -> Any:
        return self.choice.entropy()

    def enumerate_support(self, expand: bool = True) -> Any:
        return enumerated(self.of(arange(self.choice._num_events)), self, expand)


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """One choice, through which gradients pass to the probabilities as if it were these."""

    has_rsample = True

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.sample(sample_shape) + (self.probs - self.probs.detach())


class Multinomial(Distribution):
    """How often each choice comes in `total_count` choices."""

    arg_constraints: ClassVar[Any] = {
        "probs": constraints.simplex,
        "logits": constraints.real_vector,
    }

    def __init__(
        self,
        total_count: int = 1,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        self.total_count = total_count
        self.choice = Categorical(probs, logits, validate_args=False)
        name = "probs" if probs is not None else "logits"
        self.__dict__[name] = getattr(self.choice, name)
        shape = self.choice.param_shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new.choice = self.choice.expand(batch_shape)
        new.total_count = self.total_count
        return new

    @lazy_property
    def probs(self) -> Any:
        """The probabilities, which sum to 1."""
        return self.choice.probs

    @lazy_property
    def logits(self) -> Any:
        """The logarithms of the probabilities."""
        return self.choice.logits

    @constraints.DependentProperty(is_discrete=True, event_dim=1)
    def support(self) -> Any:
        """Counts that sum to `total_count`."""
        return constraints.multinomial(self.total_count)

    @property
    def param_shape(self) -> Any:
        """The shape of `probs`."""
        return self.choice.param_shape

    @property
    def mean(self) -> Any:
        return self.total_count * self.probs

    @property
    def variance(self) -> Any:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Any:
        like = self.choice.given
        drawn = self.choice.sample((self.total_count, *sample_shape))
        each = eye(self.choice._num_events, dtype=like.dtype, device=like.device)[drawn]
        return each.sum(0)

    def log_prob(self, value: Any) -> Any:
        self.check(value)
        ways = (value.sum(-1) + 1).lgamma() - (value + 1).lgamma().sum(-1)
        chosen = (self.logits * value).where(value != 0, 0.0)
        return ways + chosen.sum(-1)
