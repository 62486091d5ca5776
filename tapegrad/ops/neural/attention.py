"""Attention as one entry: scores, their softmax, and the values it weights."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import prod
from typing import Any

import numpy
from numpy import ndarray

from ...backend import HOST, Place, has_nan, on_device, place_of, put
from ...core.op import Op
from ..blocks import BLOCK, LARGE, exponentials
from ..contract import matmul, transpose
from ..define import define
from ..fused import fused
from ..linear import broadcast_to, reshape, sum
from ..native import native
from ..samples import Sample, normal

INFINITY = float("inf")


@lru_cache(maxsize=8)
def causal_mask(queries: int, keys: int, dtype: str, place: Place = HOST) -> Any:
    """What is added to scores so that a query looks at no key after it."""
    after = numpy.arange(keys) > numpy.arange(queries)[:, None]
    mask = numpy.where(after, -INFINITY, 0.0).astype(dtype)
    mask.flags.writeable = False
    return put(mask, place)


def _weights(xp: Any, scores: Any) -> Any:
    """The softmax along the last axis, 0 where all scores are -inf; may overwrite the scores."""
    if not scores.size:
        return scores
    if xp is numpy:
        if scores.size > LARGE:
            found = native("softmax", scores.reshape(-1, scores.shape[-1]))
            if found is not None and not has_nan(found):
                return found.reshape(scores.shape)
        weights = numpy.empty_like(scores)
        found = exponentials(scores, weights)
        if found is not None:
            weights *= (1 / found[0])[..., None]
            return weights
    top = xp.max(scores, axis=-1, keepdims=True)
    if on_device(scores):
        weights = fused(lambda x, top: xp.exp(x - xp.where(top == -INFINITY, 0, top)), scores, top)
        total = xp.sum(weights, axis=-1, keepdims=True)
        return fused(lambda x, total: x / xp.where(total == 0, 1, total), weights, total)
    scores -= xp.where(top == -INFINITY, xp.zeros_like(top), top)
    weights = xp.exp(scores)
    total = xp.sum(weights, axis=-1, keepdims=True)
    weights *= 1 / xp.where(total == 0, xp.ones_like(total), total)
    return weights


def _stack(x: Any) -> Any:
    """Matrices (..., L, E) as one stack of them."""
    return reshape(x, to=(prod(x.shape[:-2]), *x.shape[-2:]))


def _parts(count: int, size: int, whole: bool = False) -> Iterator[slice]:
    """A few matrices of a size at a time, or all as a `whole`."""
    step = max(1, count if whole else 4 * BLOCK // max(size, 1))
    for start in range(0, count, step):
        yield slice(start, min(start + step, count))


def _forward(
    xp: Any, q: Any, k: Any, v: Any, *mask: Any, scale: float, causal: bool
) -> tuple[Any, Any]:
    lead, queries, keys = q.shape[:-2], q.shape[-2], k.shape[-2]
    count = prod(lead)
    q, k, v = (xp.reshape(x, (count, *x.shape[-2:])) for x in (q, k, v))
    weights = xp.empty((count, queries, keys), dtype=q.dtype)
    out = xp.empty((count, queries, v.shape[-1]), dtype=q.dtype)
    added = []
    if causal:
        dtype = str(q.dtype).rpartition(".")[2]
        added.append(xp.asarray(causal_mask(queries, keys, dtype, place_of(q))))
    if mask:
        whole = xp.broadcast_to(mask[0], (*lead, queries, keys))
        whole = xp.reshape(whole, weights.shape) if mask[0].ndim > 2 else mask[0]
        added.append(whole)
    for part in _parts(count, queries * keys, on_device(q)):  # there no cache is to be met
        scores = xp.matmul(q[part, ...] * scale, xp.matrix_transpose(k[part, ...]))
        for a in added:
            scores += a[part, ...] if a.ndim == 3 else a
        found = _weights(xp, scores)
        weights[part, ...] = found
        out[part, ...] = xp.matmul(found, v[part, ...])
    to = (*lead, queries, v.shape[-1])
    return xp.reshape(out, to), xp.reshape(weights, (*lead, queries, keys))


def _pulled(g_out: Any, g_weights: Any, v: Any, weights: Any) -> Any:
    """The cotangent of the scores."""
    g: Any = None if g_out is None else matmul(g_out, transpose(v))
    if g_weights is not None:
        g = g_weights if g is None else g + g_weights
    if type(g) is type(weights) is ndarray and g.size > LARGE:
        found = native("softmax_gradient", *(x.reshape(-1, x.shape[-1]) for x in (g, weights)))
        if found is not None:
            return found.reshape(g.shape)
    if on_device(g) and on_device(weights):
        along = sum(g * weights, axis=(g.ndim - 1,), keepdims=True)
        return fused(lambda g, weights, along: (g - along) * weights, g, weights, along)
    g = g * weights
    return g - weights * sum(g, axis=(g.ndim - 1,), keepdims=True)


def _rule(
    g: Any, out: Any, q: Any, k: Any, v: Any, *mask: Any, wanted: Any, scale: float, causal: bool
) -> list[Any]:
    g_out, g_weights = g
    weights = out[1]

    def block(g_out: Any, g_weights: Any, q: Any, k: Any, v: Any, weights: Any) -> list[Any]:
        """The cotangents of some heads, that of their scores last."""
        g = _pulled(g_out, g_weights, v, weights)
        scaled = g * scale
        return [
            matmul(scaled, k) if wanted[0] else None,
            matmul(transpose(scaled), q) if wanted[1] else None,
            matmul(transpose(weights), g_out) if wanted[2] and g_out is not None else None,
            g if wanted[3:] == (True,) else None,
        ]

    arrays = [g_out, g_weights, q, k, v, weights]
    plain = all(x is None or type(x) is ndarray for x in arrays)
    if not plain or weights.size <= 4 * BLOCK:
        *found, scores = block(*arrays)
    else:
        stacks = [None if x is None else _stack(x) for x in arrays]
        made = zip((q, k, v), wanted[:3], strict=True)
        found = [numpy.empty(x.shape, x.dtype) if has else None for x, has in made]
        if g_out is None:
            found[2] = None
        scores = numpy.empty(weights.shape, weights.dtype) if wanted[3:] == (True,) else None
        for part in _parts(prod(weights.shape[:-2]), prod(weights.shape[-2:])):
            values = block(*(None if x is None else x[part] for x in stacks))
            for into, value in zip((*found, scores), values, strict=True):
                if into is not None:
                    _stack(into)[part] = value
    if not mask:
        return found
    return [*found, None if scores is None else _reduced(scores, mask[0].shape)]


def _reduced(g: Any, to: tuple[int, ...]) -> Any:
    """The cotangent of what was broadcast."""
    extra = g.ndim - len(to)
    axes = (*range(extra), *(extra + i for i, n in enumerate(to) if n != g.shape[extra + i]))
    return reshape(sum(g, axis=axes, keepdims=False), to=to) if axes else g


def _jvp(
    tangents: Any, out: Any, q: Any, k: Any, v: Any, *mask: Any, scale: float, causal: bool
) -> tuple[Any, Any]:
    tq, tk, tv, *tm = tangents
    weights = out[1]
    scores = None
    for part in (
        None if tq is None else matmul(tq * scale, transpose(k)),
        None if tk is None else matmul(q * scale, transpose(tk)),
        *tm,
    ):
        if part is not None:
            scores = part if scores is None else scores + part
    if scores is None:
        moved = 0 * weights
    else:
        along = weights * scores
        moved = along - weights * sum(along, axis=(along.ndim - 1,), keepdims=True)
    change = matmul(moved, v)
    return change if tv is None else change + matmul(weights, tv), moved


def _batch(function: Any, mapped: tuple[bool, ...], *inputs: Any, **params: Any) -> Any:
    """Lanes as one more leading axis."""
    lanes = next(x.shape[0] for x, has in zip(inputs, mapped, strict=True) if has)
    lead = len(inputs[0].shape) - mapped[0]
    wide = []
    for i, (x, has) in enumerate(zip(inputs, mapped, strict=True)):
        if i < 3:
            wide.append(x if has else broadcast_to(x, to=(lanes, *x.shape)))
        elif has:
            ones = (1,) * (lead - x.ndim + 1)
            wide.append(reshape(x, to=(lanes, *ones, *x.shape[1:])))
        else:
            wide.append(x)
    return function(*wide, **params)


def _samples(rng: Any) -> Iterator[Sample]:
    q, k, v = normal(rng, (2, 3, 4)), normal(rng, (2, 5, 4)), normal(rng, (2, 5, 2))
    yield (q, k, v), {"scale": 0.5, "causal": False}
    yield (q, k, v), {"scale": 0.7, "causal": True}
    yield (q, k, v, normal(rng, (3, 5))), {"scale": 0.5, "causal": False}
    yield (q, k, v, normal(rng, (2, 1, 5))), {"scale": 0.5, "causal": True}
    yield (q[0], k[0], v[0]), {"scale": 1.0, "causal": False}


attention = define(
    Op(
        "attention",
        forward=_forward,
        vjp=_rule,
        joint=True,
        outputs=2,
        jvp=_jvp,
        batch=_batch,
        promote=True,
        samples=_samples,
        doc="`softmax(scale * q @ k.T + mask) @ v` for stacks of matrices, and the softmax. Where "
        "all scores of a query are -inf, its weights are 0.",
    )
)
