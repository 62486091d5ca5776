"""The continuous Bernoulli distribution, for values between the two results of a trial."""

from __future__ import annotations

import math
from typing import Any

from ..dtypes import finfo
from ..random import rand
from ..selection import where
from . import constraints
from .bernoulli import Trials
from .distribution import ExponentialFamily

__all__ = ["ContinuousBernoulli"]


class ContinuousBernoulli(Trials, ExponentialFamily):
    """The distribution on the numbers from 0 to 1 whose density is ``exp(logits * x)``, scaled.

    Between the `probs` that `lims` gives, where it is almost uniform, series in the logits take
    the place of quotients that lose their digits (Loaiza-Ganem and Cunningham, The continuous
    Bernoulli, 2019).
    """

    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self,
        probs: Any = None,
        logits: Any = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        (given,) = self.take(probs, logits)
        self._lims = lims
        super().__init__(given.shape, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new._lims = self._lims
        return new

    @property
    def slope(self) -> Any:
        """The logits, within what the precision of probabilities allows."""
        most = -math.log(finfo(self.logits.dtype).eps)
        return self.logits.clamp(-most, most)

    @property
    def steep(self) -> Any:
        """Where the quotients are to be used."""
        low, high = (math.log(p) - math.log1p(-p) for p in self._lims)
        return (self.slope <= low) | (self.slope > high)

    def chosen(self, quotient: Any, series: Any) -> Any:
        """A function of the slope: a quotient where it is steep, else a series."""
        steep = self.steep
        return where(steep, quotient(self.slope.where(steep, 1.0)), series(self.slope))

    @property
    def log_normaliser(self) -> Any:
        """The logarithm of the integral of ``exp(logits * x)``."""
        return self.chosen(
            lambda s: (s.expm1() / s).log(), lambda s: s / 2 + s**2 / 24 - s**4 / 2880
        )

    @property
    def mean(self) -> Any:
        return self.chosen(lambda s: -1 / (-s).expm1() - 1 / s, lambda s: 0.5 + s / 12 - s**3 / 720)

    @property
    def variance(self) -> Any:
        return self.chosen(
            lambda s: s**-2 - (2 * (s / 2).sinh()) ** -2,
            lambda s: 1 / 12 - s**2 / 240 + s**4 / 6048,
        )

    def rsample(self, sample_shape: Any = ()) -> Any:
        like = self.logits
        return self.icdf(
            rand(self._extended_shape(sample_shape), dtype=like.dtype, device=like.device)
        )

    def log_prob(self, value: Any) -> Any:
        self.check(value)
        return self.logits * value - self.log_normaliser

    def cdf(self, value: Any) -> Any:
        self.check(value)
        x = value.clamp(0, 1)
        part = x * (1 - x)
        return self.chosen(
            lambda s: (s * x).expm1() / s.expm1(),
            lambda s: x - s * part / 2 + s**2 * part * (1 - 2 * x) / 12,
        )

    def icdf(self, value: Any) -> Any:
        part = value * (1 - value)
        return self.chosen(
            lambda s: (value * s.expm1()).log1p() / s,
            lambda s: value + s * part / 2 + s**2 * part * (1 - 2 * value) / 6,
        )

    def entropy(self) -> Any:
        return self.log_normaliser - self.slope * self.mean
