"""Normalisation to mean 0 and variance 1, with an affine map: of rows, and of channels.

Means and deviations are computed again when a sweep needs them, block by block: that takes less
time than to write them to memory and read them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from typing import Any

import numpy
from numpy import ndarray

from ...backend import on_device
from ...core.op import Op
from ..arithmetic import square
from ..blocks import LARGE, row_blocks
from ..define import define
from ..elementary import sqrt
from ..fused import fused
from ..linear import broadcast_to, permute_dims, reshape, sum
from ..native import native
from ..reduce import mean
from ..samples import Sample, normal

Axes = tuple[int, ...]


def normalised(x: Any, axis: Axes, eps: float) -> tuple[Any, Any]:
    """`x` less its mean, over its deviation; and one over the deviation."""
    centred = x - mean(x, axis=axis, keepdims=True)
    variance = mean(square(centred), axis=axis, keepdims=True)
    if on_device(x):
        inverse = fused(lambda v, eps: (v + eps) ** -0.5, variance, eps)
    else:
        inverse = 1 / sqrt(variance + eps)
    return centred * inverse, inverse


def pulled(g: Any, unit: Any, inverse: Any, axis: Axes) -> Any:
    """The cotangent (and the tangent) of what was normalised to `unit`."""
    along = mean(g * unit, axis=axis, keepdims=True)
    if on_device(g) and on_device(unit):
        average = mean(g, axis=axis, keepdims=True)
        return fused(
            lambda g, average, unit, along, inverse: (g - average - unit * along) * inverse,
            *(g, average, unit, along, inverse),
        )
    return (g - mean(g, axis=axis, keepdims=True) - unit * along) * inverse


def plain(*arrays: Any) -> bool:
    """Whether all are raw arrays of one dtype."""
    return all(type(x) is ndarray and x.dtype == arrays[0].dtype for x in arrays)


def scaled_by(xp: Any, count: int) -> Callable[..., Any]:
    """Lines over their deviation, times a weight and plus a bias, if there are so many."""
    if count == 0:
        return lambda x, variance, eps: x / xp.sqrt(variance + eps)
    if count == 1:
        return lambda x, variance, eps, w: x / xp.sqrt(variance + eps) * w
    return lambda x, variance, eps, w, b: x / xp.sqrt(variance + eps) * w + b


def _rows_forward(xp: Any, x: Any, *affine: Any, eps: float) -> Any:
    axis = (x.ndim - 1,)
    if xp is numpy and plain(x, *affine) and x.size:
        return _rows_of_numpy(x, *affine, eps=eps)
    if on_device(x):
        centred = x - xp.mean(x, axis=axis, keepdims=True)
        variance = xp.mean(centred * centred, axis=axis, keepdims=True)
        return fused(scaled_by(xp, len(affine)), centred, variance, eps, *affine)
    centred = x - xp.mean(x, axis=axis, keepdims=True)
    deviation = xp.sqrt(xp.mean(centred * centred, axis=axis, keepdims=True) + eps)
    out = centred / deviation
    if affine:
        out = out * affine[0]
    return out + affine[1] if affine[1:] else out


def _rows_of_numpy(x: Any, *affine: Any, eps: float) -> Any:
    n = x.shape[-1]
    rows = x.reshape(-1, n)
    if x.size > LARGE:
        found = native("layer_norm", rows, *(*affine, None, None)[:2], eps)
        if found is not None:
            return found.reshape(x.shape)
    out = numpy.empty(x.shape, x.dtype)
    into = out.reshape(-1, n)
    weights = numpy.full(n, 1 / n, x.dtype)
    for part in row_blocks(len(rows), n):
        block = into[part]
        numpy.subtract(rows[part], (rows[part] @ weights)[:, None], out=block)
        variance = numpy.vecdot(block, block) / n
        block *= (1 / numpy.sqrt(variance + eps))[:, None]
        if affine:
            block *= affine[0]
        if affine[1:]:
            block += affine[1]
    return out


def _rows_rule(
    g: Any, _out: Any, x: Any, *affine: Any, wanted: tuple[bool, ...], eps: float
) -> list[Any]:
    n = x.shape[-1]

    def block(g: Any, x: Any) -> list[Any]:
        """The cotangents of some rows, and what they add to those of weight and bias."""
        unit, inverse = normalised(x, (1,), eps)
        out: list[Any] = [None] * len(wanted)
        if wanted[0]:
            out[0] = pulled(g * affine[0] if affine else g, unit, inverse, (1,))
        if wanted[1:2] == (True,):
            out[1] = sum(g * unit, axis=(0,), keepdims=False)
        if wanted[2:] == (True,):
            out[2] = sum(g, axis=(0,), keepdims=False)
        return out

    shape = x.shape
    count = prod(shape[:-1])
    g, x = reshape(g, to=(count, n)), reshape(x, to=(count, n))
    if all(wanted) and plain(g, x, *affine[:1]) and x.dtype.kind == "f" and x.size > LARGE:
        out, *rest = _quick_rows_rule(g, x, affine[0] if affine else None, eps)
        return [out.reshape(shape), *rest[: len(affine)]]
    first, *rest = block(g, x)
    return [first if first is None else reshape(first, to=shape), *rest]


def _quick_rows_rule(g: Any, x: Any, weight: Any, eps: float) -> tuple[Any, Any, Any]:
    """The cotangents of rows, weight and bias, row block by row block."""
    found = native("layer_norm_gradient", x, weight, g, eps)
    if found is not None:
        first, g_weight, g_bias = found
        return first, g_weight, g_bias
    count, n = x.shape
    out = numpy.empty((count, n), x.dtype)
    w = numpy.ones(n, x.dtype) if weight is None else weight
    shares, shares_w = numpy.full(n, 1 / n, x.dtype), w / n
    g_weight, g_bias = numpy.zeros(n, x.dtype), numpy.zeros(n, x.dtype)
    for part in row_blocks(count, n):
        gs, into = g[part], out[part]
        centred = x[part] - (x[part] @ shares)[:, None]
        inverse = 1 / numpy.sqrt(numpy.vecdot(centred, centred) / n + eps)
        product = gs * centred
        g_weight += inverse @ product
        g_bias += gs.sum(0)
        along = inverse * inverse * (product @ shares_w)
        centred *= along[:, None]
        numpy.multiply(gs, w, out=into) if weight is not None else numpy.copyto(into, gs)
        into -= (gs @ shares_w)[:, None]
        into -= centred
        into *= inverse[:, None]
    return out, g_weight, g_bias


def changed(
    tangents: Any, x: Any, affine: tuple[Any, ...], axis: Axes, eps: float, like: Callable[..., Any]
) -> Any:
    """The tangent of a normalisation; `like` lets weights broadcast."""
    t, *rest = tangents
    unit, inverse = normalised(x, axis, eps)
    total = None
    if t is not None:
        total = pulled(t, unit, inverse, axis)
        if affine:
            total = total * like(affine[0])
    if rest and rest[0] is not None:
        part = unit * like(rest[0])
        total = part if total is None else total + part
    if rest[1:] and rest[1] is not None:
        part = like(rest[1])
        total = broadcast_to(part, to=x.shape) if total is None else total + part
    return total


def _rows_jvp(tangents: Any, _out: Any, x: Any, *affine: Any, eps: float) -> Any:
    return changed(tangents, x, affine, (x.ndim - 1,), eps, lambda w: w)


def _rows_batch(function: Any, mapped: tuple[bool, ...], x: Any, *affine: Any, eps: float) -> Any:
    if not any(mapped[1:]):
        return function(x, *affine, eps=eps)
    out = function(x, eps=eps)
    own = x.ndim - mapped[0]
    for i, (w, has) in enumerate(zip(affine, mapped[1:], strict=True)):
        if has:
            w = reshape(w, to=(w.shape[0], *(1,) * (own - 1), w.shape[1]))
        out = out + w if i else out * w
    return out


def _rows_samples(rng: Any) -> Iterator[Sample]:
    for shape in ((4,), (2, 3), (2, 2, 3)):
        x, w, b = normal(rng, shape), normal(rng, shape[-1:]), normal(rng, shape[-1:])
        for inputs in ((x,), (x, w), (x, w, b)):
            yield inputs, {"eps": 0.1}


layer_norm = define(
    Op(
        "layer_norm",
        forward=_rows_forward,
        vjp=_rows_rule,
        joint=True,
        jvp=_rows_jvp,
        batch=_rows_batch,
        promote=True,
        samples=_rows_samples,
        doc="Lines along the last axis, normalised to mean 0 and variance 1 (`eps` is added to the "
        "variance); times a weight and plus a bias, where these are given.",
    )
)


def channels(w: Any) -> Any:
    """A number for each channel, such that it broadcasts against (N, C, L)."""
    return reshape(w, to=(w.shape[-1], 1))


def channel_blocks(shape: tuple[int, ...]) -> Iterator[tuple[slice, slice]]:
    """Keys of a few channels of (N, C, L)."""
    for part in row_blocks(shape[1], shape[0] * shape[2]):
        yield slice(None), part


def _channels_forward(xp: Any, x: Any, *affine: Any, eps: float) -> Any:
    centre = xp.mean(x, axis=(0, 2))
    if on_device(x):
        centred = x - centre[:, None]
        variance = xp.mean(centred * centred, axis=(0, 2))
        weights = (w[:, None] for w in affine)
        out = fused(scaled_by(xp, len(affine)), centred, variance[:, None], eps, *weights)
        return out, centre, variance
    variance = xp.empty_like(centre)
    out = xp.empty_like(x)
    for key in channel_blocks(x.shape):
        own = key[1]
        centred = x[(*key, slice(None))] - centre[own][:, None]
        variance[own] = xp.mean(centred * centred, axis=(0, 2))
        scale = 1 / xp.sqrt(variance[own] + eps)
        if affine:
            scale = scale * affine[0][own]
        centred *= scale[:, None]
        if affine[1:]:
            centred += affine[1][own][:, None]
        out[(*key, slice(None))] = centred
    return out, centre, variance


def _channels_rule(
    g: Any, _out: Any, x: Any, *affine: Any, wanted: tuple[bool, ...], eps: float
) -> list[Any]:
    gs, g_mean, g_variance = g
    axis = (0, 2)

    def block(g: Any, x: Any, *weight: Any) -> list[Any]:
        """The cotangents of some channels."""
        unit, inverse = normalised(x, axis, eps)
        out: list[Any] = [None] * len(wanted)
        if wanted[0]:
            out[0] = pulled(g * channels(weight[0]) if weight else g, unit, inverse, axis)
        if wanted[1:2] == (True,):
            out[1] = sum(g * unit, axis=axis, keepdims=False)
        if wanted[2:] == (True,):
            out[2] = sum(g, axis=axis, keepdims=False)
        return out

    if gs is None:
        out: list[Any] = [None] * len(wanted)
    elif all(wanted) and plain(gs, x, *affine[:1]) and x.dtype.kind == "f" and x.size > LARGE:
        out = [*_quick_channels_rule(gs, x, affine[0] if affine else None, eps)[: len(wanted)]]
    else:
        out = block(gs, x, *affine[:1])
    if wanted[0]:
        count = x.shape[0] * x.shape[2]
        for extra, factor in ((g_mean, None), (g_variance, 2)):
            if extra is None:
                continue
            part = channels(extra / count)
            if factor:
                part = (x - mean(x, axis=axis, keepdims=True)) * (2 * part)
            out[0] = broadcast_to(part, to=x.shape) if out[0] is None else out[0] + part
    return out


def _quick_channels_rule(g: Any, x: Any, weight: Any, eps: float) -> tuple[Any, Any, Any]:
    """The cotangents of images, weight and bias, a few channels at a time."""
    out = numpy.empty(x.shape, x.dtype)
    g_weight, g_bias = numpy.empty(x.shape[1], x.dtype), numpy.empty(x.shape[1], x.dtype)
    count = x.shape[0] * x.shape[2]
    for key in channel_blocks(x.shape):
        own = key[1]
        gs, xs, into = g[key], x[key], out[key]
        centred = xs - (xs.sum(2).sum(0) / count)[:, None]
        inverse = 1 / numpy.sqrt(numpy.vecdot(centred, centred).sum(0) / count + eps)
        along = numpy.vecdot(gs, centred).sum(0) * inverse
        total = gs.sum(2).sum(0)
        g_weight[own], g_bias[own] = along, total
        centred *= (along * inverse / count)[:, None]
        centred += (total / count)[:, None]
        numpy.subtract(gs, centred, out=into)
        into *= (inverse if weight is None else inverse * weight[own])[:, None]
    return out, g_weight, g_bias


def _channels_jvp(tangents: Any, _out: Any, x: Any, *affine: Any, eps: float) -> Any:
    axis = (0, 2)
    t = tangents[0]
    first = changed(tangents, x, affine, axis, eps, channels)
    if t is None:
        zero = sum(0 * x, axis=axis, keepdims=False)
        return first, zero, zero
    centred = x - mean(x, axis=axis, keepdims=True)
    variance = 2 * mean(centred * t, axis=axis, keepdims=False)
    return first, mean(t, axis=axis, keepdims=False), variance


def _channels_batch(
    function: Any, mapped: tuple[bool, ...], x: Any, *affine: Any, eps: float
) -> Any:
    """Lanes as more channels."""
    lanes = next(y.shape[0] for y, has in zip((x, *affine), mapped, strict=True) if has)
    if not mapped[0]:
        x = broadcast_to(x, to=(lanes, *x.shape))
    affine = tuple(
        w if has else broadcast_to(w, to=(lanes, *w.shape))
        for w, has in zip(affine, mapped[1:], strict=True)
    )
    _, n, c, length = x.shape
    rows = reshape(permute_dims(x, axes=(1, 0, 2, 3)), to=(n, lanes * c, length))
    affine = tuple(reshape(w, to=(lanes * c,)) for w in affine)
    out, centre, variance = function(rows, *affine, eps=eps)
    out = permute_dims(reshape(out, to=(n, lanes, c, length)), axes=(1, 0, 2, 3))
    return out, reshape(centre, to=(lanes, c)), reshape(variance, to=(lanes, c))


def _channels_samples(rng: Any) -> Iterator[Sample]:
    for shape in ((2, 3, 2), (4, 2, 1)):
        x, w, b = normal(rng, shape), normal(rng, shape[1:2]), normal(rng, shape[1:2])
        for inputs in ((x,), (x, w), (x, w, b)):
            yield inputs, {"eps": 0.1}


batch_norm = define(
    Op(
        "batch_norm",
        forward=_channels_forward,
        vjp=_channels_rule,
        joint=True,
        outputs=3,
        jvp=_channels_jvp,
        batch=_channels_batch,
        promote=True,
        samples=_channels_samples,
        doc="The channels of (N, C, L) normalised to mean 0 and variance 1 (`eps` is added to the "
        "variance), times a weight and plus a bias where these are given; their means; and "
        "their variances.",
    )
)
