"""The affine map of a layer, one entry for product and bias."""

from __future__ import annotations

from collections.abc import Callable
from threading import get_ident
from typing import Any

from numpy import ndarray

from ..backend import add_reduce
from ..core.array import Array, new
from ..core.op import Op, table
from ..core.tape import Paused, current, tick
from .contract import matmul, transpose
from .define import define, size_of
from .linear import broadcast_to, reshape, sum
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


def _affine_jvp(tangents: Any, shape: Any, x: Any, weight: Any, _bias: Any) -> Any:
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
        return broadcast_to(tb, to=shape)
    return total + tb


def _affine_step(_arity: int) -> Callable[..., None]:
    """As the rules, without the calls in between where vectors are the rows of a matrix."""

    def step(entry: Any, g: Any, cotangents: dict[int, Any]) -> None:
        _, _, i, j, k, _, x, weight, _, _ = entry
        flat = type(g) is ndarray and g.ndim == 2
        if i:
            plain = flat and type(weight) is ndarray
            d = g @ weight if plain else _affine_rule_x(g, None, None, weight, None)
            cotangents[i] = cotangents[i] + d if i in cotangents else d
        if j:
            plain = flat and type(x) is ndarray
            d = g.T @ x if plain else _affine_rule_weight(g, None, x, None, None)
            cotangents[j] = cotangents[j] + d if j in cotangents else d
        if k:
            d = add_reduce(g, 0) if flat else _affine_rule_bias(g, None, None, None, None)
            cotangents[k] = cotangents[k] + d if k in cotangents else d

    return step


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
        step=_affine_step,
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

_AFFINE = table["affine"].code(3)


def affine_of(kind: type[Array]) -> Callable[[Any, Any, Any], Any]:
    """The affine map of arrays of the class `kind` in the fewest steps.

    It gives None for everything but matrices and a vector of one real dtype on this thread's tape.
    """

    def function(x: Any, weight: Any, bias: Any) -> Any:
        if not (type(x) is type(weight) is type(bias) is kind):
            return None
        a, w, b = x.raw, weight.raw, bias.raw
        dtype = w.dtype
        if not (
            a.ndim == w.ndim == 2
            and a.dtype is dtype is b.dtype
            and dtype.char in "fd"
            and a.shape[1] == w.shape[1]
            and b.shape == w.shape[:1]
            and type(a) is type(w) is ndarray
        ):
            return None
        tape: Any = current()
        i, j, k = x.slot, weight.slot, bias.slot
        out = a @ w.T
        out += b
        result = new(kind)
        result.raw = out
        if not (i or j or k) or type(tape) is Paused:
            result.slot = 0
            result.tape = None
        elif (
            tape.owner != get_ident()
            or (i and x.tape is not tape)
            or (j and weight.tape is not tape)
            or (k and bias.tape is not tape)
        ):
            return None
        else:
            result.tape = tape
            result.slot = slot = tick()
            saved = a if j else None, w if i else None, None, None
            tape.append((_AFFINE, slot, i, j, k, None, *saved))
            if slot > tape.limit:
                tape.compact()
        if result.slot and out.size > 64:
            tape.spend(out.nbytes)
        return result

    return function
