"""Mixtures of distributions of one kind."""

from __future__ import annotations

from typing import Any

from ..modes import no_grad
from . import constraints, errors
from .categorical import Categorical
from .distribution import Distribution

__all__ = ["MixtureSameFamily"]


class MixtureSameFamily(Distribution):
    """A mixture: the last batch axis of the components is that of the choice among them.

    >>> import tapegrad.torch as torch
    >>> from tapegrad.torch.distributions import Categorical, MixtureSameFamily, Normal
    >>> peaks = Normal(torch.tensor([-1.0, 1.0]), 0.5)
    >>> MixtureSameFamily(Categorical(torch.ones(2)), peaks).mean
    tensor(0.)
    """

    def __init__(
        self,
        mixture_distribution: Categorical,
        component_distribution: Distribution,
        validate_args: bool | None = None,
    ) -> None:
        if not isinstance(mixture_distribution, Categorical):
            raise errors.bad_mixture("the mixture distribution has to be a Categorical")
        if not isinstance(component_distribution, Distribution):
            raise errors.bad_mixture("the component distribution has to be a Distribution")
        batch = component_distribution.batch_shape[:-1]
        own = mixture_distribution.batch_shape
        if any(n != m and 1 not in (n, m) for n, m in zip(own, batch, strict=False)):
            raise errors.bad_mixture(f"the batch shapes {own} and {batch} do not fit")
        count, parts = mixture_distribution._num_events, component_distribution.batch_shape[-1]
        if count != parts:
            raise errors.bad_mixture(f"there are {count} weights and {parts} components")
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        self.has_rsample = False
        super().__init__(batch, component_distribution.event_shape, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        component = self.component_distribution
        return MixtureSameFamily(
            self.mixture_distribution.expand(batch_shape),
            component.expand((*batch_shape, component.batch_shape[-1])),
            validate_args=self._validate_args,
        )

    @property
    def mixture_distribution(self) -> Categorical:
        """The choice among the components."""
        return self._mixture_distribution

    @property
    def component_distribution(self) -> Distribution:
        """The components."""
        return self._component_distribution

    @constraints.DependentProperty
    def support(self) -> Any:
        """Where the components lie."""
        return constraints.MixtureSameFamilyConstraint(self.component_distribution.support)

    def weighted(self, values: Any) -> Any:
        """The mean over the components of what each has."""
        weights = self.mixture_distribution.probs
        for _ in self.event_shape:
            weights = weights[..., None]
        return (weights * values).sum(-1 - len(self.event_shape))

    @property
    def mean(self) -> Any:
        return self.weighted(self.component_distribution.mean)

    @property
    def variance(self) -> Any:
        component = self.component_distribution
        axis = -1 - len(self.event_shape)
        spread = (component.mean - self.mean.unsqueeze(axis)) ** 2
        return self.weighted(component.variance + spread)

    def apart(self, value: Any) -> Any:
        """Values with an axis for the components."""
        return value.unsqueeze(-1 - len(self.event_shape))

    def log_prob(self, value: Any) -> Any:
        self.check(value)
        each = self.component_distribution.log_prob(self.apart(value))
        weights = self.mixture_distribution.logits.log_softmax(-1)
        return (each + weights).logsumexp(-1)

    def cdf(self, value: Any) -> Any:
        self.check(value)
        each = self.component_distribution.cdf(self.apart(value))
        return (each * self.mixture_distribution.probs).sum(-1)

    def sample(self, sample_shape: Any = ()) -> Any:
        with no_grad():
            chosen = self.mixture_distribution.sample(sample_shape)
            values = self.component_distribution.sample(sample_shape)
            axes = len(self.event_shape)
            index = chosen.reshape(*chosen.shape, *[1] * (axes + 1))
            index = index.expand((*chosen.shape, 1, *self.event_shape))
            return values.gather(-1 - axes, index).squeeze(-1 - axes)

    def __repr__(self) -> str:
        parts = f"{self.mixture_distribution!r},\n  {self.component_distribution!r}"
        return f"MixtureSameFamily(\n  {parts})"
