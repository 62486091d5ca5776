"""`softmax` and `log_softmax` over axes, each one entry (`logsumexp` is in `ops.reduce`)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy
from numpy import ndarray

from ..backend import add_reduce, on_device
from ..core.op import Op
from .blocks import LARGE, exponentials, row_blocks
from .define import batch_axis, define
from .elementary import exp
from .fused import fused
from .linear import in_single, sum
from .native import native
from .samples import each

Axes = tuple[int, ...]

largest: Any = numpy.maximum.reduce


def by_rows(
    text: Callable[..., Any],
    quick: Callable[..., None],
    kernel: str,
    axis: Axes,
    *arrays: Any,
) -> Any:
    """A function of arrays that works on lines: ``text(*arrays, axis=axis)``.

    For large raw arrays, and the last axis, the `kernel` of that name gives it, or
    ``quick(out, *rows)`` writes it, row block by row block.
    """
    first = arrays[0]
    if type(first) is not ndarray or axis != (first.ndim - 1,) or first.size <= LARGE:
        return text(*arrays, axis=axis)
    for x in arrays:
        if type(x) is not ndarray or x.dtype != first.dtype or x.dtype.kind != "f":
            return text(*arrays, axis=axis)
    length = first.shape[-1]
    rows = [x.reshape(-1, length) for x in arrays]
    found = native(kernel, *rows)
    if found is not None:
        return found.reshape(first.shape)
    out = numpy.empty(first.shape, first.dtype)
    into = out.reshape(-1, length)
    for part in row_blocks(len(into), length):
        quick(into[part], *(x[part] for x in rows))
    return out


@in_single
def _exponentials(xp: Any, x: Any, *, axis: Axes) -> Any:
    if on_device(x):
        top = xp.max(x, axis=axis, keepdims=True)
        out = fused(lambda x, top: xp.exp(x - top), x, top)
        return fused(lambda out, total: out / total, out, xp.sum(out, axis=axis, keepdims=True))
    out = xp.exp(x - xp.max(x, axis=axis, keepdims=True))
    return out * (1 / xp.sum(out, axis=axis, keepdims=True))


def _quick_softmax(out: Any, x: Any) -> None:
    found = exponentials(x, out)
    if found is not None:
        out *= (1 / found[0])[:, None]
        return
    numpy.subtract(x, x.max(1, keepdims=True), out=out)
    numpy.exp(out, out=out)
    out *= (1 / out.sum(1))[:, None]


def _softmax(xp: Any, x: Any, *, axis: Axes) -> Any:
    return by_rows(partial(_exponentials, xp), _quick_softmax, "softmax", axis, x) if x.size else x


def _fast_softmax(x: Any, *, axis: Axes) -> Any:
    """The same for raw arrays."""
    if x.size > LARGE or not x.size or x.dtype.kind == "V":
        return _softmax(numpy, x, axis=axis)
    out = numpy.exp(x - largest(x, axis, keepdims=True))
    out *= 1 / add_reduce(out, axis, keepdims=True)
    return out


def _pulled(g: Any, out: Any, *, axis: Axes) -> Any:
    if on_device(g) and on_device(out):
        along = sum(g * out, axis=axis, keepdims=True)
        return fused(lambda g, out, along: out * (g - along), g, out, along)
    return out * (g - sum(g * out, axis=axis, keepdims=True))


def _quick_pulled(into: Any, g: Any, out: Any) -> None:
    numpy.subtract(g, numpy.vecdot(g, out)[:, None], out=into)
    into *= out


def pulled_back(g: Any, out: Any, axis: Axes) -> Any:
    """The cotangent of what `softmax` made `out` of, from that of `out`."""
    return by_rows(_pulled, _quick_pulled, "softmax_gradient", axis, g, out)


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
        operator=_fast_softmax,
        vjp=(_softmax_rule,),
        jvp=lambda tangents, out, _x, *, axis: pulled_back(tangents[0], out, axis),
        batch=batch_axis,
        samples=_samples,
        doc="Exponentials divided by their sum over `axis`.",
    ),
    structural=True,
)


@in_single
def _logarithms(xp: Any, x: Any, *, axis: Axes) -> Any:
    top = xp.max(x, axis=axis, keepdims=True)
    if on_device(x):
        shifted = fused(lambda x, top: x - xp.where(xp.isfinite(top), top, 0), x, top)
        total = xp.sum(xp.exp(shifted), axis=axis, keepdims=True)
        return fused(lambda shifted, total: shifted - xp.log(total), shifted, total)
    shifted = x - xp.where(xp.isfinite(top), top, xp.zeros_like(top))
    return shifted - xp.log(xp.sum(xp.exp(shifted), axis=axis, keepdims=True))


def _quick_logarithms(out: Any, x: Any) -> None:
    found = exponentials(x, out)
    if found is not None:
        numpy.subtract(x, (numpy.log(found[0]) + found[1])[:, None], out=out)
        return
    top = x.max(1, keepdims=True)
    numpy.subtract(x, numpy.where(numpy.isfinite(top), top, 0), out=out)
    out -= numpy.log(numpy.exp(out).sum(1))[:, None]


def _log_softmax(xp: Any, x: Any, *, axis: Axes) -> Any:
    return (
        by_rows(partial(_logarithms, xp), _quick_logarithms, "log_softmax", axis, x)
        if x.size
        else x
    )


def _log_pulled(g: Any, out: Any, *, axis: Axes) -> Any:
    if on_device(g) and on_device(out):
        total = sum(g, axis=axis, keepdims=True)
        return fused(lambda g, out, total: g - exp(out) * total, g, out, total)
    return g - exp(out) * sum(g, axis=axis, keepdims=True)


def _quick_log_pulled(into: Any, g: Any, out: Any) -> None:
    numpy.exp(out, out=into)
    into *= -g.sum(1)[:, None]
    into += g


def _log_softmax_rule(g: Any, out: Any, _x: Any, *, axis: Axes) -> Any:
    return by_rows(_log_pulled, _quick_log_pulled, "log_softmax_gradient", axis, g, out)


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
