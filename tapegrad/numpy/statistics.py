"""Covariances, counts and histograms."""

from __future__ import annotations

import operator
from typing import Any

import numpy

from ..backend import is_complex, namespace
from ..core.array import Array
from ..core.record import raw
from ..ops import linear, reduce
from ..ops import sort as sorting
from ..ops.complex import conj, from_parts, imag, real
from ..ops.contract import matmul
from ..ops.elementary import sqrt
from ..ops.index import ARRAY, getitem, scatter_add
from ..ops.join import concat
from ..ops.linear import cast, permute_dims, reshape
from ..ops.selection import where
from .dispatch import implements
from .means import average
from .operands import operand, ravel
from .reading import as_untracked, known
from .reductions import values_of, warn
from .scans import differences

__all__ = [
    "bincount",
    "corrcoef",
    "cov",
    "histogram",
    "histogram2d",
    "histogram_bin_edges",
    "histogramdd",
]


def transposed(x: Any) -> Any:
    return permute_dims(x, axes=(1, 0))


def variables(name: str, m: Any, dtype: Any, rowvar: bool, as_row: bool) -> Any:
    """Observations as a matrix with a row for each variable."""
    if m.ndim > 2:
        raise ValueError(f"{name} has more than 2 dimensions")
    x = reshape(m, to=(1, m.size)) if m.ndim < 2 else m
    x = cast(x, dtype)
    return x if rowvar or as_row else transposed(x)


def weights_of(name: str, weights: Any, samples: int) -> Any:
    """Weights of the samples of `numpy.cov`, checked."""
    weights = cast(operand(weights), numpy.dtype(float))
    if weights.ndim > 1:
        raise RuntimeError(f"cannot handle multidimensional {name}")
    if weights.shape[0] != samples:
        raise RuntimeError(f"incompatible numbers of samples and {name}")
    values = values_of(weights)
    if values is not None:
        if name == "fweights" and (values != numpy.around(values)).any():
            raise TypeError("fweights must be integer")
        if (values < 0).any():
            raise ValueError(f"{name} cannot be negative")
    return weights


@implements(numpy.cov)
def cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> Any:
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    m = operand(m)
    y = None if y is None else operand(y)
    if dtype is None:
        dtypes = (m.dtype, numpy.float64) if y is None else (m.dtype, y.dtype, numpy.float64)
        dtype = numpy.result_type(*dtypes)
    dtype = numpy.dtype(dtype)
    x = variables("m", m, dtype, rowvar, m.ndim < 2)
    if x.shape[0] == 0:
        return numpy.array([]).reshape(0, 0)
    if y is not None:
        x = concat(x, variables("y", y, dtype, rowvar, y.ndim < 2 or y.shape[0] == 1), axis=0)
    if ddof is None:
        ddof = 0 if bias else 1
    samples = x.shape[1]
    w = None if fweights is None else weights_of("fweights", fweights, samples)
    if aweights is not None:
        aweights = weights_of("aweights", aweights, samples)
        w = aweights if w is None else w * aweights
    if w is None:
        freedom: Any = samples - ddof
        d = x - reduce.mean(x, axis=(1,), keepdims=True)
        scaled = d
    else:
        total = linear.sum(w, axis=(0,), keepdims=False)
        freedom = total - ddof
        if ddof and aweights is not None:
            freedom = total - ddof * linear.sum(w * aweights, axis=(0,), keepdims=False) / total
        d = x - average(x, 1, w, keepdims=True)
        scaled = d * w
    freedom_value = values_of(freedom)
    if freedom_value is not None and freedom_value <= 0:
        warn("Degrees of freedom <= 0 for slice")
        freedom = numpy.float64(0.0)
    scaled = transposed(scaled)
    c = matmul(d, conj(scaled) if is_complex(dtype) else scaled)
    c = c * (1 / freedom)
    return reshape(c, to=tuple(n for n in c.shape if n != 1))


@implements(numpy.corrcoef)
def corrcoef(x: Any, y: Any = None, rowvar: bool = True, *, dtype: Any = None) -> Any:
    c = cov(x, y, rowvar, dtype=dtype)
    if c.ndim == 0:
        return c / c
    i = namespace(raw(c)).arange(c.shape[0])
    variance = getitem(c, i, i, key=(ARRAY, ARRAY))
    deviation = sqrt(real(variance) if is_complex(c.dtype) else variance)
    c = c / reshape(deviation, to=(c.shape[0], 1)) / deviation
    if is_complex(c.dtype):
        return from_parts(limited(real(c)), limited(imag(c)))
    return limited(c)


def limited(c: Any) -> Any:
    """Correlations within -1 and 1, which rounding may have moved out; NaN is passed on."""
    return where(c > 1, 1, where(c < -1, -1, c))


@implements(numpy.bincount)
def bincount(x: Any, /, weights: Any = None, minlength: int = 0) -> Any:
    values = known(operand(x), "the length of numpy.bincount's result")
    if values.dtype.kind == "b":
        values = values.astype(numpy.intp)  # numbers, not a mask
    counts = namespace(values).bincount(values, minlength=minlength)
    if weights is None:
        return as_untracked(counts)
    weights = cast(operand(weights), numpy.dtype(float))
    if weights.shape != values.shape:
        raise ValueError("The weights and list don't have the same length.")
    return scatter_add(weights, values, key=(ARRAY,), to=counts.shape)


def outer_edges(a: Any, limits: Any) -> tuple[Any, Any]:
    """The outermost edges of even bins."""
    if limits is not None:
        low, high = limits
        what = "supplied"
        if low > high:
            raise ValueError("max must be larger than min in range parameter.")
    elif a.size == 0:
        return 0, 1
    else:
        what = "autodetected"
        low = reduce.amin(a, axis=tuple(range(a.ndim)), keepdims=False)
        high = reduce.amax(a, axis=tuple(range(a.ndim)), keepdims=False)
    ends = values_of(low), values_of(high)
    if None not in ends and not numpy.isfinite(ends).all():
        raise ValueError(f"{what} range of [{ends[0]}, {ends[1]}] is not finite")
    empty = low == high
    return where(empty, low - 0.5, low), where(empty, high + 0.5, high)


def even_edges(a: Any, bins: int, limits: Any) -> Any:
    """The edges of even bins between the smallest and the largest element, or given limits."""
    if bins < 1:
        raise ValueError("`bins` must be positive, when an integer")
    low, high = map(operand, outer_edges(a, limits))
    dtype = numpy.result_type(low.dtype, high.dtype, a.dtype)
    if dtype.kind not in "fc":
        dtype = numpy.dtype(float)
    low, high = cast(low, dtype), cast(high, dtype)
    steps = namespace(raw(a)).arange(bins).astype(dtype)
    inner = steps * ((high - low) / bins) + low
    return concat(inner, reshape(high, to=(1,)), axis=0)


def edges_of(a: Any, bins: Any, limits: Any, weights: Any) -> Any:
    """The edges of the bins, as the argument `bins` of a histogram says."""
    if isinstance(bins, str):
        what = f"the number of bins of numpy.histogram(bins={bins!r})"
        values = known(a, what)
        bins = numpy.histogram_bin_edges(values, bins, limits, weights).shape[0] - 1
    bins = operand(bins)
    if bins.ndim == 0:
        return even_edges(a, operator.index(bins), limits)
    if bins.ndim > 1:
        raise ValueError("`bins` must be 1d, when an array")
    values = values_of(bins)
    if values is not None and (values[:-1] > values[1:]).any():
        raise ValueError("`bins` must increase monotonically, when an array")
    return bins


def bin_of(a: Any, edges: Any) -> Any:
    """The bin of each element: 0 for those below all, the last has its upper edge."""
    last = getitem(edges, key=(-1,))
    return sorting.searchsorted(edges, a, side="right") - cast(a == last, numpy.dtype(numpy.intp))


@implements(numpy.histogram_bin_edges)
def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    return edges_of(ravel(operand(a)), bins, range, weights)


@implements(numpy.histogram)
def histogram(
    a: Any,
    bins: Any = 10,
    range: Any = None,
    density: bool | None = None,
    weights: Any = None,
) -> Any:
    a = operand(a)
    edges = edges_of(ravel(a), bins, range, weights)
    counts = counted([ravel(a)], [edges], sample_weights(weights, a.shape))
    if density:
        counts = counts / differences(edges, 0) / linear.sum(counts, axis=(0,), keepdims=False)
    return counts, edges


def sample_weights(weights: Any, shape: tuple[int, ...]) -> Any:
    """The weights of samples, as a vector; counts where there are none."""
    if weights is None:
        return None
    weights = operand(weights)
    if weights.shape != shape:
        raise ValueError("weights should have the same shape as a.")
    return ravel(weights)


def counted(columns: list[Any], edges: list[Any], weights: Any) -> Any:
    """How many samples (or what weight of them) there are in each bin."""
    sizes = tuple(e.shape[0] + 1 for e in edges)  # with outliers at both ends
    places = [bin_of(column, e) for column, e in zip(columns, edges, strict=True)]
    if weights is None:
        xp = namespace(raw(columns[0]))
        weights = xp.ones(columns[0].shape, dtype=xp.intp)
    counts = scatter_add(weights, *places, key=(ARRAY,) * len(places), to=sizes)
    return getitem(counts, key=(slice(1, -1),) * len(places))


@implements(numpy.histogramdd)
def histogramdd(
    sample: Any,
    bins: Any = 10,
    range: Any = None,
    density: bool | None = None,
    weights: Any = None,
) -> Any:
    columns = columns_of(sample)
    dimensions = len(columns)
    if getattr(bins, "ndim", None) == 0 or not hasattr(bins, "__len__"):
        bins = [bins] * dimensions
    if len(bins) != dimensions:
        raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    limits = [None] * dimensions if range is None else range
    if len(limits) != dimensions:
        raise ValueError("range argument must have one entry per dimension")
    edges = [edges_of(*each, None) for each in zip(columns, bins, limits, strict=True)]
    counts = counted(columns, edges, sample_weights(weights, columns[0].shape))
    if not is_complex(counts.dtype):
        counts = cast(counts, numpy.dtype(float))
    if density:
        total = linear.sum(counts, axis=tuple(numpy.arange(dimensions).tolist()), keepdims=False)
        for i, e in enumerate(edges):
            width = differences(e, 0)
            counts = counts / reshape(width, to=(width.shape[0], *(1,) * (dimensions - i - 1)))
        counts = counts / total
    return counts, edges


def columns_of(sample: Any) -> list[Any]:
    """The coordinates of samples, given as a matrix or as a sequence of vectors."""
    if isinstance(sample, Array | numpy.ndarray):
        if sample.ndim == 2:
            return [getitem(sample, key=(slice(None), i)) for i in range(sample.shape[1])]
        return [ravel(sample)]
    return [ravel(operand(column)) for column in sample]


@implements(numpy.histogram2d)
def histogram2d(
    x: Any,
    y: Any,
    bins: Any = 10,
    range: Any = None,
    density: bool | None = None,
    weights: Any = None,
) -> Any:
    x, y = operand(x), operand(y)
    if x.shape != y.shape:
        raise ValueError("x and y must have the same length.")
    if hasattr(bins, "__len__") and len(bins) not in (1, 2):
        bins = [bins, bins]
    counts, (first, second) = histogramdd([x, y], bins, range, density, weights)
    return counts, first, second
