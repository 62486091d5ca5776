"""The Kumaraswamy distribution: like a beta distribution, with its inverse in closed form."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..filling import ones_like, zeros_like
from . import constraints
from .continuous import Uniform
from .transformed_distribution import TransformedDistribution
from .transforms import AffineTransform, PowerTransform
from .utils import EULER, broadcast_all

__all__ = ["Kumaraswamy"]


class Kumaraswamy(TransformedDistribution):
    """The distribution on the numbers from 0 to 1 with ``cdf(x) = 1 - (1 - x**a)**b``.

    `a` is `concentration1`, `b` is `concentration0`.
    """

    arg_constraints: ClassVar[Any] = {
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    support = constraints.unit_interval

    def __init__(
        self, concentration1: Any, concentration0: Any, validate_args: bool | None = None
    ) -> None:
        a, b = self.concentration1, self.concentration0 = broadcast_all(
            concentration1, concentration0
        )
        parts = [PowerTransform(1 / b), AffineTransform(1.0, -1.0), PowerTransform(1 / a)]
        base = Uniform(zeros_like(a), ones_like(a), validate_args)
        super().__init__(base, parts, validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = type(self).__new__(type(self)) if _instance is None else _instance
        for name in self.arg_constraints:
            new.__dict__[name] = self.__dict__[name].expand(batch_shape)
        return super().expand(batch_shape, new)

    def moment(self, n: int) -> Any:
        """The mean of the `n`-th power."""
        a, b = self.concentration1, self.concentration0
        part = 1 + n / a
        return b * (part.lgamma() + b.lgamma() - (part + b).lgamma()).exp()

    @property
    def mean(self) -> Any:
        return self.moment(1)

    @property
    def mode(self) -> Any:
        a, b = self.concentration1, self.concentration0
        inside = (a >= 1) & (b >= 1)
        highest = ((a - 1) / (a * b - 1)) ** (1 / a)
        return highest.where(inside, math.nan)

    @property
    def variance(self) -> Any:
        return self.moment(2) - self.moment(1) ** 2

    def entropy(self) -> Any:
        a, b = self.concentration1, self.concentration0
        return (1 - 1 / b) + (1 - 1 / a) * ((b + 1).digamma() + EULER) - a.log() - b.log()
