"""Normal distributions, and what is made of them by a function of their values."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..tensor import Tensor
from . import constraints
from .distribution import ExponentialFamily
from .utils import broadcast_all, normals_like

__all__ = ["Normal"]

LOG_SQRT_TWO_PI = math.log(2 * math.pi) / 2


class Normal(ExponentialFamily):
    """The normal distribution of a mean `loc` and a standard deviation `scale`.

    >>> import tapegrad.torch as torch
    >>> standard = torch.distributions.Normal(0.0, 1.0)
    >>> standard.log_prob(torch.tensor(0.0))
    tensor(-0.9189)
    """

    arg_constraints: ClassVar[Any] = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

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
        z = (value - self.loc) / self.scale
        return -(z * z) / 2 - self.scale.log() - LOG_SQRT_TWO_PI

    def cdf(self, value: Any) -> Any:
        self.check(value)
        return ((value - self.loc) / self.scale / math.sqrt(2)).erf() / 2 + 0.5

    def icdf(self, value: Any) -> Any:
        return self.loc + self.scale * (2 * value - 1).erfinv() * math.sqrt(2)

    def entropy(self) -> Any:
        return self.scale.log() + (0.5 + LOG_SQRT_TWO_PI)
