"""`softmax` and `log_softmax` over axes, each one entry (`logsumexp` is in `ops.reduce`)."""

from __future__ import annotations

from typing import Any

from ...core.op import Op
from ..define import batch_axis, define
from ..elementary import exp
from ..linear import sum
from ..samples import each


def _softmax(xp: Any, x: Any, *, axis: tuple[int, ...]) -> Any:
    out = xp.exp(x - xp.max(x, axis=axis, keepdims=True)) if x.size else x
    return out / xp.sum(out, axis=axis, keepdims=True)


def _softmax_rule(g: Any, out: Any, _x: Any, *, axis: tuple[int, ...]) -> Any:
    weighted = g * out
    return weighted - out * sum(weighted, axis=axis, keepdims=True)


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
        jvp=lambda tangents, out, _x, *, axis: _softmax_rule(tangents[0], out, None, axis=axis),
        batch=batch_axis,
        samples=_samples,
        doc="Exponentials divided by their sum over `axis`.",
    ),
    structural=True,
)


def _log_softmax(xp: Any, x: Any, *, axis: tuple[int, ...]) -> Any:
    if not x.size:
        return x
    top = xp.max(x, axis=axis, keepdims=True)
    shifted = x - xp.where(xp.isfinite(top), top, xp.zeros_like(top))
    return shifted - xp.log(xp.sum(xp.exp(shifted), axis=axis, keepdims=True))


log_softmax = define(
    Op(
        "log_softmax",
        forward=_log_softmax,
        vjp=(lambda g, out, _x, *, axis: g - exp(out) * sum(g, axis=axis, keepdims=True),),
        jvp=lambda tangents, out, _x, *, axis: (
            tangents[0] - sum(exp(out) * tangents[0], axis=axis, keepdims=True)
        ),
        batch=batch_axis,
        samples=_samples,
        doc="The logarithm of `softmax`.",
    ),
    structural=True,
)
