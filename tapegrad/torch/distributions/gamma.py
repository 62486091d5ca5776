"""Gamma distributions, and what is made of their values: beta, Dirichlet, chi-square, Student."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy

from ...core.op import table
from ..calls import cast, on_arrays
from ..filling import arange
from ..joining import stack
from ..random import draw, values
from ..special.common import igamma
from ..special.define import scipy_function
from ..tensor import Tensor
from . import constraints, errors
from .distribution import Distribution, ExponentialFamily
from .utils import broadcast_all, normals_like

__all__ = ["Beta", "Chi2", "Dirichlet", "Gamma", "InverseGamma", "StudentT"]

WIDE = numpy.dtype(numpy.float64)


@on_arrays
def standard_gammas(concentration: Any, shape: Any) -> Any:
    """Values of gamma distributions of rate 1, which follow their concentration.

    They are random quantiles. As the concentration changes, each stays at its own, so that its
    derivative is that of the distribution function over the density (Figurnov, Mohamed and Mnih,
    Implicit Reparameterization Gradients, 2018).
    """
    a = numpy.asarray(values(concentration, "a gamma distribution"))
    tiny = numpy.finfo(a.dtype).tiny
    drawn = draw(None, lambda g: g.standard_gamma(a.astype(WIDE), shape)).astype(a.dtype)
    drawn = numpy.maximum(drawn, tiny)
    if not concentration.slot:
        return drawn
    wide = table["broadcast_to"].function(cast(concentration, WIDE), to=tuple(shape))
    still = table["stop_gradient"].function
    at = drawn.astype(WIDE)
    reached = scipy_function("gammainc")(wide, at)
    fixed = still(wide)
    density = numpy.exp((fixed - 1) * numpy.log(at) - at - scipy_function("gammaln")(fixed))
    return cast(at - (reached - still(reached)) / density, a.dtype)


class Gamma(ExponentialFamily):
    """The gamma distribution of a shape `concentration` and a `rate`."""

    arg_constraints: ClassVar[Any] = {
        "concentration": constraints.positive,
        "rate": constraints.positive,
    }
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        self.concentration, self.rate = broadcast_all(concentration, rate)
        super().__init__(self.concentration.shape, validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return self.concentration / self.rate

    @property
    def mode(self) -> Any:
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> Any:
        return self.concentration / self.rate**2

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        return standard_gammas(self.concentration, shape) / self.rate

    def log_prob(self, value: Any) -> Any:
        self.check(value)
        a, rate = self.concentration, self.rate
        return a.xlogy(rate) + (a - 1).xlogy(value) - rate * value - a.lgamma()

    def cdf(self, value: Any) -> Any:
        self.check(value)
        return igamma(self.concentration, self.rate * value)

    def entropy(self) -> Any:
        a = self.concentration
        return a - self.rate.log() + a.lgamma() + (1 - a) * a.digamma()


class Chi2(Gamma):
    """The chi-square distribution of `df` degrees of freedom."""

    arg_constraints: ClassVar[Any] = {"df": constraints.positive}

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    @property
    def df(self) -> Any:
        """The degrees of freedom."""
        return self.concentration * 2

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return Chi2(self.df.expand(batch_shape), validate_args=self._validate_args)


class InverseGamma(Distribution):
    """The distribution of the inverse of a gamma distribution's values."""

    arg_constraints: ClassVar[Any] = {
        "concentration": constraints.positive,
        "rate": constraints.positive,
    }
    support = constraints.positive
    has_rsample = True

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        self.concentration, self.rate = broadcast_all(concentration, rate)
        super().__init__(self.concentration.shape, validate_args=validate_args)

    @property
    def mean(self) -> Any:
        a = self.concentration
        return (self.rate / (a - 1)).where(a > 1, math.inf)

    @property
    def mode(self) -> Any:
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> Any:
        a = self.concentration
        return (self.rate**2 / ((a - 1) ** 2 * (a - 2))).where(a > 2, math.inf)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        return self.rate / standard_gammas(self.concentration, shape)

    def log_prob(self, value: Any) -> Any:
        self.check(value)
        a, rate = self.concentration, self.rate
        return a * rate.log() - (a + 1) * value.log() - rate / value - a.lgamma()

    def cdf(self, value: Any) -> Any:
        self.check(value)
        return 1 - igamma(self.concentration, self.rate / value)

    def entropy(self) -> Any:
        a = self.concentration
        return a + self.rate.log() + a.lgamma() - (1 + a) * a.digamma()


class Dirichlet(ExponentialFamily):
    """The Dirichlet distribution, of vectors of positive numbers that sum to 1."""

    arg_constraints: ClassVar[Any] = {
        "concentration": constraints.independent(constraints.positive, 1)
    }
    support = constraints.simplex
    has_rsample = True

    def __init__(self, concentration: Any, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise errors.no_axes("concentration")
        self.concentration = concentration
        shape = concentration.shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return self.concentration / self.concentration.sum(-1, keepdim=True)

    @property
    def mode(self) -> Any:
        above = (self.concentration - 1).clamp(min=0)
        corner = arange(above.shape[-1], device=above.device).eq(0).to(above.dtype)
        open_ended = (self.concentration < 1).all(-1, keepdim=True)
        return corner.where(open_ended, above / above.sum(-1, keepdim=True))

    @property
    def variance(self) -> Any:
        total = self.concentration.sum(-1, keepdim=True)
        return self.concentration * (total - self.concentration) / (total**2 * (total + 1))

    def rsample(self, sample_shape: Any = ()) -> Any:
        drawn = standard_gammas(self.concentration, self._extended_shape(sample_shape))
        return drawn / drawn.sum(-1, keepdim=True)

    def log_prob(self, value: Any) -> Any:
        self.check(value)
        a = self.concentration
        return (a - 1).xlogy(value).sum(-1) + a.sum(-1).lgamma() - a.lgamma().sum(-1)

    def entropy(self) -> Any:
        a = self.concentration
        total = a.sum(-1)
        count = a.shape[-1]
        return (
            a.lgamma().sum(-1)
            - total.lgamma()
            - (count - total) * total.digamma()
            - ((a - 1) * a.digamma()).sum(-1)
        )


class Beta(ExponentialFamily):
    """The beta distribution, on the numbers from 0 to 1."""

    arg_constraints: ClassVar[Any] = {
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self, concentration1: Any, concentration0: Any, validate_args: bool | None = None
    ) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        super().__init__(self.concentration1.shape, validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def mode(self) -> Any:
        return self.pair().mode[..., 0]

    @property
    def variance(self) -> Any:
        a, b = self.concentration1, self.concentration0
        return a * b / ((a + b) ** 2 * (a + b + 1))

    def pair(self) -> Dirichlet:
        """The Dirichlet distribution of a value and what it lacks to 1."""
        both = stack([self.concentration1, self.concentration0], -1)
        return Dirichlet(both, validate_args=False)

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.pair().rsample(sample_shape)[..., 0]

    def log_prob(self, value: Any) -> Any:
        self.check(value)
        return self.pair().log_prob(stack([value, 1 - value], -1))

    def entropy(self) -> Any:
        return self.pair().entropy()


class StudentT(Distribution):
    """Student's distribution of `df` degrees of freedom, around `loc`."""

    arg_constraints: ClassVar[Any] = {
        "df": constraints.positive,
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support = constraints.real
    has_rsample = True

    def __init__(
        self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None
    ) -> None:
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        super().__init__(self.df.shape, validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return self.loc.where(self.df > 1, math.nan)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Any:
        df = self.df
        finite = self.scale**2 * df / (df - 2)
        return finite.where(df > 2, math.inf).where(df > 1, math.nan)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        spread = standard_gammas(self.df / 2, shape) * 2 / self.df
        return self.loc + self.scale * normals_like(self.df, shape) * spread.rsqrt()

    def log_prob(self, value: Any) -> Any:
        self.check(value)
        z = (value - self.loc) / self.scale
        half = self.df / 2
        whole = self.scale.log() + self.df.log() / 2 + math.log(math.pi) / 2
        whole = whole + half.lgamma() - (half + 0.5).lgamma()
        return -(half + 0.5) * (z * z / self.df).log1p() - whole

    def entropy(self) -> Any:
        half = self.df / 2
        slope = (half + 0.5) * ((half + 0.5).digamma() - half.digamma())
        area = self.df.log() / 2 + half.lgamma() + math.log(math.pi) / 2 - (half + 0.5).lgamma()
        return self.scale.log() + slope + area
