"""Statistics of samples that are formulas of sums: means, moments, scores, entropy, correlation."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy
import scipy.stats

from ... import errors
from ...backend import is_complex
from ...numpy.dispatch import np
from ...numpy.operands import operand
from ...numpy.reading import known
from ...ops.specials.information import entr, rel_entr
from ..dispatch import implements
from .gamma_family import beta, t

__all__ = [
    "entropy",
    "gmean",
    "gstd",
    "gzscore",
    "hmean",
    "kurtosis",
    "linregress",
    "moment",
    "pearsonr",
    "pmean",
    "skew",
    "variation",
    "zmap",
    "zscore",
]

PROPAGATE = "propagate"


def propagates(name: str, nan_policy: str) -> None:
    """Raise where NaNs are to be left out, or to raise."""
    if nan_policy != PROPAGATE:
        raise errors.no_argument(
            name, f"nan_policy={nan_policy!r}", "Drop or replace the NaNs before."
        )


def real(name: str, a: Any) -> Any:
    """An argument of a function as an array, which must not be complex."""
    a = operand(a)
    if is_complex(a.dtype):
        raise errors.complex_argument(f"scipy.stats.{name}", a.dtype)
    return a


def number_of(a: Any, axis: int | None) -> int:
    """How many observations there are."""
    return int(a.size) if axis is None else int(a.shape[axis])


def typed(a: Any, dtype: Any) -> Any:
    """An argument as an array, of a dtype if one is given."""
    a = operand(a)
    return a if dtype is None else np.astype(a, dtype)


def _average(a: Any, axis: int | None, weights: Any, keepdims: bool) -> Any:
    if weights is None:
        return np.mean(a, axis=axis, keepdims=keepdims)
    return np.average(a, axis=axis, weights=weights, keepdims=keepdims)


@implements(scipy.stats.gmean)
def gmean(
    a: Any,
    axis: int | None = 0,
    dtype: Any = None,
    weights: Any = None,
    *,
    nan_policy: str = PROPAGATE,
    keepdims: bool = False,
) -> Any:
    """The geometric mean."""
    propagates("gmean", nan_policy)
    a = typed(a, dtype)
    with numpy.errstate(divide="ignore"):  # the mean with a zero is zero
        return np.exp(_average(np.log(a), axis, weights, keepdims))


@implements(scipy.stats.hmean)
def hmean(
    a: Any,
    axis: int | None = 0,
    dtype: Any = None,
    *,
    weights: Any = None,
    nan_policy: str = PROPAGATE,
    keepdims: bool = False,
) -> Any:
    """The harmonic mean."""
    propagates("hmean", nan_policy)
    a = typed(a, dtype)
    with numpy.errstate(divide="ignore"):
        return 1 / _average(1 / a, axis, weights, keepdims)


@implements(scipy.stats.pmean)
def pmean(
    a: Any,
    p: Any,
    *,
    axis: int | None = 0,
    dtype: Any = None,
    weights: Any = None,
    nan_policy: str = PROPAGATE,
    keepdims: bool = False,
) -> Any:
    """The mean of p-th powers, to the power of 1 / p; the geometric mean for a `p` of 0."""
    propagates("pmean", nan_policy)
    if known(p, "the exponent of a mean") == 0:
        return gmean(a, axis=axis, dtype=dtype, weights=weights, keepdims=keepdims)
    a = typed(a, dtype)
    with numpy.errstate(divide="ignore"):
        return _average(a**p, axis, weights, keepdims) ** (1 / p)


@implements(scipy.stats.zmap)
def zmap(
    scores: Any, compare: Any, axis: int | None = 0, ddof: int = 0, nan_policy: str = PROPAGATE
) -> Any:
    """How many standard deviations of `compare` lie between `scores` and its mean."""
    propagates("zmap", nan_policy)
    scores, compare = real("zmap", scores), real("zmap", compare)
    spread = np.std(compare, axis=axis, ddof=ddof, keepdims=True)
    return (scores - np.mean(compare, axis=axis, keepdims=True)) / spread


@implements(scipy.stats.zscore)
def zscore(a: Any, axis: int | None = 0, ddof: int = 0, nan_policy: str = PROPAGATE) -> Any:
    """How many standard deviations lie between each observation and the mean."""
    return zmap(a, a, axis, ddof, nan_policy)


@implements(scipy.stats.gzscore)
def gzscore(a: Any, *, axis: int | None = 0, ddof: int = 0, nan_policy: str = PROPAGATE) -> Any:
    """The z-scores of the logarithms."""
    return zscore(np.log(real("gzscore", a)), axis, ddof, nan_policy)


@implements(scipy.stats.gstd)
def gstd(
    a: Any,
    axis: int | None = 0,
    ddof: int = 1,
    *,
    keepdims: bool = False,
    nan_policy: str = PROPAGATE,
) -> Any:
    """The geometric standard deviation."""
    propagates("gstd", nan_policy)
    a = real("gstd", a)
    return np.exp(np.std(np.log(a), axis=axis, ddof=ddof, keepdims=keepdims))


def _central(a: Any, order: Any, axis: int | None, center: Any, keepdims: bool) -> Any:
    if center is None:
        if order == 0 or order == 1:  # exactly, also where the mean is rounded
            like = np.mean(a, axis=axis, keepdims=keepdims)
            return np.ones_like(like) if order == 0 else np.zeros_like(like) * like
        center = np.mean(a, axis=axis, keepdims=True)
    return np.mean((a - center) ** order, axis=axis, keepdims=keepdims)


@implements(scipy.stats.moment)
def moment(
    a: Any,
    order: Any = 1,
    axis: int | None = 0,
    nan_policy: str = PROPAGATE,
    *,
    center: Any = None,
    keepdims: bool = False,
) -> Any:
    """The moment of an order about the mean, or about `center`. Of several orders, in front."""
    propagates("moment", nan_policy)
    a = real("moment", a)
    if numpy.ndim(order):
        return np.stack([_central(a, each, axis, center, keepdims) for each in order])
    return _central(a, order, axis, center, keepdims)


@implements(scipy.stats.variation)
def variation(
    a: Any,
    axis: int | None = 0,
    nan_policy: str = PROPAGATE,
    ddof: int = 0,
    *,
    keepdims: bool = False,
) -> Any:
    """The standard deviation over the mean."""
    propagates("variation", nan_policy)
    a = real("variation", a)
    spread = np.std(a, axis=axis, ddof=ddof, keepdims=keepdims)
    return spread / np.mean(a, axis=axis, keepdims=keepdims)


@implements(scipy.stats.skew)
def skew(
    a: Any,
    axis: int | None = 0,
    bias: bool = True,
    nan_policy: str = PROPAGATE,
    *,
    keepdims: bool = False,
) -> Any:
    """The third moment over the cube of the standard deviation."""
    propagates("skew", nan_policy)
    a = real("skew", a)
    second, third = (_central(a, k, axis, None, keepdims) for k in (2, 3))
    out = third / second**1.5
    n = number_of(a, axis)
    return out if bias or n <= 2 else out * (math.sqrt(n * (n - 1)) / (n - 2))


@implements(scipy.stats.kurtosis)
def kurtosis(
    a: Any,
    axis: int | None = 0,
    fisher: bool = True,
    bias: bool = True,
    nan_policy: str = PROPAGATE,
    *,
    keepdims: bool = False,
) -> Any:
    """The fourth moment over the square of the variance; less 3 as `fisher` defined it."""
    propagates("kurtosis", nan_policy)
    a = real("kurtosis", a)
    second, fourth = (_central(a, k, axis, None, keepdims) for k in (2, 4))
    out = fourth / second**2
    n = number_of(a, axis)
    if not bias and n > 3:
        out = ((n * n - 1) * out - 3 * (n - 1) ** 2) / ((n - 2) * (n - 3)) + 3
    return out - 3 if fisher else out


@implements(scipy.stats.entropy)
def entropy(
    pk: Any,
    qk: Any = None,
    base: Any = None,
    axis: int | None = 0,
    *,
    nan_policy: str = PROPAGATE,
    keepdims: bool = False,
) -> Any:
    """The entropy of `pk`, which is normalised first; relative to `qk` if given."""
    propagates("entropy", nan_policy)
    pk = real("entropy", pk)
    total = np.sum(pk, axis=axis, keepdims=keepdims)
    if qk is None:
        out = np.log(total) + np.sum(entr(pk), axis=axis, keepdims=keepdims) / total
    else:
        qk = real("entropy", qk)
        terms = rel_entr(*np.broadcast_arrays(pk, qk))
        ratio = np.sum(qk, axis=axis, keepdims=keepdims) / total
        out = np.sum(terms, axis=axis, keepdims=keepdims) / total + np.log(ratio)
    return out if base is None else out / np.log(base)


class Correlation(NamedTuple):
    """A coefficient, and the probability of one as large where there is no correlation."""

    statistic: Any
    pvalue: Any

    @property
    def correlation(self) -> Any:
        return self.statistic


TWO_SIDED = "two-sided"


def _probability(statistic: Any, alternative: str, below: Any, above: Any) -> Any:
    if alternative == TWO_SIDED:
        return 2 * above(abs(statistic))
    if alternative not in ("less", "greater"):
        raise ValueError(
            f"alternative is 'two-sided', 'less' or 'greater', but got {alternative!r}."
        )
    return below(statistic) if alternative == "less" else above(statistic)


def _coefficient(x: Any, y: Any, axis: int) -> Any:
    return np.sum(x * y, axis=axis) / np.sqrt(np.sum(x * x, axis=axis) * np.sum(y * y, axis=axis))


@implements(scipy.stats.pearsonr)
def pearsonr(
    x: Any, y: Any, *, alternative: str = TWO_SIDED, method: Any = None, axis: int = 0
) -> Correlation:
    """Pearson's coefficient of correlation, and the probability of one as large by chance."""
    if method is not None:
        raise errors.no_argument("pearsonr", "method=", "Resample the observations yourself.")
    x, y = (
        v - np.mean(v, axis=axis, keepdims=True) for v in (real("pearsonr", x), real("pearsonr", y))
    )
    r = _coefficient(x, y, axis)
    half = number_of(x, axis) / 2 - 1
    shape = (half, half, -1, 2)
    below, above = (lambda r, f=f: f(r, *shape) for f in (beta.cdf, beta.sf))
    return Correlation(r, _probability(r, alternative, below, above))


@implements(scipy.stats.linregress)
def linregress(x: Any, y: Any, alternative: str = TWO_SIDED, *, axis: int = 0) -> Any:
    """The straight line of least squares: its slope, its intercept, and how sure they are."""
    x, y = real("linregress", x), real("linregress", y)
    found = scipy.stats.linregress(
        known(x, "linregress"), known(y, "linregress"), alternative, axis=axis
    )
    mean_x, mean_y = np.mean(x, axis=axis, keepdims=True), np.mean(y, axis=axis, keepdims=True)
    x, y = x - mean_x, y - mean_y
    mean_x, mean_y = np.squeeze(mean_x, axis), np.squeeze(mean_y, axis)
    square = np.sum(x * x, axis=axis)
    slope = np.sum(x * y, axis=axis) / square
    r = _coefficient(x, y, axis)
    freedom = number_of(x, axis) - 2
    n = freedom + 2
    residual = np.sum((y - np.expand_dims(slope, axis) * x) ** 2, axis=axis)
    error = np.sqrt(residual / freedom / square)
    below, above = (lambda s, f=f: f(s, freedom) for f in (t.cdf, t.sf))
    return type(found)(
        slope=slope,
        intercept=mean_y - slope * mean_x,
        rvalue=r,
        pvalue=_probability(slope / error, alternative, below, above),
        stderr=error,
        intercept_stderr=error * np.sqrt(square / n + mean_x**2),
    )
