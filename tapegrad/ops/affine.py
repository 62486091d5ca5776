"""The affine map of a layer, one entry for product and bias."""

from __future__ import annotations

from typing import Any

from ..core.op import Op
from .contract import matmul, transpose
from .define import define, size_of
from .linear import reshape, sum
from .samples import each


def _affine_forward(xp: Any, x: Any, weight: Any, bias: Any) -> Any:
    out = xp.matmul(x, weight.T)
    if out.shape and out.dtype == xp.result_type(out.dtype, bias.dtype):
        out += bias
        return out
    return out + bias


def _affine_rule_x(g: Any, _out: Any, _x: Any, weight: Any, _bias: Any) -> Any:
    return matmul(g, weight)


def _affine_rule_weight(g: Any, _out: Any, x: Any, _weight: Any, _bias: Any) -> Any:
    return matmul(transpose(rows(g)), rows(x))


def _affine_rule_bias(g: Any, _out: Any, _x: Any, _weight: Any, _bias: Any) -> Any:
    return sum(g, axis=tuple(range(g.ndim - 1)), keepdims=False) if g.ndim > 1 else g


def rows(x: Any) -> Any:
    """The vectors along the last axis as the rows of a matrix."""
    return x if x.ndim == 2 else reshape(x, to=(size_of(x.shape[:-1]), x.shape[-1]))


def _affine_jvp(tangents: Any, _out: Any, x: Any, weight: Any, _bias: Any) -> Any:
    tx, tw, tb = tangents
    total = None
    if tx is not None:
        total = matmul(tx, transpose(weight))
    if tw is not None:
        part = matmul(x, transpose(tw))
        total = part if total is None else total + part
    if tb is None:
        return total
    if total is None:
        total = 0 * matmul(x, transpose(weight))
    return total + tb


def _affine_batch(function: Any, mapped: tuple[bool, ...], x: Any, weight: Any, bias: Any) -> Any:
    own = x.shape[mapped[0] :]
    if mapped[1]:
        lead = x.shape[:1] if mapped[0] else (1,)
        flat = reshape(x, to=(*lead, size_of(own[:-1]), own[-1]))
        out = matmul(flat, transpose(weight))
        out = reshape(out, to=(weight.shape[0], *own[:-1], out.shape[-1]))
    else:
        out = matmul(x, transpose(weight))
    if mapped[2]:
        bias = reshape(bias, to=(bias.shape[0], *(1,) * (len(own) - 1), bias.shape[1]))
    return out + bias


affine = define(
    Op(
        "affine",
        forward=_affine_forward,
        vjp=(_affine_rule_x, _affine_rule_weight, _affine_rule_bias),
        jvp=_affine_jvp,
        batch=_affine_batch,
        samples=each(
            (((3, 4), (2, 4), (2,)), {}),
            (((4,), (2, 4), (2,)), {}),
            (((2, 3, 4), (5, 4), (5,)), {}),
            (((0, 4), (2, 4), (2,)), {}),
        ),
        promote=True,
        doc="`x @ weight.T + bias`, for vectors `x` along the last axis.",
    )
)
