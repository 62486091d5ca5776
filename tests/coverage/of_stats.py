"""A call of every method of the distributions, and of every function, of `scipy.stats`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import scipy.stats

from .of_numpy import M
from .probe import Probes

PROBES = Probes()

CONTINUOUS = {
    "beta": (2.3, 1.7),
    "betaprime": (2.3, 3.7),
    "cauchy": (),
    "chi": (3.4,),
    "chi2": (3.4,),
    "expon": (),
    "f": (5.2, 9.3),
    "fisk": (2.4,),
    "gamma": (2.3,),
    "genextreme": (0.3,),
    "gennorm": (1.8,),
    "genpareto": (0.3,),
    "gompertz": (0.8,),
    "gumbel_l": (),
    "gumbel_r": (),
    "halfcauchy": (),
    "halflogistic": (),
    "halfnorm": (),
    "hypsecant": (),
    "invgamma": (2.6,),
    "invweibull": (2.3,),
    "johnsonsb": (0.5, 1.3),
    "johnsonsu": (0.5, 1.3),
    "laplace": (),
    "levy": (),
    "logistic": (),
    "lognorm": (0.8,),
    "loguniform": (0.2, 3.0),
    "lomax": (2.6,),
    "maxwell": (),
    "nakagami": (1.8,),
    "norm": (),
    "pareto": (2.6,),
    "powerlaw": (1.7,),
    "rayleigh": (),
    "t": (3.4,),
    "triang": (0.3,),
    "truncnorm": (-1.3, 2.2),
    "uniform": (),
    "vonmises": (1.3,),
    "weibull_max": (2.3,),
    "weibull_min": (1.7,),
    "wrapcauchy": (0.4,),
}
DISCRETE = {
    "bernoulli": (0.3,),
    "betabinom": (1.3, 2.4),
    "binom": (0.3,),
    "geom": (0.3,),
    "nbinom": (2.4, 0.4),
    "poisson": (1.7,),
}
SKEWED = {
    "skewnorm": (1.4, ("pdf", "logpdf", "cdf", "sf", "logcdf", "logsf")),
    "exponnorm": (1.4, ("pdf", "logpdf")),
    "invgauss": (1.4, ("pdf", "logpdf", "cdf", "sf", "logcdf", "logsf")),
}
"""Distributions not all of whose methods have derivatives: a parameter, and those that have."""

COUNTED = {"binom": 7, "betabinom": 7}
"""Distributions with a number of trials, which is held constant."""

DENSITIES = ("pdf", "logpdf", "cdf", "sf", "logcdf", "logsf")
MASSES = ("pmf", "logpmf", "cdf", "sf", "logcdf", "logsf")
QUANTILES = ("ppf", "isf")
SHARES = numpy.array([0.21, 0.43, 0.87])
SCALE, LOCATION = 1.6, 0.2
ENDS = (numpy.float64(-LOCATION), numpy.float64(SCALE))


def method(distribution: str, name: str) -> Callable[..., Any]:
    return lambda module, *xs: getattr(getattr(module, distribution), name)(*xs)


def counting(distribution: str, name: str, *first: Any) -> Callable[..., Any]:
    return lambda module, *xs: getattr(getattr(module, distribution), name)(*first, *xs)


def inside(name: str, shapes: tuple[float, ...]) -> Any:
    """Places where a distribution has density, from its own quantiles."""
    return getattr(scipy.stats, name).ppf(SHARES, *shapes, LOCATION, SCALE)


for name, shapes in CONTINUOUS.items():
    parameters = [numpy.float64(s) for s in (*shapes, LOCATION, SCALE)]
    for each in DENSITIES:
        PROBES.probe(f"{name}.{each}", method(name, each), inside(name, shapes), *parameters)
    for each in QUANTILES:
        PROBES.probe(f"{name}.{each}", method(name, each), SHARES, *parameters)
for name, shapes in DISCRETE.items():
    parameters = [numpy.float64(s) for s in shapes]
    count = (COUNTED[name],) if name in COUNTED else ()
    places = numpy.array([0, 0] if name == "bernoulli" else [1, 2, 4])
    for each in MASSES:
        PROBES.probe(f"{name}.{each}", counting(name, each, places, *count), *parameters)
    for each in QUANTILES:
        PROBES.probe(f"{name}.{each}", counting(name, each, SHARES, *count), *parameters)

COVARIANCE = numpy.array([[2.0, 0.3], [0.3, 1.0]])
SHARE = numpy.array([0.2, 0.5, 0.3])
for each in ("pdf", "logpdf"):
    PROBES.probe(
        f"multivariate_normal.{each}",
        lambda st, x, mean, root, each=each: getattr(st.multivariate_normal, each)(
            x, mean, root @ root.T
        ),
        M[:, :2],
        M[0, :2],
        COVARIANCE,
    )
    PROBES.probe(
        f"multivariate_t.{each}",
        lambda st, x, loc, root, df, each=each: getattr(st.multivariate_t, each)(
            x, loc, root @ root.T, df
        ),
        M[:, :2],
        M[0, :2],
        COVARIANCE,
        numpy.float64(3.5),
    )
    for name in ("wishart", "invwishart"):
        PROBES.probe(
            f"{name}.{each}",
            lambda st, root, df, other, name=name, each=each: getattr(getattr(st, name), each)(
                root @ root.T, df, other @ other.T
            ),
            COVARIANCE,
            numpy.float64(3.5),
            numpy.linalg.cholesky(COVARIANCE) + 0.1,
        )
    PROBES.probe(
        f"dirichlet.{each}",
        lambda st, a, each=each: getattr(st.dirichlet, each)(SHARE, a),
        10 * SHARE,
    )
for each in ("pmf", "logpmf"):
    PROBES.probe(
        f"multinomial.{each}",
        lambda st, p, each=each: getattr(st.multinomial, each)(
            numpy.array([2, 1, 3]), 6, p / p.sum()
        ),
        SHARE,
    )
PROBES.probe("gaussian_kde", lambda st, x, at: st.gaussian_kde(x)(at), M[0], SHARES)
for name, (shape, parts) in SKEWED.items():
    for each in parts:
        PROBES.probe(f"{name}.{each}", method(name, each), SHARES, numpy.float64(shape), *ENDS)
P = abs(M) + 0.3
PROBES.same("sem skew kurtosis zscore circmean circvar circstd median_abs_deviation iqr", M)
PROBES.same("gmean hmean gstd gzscore variation entropy", P)
PROBES.same("pmean", P, p=1.7)
PROBES.same("moment", M, order=3)
PROBES.same("zmap", M, P)
PROBES.same("boxcox", P[0], lmbda=0.4)
PROBES.same("yeojohnson", M[0], lmbda=0.4)
PROBES.same("boxcox_llf yeojohnson_llf", numpy.float64(0.4), P)
PROBES.same("wasserstein_distance energy_distance", M[0], P[1])
PROBES.probe("pearsonr", lambda st, x, y: tuple(st.pearsonr(x, y)), M[0], P[1])
PROBES.probe("linregress", lambda st, x, y: tuple(st.linregress(x, y)), M[0], P[1])
PROBES.probe("mode", lambda st, x: st.mode(x.round()).mode, M[0])
PROBES.same("rankdata", M[0])
