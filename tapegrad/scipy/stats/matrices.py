"""Distributions with a matrix for a scale: Student's t of vectors, Wishart's and its inverse."""

from __future__ import annotations

import math
from typing import Any

import numpy

from ...numpy.dispatch import np
from ...numpy.operands import operand
from ...ops.elementary import exp, log, log1p
from ...ops.specials.gamma import gammaln
from ...ops.triangular import solve_triangular
from .base import Named, floating
from .multivariate import dimension, matrix, rank

LOG_2 = math.log(2)
LOG_PI = math.log(math.pi)


def _factor(a: Any) -> tuple[Any, Any]:
    """The Cholesky factor of a matrix, and the logarithm of its determinant."""
    factor = np.linalg.cholesky(a)
    return factor, 2 * np.sum(log(np.diagonal(factor, axis1=-2, axis2=-1)), axis=-1)


def _divided(factor: Any, b: Any) -> Any:
    """What `factor`, a lower triangle, gives `b` multiplied by."""
    b = np.broadcast_to(b, (*factor.shape[:-2], *b.shape[-2:]))
    return solve_triangular(factor, b, lower=True, transposed=False, unit=False)


def _gammaln_of_matrices(a: Any, size: int) -> Any:
    """The logarithm of the gamma function of matrices of a size."""
    shifted = np.expand_dims(operand(a), -1) - 0.5 * numpy.arange(size)
    return np.sum(gammaln(shifted), axis=-1) + 0.25 * size * (size - 1) * LOG_PI


class MultivariateT(Named):
    """Student's t distribution of vectors, `scipy.stats.multivariate_t`."""

    name = "multivariate_t"

    def logpdf(self, x: Any, loc: Any = None, shape: Any = 1, df: Any = 1) -> Any:
        """The logarithm of the density at `x`, whose last axis is the vectors'.

        `shape` is a positive definite matrix, the diagonal of one, or a number.
        """
        x, shape, df = floating(x), floating(shape), floating(df)
        loc = 0.0 if loc is None else floating(loc)
        size = dimension(loc, shape)
        if rank(x) == 0 or (size == 1 and x.shape[-1] != 1):
            x = np.expand_dims(operand(x), -1)
        factor, determinant = _factor(matrix(shape, size))
        deviation = np.reshape(x - loc, (-1, size)).T
        half = _divided(factor, deviation)
        square = np.reshape(np.sum(half * half, axis=0), x.shape[:-1])
        total = df + size
        constant = gammaln(0.5 * total) - gammaln(0.5 * df) - 0.5 * size * (log(df) + LOG_PI)
        return constant - 0.5 * determinant - 0.5 * total * log1p(square / df)

    def pdf(self, x: Any, loc: Any = None, shape: Any = 1, df: Any = 1) -> Any:
        """The density at `x`."""
        return exp(self.logpdf(x, loc, shape, df))


class Wishart(Named):
    """The distribution of positive definite matrices, `scipy.stats.wishart`."""

    name = "wishart"

    def logpdf(self, x: Any, df: Any, scale: Any) -> Any:
        """The logarithm of the density at a matrix, or at several along the third axis of `x`."""
        x, df, scale, size = _matrices(x, df, scale)
        _, log_x = _factor(x)
        factor, log_scale = _factor(scale)
        trace = self.trace(factor, x)
        kernel = 0.5 * ((df - size - 1) * log_x - trace - df * (size * LOG_2 + log_scale))
        return kernel - _gammaln_of_matrices(0.5 * df, size)

    def pdf(self, x: Any, df: Any, scale: Any) -> Any:
        """The density."""
        return exp(self.logpdf(x, df, scale))

    def trace(self, factor: Any, x: Any) -> Any:
        """The trace of the inverse of a matrix, given by its factor, times `x`."""
        half = _divided(np.broadcast_to(factor, x.shape), x)
        whole = _divided(np.broadcast_to(factor, x.shape), np.swapaxes(half, -1, -2))
        return np.trace(whole, axis1=-2, axis2=-1)


class InverseWishart(Wishart):
    """The distribution of inverses of those of `wishart`, `scipy.stats.invwishart`."""

    name = "invwishart"

    def logpdf(self, x: Any, df: Any, scale: Any) -> Any:
        """The logarithm of the density at a matrix, or at several along the third axis of `x`."""
        x, df, scale, size = _matrices(x, df, scale)
        factor, log_x = _factor(x)
        _, log_scale = _factor(scale)
        trace = self.trace(factor, np.broadcast_to(scale, x.shape))
        kernel = 0.5 * (df * (log_scale - size * LOG_2) - (df + size + 1) * log_x - trace)
        return kernel - _gammaln_of_matrices(0.5 * df, size)


def _matrices(x: Any, df: Any, scale: Any) -> tuple[Any, Any, Any, int]:
    """Arguments with the matrices' axes last, and the size of the matrices."""
    x, df, scale = floating(x), floating(df), floating(scale)
    size = 1 if rank(scale) == 0 else scale.shape[-1]
    scale = matrix(scale, size)
    if rank(x) < 2:
        x = np.reshape(x, (1, 1, -1) if rank(x) else (1, 1))
    return (np.moveaxis(x, 2, 0) if rank(x) == 3 else x), df, scale, size


multivariate_t = MultivariateT()
wishart = Wishart()
invwishart = InverseWishart()
