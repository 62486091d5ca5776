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
from .matrices import invwishart, multivariate_t, wishart
from .moments import (
    entropy,
    gmean,
    gstd,
    gzscore,
    hmean,
    kurtosis,
    linregress,
    moment,
    pearsonr,
    pmean,
    skew,
    variation,
    zmap,
    zscore,
)
from .multivariate import dirichlet, multinomial, multivariate_normal
from .normal import gennorm, norm, truncnorm
from .skewed import exponnorm, invgauss, skewnorm
from .spread import (
    boxcox,
    boxcox_llf,
    circmean,
    circstd,
    circvar,
    energy_distance,
    iqr,
    median_abs_deviation,
    wasserstein_distance,
    yeojohnson,
    yeojohnson_llf,
)
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
    "boxcox",
    "boxcox_llf",
    "cauchy",
    "chi",
    "chi2",
    "circmean",
    "circstd",
    "circvar",
    "dirichlet",
    "energy_distance",
    "entropy",
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
    "gmean",
    "gompertz",
    "gstd",
    "gumbel_l",
    "gumbel_r",
    "gzscore",
    "halfcauchy",
    "halflogistic",
    "halfnorm",
    "hmean",
    "hypsecant",
    "invgamma",
    "invgauss",
    "invweibull",
    "invwishart",
    "iqr",
    "johnsonsb",
    "johnsonsu",
    "kurtosis",
    "laplace",
    "levy",
    "linregress",
    "logistic",
    "lognorm",
    "loguniform",
    "lomax",
    "maxwell",
    "median_abs_deviation",
    "mode",
    "moment",
    "multinomial",
    "multivariate_normal",
    "multivariate_t",
    "nakagami",
    "nbinom",
    "norm",
    "pareto",
    "pearsonr",
    "pmean",
    "poisson",
    "powerlaw",
    "rankdata",
    "rayleigh",
    "sem",
    "skew",
    "skewnorm",
    "t",
    "triang",
    "truncnorm",
    "uniform",
    "variation",
    "vonmises",
    "wasserstein_distance",
    "weibull_max",
    "weibull_min",
    "wishart",
    "wrapcauchy",
    "yeojohnson",
    "yeojohnson_llf",
    "zmap",
    "zscore",
]


def __getattr__(name: str) -> Any:
    """SciPy's own, for every name that is not here."""
    return own(scipy.stats, __name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(scipy.stats)})
