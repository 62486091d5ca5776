"""`Discrete`: a distribution of whole numbers as a record of functions, and JAX's six of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy

from ...numpy.dispatch import np
from ...numpy.reading import known
from ...ops.comparison import isnan
from ...ops.elementary import exp, expm1, log, log1p
from ...ops.reduce import logsumexp
from ...ops.rounding import floor, rint
from ...ops.selection import where
from ...ops.specials.define import anywhere
from ...ops.specials.densities import log_beta_density, log_gamma_density
from ...ops.specials.gamma import betaln
from ...ops.specials.generalised import discrete_quantile
from ...ops.specials.incomplete import (
    betainc,
    betaincc,
    gammainc,
    gammaincc,
    log_betainc,
    log_gammainc,
)
from ...ops.specials.information import xlog1py, xlogy
from .base import INFINITY, NAN, Arguments, Distribution, Function, floating, logarithm, weak


@dataclass(frozen=True)
class Record:
    """What a distribution is: functions of a whole number in its support, and of the shapes.

    `below` and `above` are the probabilities of numbers up to the argument, and above it.
    """

    log_mass: Function
    below: Function
    above: Function
    log_below: Function | None = None
    log_above: Function | None = None


def is_whole(n: Any) -> Any:
    return rint(n) == n


class Discrete(Distribution):
    """A family of distributions of whole numbers.

    The mass is differentiable in the parameters, and in its argument as the formula is. Between
    whole numbers it is 0; distribution functions and quantiles are steps.
    """

    ends = ("loc",)
    defaults = (0.0,)

    def __init__(
        self,
        name: str,
        record: Record,
        shapes: str,
        support: Any = (0.0, INFINITY),
        allowed: Function | None = None,
    ) -> None:
        super().__init__(name, shapes, support, allowed)
        self.record = record

    def _at(self, method: str, k: Any, args: Arguments, kwargs: dict[str, Any]) -> tuple[Any, Any]:
        *shapes, loc = self.parameters(method, args, kwargs)
        k = floating(k)
        k = k - loc if type(loc) is not float or loc != 0 else k
        return k, tuple(weak(value, k) for value in shapes)

    def logpmf(self, k: Any, *args: Any, **kwargs: Any) -> Any:
        """The logarithm of the probability of `k`."""
        with numpy.errstate(all="ignore"):
            k, shapes = self._at("logpmf", k, args, kwargs)
            return self.checked(self._log_mass(k, shapes), shapes)

    def _log_mass(self, k: Any, shapes: Arguments) -> Any:
        low, high = self.bounds(shapes)
        outside = (k < low) | (k > high) | (floor(k) != k)
        if not anywhere(outside):
            return self.record.log_mass(k, *shapes)
        out = self.record.log_mass(where(outside, low, k), *shapes)
        return where(outside, where(isnan(k), NAN, -INFINITY), out)

    def pmf(self, k: Any, *args: Any, **kwargs: Any) -> Any:
        """The probability of `k`."""
        with numpy.errstate(all="ignore"):
            k, shapes = self._at("pmf", k, args, kwargs)
            return self.checked(exp(self._log_mass(k, shapes)), shapes)

    def _probability(
        self,
        method: str,
        k: Any,
        args: Arguments,
        kwargs: dict[str, Any],
        function: Callable[..., Any],
        edges: tuple[float, float],
    ) -> Any:
        with numpy.errstate(all="ignore"):
            k, shapes = self._at(method, k, args, kwargs)
            low, high = self.bounds(shapes)
            outside = (k < low) | (k >= high) | isnan(k)
            if anywhere(outside):
                out = function(floor(where(outside, low, k)), *shapes)
                least, greatest = edges
                out = where(outside, where(k < low, least, where(k >= high, greatest, NAN)), out)
            else:
                out = function(floor(k), *shapes)
            return self.checked(out, shapes)

    def cdf(self, k: Any, *args: Any, **kwargs: Any) -> Any:
        """The probability of numbers up to `k`."""
        return self._probability("cdf", k, args, kwargs, self.record.below, (0.0, 1.0))

    def sf(self, k: Any, *args: Any, **kwargs: Any) -> Any:
        """The probability of numbers above `k`."""
        return self._probability("sf", k, args, kwargs, self.record.above, (1.0, 0.0))

    def logcdf(self, k: Any, *args: Any, **kwargs: Any) -> Any:
        """The logarithm of the probability of numbers up to `k`."""
        record = self.record
        function = logarithm(record.log_below, record.below, record.above)
        return self._probability("logcdf", k, args, kwargs, function, (-INFINITY, 0.0))

    def logsf(self, k: Any, *args: Any, **kwargs: Any) -> Any:
        """The logarithm of the probability of numbers above `k`."""
        record = self.record
        function = logarithm(record.log_above, record.above, record.below)
        return self._probability("logsf", k, args, kwargs, function, (0.0, -INFINITY))

    def ppf(self, q: Any, *args: Any, **kwargs: Any) -> Any:
        """The quantile, a step function of everything."""
        return self._quantile("ppf", q, args, kwargs)

    def isf(self, q: Any, *args: Any, **kwargs: Any) -> Any:
        """The upper quantile, a step function of everything."""
        return self._quantile("isf", q, args, kwargs)

    def _quantile(self, method: str, q: Any, args: Arguments, kwargs: dict[str, Any]) -> Any:
        *shapes, loc = self.parameters(method, args, kwargs)
        out = discrete_quantile(floating(q), *shapes, distribution=self.name, method=method)
        return out + loc


poisson = Discrete(
    "poisson",
    Record(
        log_mass=lambda k, mu: log_gamma_density(k + 1, mu),
        below=lambda k, mu: gammaincc(k + 1, mu),
        above=lambda k, mu: gammainc(k + 1, mu),
        log_below=lambda k, mu: log_gammainc(k + 1, mu, upper=True),
        log_above=lambda k, mu: log_gammainc(k + 1, mu),
    ),
    shapes="mu",
    allowed=lambda mu: mu >= 0,
)


def _is_probability(p: Any) -> Any:
    return (p >= 0) & (p <= 1)


binom = Discrete(
    "binom",
    Record(
        log_mass=lambda k, n, p: log_beta_density(k + 1, n - k + 1, p) - log(n + 1),
        below=lambda k, n, p: betaincc(k + 1, n - k, p),
        above=lambda k, n, p: betainc(k + 1, n - k, p),
        log_below=lambda k, n, p: log_betainc(k + 1, n - k, p, upper=True),
        log_above=lambda k, n, p: log_betainc(k + 1, n - k, p),
    ),
    shapes="n p",
    support=lambda n, p: (0.0, n),
    allowed=lambda n, p: (n >= 0) & is_whole(n) & _is_probability(p),
)
bernoulli = Discrete(
    "bernoulli",
    Record(
        log_mass=lambda k, p: xlogy(k, p) + xlog1py(1 - k, -p),
        below=lambda k, p: 1 - p + 0 * k,
        above=lambda k, p: p + 0 * k,
    ),
    shapes="p",
    support=(0.0, 1.0),
    allowed=_is_probability,
)
geom = Discrete(
    "geom",
    Record(
        log_mass=lambda k, p: xlog1py(k - 1, -p) + log(p),
        below=lambda k, p: -expm1(log1p(-p) * k),
        above=lambda k, p: exp(log1p(-p) * k),
        log_above=lambda k, p: log1p(-p) * k,
    ),
    shapes="p",
    support=(1.0, INFINITY),
    allowed=lambda p: (p > 0) & (p <= 1),
)


nbinom = Discrete(
    "nbinom",
    Record(
        log_mass=lambda k, n, p: log_beta_density(n, k + 1, p) + log(p) - log(n + k),
        below=lambda k, n, p: betainc(n, k + 1, p),
        above=lambda k, n, p: betaincc(n, k + 1, p),
        log_below=lambda k, n, p: log_betainc(n, k + 1, p),
        log_above=lambda k, n, p: log_betainc(n, k + 1, p, upper=True),
    ),
    shapes="n p",
    allowed=lambda n, p: (n > 0) & (p > 0) & (p <= 1),
)


def _beta_binomial(k: Any, n: Any, a: Any, b: Any) -> Any:
    choices = -log(n + 1) - betaln(n - k + 1, k + 1)
    return choices + betaln(k + a, n - k + b) - betaln(a, b)


def _beta_binomial_sum(above: bool, k: Any, n: Any, a: Any, b: Any) -> Any:
    """The logarithm of the sum of the masses up to `k`, or above it, term by term."""
    terms = int(numpy.max(known(n, "the number of trials of betabinom"))) + 1
    j = numpy.arange(float(terms))
    k, n, a, b = (np.expand_dims(v, -1) if numpy.ndim(v) else v for v in (k, n, a, b))
    counted = (j > k) & (j <= n) if above else (j <= k) & (j <= n)
    masses = _beta_binomial(where(counted, j, 0), n, a, b)
    masses = where(counted, masses, -INFINITY)
    return logsumexp(masses, axis=(masses.ndim - 1,), keepdims=False)


betabinom = Discrete(
    "betabinom",
    Record(
        log_mass=_beta_binomial,
        below=lambda *args: exp(_beta_binomial_sum(False, *args)),
        above=lambda *args: exp(_beta_binomial_sum(True, *args)),
        log_below=lambda *args: _beta_binomial_sum(False, *args),
        log_above=lambda *args: _beta_binomial_sum(True, *args),
    ),
    shapes="n a b",
    support=lambda n, a, b: (0.0, n),
    allowed=lambda n, a, b: (n >= 0) & is_whole(n) & (a > 0) & (b > 0),
)
