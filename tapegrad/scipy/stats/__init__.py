"""`scipy.stats`, for plain and for recorded arrays: the distributions that JAX has.

Methods have SciPy's names, parameters and values. They are right far out in the tails, and
differentiable in the argument and in every parameter. Unlike in SciPy, single precision stays
single, and results for plain arguments are computed here too.
"""

from __future__ import annotations

from typing import Any

import scipy.stats

from ..names import own
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

__all__ = [
    "bernoulli",
    "beta",
    "betabinom",
    "binom",
    "cauchy",
    "chi2",
    "dirichlet",
    "expon",
    "gamma",
    "gaussian_kde",
    "gennorm",
    "geom",
    "gumbel_l",
    "gumbel_r",
    "laplace",
    "logistic",
    "mode",
    "multinomial",
    "multivariate_normal",
    "nbinom",
    "norm",
    "pareto",
    "poisson",
    "rankdata",
    "sem",
    "t",
    "truncnorm",
    "uniform",
    "vonmises",
    "wrapcauchy",
]


def __getattr__(name: str) -> Any:
    """SciPy's own, for every name that is not here."""
    return own(scipy.stats, __name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(scipy.stats)})
