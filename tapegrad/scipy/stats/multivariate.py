"""Distributions of several variables: normal, Dirichlet's, multinomial."""

from __future__ import annotations

import math
from typing import Any

import numpy

from ...numpy.dispatch import np
from ...ops.comparison import logical_not
from ...ops.elementary import exp, log
from ...ops.selection import where
from ...ops.specials.define import anywhere
from ...ops.specials.gamma import gammaln
from ...ops.specials.information import xlogy
from .base import INFINITY, NAN, floating

LOG_2_PI = math.log(2 * math.pi)


class MultivariateNormal:
    """The normal distribution of vectors, `scipy.stats.multivariate_normal`."""

    def logpdf(self, x: Any, mean: Any = None, cov: Any = 1, allow_singular: bool = False) -> Any:
        """The logarithm of the density at `x`, whose last axis is the vectors'.

        `cov` is a matrix, the diagonal of one, or a number; it must be positive definite.
        """
        if allow_singular:
            raise ValueError(
                "multivariate_normal.logpdf: a singular covariance has no differentiable density. "
                "Leave allow_singular out, or add a small multiple of the identity to cov."
            )
        x, cov = floating(x), floating(cov)
        mean = 0.0 if mean is None else floating(mean)
        size = max((v.shape[-1] for v in (mean, cov) if numpy.ndim(v)), default=1)
        if numpy.ndim(x) == 0 or (size == 1 and x.shape[-1] != 1):
            x = np.expand_dims(np.asarray(x) if type(x) is float else x, -1)
        deviation = x - mean
        if numpy.ndim(cov) < 2:
            variance = cov + numpy.zeros(size) if numpy.ndim(cov) == 0 else cov
            square = np.sum(deviation * deviation / variance, axis=-1)
            half = 0.5 * np.sum(log(variance), axis=-1)
        else:
            factor = np.linalg.cholesky(cov)
            half = np.sum(log(np.diagonal(factor, axis1=-2, axis2=-1)), axis=-1)
            scaled = np.linalg.solve(factor, np.expand_dims(deviation, -1))[..., 0]
            square = np.sum(scaled * scaled, axis=-1)
        return -0.5 * (square + size * LOG_2_PI) - half

    def pdf(self, x: Any, mean: Any = None, cov: Any = 1, allow_singular: bool = False) -> Any:
        """The density at `x`."""
        return exp(self.logpdf(x, mean, cov, allow_singular))


class Dirichlet:
    """The distribution of vectors of probabilities, `scipy.stats.dirichlet`."""

    def logpdf(self, x: Any, alpha: Any) -> Any:
        """The logarithm of the density. The first axis of `x` is the vectors'.

        Their last element may be left out: it is what is missing from 1.
        """
        x, alpha = floating(x), floating(alpha)
        if x.shape[0] == alpha.shape[0] - 1:
            x = np.concatenate([x, 1 - np.sum(x, axis=0, keepdims=True)])
        inside = np.all(x >= 0, axis=0) & (abs(np.sum(x, axis=0) - 1) < 1e-10)
        powers = np.reshape(alpha, alpha.shape + (1,) * (x.ndim - 1)) - 1
        with numpy.errstate(all="ignore"):
            outside = logical_not(inside)
            safe = where(outside, 1.0, x) if anywhere(outside) else x
            out = np.sum(xlogy(powers, safe), axis=0)
            out = out + gammaln(np.sum(alpha)) - np.sum(gammaln(alpha))
            out = where(inside, out, -INFINITY) if anywhere(outside) else out
            valid = np.all(alpha > 0)
            return where(valid, out, NAN) if anywhere(logical_not(valid)) else out

    def pdf(self, x: Any, alpha: Any) -> Any:
        """The density."""
        return exp(self.logpdf(x, alpha))


class Multinomial:
    """The distribution of counts, `scipy.stats.multinomial`."""

    def logpmf(self, x: Any, n: Any, p: Any) -> Any:
        """The logarithm of the probability of the counts along the last axis of `x`."""
        x, n, p = floating(x), floating(n), floating(p)
        with numpy.errstate(all="ignore"):
            out = gammaln(n + 1) + np.sum(xlogy(x, p) - gammaln(x + 1), axis=-1)
            whole = np.all((x >= 0) & (np.floor(x) == x), axis=-1)
            fits = whole & (np.sum(x, axis=-1) == n)
            return where(fits, out, -INFINITY)

    def pmf(self, x: Any, n: Any, p: Any) -> Any:
        """The probability of the counts."""
        return exp(self.logpmf(x, n, p))


multivariate_normal = MultivariateNormal()
dirichlet = Dirichlet()
multinomial = Multinomial()
