"""`torch.masked`: functions of the elements where a mask is true.

A mask broadcasts to the tensor. Masked-out elements are replaced by what does not change the
result; the reduction of none is what starts it (0, 1, the infinities), or NaN for a mean.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from . import cumulative, errors, extremes, reductions
from . import softmax as softmaxes
from .arithmetic import logaddexp as log_of_sum
from .arithmetic import maximum, sqrt
from .complexes import conj
from .dtypes import bool_, dtype, int64
from .linalg import vector_norm
from .selection import where
from .shapes import expand
from .sorting import nanmedian
from .tensor import Tensor, wrap

__all__ = [
    "amax",
    "amin",
    "argmax",
    "argmin",
    "cumprod",
    "cumsum",
    "log_softmax",
    "logaddexp",
    "logsumexp",
    "mean",
    "median",
    "norm",
    "normalize",
    "prod",
    "softmax",
    "softmin",
    "std",
    "sum",
    "var",
]

Dims = Any
Mask = Tensor | None


def whole(x: Tensor, mask: Tensor) -> Tensor:
    """A mask in the shape of a tensor."""
    if mask.raw.ndim > x.raw.ndim:
        raise errors.mask_axes(mask.raw.ndim, x.raw.ndim)
    return expand(mask.to(bool_), x.raw.shape)


def filled(x: Tensor, mask: Mask, value: Any) -> Tensor:
    """A tensor with one number where a mask is false."""
    return x if mask is None else where(whole(x, mask), x, value)


def least(x: Tensor) -> Any:
    """The smallest number of a dtype."""
    kind = x.raw.dtype
    return numpy.iinfo(kind).min if kind.kind in "iu" else -numpy.inf


def greatest(x: Tensor) -> Any:
    """The largest number of a dtype."""
    kind = x.raw.dtype
    return numpy.iinfo(kind).max if kind.kind in "iu" else numpy.inf


def converted(x: Tensor, to: dtype | None) -> Tensor:
    """A tensor in a dtype, if one is named."""
    return x if to is None else x.to(to)


def totals(x: Tensor, to: dtype | None) -> Tensor:
    """A tensor in the dtype of its sums: integers as int64."""
    return x.to(int64) if to is None and x.raw.dtype.kind in "biu" else converted(x, to)


def sum(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: dtype | None = None,
    mask: Mask = None,
) -> Tensor:
    """The sum of the elements along axes."""
    return reductions.sum(filled(totals(input, dtype), mask, 0), dim, keepdim)


def prod(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: dtype | None = None,
    mask: Mask = None,
) -> Tensor:
    """The product of the elements along axes."""
    x = filled(totals(input, dtype), mask, 1)
    for axis in sorted(reductions.axes_of(x, dim), reverse=True):
        x = reductions.prod(x, axis, keepdim)
    return x


def extreme(name: str, identity: Callable[[Tensor], Any], doc: str) -> Callable[..., Tensor]:
    """`amax` or `amin`."""
    reduce = getattr(extremes, name)

    def function(
        input: Tensor,
        dim: Dims = None,
        *,
        keepdim: bool = False,
        dtype: dtype | None = None,
        mask: Mask = None,
    ) -> Tensor:
        x = converted(input, dtype)
        return reduce(filled(x, mask, identity(x)), () if dim is None else dim, keepdim)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


amax = extreme("amax", least, "The largest elements along axes.")
amin = extreme("amin", greatest, "The smallest elements along axes.")


def place(name: str, identity: Callable[[Tensor], Any], doc: str) -> Callable[..., Tensor]:
    """`argmax` or `argmin`."""
    find = getattr(extremes, name)

    def function(
        input: Tensor,
        dim: int | None = None,
        *,
        keepdim: bool = False,
        dtype: dtype | None = None,
        mask: Mask = None,
    ) -> Tensor:
        x = converted(input, dtype)
        return find(filled(x, mask, identity(x)), dim, keepdim).to(x.dtype)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


argmax = place("argmax", least, "Where the largest element is, in the dtype of the tensor.")
argmin = place("argmin", greatest, "Where the smallest element is, in the dtype of the tensor.")


def counts(x: Tensor, dim: Dims, keepdim: bool, mask: Mask) -> Tensor:
    """The number of elements that count, along axes."""
    ones = wrap(numpy.ones(x.raw.shape, bool)) if mask is None else whole(x, mask)
    return reductions.sum(ones, dim, keepdim, dtype=int64)


def mean(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: dtype | None = None,
    mask: Mask = None,
) -> Tensor:
    """The mean of the elements along axes; NaN of none."""
    x = converted(input, dtype)
    if x.raw.dtype.kind in "biu":
        raise errors.masked_mean_of_integers(x.dtype)
    return reductions.sum(filled(x, mask, 0), dim, keepdim) / counts(x, dim, keepdim, mask)


def median(
    input: Tensor,
    dim: int = -1,
    *,
    keepdim: bool = False,
    dtype: dtype | None = None,
    mask: Mask = None,
) -> Tensor:
    """The lower median of the elements along an axis; NaN of none, of integers an error."""
    x = converted(input, dtype)
    floating = x.raw.dtype.kind not in "biu"
    values = nanmedian(filled(x if floating else x.float(), mask, numpy.nan), dim, keepdim).values
    if floating:
        return values
    if numpy.isnan(values.raw).any():
        raise errors.masked_median()
    return values.to(x.dtype)


def norm(
    input: Tensor,
    ord: float | None = 2.0,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: dtype | None = None,
    mask: Mask = None,
) -> Tensor:
    """The norm of order `ord` of the elements along axes."""
    order = 2.0 if ord is None else ord
    value = numpy.inf if order == -numpy.inf else 0
    return vector_norm(filled(converted(input, dtype), mask, value), order, dim, keepdim)


def var(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    *,
    correction: float | None = None,
    keepdim: bool = False,
    dtype: dtype | None = None,
    mask: Mask = None,
) -> Tensor:
    """The variance of the elements along axes; the divisor is their number less a correction."""
    if correction is None:
        correction = 1 if unbiased is None else int(unbiased)
    x = converted(input, dtype)
    x = x.float() if x.raw.dtype.kind in "biu" else x
    number = counts(x, dim, True, mask)
    centre = reductions.sum(filled(x, mask, 0), dim, True) / number
    left = x - centre
    squares = left * conj(left)
    total = reductions.sum(filled(squares, mask, 0), dim, keepdim)
    divisor = maximum(number - correction, wrap(numpy.asarray(0))).reshape(total.shape)
    return total / divisor


def std(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    *,
    correction: float | None = None,
    keepdim: bool = False,
    dtype: dtype | None = None,
    mask: Mask = None,
) -> Tensor:
    """The standard deviation of the elements along axes, as `var`."""
    spread = var(
        input, dim, unbiased, correction=correction, keepdim=keepdim, dtype=dtype, mask=mask
    )
    return sqrt(spread)


def running(name: str, start: int, doc: str) -> Callable[..., Tensor]:
    """`cumsum` or `cumprod`."""
    scan = getattr(cumulative, name)

    def function(
        input: Tensor, dim: int, *, dtype: dtype | None = None, mask: Mask = None
    ) -> Tensor:
        result: Tensor = scan(filled(totals(input, dtype), mask, start), dim)
        return result

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


cumsum = running("cumsum", 0, "The running sums of the elements along an axis.")
cumprod = running("cumprod", 1, "The running products of the elements along an axis.")


def softmax(input: Tensor, dim: int, *, dtype: dtype | None = None, mask: Mask = None) -> Tensor:
    """The softmax of the elements along an axis, 0 for others."""
    return softmaxes.softmax(filled(converted(input, dtype), mask, -numpy.inf), dim)


def log_softmax(
    input: Tensor, dim: int, *, dtype: dtype | None = None, mask: Mask = None
) -> Tensor:
    """The logarithm of the softmax of the elements along an axis, -inf for others."""
    return softmaxes.log_softmax(filled(converted(input, dtype), mask, -numpy.inf), dim)


def softmin(input: Tensor, dim: int, *, dtype: dtype | None = None, mask: Mask = None) -> Tensor:
    """The softmax of the elements' negatives along an axis, 0 for others."""
    return softmaxes.softmax(-filled(converted(input, dtype), mask, numpy.inf), dim)


def normalize(
    input: Tensor,
    ord: float,
    dim: int,
    *,
    eps: float = 1e-12,
    dtype: dtype | None = None,
    mask: Mask = None,
) -> Tensor:
    """The elements divided by their norm along an axis, or by `eps` if that is smaller."""
    x = filled(converted(input, dtype), mask, 0)
    size = norm(x, ord, dim, keepdim=True, mask=mask)
    return x / maximum(size, wrap(numpy.asarray(eps, size.raw.dtype)))


def logaddexp(
    input: Tensor,
    other: Tensor,
    *,
    dtype: dtype | None = None,
    input_mask: Mask = None,
    other_mask: Mask = None,
) -> Tensor:
    """``log(exp(input) + exp(other))`` of the elements; of others, nothing is added."""
    x, y = converted(input, dtype), converted(other, dtype)
    return log_of_sum(filled(x, input_mask, -numpy.inf), filled(y, other_mask, -numpy.inf))


def logsumexp(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: dtype | None = None,
    mask: Mask = None,
) -> Tensor:
    """The logarithm of the sum of the elements' exponentials along axes."""
    x = converted(input, dtype)
    total = reductions.logsumexp(filled(x, mask, least(x)), () if dim is None else dim, keepdim)
    return total.to(x.dtype)
