"""`softmax` and `log_softmax` over axes, each one entry (`logsumexp` is in `ops.reduce`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
from numpy import ndarray

from ..core.op import Op
from .blocks import row_blocks
from .define import batch_axis, define
from .elementary import exp
from .linear import sum
from .samples import each

Axes = tuple[int, ...]


def by_rows(function: Callable[..., Any], axis: Axes, *arrays: Any) -> Any:
    """A function of arrays with the same last axis; large raw ones row block by row block.

    `axis` is what the function reduces; only the last axis makes rows.
    """
    first = arrays[0]
    if type(first) is not ndarray or axis != (first.ndim - 1,) or first.size <= LARGE:
        return function(*arrays, axis=axis)
    for x in arrays:
        if type(x) is not ndarray or x.dtype != first.dtype:
            return function(*arrays, axis=axis)
    length = first.shape[-1]
    rows = [x.reshape(-1, length) for x in arrays]
    out = numpy.empty(first.shape, first.dtype)
    into = out.reshape(-1, length)
    for part in row_blocks(len(into), length):
        into[part] = function(*(x[part] for x in rows), axis=(1,))
    return out


LARGE = 32768


def _softmax(xp: Any, x: Any, *, axis: Axes) -> Any:
    if not x.size:
        return x

    def normalised(x: Any, axis: Axes) -> Any:
        out = xp.exp(x - xp.max(x, axis=axis, keepdims=True))
        return out * (1 / xp.sum(out, axis=axis, keepdims=True))

    return by_rows(normalised, axis, x)


def pulled_back(g: Any, out: Any, axis: Axes) -> Any:
    """The cotangent of what `softmax` made `out` of, from that of `out`."""

    def pulled(g: Any, out: Any, axis: Axes) -> Any:
        weighted = g * out
        return weighted - out * sum(weighted, axis=axis, keepdims=True)

    return by_rows(pulled, axis, g, out)


def _softmax_rule(g: Any, out: Any, _x: Any, *, axis: Axes) -> Any:
    return pulled_back(g, out, axis)


_samples = each(
    (((),), {"axis": ()}),
    (((4,),), {"axis": (0,)}),
    (((2, 3),), {"axis": (1,)}),
    (((2, 3, 4),), {"axis": (0, 2)}),
)

softmax = define(
    Op(
        "softmax",
        forward=_softmax,
        vjp=(_softmax_rule,),
        jvp=lambda tangents, out, _x, *, axis: pulled_back(tangents[0], out, axis),
        batch=batch_axis,
        samples=_samples,
        doc="Exponentials divided by their sum over `axis`.",
    ),
    structural=True,
)


def _log_softmax(xp: Any, x: Any, *, axis: Axes) -> Any:
    if not x.size:
        return x

    def normalised(x: Any, axis: Axes) -> Any:
        top = xp.max(x, axis=axis, keepdims=True)
        shifted = x - xp.where(xp.isfinite(top), top, xp.zeros_like(top))
        return shifted - xp.log(xp.sum(xp.exp(shifted), axis=axis, keepdims=True))

    return by_rows(normalised, axis, x)


def _log_softmax_rule(g: Any, out: Any, _x: Any, *, axis: Axes) -> Any:
    def pulled(g: Any, out: Any, axis: Axes) -> Any:
        return g - exp(out) * sum(g, axis=axis, keepdims=True)

    return by_rows(pulled, axis, g, out)


log_softmax = define(
    Op(
        "log_softmax",
        forward=_log_softmax,
        vjp=(_log_softmax_rule,),
        jvp=lambda tangents, out, _x, *, axis: (
            tangents[0] - sum(exp(out) * tangents[0], axis=axis, keepdims=True)
        ),
        batch=batch_axis,
        samples=_samples,
        doc="The logarithm of `softmax`.",
    ),
    structural=True,
)
