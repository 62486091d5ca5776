"""The incomplete gamma and beta functions, their logarithms and their inverses."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ..comparison import isfinite, logical_and, logical_not, logical_or
from ..elementary import log, log1p
from ..samples import Sample, positive, two, uniform
from ..selection import where
from .define import anywhere, blockwise, precise, precise_inverse, special
from .densities import (
    beta_density,
    gamma_density,
    log_beta_density,
    log_gamma_density,
)
from .gamma import digamma, digamma_difference
from .scores import beta_scores, beta_tail, gamma_score, gamma_tail

TINY = 1e-290
NAN = math.nan


def _flag(mask: Any) -> Any:
    """1 where `mask`, else 0."""
    return where(mask, 1.0, 0.0)


def _gamma_slope(a: Any, x: Any) -> Any:
    """The derivative in `a` of `gammainc`; from a + 1 where `a` is small, by the recurrence."""
    inside = (a > 0) & (x > 0) & isfinite(x) & isfinite(a)
    p, y = where(inside, a, 1), where(inside, x, 1)
    lower, upper = gammainc(p, y), gammaincc(p, y)
    above = logical_and(upper < lower, logical_or(y >= 1, p >= 1))
    shift = _flag(logical_and(logical_not(above), p < 1))
    raised = p + shift
    slope = where(above, -upper, gammainc(raised, y)) * gamma_score(raised, y, above)
    first = gamma_density(p + 1, y) * (log(y) - digamma(p + 1))
    edge = where(logical_or(a == 0, logical_not(isfinite(a))), NAN, gammainc(a, x) * 0)
    return where(inside, slope + shift * first, edge)


def gamma_slope(a: Any, x: Any) -> Any:
    return blockwise(_gamma_slope, a, x)


_gammas = two((positive, positive), (uniform(5, 30), uniform(5, 30)), (uniform(0.1, 0.9), positive))

gammainc = special(
    "gammainc",
    precise(lambda a, x: gamma_slope(a, x)),
    precise(lambda a, x: gamma_density(a, x)),
    samples=_gammas,
    doc="The regularised lower incomplete gamma function.",
)
gammaincc = special(
    "gammaincc",
    precise(lambda a, x: -gamma_slope(a, x)),
    precise(lambda a, x: -gamma_density(a, x)),
    samples=_gammas,
    doc="The regularised upper incomplete gamma function.",
)
_probable = uniform(0.1, 0.9)
_gamma_inverses = two((positive, _probable), (uniform(5, 30), _probable))
gammaincinv = special(
    "gammaincinv",
    precise_inverse(lambda x, a: -gamma_slope(a, x) / gamma_density(a, x)),
    precise_inverse(lambda x, a: 1 / gamma_density(a, x)),
    samples=_gamma_inverses,
    doc="The inverse of `gammainc` in its second argument.",
)
gammainccinv = special(
    "gammainccinv",
    precise_inverse(lambda x, a: -gamma_slope(a, x) / gamma_density(a, x)),
    precise_inverse(lambda x, a: -1 / gamma_density(a, x)),
    samples=_gamma_inverses,
    doc="The inverse of `gammaincc` in its second argument.",
)


def log_gammainc(a: Any, x: Any, upper: bool = False) -> Any:
    """The logarithm of `gammainc` (or of `gammaincc`), where that has underflowed too."""
    tail, other = (gammaincc, gammainc) if upper else (gammainc, gammaincc)
    value = tail(a, x)
    large = value > 0.5
    deep = (value < TINY) & (x > 0) & (a > 0) & isfinite(x)
    plain = logical_not(large | deep) & (value > 0)
    out = where(large, log1p(-where(large, other(a, x), 0)), log(where(plain, value, 1)))
    out = where(large | plain, out, where(value == 0, -math.inf, value))
    if anywhere(deep):
        p, y = where(deep, a, 1), where(deep, x, 50.0 if upper else 1e-3)
        integral, _ = gamma_tail(p, y, where(deep, upper, upper))
        out = where(deep, log_gamma_density(p, y) + log(y) + log(integral), out)
    return out


def _beta_slope(a: Any, b: Any, x: Any, index: int) -> Any:
    """The derivative of `betainc` in `a` or `b`, by `index`.

    It is that of the smaller tail, taken as a lower tail: of I(p, q, z) after a reflection. Where
    p is below 1 it comes from p + 1, by the recurrence. Where the smaller tail is nearly constant,
    the larger one serves.
    """
    inside = (a > 0) & (b > 0) & (x > 0) & (x < 1) & isfinite(a) & isfinite(b)
    a1, b1, x1 = where(inside, a, 1), where(inside, b, 1), where(inside, x, 0.5)
    rest = 1 - x1
    lower, upper = betainc(a1, b1, x1), betaincc(a1, b1, x1)
    flat_lower = (x1 > 0.5) & (b1 < 1) & (a1 * rest < 1)
    flat_upper = (x1 < 0.5) & (a1 < 1) & (b1 * x1 < 1)
    flip = logical_and(flat_lower | (upper < lower), logical_not(flat_upper))
    p, q = where(flip, b1, a1), where(flip, a1, b1)
    z, other = where(flip, rest, x1), where(flip, x1, rest)
    shift = _flag(p < 1)
    raised = p + shift
    tail = where(flip, betaincc(a1, raised, x1), betainc(raised, q, x1))
    # I(p, q, z) = I(p + 1, q, z) + z**p * (1 - z)**q / (p * beta(p, q))
    density = beta_density(where(flip, q, p + 1), where(flip, p + 1, q), x1)
    first = shift * density * other / (p + q)
    by_p, by_q = beta_scores(raised, q, z, other)
    by_p = tail * by_p + first * (log(z) + digamma_difference(p + 1, q - 1))
    by_q = tail * by_q + first * (log(other) + digamma_difference(q, p))
    slope = where(flip, -by_q, by_p) if index == 0 else where(flip, -by_p, by_q)
    unknown = logical_not((a > 0) & (b > 0) & isfinite(a) & isfinite(b))
    return where(inside, slope, where(unknown, NAN, betainc(a, b, x) * 0))


def beta_slope_a(a: Any, b: Any, x: Any) -> Any:
    return blockwise(lambda p, q, z: _beta_slope(p, q, z, 0), a, b, x)


def beta_slope_b(a: Any, b: Any, x: Any) -> Any:
    return blockwise(lambda p, q, z: _beta_slope(p, q, z, 1), a, b, x)


def _triples(last: Any) -> Any:
    """Samples of positive parameters, small and large, and a number of the domain `last`."""

    def samples(rng: Any) -> Iterator[Sample]:
        for shapes in (((), (), ()), ((2, 1), (3,), ())):
            domains = (positive, positive, last)
            yield tuple(draw(rng, shape) for draw, shape in zip(domains, shapes, strict=True)), {}
        for domain in (uniform(4, 20), last):
            yield (domain(rng, (4,)), domain(rng, (4,)), last(rng, (4,))), {}

    return samples


betainc = special(
    "betainc",
    precise(lambda a, b, x: beta_slope_a(a, b, x)),
    precise(lambda a, b, x: beta_slope_b(a, b, x)),
    precise(lambda a, b, x: beta_density(a, b, x)),
    samples=_triples(_probable),
    doc="The regularised incomplete beta function.",
)
betaincc = special(
    "betaincc",
    precise(lambda a, b, x: -beta_slope_a(a, b, x)),
    precise(lambda a, b, x: -beta_slope_b(a, b, x)),
    precise(lambda a, b, x: -beta_density(a, b, x)),
    samples=_triples(_probable),
    doc="`1 - betainc(a, b, x)`.",
)
betaincinv = special(
    "betaincinv",
    precise_inverse(lambda x, a, b: -beta_slope_a(a, b, x) / beta_density(a, b, x)),
    precise_inverse(lambda x, a, b: -beta_slope_b(a, b, x) / beta_density(a, b, x)),
    precise_inverse(lambda x, a, b: 1 / beta_density(a, b, x)),
    samples=_triples(_probable),
    doc="The inverse of `betainc` in its last argument.",
)
betainccinv = special(
    "betainccinv",
    precise_inverse(lambda x, a, b: -beta_slope_a(a, b, x) / beta_density(a, b, x)),
    precise_inverse(lambda x, a, b: -beta_slope_b(a, b, x) / beta_density(a, b, x)),
    precise_inverse(lambda x, a, b: -1 / beta_density(a, b, x)),
    samples=_triples(_probable),
    doc="The inverse of `betaincc` in its last argument.",
)


def log_betainc(a: Any, b: Any, x: Any, upper: bool = False) -> Any:
    """The logarithm of `betainc` (or of `betaincc`), where that has underflowed too."""
    tail, other = (betaincc, betainc) if upper else (betainc, betaincc)
    value = tail(a, b, x)
    large = value > 0.5
    inside = (x > 0) & (x < 1) & (a > 0) & (b > 0)
    deep = (value < TINY) & inside
    plain = logical_not(large | deep) & (value > 0)
    out = where(large, log1p(-where(large, other(a, b, x), 0)), log(where(plain, value, 1)))
    out = where(large | plain, out, where(value == 0, -math.inf, value))
    if anywhere(deep):
        p, q, z = where(deep, a, 1), where(deep, b, 1), where(deep, x, 0.5)
        ends = (q, p, 1 - z, z) if upper else (p, q, z, 1 - z)
        integral, _, _ = beta_tail(*ends)
        prefix = log_beta_density(p, q, z) + log(z) + log1p(-z)
        out = where(deep, prefix + log(integral), out)
    return out
