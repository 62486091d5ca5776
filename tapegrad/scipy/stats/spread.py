"""Statistics by order and by direction, distances between samples, and transforms to normality."""

from __future__ import annotations

import math
from typing import Any

import numpy
import scipy.stats

from ... import errors
from ...numpy.dispatch import np
from ...numpy.operands import operand
from ...numpy.reading import known
from ...ops.complex import abs
from ...ops.elementary import log1p
from ...ops.selection import where
from ...ops.specials.logistic import boxcox as power_transform
from ..dispatch import implements
from .moments import PROPAGATE, number_of, propagates, real

__all__ = [
    "boxcox",
    "boxcox_llf",
    "circmean",
    "circstd",
    "circvar",
    "energy_distance",
    "iqr",
    "median_abs_deviation",
    "wasserstein_distance",
    "yeojohnson",
    "yeojohnson_llf",
]

TURN = 2 * math.pi
NORMAL_IQR = 1.3489795003921634
"""The distance between the quartiles of the standard normal distribution."""
NORMAL_MAD = 0.6744897501960817


def _resultant(samples: Any, high: Any, low: Any, axis: int | None, keepdims: bool) -> Any:
    angles = (real("circmean", samples) - low) * (TURN / (high - low))
    return tuple(np.mean(f(angles), axis=axis, keepdims=keepdims) for f in (np.sin, np.cos))


@implements(scipy.stats.circmean)
def circmean(
    samples: Any,
    high: Any = TURN,
    low: Any = 0,
    axis: int | None = None,
    nan_policy: str = PROPAGATE,
    *,
    keepdims: bool = False,
) -> Any:
    """The mean direction."""
    propagates("circmean", nan_policy)
    sine, cosine = _resultant(samples, high, low, axis, keepdims)
    return low + np.mod(np.arctan2(sine, cosine), TURN) * ((high - low) / TURN)


@implements(scipy.stats.circvar)
def circvar(
    samples: Any,
    high: Any = TURN,
    low: Any = 0,
    axis: int | None = None,
    nan_policy: str = PROPAGATE,
    *,
    keepdims: bool = False,
) -> Any:
    """One less the length of the mean of the directions."""
    propagates("circvar", nan_policy)
    return 1 - np.hypot(*_resultant(samples, high, low, axis, keepdims))


@implements(scipy.stats.circstd)
def circstd(
    samples: Any,
    high: Any = TURN,
    low: Any = 0,
    axis: int | None = None,
    nan_policy: str = PROPAGATE,
    *,
    normalize: bool = False,
    keepdims: bool = False,
) -> Any:
    """The standard deviation of directions, in the units of `samples` unless `normalize`."""
    propagates("circstd", nan_policy)
    size = np.hypot(*_resultant(samples, high, low, axis, keepdims))
    out = np.sqrt(-2 * np.log(size))
    return out if normalize else out * ((high - low) / TURN)


@implements(scipy.stats.iqr)
def iqr(
    x: Any,
    axis: int | None = None,
    rng: tuple[float, float] = (25, 75),
    scale: float | str = 1.0,
    nan_policy: str = PROPAGATE,
    interpolation: str = "linear",
    keepdims: bool = False,
) -> Any:
    """The distance between two percentiles."""
    propagates("iqr", nan_policy)
    low, high = (
        np.percentile(x, q, axis=axis, method=interpolation, keepdims=keepdims) for q in sorted(rng)
    )
    return (high - low) / (NORMAL_IQR if scale == "normal" else scale)


@implements(scipy.stats.median_abs_deviation)
def median_abs_deviation(
    x: Any,
    axis: int | None = 0,
    center: Any = None,
    scale: float | str = 1.0,
    nan_policy: str = PROPAGATE,
    *,
    keepdims: bool = False,
) -> Any:
    """The median distance from the median, or from what the function `center` gives."""
    propagates("median_abs_deviation", nan_policy)
    x = real("median_abs_deviation", x)
    if center is None or center is numpy.median:
        middle = np.median(x, axis=axis, keepdims=True)
    elif axis is None:
        middle = center(np.ravel(x), axis=0)
    else:
        middle = np.expand_dims(center(x, axis=axis), axis)
    out = np.median(abs(x - middle), axis=axis, keepdims=keepdims)
    return out / (NORMAL_MAD if scale == "normal" else scale)


def _shares(values: Any, weights: Any, borders: Any) -> Any:
    """The distribution function of a weighted sample between the values of both samples."""
    order = numpy.argsort(known(values, "a distance between samples"), kind="stable")
    counts = known(values, "")[order].searchsorted(known(borders, "")[:-1], "right")
    if weights is None:
        return counts / values.size
    total = np.concatenate([numpy.zeros(1), np.cumsum(operand(weights)[order])])
    return total[counts] / total[-1]


def _distance(p: int, u: Any, v: Any, weights: tuple[Any, Any]) -> Any:
    samples = [
        np.ravel(x) for x in (real("wasserstein_distance", u), real("wasserstein_distance", v))
    ]
    borders = np.sort(np.concatenate(samples))
    first, second = (_shares(x, w, borders) for x, w in zip(samples, weights, strict=True))
    apart = first - second
    return np.sum((abs(apart) if p == 1 else apart * apart) * np.diff(borders))


@implements(scipy.stats.wasserstein_distance)
def wasserstein_distance(
    u_values: Any, v_values: Any, u_weights: Any = None, v_weights: Any = None
) -> Any:
    """The area between two distribution functions."""
    return _distance(1, u_values, v_values, (u_weights, v_weights))


@implements(scipy.stats.energy_distance)
def energy_distance(
    u_values: Any, v_values: Any, u_weights: Any = None, v_weights: Any = None
) -> Any:
    """The root of twice the integral of the square of distribution functions' difference."""
    return np.sqrt(2 * _distance(2, u_values, v_values, (u_weights, v_weights)))


def _given(name: str, lmbda: Any) -> Any:
    if lmbda is None:
        raise errors.no_argument(name, "lmbda=None", f"Find it by maximising {name}_llf.")
    return lmbda


@implements(scipy.stats.boxcox)
def boxcox(x: Any, lmbda: Any = None, alpha: Any = None, optimizer: Any = None) -> Any:
    """The powers of positive numbers, for a `lmbda` that is given."""
    return power_transform(real("boxcox", x), _given("boxcox", lmbda))


@implements(scipy.stats.yeojohnson)
def yeojohnson(x: Any, lmbda: Any = None) -> Any:
    """The powers of numbers of both signs, for a `lmbda` that is given."""
    lmbda = _given("yeojohnson", lmbda)
    x = real("yeojohnson", x)
    left = x < 0
    right = power_transform(1 + where(left, 0, x), lmbda)
    return where(left, -power_transform(1 - where(left, x, 0), 2 - lmbda), right)


def _log_likelihood(transformed: Any, slopes: Any, axis: int | None, keepdims: bool) -> Any:
    n = number_of(transformed, axis)
    spread = np.var(transformed, axis=axis, keepdims=keepdims)
    return np.sum(slopes, axis=axis, keepdims=keepdims) - 0.5 * n * np.log(spread)


@implements(scipy.stats.boxcox_llf)
def boxcox_llf(
    lmb: Any,
    data: Any,
    *,
    axis: int | None = 0,
    keepdims: bool = False,
    nan_policy: str = PROPAGATE,
) -> Any:
    """The logarithm of the likelihood of `lmb`."""
    propagates("boxcox_llf", nan_policy)
    data = real("boxcox_llf", data)
    return _log_likelihood(power_transform(data, lmb), (lmb - 1) * np.log(data), axis, keepdims)


@implements(scipy.stats.yeojohnson_llf)
def yeojohnson_llf(
    lmb: Any,
    data: Any,
    *,
    axis: int | None = 0,
    nan_policy: str = PROPAGATE,
    keepdims: bool = False,
) -> Any:
    """The logarithm of the likelihood of `lmb`."""
    propagates("yeojohnson_llf", nan_policy)
    data = real("yeojohnson_llf", data)
    slopes = (lmb - 1) * np.sign(data) * log1p(abs(data))
    return _log_likelihood(yeojohnson(data, lmb), slopes, axis, keepdims)
