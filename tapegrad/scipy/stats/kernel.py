"""Estimates of a density by Gaussian kernels."""

from __future__ import annotations

import math
from typing import Any

import numpy

from ...numpy.dispatch import np
from ...ops.reduce import logsumexp
from ...ops.specials.error import ndtr
from .base import floating


class gaussian_kde:
    """A density estimated from data, differentiable in the data, the weights and the points.

    The arguments and methods are those of `scipy.stats.gaussian_kde`, without `resample` and the
    integral over a box of several dimensions.

    >>> kde = gaussian_kde([0.0, 1.0, 3.0])
    >>> kde.pdf([0.0]).shape
    (1,)
    """

    def __init__(self, dataset: Any, bw_method: Any = None, weights: Any = None) -> None:
        dataset = floating(dataset)
        self.dataset = np.atleast_2d(dataset)
        self.d, self.n = self.dataset.shape
        if self.n < 2:
            raise ValueError("gaussian_kde needs more than one observation in its dataset.")
        if weights is None:
            weights = numpy.full(self.n, 1 / self.n)
        else:
            weights = floating(weights)
            if weights.shape != (self.n,):
                raise ValueError(
                    f"gaussian_kde needs one weight for each of its {self.n} observations, but "
                    f"got weights of shape {weights.shape}."
                )
            weights = weights / np.sum(weights)
        self.weights = weights
        self.neff = 1 / np.sum(weights * weights)
        self.set_bandwidth(bw_method)

    def scotts_factor(self) -> Any:
        return self.neff ** (-1.0 / (self.d + 4))

    def silverman_factor(self) -> Any:
        return (self.neff * (self.d + 2) / 4.0) ** (-1.0 / (self.d + 4))

    def set_bandwidth(self, bw_method: Any = None) -> None:
        """Choose the width: "scott", "silverman", a number, or a function of the estimate."""
        if bw_method is None or (isinstance(bw_method, str) and bw_method == "scott"):
            self.factor = self.scotts_factor()
        elif isinstance(bw_method, str) and bw_method == "silverman":
            self.factor = self.silverman_factor()
        elif callable(bw_method):
            self.factor = bw_method(self)
        elif isinstance(bw_method, str) or numpy.ndim(bw_method):
            raise ValueError(
                f"gaussian_kde: bw_method must be 'scott', 'silverman', a number or a function, "
                f"not {bw_method!r}."
            )
        else:
            self.factor = bw_method
        mean = np.sum(self.dataset * self.weights, axis=1, keepdims=True)
        centred = self.dataset - mean
        scale = self.factor * self.factor / (1 - 1 / self.neff)
        self.covariance = (centred * self.weights) @ np.transpose(centred) * scale
        self.cho_cov = np.linalg.cholesky(self.covariance)

    @property
    def inv_cov(self) -> Any:
        """The inverse of the covariance of a kernel."""
        return np.linalg.inv(self.covariance)

    def _points(self, points: Any) -> Any:
        points = np.atleast_2d(floating(points))
        d, m = points.shape
        if d != self.d:
            if d == 1 and m == self.d:
                return np.reshape(points, (self.d, 1))
            raise ValueError(
                f"gaussian_kde: points have dimension {d}, but the dataset has dimension {self.d}."
            )
        return points

    def logpdf(self, x: Any) -> Any:
        """The logarithm of the density at the points that are the columns of `x`."""
        points = self._points(x)
        scaled = np.linalg.solve(self.cho_cov, points)  # (d, m)
        data = np.linalg.solve(self.cho_cov, self.dataset)  # (d, n)
        gaps = scaled[:, :, None] - data[:, None, :]  # (d, m, n)
        diagonal = np.diagonal(self.cho_cov)
        constant = 0.5 * self.d * math.log(2 * math.pi) + np.sum(np.log(diagonal))
        exponents = np.log(self.weights) - 0.5 * np.sum(gaps * gaps, axis=0)
        return logsumexp(exponents, axis=(1,), keepdims=False) - constant

    def pdf(self, x: Any) -> Any:
        """The density at the points that are the columns of `x`."""
        return np.exp(self.logpdf(x))

    evaluate = __call__ = pdf

    def integrate_gaussian(self, mean: Any, cov: Any) -> Any:
        """The integral of the product with the normal density of a mean and a covariance."""
        mean = np.reshape(np.atleast_1d(floating(mean)), (self.d, 1))
        cov = np.atleast_2d(floating(cov))
        return _overlap(self.covariance + cov, self.dataset - mean, self.weights)

    def integrate_kde(self, other: gaussian_kde) -> Any:
        """The integral of the product with another estimate."""
        gaps = self.dataset[:, :, None] - other.dataset[:, None, :]
        weights = self.weights[:, None] * other.weights
        gaps = np.reshape(gaps, (self.d, self.n * other.n))
        total = self.covariance + other.covariance
        return _overlap(total, gaps, np.reshape(weights, (self.n * other.n,)))

    def integrate_box_1d(self, low: Any, high: Any) -> Any:
        """The probability of the interval from `low` to `high`, in one dimension."""
        if self.d != 1:
            raise ValueError("gaussian_kde.integrate_box_1d is for data of one dimension.")
        width = self.cho_cov[0, 0]
        upper = ndtr((high - self.dataset[0]) / width)
        return np.sum(self.weights * (upper - ndtr((low - self.dataset[0]) / width)))


def _overlap(covariance: Any, gaps: Any, weights: Any) -> Any:
    """The weighted sum of normal densities of a covariance at the columns of `gaps`."""
    factor = np.linalg.cholesky(covariance)
    scaled = np.linalg.solve(factor, gaps)
    size = (2 * math.pi) ** (covariance.shape[0] / 2) * np.prod(np.diagonal(factor))
    return np.sum(weights * np.exp(-0.5 * np.sum(scaled * scaled, axis=0))) / size
