"""`scipy.stats`, for plain and for recorded arrays: distributions, and statistics of samples.

Methods have SciPy's names, parameters and values. They are right far out in the tails, and
differentiable in the argument and in every parameter. Unlike in SciPy, single precision stays
single, and results for plain arguments are computed here too.
"""

from __future__ import annotations

from typing import Any

import scipy.stats

from ..names import own
from .bounded import betaprime, f, halfcauchy, halflogistic, halfnorm, hypsecant, loguniform, triang
from .circular import vonmises
from .descriptive import mode, rankdata, sem
from .discrete import bernoulli, betabinom, binom, geom, nbinom, poisson
from .elementary import (
    cauchy,
    expon,
    gumbel_l,
    gumbel_r,
    laplace,
    logistic,
    pareto,
    uniform,
    wrapcauchy,
)
from .gamma_family import beta, chi2, gamma, t
from .kernel import gaussian_kde
from .multivariate import dirichlet, multinomial, multivariate_normal
from .normal import gennorm, norm, truncnorm
from .skewed import exponnorm, invgauss, skewnorm
from .transformed import (
    chi,
    fisk,
    genextreme,
    genpareto,
    gompertz,
    invgamma,
    invweibull,
    johnsonsb,
    johnsonsu,
    levy,
    lognorm,
    lomax,
    maxwell,
    nakagami,
    powerlaw,
    rayleigh,
    weibull_max,
    weibull_min,
)

__all__ = [
    "bernoulli",
    "beta",
    "betabinom",
    "betaprime",
    "binom",
    "cauchy",
    "chi",
    "chi2",
    "dirichlet",
    "expon",
    "exponnorm",
    "f",
    "fisk",
    "gamma",
    "gaussian_kde",
    "genextreme",
    "gennorm",
    "genpareto",
    "geom",
    "gompertz",
    "gumbel_l",
    "gumbel_r",
    "halfcauchy",
    "halflogistic",
    "halfnorm",
    "hypsecant",
    "invgamma",
    "invgauss",
    "invweibull",
    "johnsonsb",
    "johnsonsu",
    "laplace",
    "levy",
    "logistic",
    "lognorm",
    "loguniform",
    "lomax",
    "maxwell",
    "mode",
    "multinomial",
    "multivariate_normal",
    "nakagami",
    "nbinom",
    "norm",
    "pareto",
    "poisson",
    "powerlaw",
    "rankdata",
    "rayleigh",
    "sem",
    "skewnorm",
    "t",
    "triang",
    "truncnorm",
    "uniform",
    "vonmises",
    "weibull_max",
    "weibull_min",
    "wrapcauchy",
]


def __getattr__(name: str) -> Any:
    """SciPy's own, for every name that is not here."""
    return own(scipy.stats, __name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(scipy.stats)})
