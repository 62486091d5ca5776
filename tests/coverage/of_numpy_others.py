"""A call of the other functions of NumPy that take recorded arrays.

They write into an array, count, compare, look for positions, or look at shapes and dtypes.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy

from .of_numpy import POSITIVE, SQUARE, M, X, Y
from .probe import Probes

PROBES = Probes()
probe, same = PROBES.probe, PROBES.same
MASK = numpy.array([True, False, True, True])
ORDER = numpy.array([2, 0, 3, 1])
ORDERED = numpy.array([-1.5, 0.1, 0.9, 2.5])


def whole(x: Any) -> Any:
    """Small natural numbers that depend on an input."""
    return (x * 4 + 20).astype(int)


def written(name: str, *arguments: Any) -> Callable[..., Any]:
    """A call that writes `v` into a copy of `x`."""

    def call(np: Any, x: Any, v: Any) -> Any:
        x = x.copy()
        getattr(np, name)(x, *arguments, v)
        return x

    return call


def stored(name: str) -> Callable[..., Any]:
    """A call that writes a file."""

    def call(np: Any, x: Any) -> None:
        getattr(np, name)(io.BytesIO(), x)

    return call


def of_whole(name: str) -> Callable[..., Any]:
    return lambda np, *xs: getattr(np, name)(*map(whole, xs))


# writing, making, counting with weights
probe("copyto", written("copyto"), X, Y)
probe("place", written("place", MASK), X, Y)
probe("put", written("put", ORDER), X, Y)
probe("putmask", written("putmask", MASK), X, Y)
same("asarray_chkfinite asfortranarray", M)
same("zeros_like ones_like spacing", X)
probe("empty_like", lambda np, x: np.empty_like(x) * 0, X)
probe("arange", lambda np, x: np.arange(x, 3.0), numpy.float64(0.3))
for made in ("zeros", "ones", "empty", "eye", "identity", "tri"):
    probe(made, lambda np, x, made=made: getattr(np, made)(len(x), dtype=int) * 0, X)
probe("histogram2d", lambda np, x, y, w: np.histogram2d(x, y, 2, weights=w)[0], X, Y, POSITIVE)
probe("histogramdd", lambda np, x, w: np.histogramdd(x, 2, weights=w)[0], SQUARE, X[:3])
probe("histogram_bin_edges", lambda np, x: np.histogram_bin_edges(x, 3), X)
probe("intersect1d", lambda np, x: np.intersect1d(x, x[:2]), X)
same("setdiff1d setxor1d", X, Y)
same("unique_all unique_counts unique_inverse", X)

# tests
same("isfinite isinf isnan isneginf isposinf isreal iscomplex signbit logical_not", X)
same("all any", X)
same("equal greater greater_equal less less_equal not_equal isclose", X, Y)
same("logical_and logical_or logical_xor allclose array_equal array_equiv", X, Y)
same("isin", X, X[:2])
probe("isnat", lambda np, x: np.isnat(numpy.zeros(x.shape, "datetime64[s]")), X)

# positions and counts
same("argmax argmin argsort argwhere flatnonzero nonzero count_nonzero nanargmax nanargmin", X)
probe("argpartition", lambda np, x: np.argpartition(x, 2)[2], X)
probe("lexsort", lambda np, x, y: np.lexsort((x, y)), X, Y)
probe("searchsorted", lambda np, x: np.searchsorted(ORDERED, x), X)
probe("digitize", lambda np, x: np.digitize(x, ORDERED), X)
same("diag_indices_from tril_indices_from triu_indices_from", SQUARE)
probe("ix_", lambda np, x: np.ix_(whole(x), whole(x)), X)
probe("ravel_multi_index", lambda np, x: np.ravel_multi_index([whole(x)] * 2, (40, 40)), X)
probe("unravel_index", lambda np, x: np.unravel_index(whole(x), (5, 8)), X)

# whole numbers
for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "gcd", "lcm"):
    probe(name, of_whole(name), X, Y)
for name in ("bitwise_count", "bitwise_invert", "bitwise_not", "invert"):
    probe(name, of_whole(name), X)
for name in ("bitwise_left_shift", "left_shift", "bitwise_right_shift", "right_shift"):
    probe(name, lambda np, x, name=name: getattr(np, name)(whole(x), 2), X)

# shapes, dtypes, memory, text, files
same("ndim shape size iscomplexobj isrealobj common_type min_scalar_type result_type", M)
probe("can_cast", lambda np, x: np.can_cast(x.dtype, int), X)
probe("einsum_path", lambda np, x, y: np.einsum_path("i,i", x, y)[0][1:], X, Y)
same("may_share_memory shares_memory", X, Y)
same("array_repr array_str array2string", X)
for name in ("save", "savetxt", "savez", "savez_compressed"):
    probe(name, stored(name), X)
