"""Convolution of arrays of any number of axes: directly, and by Fourier transforms."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

import numpy

from ..backend import is_complex, is_inexact, namespace, on_device, scipy_module
from ..core.op import Op
from ..core.record import raw
from .define import Function, define, looped, size_of
from .fft import c2c, c2r, r2c, resized
from .index import getitem
from .linear import cast, reshape
from .samples import Sample, complex_normal, normal

LINES = "fdFD"
"""The dtypes in which `scipy.ndimage`, which is the fastest, computes."""


def reverse(x: Any) -> Any:
    """`x` reversed along all axes."""
    return getitem(x, key=(slice(None, None, -1),) * x.ndim)


def _valid_forward(xp: Any, x: Any, y: Any) -> Any:
    if x.ndim == 1:
        return xp.convolve(x, y, "valid")
    shape = tuple(n - m + 1 for n, m in zip(x.shape, y.shape, strict=True))
    if 8 * size_of(shape) <= y.size:
        return _products(xp, x, y, shape)
    look = y.size and y.dtype.char in LINES and not on_device(y)  # where it would be to wait
    size = float(xp.max(xp.abs(y))) if look else 0.0
    if x.dtype.char not in LINES or x.dtype != y.dtype or not 0 < size < math.inf:
        return scipy_module(xp, "signal").convolve(x, y, "valid", method="direct")
    ndimage = scipy_module(xp, "ndimage")
    scale = 2.0 ** -math.frexp(size)[1]  # ndimage takes what is below 2e-16 for zero
    kernel = y * y.dtype.type(scale)
    longer = [axis for axis, n in enumerate(y.shape) if n != 1]
    if len(longer) == 1:
        out = ndimage.convolve1d(x, xp.reshape(kernel, (-1,)), longer[0], mode="constant")
    else:
        out = ndimage.convolve(x, kernel, mode="constant")
    starts = ((m - 1) // 2 for m in y.shape)
    parts = tuple(slice(i, i + n) for i, n in zip(starts, shape, strict=True))
    return out[parts] / out.dtype.type(scale)


def _products(xp: Any, x: Any, y: Any, shape: tuple[int, ...]) -> Any:
    """A short result of a long kernel: an inner product for each element."""
    turned = y[(slice(None, None, -1),) * y.ndim]
    axes = list(range(x.ndim))
    out = xp.empty(shape, dtype=xp.result_type(x, y))
    for start in numpy.ndindex(shape):
        window = x[tuple(slice(i, i + m) for i, m in zip(start, y.shape, strict=True))]
        out[start] = xp.einsum(window, axes, turned, axes, [])
    return out


def _full_forward(xp: Any, x: Any, y: Any) -> Any:
    if x.ndim == 1:
        return xp.convolve(x, y, "full")
    if y.size > x.size:
        x, y = y, x
    return _valid_forward(xp, xp.pad(x, [(n - 1, n - 1) for n in y.shape]), y)


def _valid_rule_x(g: Any, _out: Any, _x: Any, y: Any) -> Any:
    return convolve_nd_full(g, reverse(y))


def _valid_rule_y(g: Any, _out: Any, x: Any, _y: Any) -> Any:
    return reverse(convolve_nd_valid(x, reverse(g)))


def _full_rule_x(g: Any, _out: Any, _x: Any, y: Any) -> Any:
    return convolve_nd_valid(g, reverse(y))


def _full_rule_y(g: Any, _out: Any, x: Any, _y: Any) -> Any:
    return convolve_nd_valid(g, reverse(x))


def one_lane(x: Any) -> Any:
    """`x` with a leading axis of length 1."""
    return reshape(x, to=(1, *x.shape))


def _full_batch(function: Function, mapped: tuple[bool, ...], x: Any, y: Any) -> Any:
    if mapped == (True, False):
        return function(x, one_lane(y))
    if mapped == (False, True):
        return function(y, one_lane(x))
    if not is_inexact(x.dtype) or not is_inexact(y.dtype):
        return looped(function, mapped, x, y)
    return convolve_by_fft(x, y, range(1, x.ndim))


def _valid_batch(function: Function, mapped: tuple[bool, ...], x: Any, y: Any) -> Any:
    if mapped == (True, False):
        return function(x, one_lane(y))
    if not is_inexact(x.dtype) or not is_inexact(y.dtype):
        return looped(function, mapped, x, y)
    if not mapped[0]:
        x = one_lane(x)
    whole = convolve_by_fft(x, y, range(1, x.ndim))
    parts = (slice(m - 1, n) for n, m in zip(x.shape[1:], y.shape[1:], strict=True))
    return getitem(whole, key=(slice(None), *parts))


def convolve_by_fft(x: Any, y: Any, axes: Sequence[int]) -> Any:
    """The full convolution along some axes; along the others, the arrays broadcast."""
    if not axes:
        return x * y
    fast_size = import_module("scipy.fft").next_fast_len
    xp = namespace(raw(x))
    dtype = xp.result_type(x.dtype, y.dtype)
    if not is_inexact(dtype):
        dtype = xp.dtype("float64")
    real = not is_complex(dtype)
    sizes = {a: x.shape[a] + y.shape[a] - 1 for a in axes}
    padded = {a: fast_size(n, real) for a, n in sizes.items()}
    last = axes[-1]
    spectra = []
    for operand in (x, y):
        z = cast(operand, dtype)
        z = resized(z, to=tuple(padded.get(a, n) for a, n in enumerate(z.shape)))
        if real:
            z = r2c(z, axis=last, norm="backward", inverse=False, twice=False)
            rest = tuple(axes[:-1])
        else:
            rest = tuple(axes)
        if rest:
            z = c2c(z, axis=rest, norm="backward", inverse=False, real=False)
        spectra.append(z)
    product = spectra[0] * spectra[1]
    rest = tuple(axes[:-1]) if real else tuple(axes)
    if rest:
        product = c2c(product, axis=rest, norm="forward", inverse=True, real=False)
    if real:
        product = c2r(product, axis=last, n=padded[last], norm="forward", inverse=True, twice=True)
    if sizes == padded:
        return product
    return getitem(product, key=tuple(slice(sizes.get(a)) for a in range(product.ndim)))


def _samples(*shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> Any:
    def draw(rng: Any) -> Iterator[Sample]:
        for n, m in shapes:
            yield (normal(rng, n), normal(rng, m)), {}
        n, m = shapes[0]
        yield (complex_normal(rng, n), normal(rng, m)), {}
        yield (complex_normal(rng, n), complex_normal(rng, m)), {}

    return draw


convolve_nd_full: Function = define(
    Op(
        "convolve_nd_full",
        forward=_full_forward,
        vjp=(_full_rule_x, _full_rule_y),
        jvp="multilinear",
        batch=_full_batch,
        samples=_samples(((3, 4), (2, 2)), ((4,), (3,)), ((3, 4), (1, 3)), ((2, 3, 2), (3, 1, 1))),
        promote=True,
        doc="The convolution of two arrays wherever they overlap.",
    )
)

convolve_nd_valid: Function = define(
    Op(
        "convolve_nd_valid",
        forward=_valid_forward,
        vjp=(_valid_rule_x, _valid_rule_y),
        jvp="multilinear",
        batch=_valid_batch,
        samples=_samples(((3, 4), (2, 2)), ((4,), (3,)), ((3, 4), (1, 2)), ((4, 3, 2), (3, 1, 1))),
        promote=True,
        doc="The convolution of two arrays where the second lies inside of the first.",
    )
)
