"""Normal distributions, and what is made of them by a function of their values."""

from __future__ import annotations

import math
from typing import Any

from ..tensor import Tensor
from .distribution import ExponentialFamily
from .location_scale import LocationScale
from .utils import normals_like

__all__ = ["Normal"]

LOG_SQRT_TWO_PI = math.log(2 * math.pi) / 2


class Normal(LocationScale, ExponentialFamily):
    """The normal distribution of a mean `loc` and a standard deviation `scale`.

    >>> import tapegrad.torch as torch
    >>> standard = torch.distributions.Normal(0.0, 1.0)
    >>> standard.log_prob(torch.tensor(0.0))
    tensor(-0.9189)
    """

    @property
    def stddev(self) -> Tensor:
        return self.scale

    @property
    def variance(self) -> Any:
        return self.scale**2

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        return self.loc + normals_like(self.loc, shape) * self.scale

    def log_prob(self, value: Any) -> Any:
        self.check(value)
        z = self.standard(value)
        return -(z * z) / 2 - self.scale.log() - LOG_SQRT_TWO_PI

    def cdf(self, value: Any) -> Any:
        self.check(value)
        return (self.standard(value) / math.sqrt(2)).erf() / 2 + 0.5

    def icdf(self, value: Any) -> Any:
        return self.loc + self.scale * (2 * value - 1).erfinv() * math.sqrt(2)

    def entropy(self) -> Any:
        return self.scale.log() + (0.5 + LOG_SQRT_TWO_PI)
