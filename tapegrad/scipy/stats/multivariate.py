"""Distributions of several variables: normal, Dirichlet's, multinomial."""

from __future__ import annotations

import math
from typing import Any

import numpy

from ...numpy.dispatch import np
from ...numpy.reading import known
from ...ops.comparison import logical_not
from ...ops.elementary import exp, log
from ...ops.gaussian import normal_exponent
from ...ops.selection import where
from ...ops.specials.define import anywhere
from ...ops.specials.gamma import gammaln
from ...ops.specials.information import xlogy
from .base import INFINITY, NAN, Named, floating

LOG_2_PI = math.log(2 * math.pi)


class MultivariateNormal(Named):
    """The normal distribution of vectors, `scipy.stats.multivariate_normal`."""

    name = "multivariate_normal"

    def logpdf(self, x: Any, mean: Any = None, cov: Any = 1, allow_singular: bool = False) -> Any:
        """The logarithm of the density at `x`, whose last axis is the vectors'.

        `cov` is a matrix, the diagonal of one, or a number. It must be positive definite; with
        `allow_singular` the density is that within the space which it spans, and its derivative in
        `cov` is for changes that keep the rank.
        """
        x, cov = floating(x), floating(cov)
        mean = 0.0 if mean is None else floating(mean)
        size = dimension(mean, cov)
        if rank(x) == 0 or (size == 1 and x.shape[-1] != 1):
            x = np.expand_dims(np.asarray(x) if type(x) is float else x, -1)
        deviation = x - mean
        if allow_singular:
            cov = matrix(cov, size)
            values, kept, tolerance = spectrum(cov)
            if not kept.all():
                return _singular_logpdf(deviation, cov, values, kept, tolerance)
        if rank(cov) >= 2:
            if rank(cov) > 2:  # a matrix for each vector
                stack = numpy.broadcast_shapes(deviation.shape[:-1], cov.shape[:-2])
                deviation = np.broadcast_to(deviation, (*stack, size))
                cov = np.broadcast_to(cov, (*stack, size, size))
            return normal_exponent(deviation, cov) - 0.5 * size * LOG_2_PI
        variance = cov + numpy.zeros(size) if rank(cov) == 0 else cov
        square = np.sum(deviation * deviation / variance, axis=-1)
        return -0.5 * (square + np.sum(log(variance), axis=-1) + size * LOG_2_PI)

    def pdf(self, x: Any, mean: Any = None, cov: Any = 1, allow_singular: bool = False) -> Any:
        """The density at `x`."""
        return exp(self.logpdf(x, mean, cov, allow_singular))

    def entropy(self, mean: Any = None, cov: Any = 1) -> Any:
        """The differential entropy, which does not depend on `mean`; within its space if `cov` is
        singular."""
        mean = 0.0 if mean is None else floating(mean)
        cov = floating(cov)
        values, kept, _ = spectrum(matrix(cov, dimension(mean, cov)))
        half = 0.5 * np.sum(log(values[kept]))
        return half + 0.5 * int(kept.sum()) * (1 + LOG_2_PI)


def rank(x: Any) -> int:
    """The number of axes of an argument as `floating` gives it."""
    return 0 if type(x) is float else x.ndim


def dimension(mean: Any, cov: Any) -> int:
    """The size of the vectors that parameters are for."""
    return max((v.shape[-1] for v in (mean, cov) if rank(v)), default=1)


def matrix(cov: Any, size: int) -> Any:
    """A covariance that may be given as a number or as a diagonal, as a matrix."""
    if rank(cov) == 0:
        return cov * numpy.eye(size)
    return np.diag(cov) if rank(cov) == 1 else cov


def spectrum(cov: Any) -> tuple[Any, Any, float]:
    """The eigenvalues of a covariance matrix, which of them count as positive, and above what."""
    values = np.linalg.eigvalsh(cov)
    plain = known(values, "the rank of a covariance matrix")
    factor = 1e3 if plain.dtype == numpy.float32 else 1e6  # as SciPy's
    tolerance = factor * numpy.finfo(plain.dtype).eps * numpy.max(abs(plain))
    if plain[0] < -tolerance:
        raise ValueError("The input matrix must be symmetric positive semidefinite.")
    return values, plain > tolerance, tolerance


def _singular_logpdf(deviation: Any, cov: Any, values: Any, kept: Any, tolerance: float) -> Any:
    """The logarithm of the density in the space that a singular covariance spans; -inf outside."""
    inverse = np.linalg.pinv(cov, rcond=tolerance / numpy.max(known(values, "")), hermitian=True)
    square = np.sum(deviation * (deviation @ inverse), axis=-1)
    out = -0.5 * (square + np.sum(log(values[kept])) + int(kept.sum()) * LOG_2_PI)
    beyond = deviation - deviation @ inverse @ cov
    outside = known(np.sqrt(np.sum(beyond * beyond, axis=-1)), "the support") >= tolerance
    return where(outside, -INFINITY, out) if numpy.any(outside) else out


class Dirichlet(Named):
    """The distribution of vectors of probabilities, `scipy.stats.dirichlet`."""

    name = "dirichlet"

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


class Multinomial(Named):
    """The distribution of counts, `scipy.stats.multinomial`."""

    name = "multinomial"

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
