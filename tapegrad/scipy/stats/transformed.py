"""Distributions of a function of a variable that is distributed in a way known already."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...ops.complex import abs
from ...ops.elementary import asinh, exp, expm1, log, log1p, sinh, sqrt
from ...ops.selection import where
from ...ops.specials.gamma import gammaln
from ...ops.specials.information import xlogy
from ...ops.specials.logistic import expit, exprel, logit
from .base import INFINITY, Function
from .continuous import Continuous, Record
from .elementary import POSITIVE, expon, gumbel_r, logistic
from .gamma_family import gamma
from .normal import norm

LOG_2 = math.log(2)


def increasing(base: Record, to: Function, back: Function, log_density: Function) -> Record:
    """The record of z where ``to(z)`` is distributed as `base` says; `back` is the inverse."""

    def probability(function: Function | None) -> Function | None:
        return function and (lambda z, *shapes: function(to(z, *shapes)))

    def quantile(function: Function) -> Function:
        return lambda q, *shapes: back(function(q), *shapes)

    return Record(
        log_density=log_density,
        below=lambda z, *shapes: base.below(to(z, *shapes)),
        above=lambda z, *shapes: base.above(to(z, *shapes)),
        log_below=probability(base.log_below),
        log_above=probability(base.log_above),
        quantile=quantile(base.quantile),
        upper_quantile=quantile(base.upper_quantile),
    )


def decreasing(base: Record, to: Function, back: Function, log_density: Function) -> Record:
    """As `increasing`, where ``to`` falls: the two tails change places."""
    mirrored = Record(
        log_density=base.log_density,
        below=base.above,
        above=base.below,
        log_below=base.log_above,
        log_above=base.log_below,
        quantile=base.upper_quantile,
        upper_quantile=base.quantile,
    )
    return increasing(mirrored, to, back, log_density)


def of_gamma(
    shape: Callable[..., Any], to: Function, back: Function, log_density: Function, falls: bool
) -> Record:
    """The record of z where ``to(z)`` has the gamma distribution whose parameter is `shape`."""
    base = gamma.record

    def probability(function: Any) -> Function:
        return lambda z, *shapes: function(to(z, *shapes), shape(*shapes))

    def quantile(function: Function) -> Function:
        return lambda q, *shapes: back(function(q, shape(*shapes)), *shapes)

    rising = (base.below, base.above, base.log_below, base.log_above)
    below, above, log_below, log_above = map(probability, rising)
    quantiles = quantile(base.quantile), quantile(base.upper_quantile)
    if falls:
        below, above, log_below, log_above = above, below, log_above, log_below
        quantiles = quantiles[::-1]
    return Record(log_density, below, above, *quantiles, None, log_below, log_above)


def positive(*shapes: Any) -> Any:
    """Whether all parameters are positive."""
    valid = shapes[0] > 0
    for value in shapes[1:]:
        valid = valid & (value > 0)
    return valid


weibull_min = Continuous(
    "weibull_min",
    increasing(
        expon.record,
        to=lambda z, c: z**c,
        back=lambda u, c: u ** (1 / c),
        log_density=lambda z, c: log(c) + xlogy(c - 1, z) - z**c,
    ),
    shapes="c",
    support=POSITIVE,
    allowed=positive,
)
weibull_max = Continuous(
    "weibull_max",
    decreasing(
        expon.record,
        to=lambda z, c: (-z) ** c,
        back=lambda u, c: -(u ** (1 / c)),
        log_density=lambda z, c: log(c) + xlogy(c - 1, -z) - (-z) ** c,
    ),
    shapes="c",
    support=(-INFINITY, 0.0),
    allowed=positive,
)
invweibull = Continuous(
    "invweibull",
    decreasing(
        expon.record,
        to=lambda z, c: z**-c,
        back=lambda u, c: u ** (-1 / c),
        log_density=lambda z, c: log(c) - (c + 1) * log(z) - z**-c,
    ),
    shapes="c",
    support=POSITIVE,
    allowed=positive,
)
rayleigh = Continuous(
    "rayleigh",
    increasing(
        expon.record,
        to=lambda z: z * z * 0.5,
        back=lambda u: sqrt(2 * u),
        log_density=lambda z: log(z) - z * z * 0.5,
    ),
    support=POSITIVE,
)
lomax = Continuous(
    "lomax",
    increasing(
        expon.record,
        to=lambda z, c: c * log1p(z),
        back=lambda u, c: expm1(u / c),
        log_density=lambda z, c: log(c) - (c + 1) * log1p(z),
    ),
    shapes="c",
    support=POSITIVE,
    allowed=positive,
)
powerlaw = Continuous(
    "powerlaw",
    decreasing(
        expon.record,
        to=lambda z, a: -a * log(z),
        back=lambda u, a: exp(-u / a),
        log_density=lambda z, a: log(a) + xlogy(a - 1, z),
    ),
    shapes="a",
    support=(0.0, 1.0),
    allowed=positive,
)
gompertz = Continuous(
    "gompertz",
    increasing(
        expon.record,
        to=lambda z, c: c * expm1(z),
        back=lambda u, c: log1p(u / c),
        log_density=lambda z, c: log(c) + z - c * expm1(z),
    ),
    shapes="c",
    support=POSITIVE,
    allowed=positive,
)


def _pareto_exponent(z: Any, c: Any) -> Any:
    """``log1p(c z) / c``, which is z at c = 0."""
    return z / exprel(log1p(c * z))


def _ends_above(c: Any) -> tuple[Any, Any]:
    """From 0 on: without end, or for negative `c` to ``-1 / c``."""
    return 0.0, _reciprocal_or_infinite(-c)


def _reciprocal_or_infinite(c: Any) -> Any:
    falls = c > 0
    return where(falls, 1 / where(falls, c, 1), INFINITY)


genpareto = Continuous(
    "genpareto",
    increasing(
        expon.record,
        to=_pareto_exponent,
        back=lambda u, c: u * exprel(c * u),
        log_density=lambda z, c: -_pareto_exponent(z, c) - log1p(c * z),
    ),
    shapes="c",
    support=_ends_above,
    allowed=lambda c: abs(c) < INFINITY,
)
genextreme = Continuous(
    "genextreme",
    increasing(
        gumbel_r.record,
        to=lambda z, c: _pareto_exponent(z, -c),
        back=lambda u, c: u * exprel(-c * u),
        log_density=lambda z, c: (
            gumbel_r.record.log_density(_pareto_exponent(z, -c)) - log1p(-c * z)
        ),
    ),
    shapes="c",
    support=lambda c: (-_reciprocal_or_infinite(-c), _reciprocal_or_infinite(c)),
    allowed=lambda c: abs(c) < INFINITY,
)
lognorm = Continuous(
    "lognorm",
    increasing(
        norm.record,
        to=lambda z, s: log(z) / s,
        back=lambda u, s: exp(s * u),
        log_density=lambda z, s: norm.record.log_density(log(z) / s) - log(s * z),
    ),
    shapes="s",
    support=POSITIVE,
    allowed=positive,
)
johnsonsu = Continuous(
    "johnsonsu",
    increasing(
        norm.record,
        to=lambda z, a, b: a + b * asinh(z),
        back=lambda u, a, b: sinh((u - a) / b),
        log_density=lambda z, a, b: (
            norm.record.log_density(a + b * asinh(z)) + log(b) - 0.5 * log1p(z * z)
        ),
    ),
    shapes="a b",
    allowed=lambda a, b: (b > 0) & (a == a),
)
johnsonsb = Continuous(
    "johnsonsb",
    increasing(
        norm.record,
        to=lambda z, a, b: a + b * logit(z),
        back=lambda u, a, b: expit((u - a) / b),
        log_density=lambda z, a, b: (
            norm.record.log_density(a + b * logit(z)) + log(b) - log(z) - log1p(-z)
        ),
    ),
    shapes="a b",
    support=(0.0, 1.0),
    allowed=lambda a, b: (b > 0) & (a == a),
)
fisk = Continuous(
    "fisk",
    increasing(
        logistic.record,
        to=lambda z, c: c * log(z),
        back=lambda u, c: exp(u / c),
        log_density=lambda z, c: log(c) + logistic.record.log_density(c * log(z)) - log(z),
    ),
    shapes="c",
    support=POSITIVE,
    allowed=positive,
)
maxwell = Continuous(
    "maxwell",
    of_gamma(
        lambda: 1.5,
        to=lambda z: z * z * 0.5,
        back=lambda u: sqrt(2 * u),
        log_density=lambda z: 2 * log(z) - z * z * 0.5 + 0.5 * math.log(2 / math.pi),
        falls=False,
    ),
    support=POSITIVE,
)
chi = Continuous(
    "chi",
    of_gamma(
        lambda df: df * 0.5,
        to=lambda z, df: z * z * 0.5,
        back=lambda u, df: sqrt(2 * u),
        log_density=lambda z, df: (
            xlogy(df - 1, z) - z * z * 0.5 - gammaln(df * 0.5) - (df * 0.5 - 1) * LOG_2
        ),
        falls=False,
    ),
    shapes="df",
    support=POSITIVE,
    allowed=positive,
)
nakagami = Continuous(
    "nakagami",
    of_gamma(
        lambda nu: nu,
        to=lambda z, nu: nu * z * z,
        back=lambda u, nu: sqrt(u / nu),
        log_density=lambda z, nu: (
            LOG_2 + xlogy(nu, nu) - gammaln(nu) + xlogy(2 * nu - 1, z) - nu * z * z
        ),
        falls=False,
    ),
    shapes="nu",
    support=POSITIVE,
    allowed=positive,
)
invgamma = Continuous(
    "invgamma",
    of_gamma(
        lambda a: a,
        to=lambda z, a: 1 / z,
        back=lambda u, a: 1 / u,
        log_density=lambda z, a: -(a + 1) * log(z) - gammaln(a) - 1 / z,
        falls=True,
    ),
    shapes="a",
    support=POSITIVE,
    allowed=positive,
)
levy = Continuous(
    "levy",
    of_gamma(
        lambda: 0.5,
        to=lambda z: 0.5 / z,
        back=lambda u: 0.5 / u,
        log_density=lambda z: -0.5 * math.log(2 * math.pi) - 1.5 * log(z) - 0.5 / z,
        falls=True,
    ),
    support=POSITIVE,
)
