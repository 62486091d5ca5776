"""Choices made continuous, so that gradients pass (the Gumbel-softmax, or Concrete)."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..size import Size
from . import constraints
from .bernoulli import Trials
from .categorical import Categorical
from .distribution import Distribution
from .transformed_distribution import TransformedDistribution
from .transforms import ExpTransform, SigmoidTransform
from .utils import as_parameter, uniforms_like

__all__ = [
    "ExpRelaxedCategorical",
    "LogitRelaxedBernoulli",
    "RelaxedBernoulli",
    "RelaxedOneHotCategorical",
]


class LogitRelaxedBernoulli(Trials):
    """The odds' logarithm of a relaxed trial."""

    support = constraints.real
    has_rsample = True

    def __init__(
        self,
        temperature: Any,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        (given,) = self.take(probs, logits)
        self.temperature = as_parameter(temperature)
        super().__init__(given.shape, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new.temperature = self.temperature
        return new

    def rsample(self, sample_shape: Any = ()) -> Any:
        drawn = uniforms_like(self.logits, self._extended_shape(sample_shape))
        return (drawn.logit() + self.logits) / self.temperature

    def log_prob(self, value: Any) -> Any:
        self.check(value)
        z = self.logits - value * self.temperature
        return self.temperature.log() + z - 2 * z.exp().log1p()


class ExpRelaxedCategorical(Distribution):
    """The logarithms of a relaxed choice's vector."""

    arg_constraints: ClassVar[Any] = Categorical.arg_constraints
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        temperature: Any,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        self.choice = Categorical(probs, logits, validate_args)
        self.temperature = as_parameter(temperature)
        shape = self.choice.param_shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new.choice = self.choice.expand(batch_shape)
        new.temperature = self.temperature
        return new

    @property
    def probs(self) -> Any:
        """The probabilities, which sum to 1."""
        return self.choice.probs

    @property
    def logits(self) -> Any:
        """The logarithms of the probabilities."""
        return self.choice.logits

    @property
    def param_shape(self) -> Size:
        """The shape of `probs`."""
        shape: Size = self.choice.param_shape
        return shape

    def rsample(self, sample_shape: Any = ()) -> Any:
        drawn = uniforms_like(self.logits, self._extended_shape(sample_shape))
        return ((self.logits - (-drawn.log()).log()) / self.temperature).log_softmax(-1)

    def log_prob(self, value: Any) -> Any:
        self.check(value)
        n = self.event_shape[0]
        scores = (self.logits - value * self.temperature).log_softmax(-1).sum(-1)
        return scores + (n - 1) * self.temperature.log() + math.lgamma(n)


class Relaxed(TransformedDistribution):
    """A relaxed trial or choice, of the distribution of its logarithms, and what leads from them.

    The lower the temperature, the nearer are the values to those of the trial or the choice.
    """

    kind: ClassVar[Any]
    transform: ClassVar[Any]

    def __init__(
        self,
        temperature: Any,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        base = self.kind(temperature, probs, logits, validate_args)
        super().__init__(base, self.transform(), validate_args)

    @property
    def temperature(self) -> Any:
        """The temperature."""
        return self.base_dist.temperature

    @property
    def probs(self) -> Any:
        """The probabilities of what is relaxed."""
        return self.base_dist.probs

    @property
    def logits(self) -> Any:
        """The logarithms of the probabilities, or of the odds of a trial."""
        return self.base_dist.logits


class RelaxedBernoulli(Relaxed):
    """A trial whose result lies between 0 and 1."""

    arg_constraints: ClassVar[Any] = Trials.arg_constraints
    support = constraints.unit_interval
    kind = LogitRelaxedBernoulli
    transform = SigmoidTransform


class RelaxedOneHotCategorical(Relaxed):
    """A choice as a vector of positive numbers that sum to 1; one of them is near to 1."""

    arg_constraints: ClassVar[Any] = Categorical.arg_constraints
    support = constraints.simplex
    kind = ExpRelaxedCategorical
    transform = ExpTransform
