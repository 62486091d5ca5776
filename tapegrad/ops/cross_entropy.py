"""The cross entropy of logits and labels, one entry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy
from numpy import ndarray

from ..backend import namespace, on_device
from ..core.op import Op
from ..core.record import raw
from .add_at import add_at
from .blocks import LARGE, exponentials, row_blocks
from .define import define
from .elementary import exp
from .fused import fused
from .index import ARRAY, getitem
from .linear import broadcast_to, in_single, reshape, sum
from .native import native
from .samples import Sample, normal


@in_single
def _forward(xp: Any, logits: Any, labels: Any) -> Any:
    if not logits.size:
        return xp.zeros(labels.shape, dtype=logits.dtype)
    if is_plain(logits, labels):
        return _by_blocks(logits, labels) if logits.size > LARGE else _of_block(logits, labels)
    top = xp.max(logits, axis=1, keepdims=True)
    if on_device(logits):
        shifted = fused(lambda x, top: x - xp.where(xp.isfinite(top), top, 0), logits, top)
    else:
        shifted = logits - xp.where(xp.isfinite(top), top, xp.zeros_like(top))
    picked = shifted[xp.arange(labels.shape[0]), labels]
    return xp.log(xp.sum(xp.exp(shifted), axis=1)) - picked


def is_plain(logits: Any, *others: Any) -> bool:
    """Whether all are ndarrays, and the logits of NumPy's floating point."""
    return (
        type(logits) is ndarray and logits.dtype.kind == "f" and {*map(type, others)} == {ndarray}
    )


def _by_blocks(logits: Any, labels: Any) -> Any:
    out = native("cross_entropy", logits, labels)
    if out is None:
        out = numpy.empty(len(logits), logits.dtype)
        for part in row_blocks(*logits.shape):
            out[part] = _of_block(logits[part], labels[part])
    return out


def _of_block(rows: Any, labels: Any) -> Any:
    picked = rows[numpy.arange(len(rows)), labels]
    found = exponentials(rows)
    if found is not None:
        total, top = found
    else:
        tops = rows.max(1, keepdims=True)
        tops = numpy.where(numpy.isfinite(tops), tops, 0)
        total, top = numpy.exp(rows - tops).sum(1), tops[:, 0]
    picked -= top
    out = numpy.log(total, out=total)
    out -= picked
    return out


def chosen(x: Any, labels: Any) -> Any:
    """Of each row, the element at its label."""
    rows = namespace(raw(labels)).arange(labels.shape[0])
    return getitem(x, rows, labels, key=(ARRAY, ARRAY))


def probabilities(logits: Any, out: Any, labels: Any) -> Any:
    """The softmax of each row, given its cross entropy."""
    total = out + chosen(logits, labels)
    return exp(logits - reshape(total, to=(*total.shape, 1)))


def _rule_by_blocks(g: Any, out: Any, logits: Any, labels: Any) -> Any:
    if logits.size > LARGE:
        found = native("cross_entropy_gradient", logits, labels, out, g)
        if found is not None:
            return found
        result = numpy.empty_like(logits)
        for part in row_blocks(*logits.shape):
            result[part] = _rule_of_block(g[part], out[part], logits[part], labels[part])
        return result
    return _rule_of_block(g, out, logits, labels)


def _rule_of_block(g: Any, out: Any, logits: Any, labels: Any) -> Any:
    each = numpy.arange(len(logits))
    total = logits[each, labels]
    total += out
    result = logits - total[:, None]
    numpy.exp(result, out=result)
    result *= g[:, None]
    result[each, labels] -= g
    return result


def _rule(g: Any, out: Any, logits: Any, labels: Any) -> Any:
    if logits.size and is_plain(logits, g, out, labels):
        return _rule_by_blocks(g, out, logits, labels)
    if on_device(g) and on_device(logits):
        xp = namespace(logits)
        rows = xp.arange(labels.shape[0])
        total = (out + logits[rows, labels])[:, None]
        whole = fused(lambda x, total, g: xp.exp(x - total) * g, logits, total, g[:, None])
        add_at(whole, (rows, labels), -g)
        return whole
    whole = probabilities(logits, out, labels) * reshape(g, to=(*g.shape, 1))
    return less_at(whole, g, labels)


def _jvp(tangents: Any, out: Any, logits: Any, labels: Any) -> Any:
    t = tangents[0]
    mean = sum(probabilities(logits, out, labels) * t, axis=(1,), keepdims=False)
    return mean - chosen(t, labels)


def _less_forward(xp: Any, x: Any, y: Any, labels: Any) -> Any:
    out = xp.asarray(x, copy=True)
    out[xp.arange(labels.shape[0]), labels] -= y
    return out


def _batch(function: Any, mapped: tuple[bool, ...], *inputs: Any) -> Any:
    """All lanes as more rows."""
    (lanes,) = {x.shape[0] for x, has in zip(inputs, mapped, strict=True) if has}
    flat = []
    for x, has in zip(inputs, mapped, strict=True):
        own = x.shape[1:] if has else x.shape
        x = x if has else broadcast_to(x, to=(lanes, *own))
        flat.append(reshape(x, to=(lanes * own[0], *own[1:])))
    out = function(*flat)
    return reshape(out, to=(lanes, out.shape[0] // lanes, *out.shape[1:]))


def _samples(rng: Any) -> Iterator[Sample]:
    yield (normal(rng, (3, 4)), numpy.array([0, 3, 3])), {}
    yield (normal(rng, (1, 1)), numpy.array([0])), {}
    yield (normal(rng, (0, 4)), numpy.array([], dtype=int)), {}


def _less_samples(rng: Any) -> Iterator[Sample]:
    yield (normal(rng, (3, 4)), normal(rng, (3,)), numpy.array([0, 3, 3])), {}


cross_entropy = define(
    Op(
        "cross_entropy",
        forward=_forward,
        vjp=(_rule, None),
        jvp=_jvp,
        batch=_batch,
        samples=_samples,
        doc="Of each row of logits, the negative logarithm of the softmax at its label.",
    )
)
less_at = define(
    Op(
        "less_at",
        forward=_less_forward,
        vjp=(
            lambda g, _out, _x, _y, _labels: g,
            lambda g, _out, _x, _y, labels: -chosen(g, labels),
            None,
        ),
        jvp=lambda tangents, _out, shape, _y, labels: _less_jvp(tangents, shape, labels),
        batch=_batch,
        samples=_less_samples,
        doc="Of each row, `y` taken from the element at its label.",
    )
)


def _less_jvp(tangents: Any, shape: Any, labels: Any) -> Any:
    t, t_y, _ = tangents
    if t_y is None:
        return t
    return less_at(broadcast_to(0.0 * t_y[..., None], to=shape) if t is None else t, t_y, labels)
