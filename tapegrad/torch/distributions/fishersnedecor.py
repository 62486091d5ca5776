"""The F-distribution, of the ratio of two variances."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..dtypes import finfo
from . import constraints
from .distribution import Distribution
from .gamma import standard_gammas
from .utils import broadcast_all

__all__ = ["FisherSnedecor"]


class FisherSnedecor(Distribution):
    """The distribution of the ratio of two chi-square values, each over its degrees of freedom."""

    arg_constraints: ClassVar[Any] = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, df1: Any, df2: Any, validate_args: bool | None = None) -> None:
        self.df1, self.df2 = broadcast_all(df1, df2)
        super().__init__(self.df1.shape, validate_args=validate_args)

    @property
    def mean(self) -> Any:
        b = self.df2
        return (b / (b - 2)).where(b > 2, math.nan)

    @property
    def mode(self) -> Any:
        a, b = self.df1, self.df2
        return ((a - 2) / a * b / (b + 2)).where(a > 2, math.nan)

    @property
    def variance(self) -> Any:
        a, b = self.df1, self.df2
        finite = 2 * b**2 * (a + b - 2) / (a * (b - 2) ** 2 * (b - 4))
        return finite.where(b > 4, math.nan)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        tiny = finfo(self.df1.dtype).tiny
        above, below = (standard_gammas(df / 2, shape) / df for df in (self.df1, self.df2))
        return (above / below.clamp(min=tiny)).clamp(min=tiny)

    def log_prob(self, value: Any) -> Any:
        self.check(value)
        a, b = self.df1 / 2, self.df2 / 2
        ratio = self.df1 / self.df2
        area = a.lgamma() + b.lgamma() - (a + b).lgamma()
        return a * ratio.log() + (a - 1) * value.log() - (a + b) * (ratio * value).log1p() - area
