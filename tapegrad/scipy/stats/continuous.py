"""`Continuous`: a continuous distribution as a record of functions of the standardised argument."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy

from ...ops.comparison import isnan, logical_not
from ...ops.elementary import exp, log
from ...ops.selection import where
from ...ops.specials.define import anywhere
from .base import INFINITY, NAN, Arguments, Distribution, Function, floating, logarithm, weak

EVERYWHERE = (-INFINITY, INFINITY)


@dataclass(frozen=True)
class Record:
    """What a distribution is, at location 0 and scale 1; each function takes the shapes too.

    `below` and `above` are the distribution function and its complement, accurate where they are
    small; the quantiles are their inverses. The density and the logarithms follow from the others
    if they are not given; other methods are then SciPy's, without derivative. Inside the support,
    functions need not care about arguments outside.
    """

    log_density: Function
    below: Any = None
    above: Any = None
    quantile: Any = None
    upper_quantile: Any = None
    density: Function | None = None
    log_below: Function | None = None
    log_above: Function | None = None


def interior(low: Any, high: Any) -> Any:
    """A point inside a support, finite."""
    if type(high) is float and high == INFINITY:
        return 0.0 if type(low) is float and low == -INFINITY else low + 1.0
    return 0.5 * (low + high)


class Continuous(Distribution):
    """A family of continuous distributions.

    Arguments and parameters broadcast and may be recorded. Outside the support the density is 0
    and has no derivative; parameters that are not allowed give NaN.
    """

    ends = ("loc", "scale")
    defaults = (0.0, 1.0)

    def __init__(
        self,
        name: str,
        record: Record,
        shapes: str = "",
        support: Any = EVERYWHERE,
        allowed: Function | None = None,
    ) -> None:
        super().__init__(name, shapes, support, allowed)
        self.record = record

    def _at(self, method: str, x: Any, args: Arguments, kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """The standardised argument, the shapes and the scale."""
        *shapes, loc, scale = self.parameters(method, args, kwargs)
        z = floating(x)
        if type(loc) is not float or loc != 0:
            z = z - loc
        if type(scale) is not float or scale != 1:
            z = z / scale
        return z, tuple(weak(value, z) for value in shapes), scale

    def _inside(
        self, function: Callable[..., Any], z: Any, shapes: Arguments, least: Any, greatest: Any
    ) -> Any:
        """`function` inside the support, below it `least`, above it `greatest`."""
        low, high = self.bounds(shapes)
        outside = (z <= low) | (z >= high) | isnan(z)
        if not anywhere(outside):
            return function(z, *shapes)
        out = function(where(outside, interior(low, high), z), *shapes)
        edges = where(z <= low, least, where(z >= high, greatest, NAN))
        return where(outside, edges, out)

    def _density(
        self, method: str, x: Any, args: Arguments, kwargs: dict[str, Any], logarithm: bool
    ) -> Any:
        with numpy.errstate(all="ignore"):
            z, shapes, scale = self._at(method, x, args, kwargs)
            record = self.record
            function: Callable[..., Any] = record.log_density
            if not logarithm:
                function = record.density or (lambda y, *s: exp(record.log_density(y, *s)))
            low, high = self.bounds(shapes)
            outside = (z < low) | (z > high) | isnan(z) | (abs(z) == INFINITY)
            if anywhere(outside):
                out = function(where(outside, interior(low, high), z), *shapes)
                out = where(outside, where(isnan(z), NAN, -INFINITY if logarithm else 0.0), out)
            else:
                out = function(z, *shapes)
            if type(scale) is not float or scale != 1:
                out = out - log(scale) if logarithm else out / scale
            return self.checked(out, shapes, scale)

    def logpdf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """The logarithm of the density."""
        return self._density("logpdf", x, args, kwargs, True)

    def pdf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """The density."""
        return self._density("pdf", x, args, kwargs, False)

    def _probability(
        self,
        method: str,
        x: Any,
        args: Arguments,
        kwargs: dict[str, Any],
        function: Function | None,
        edges: tuple[float, float],
    ) -> Any:
        if function is None:
            return self.original(method)(x, *args, **kwargs)
        with numpy.errstate(all="ignore"):
            z, shapes, scale = self._at(method, x, args, kwargs)
            return self.checked(self._inside(function, z, shapes, *edges), shapes, scale)

    def cdf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """The probability of values up to `x`."""
        return self._probability("cdf", x, args, kwargs, self.record.below, (0.0, 1.0))

    def sf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """The probability of values above `x`."""
        return self._probability("sf", x, args, kwargs, self.record.above, (1.0, 0.0))

    def logcdf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """The logarithm of the probability of values up to `x`."""
        record = self.record
        function = logarithm(record.log_below, record.below, record.above)
        return self._probability("logcdf", x, args, kwargs, function, (-INFINITY, 0.0))

    def logsf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """The logarithm of the probability of values above `x`."""
        record = self.record
        function = logarithm(record.log_above, record.above, record.below)
        return self._probability("logsf", x, args, kwargs, function, (0.0, -INFINITY))

    def _inverse(
        self, method: str, q: Any, args: Arguments, kwargs: dict[str, Any], upper: bool
    ) -> Any:
        function = self.record.upper_quantile if upper else self.record.quantile
        if function is None:
            return self.original(method)(q, *args, **kwargs)
        with numpy.errstate(all="ignore"):
            *given, loc, scale = self.parameters(method, args, kwargs)
            q = floating(q)
            shapes = tuple(weak(value, q) for value in given)
            low, high = self.bounds(shapes)
            first, last = (high, low) if upper else (low, high)
            proper = (q > 0) & (q < 1)
            if anywhere(logical_not(proper)):
                out = function(where(proper, q, 0.5), *shapes)
                out = where(proper, out, where(q == 0, first, where(q == 1, last, NAN)))
            else:
                out = function(q, *shapes)
            if type(scale) is not float or scale != 1:
                out = out * scale
            if type(loc) is not float or loc != 0:
                out = out + loc
            return self.checked(out, shapes, scale)

    def ppf(self, q: Any, *args: Any, **kwargs: Any) -> Any:
        """The quantile: the value up to which the probability is `q`."""
        return self._inverse("ppf", q, args, kwargs, False)

    def isf(self, q: Any, *args: Any, **kwargs: Any) -> Any:
        """The upper quantile: the value above which the probability is `q`."""
        return self._inverse("isf", q, args, kwargs, True)
