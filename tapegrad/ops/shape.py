"""Operations that rearrange elements: rolling, diagonals."""

from __future__ import annotations

from typing import Any

from numpy import ndarray

from ..backend import namespace
from ..core.mutation import writers
from ..core.op import Op
from ..core.record import raw
from .define import define
from .samples import complex_normal, each
from .selection import where

Ints = tuple[int, ...]


def _roll_rule(g: Any, _out: Any, _x: Any, *, shift: Ints, axis: Ints) -> Any:
    return roll(g, shift=tuple(-s for s in shift), axis=axis)


def _roll_batch(function: Any, mapped: Any, x: Any, *, shift: Ints, axis: Ints) -> Any:
    return function(x, shift=shift, axis=tuple(a + 1 for a in axis))


roll = define(
    Op(
        "roll",
        forward=lambda xp, x, *, shift, axis: xp.roll(x, shift, axis=axis),
        vjp=(_roll_rule,),
        jvp="linear",
        batch=_roll_batch,
        samples=each(
            (((5,),), {"shift": (2,), "axis": (0,)}),
            (((3, 4),), {"shift": (-1, 6), "axis": (1, 0)}),
            (((2, 3),), {"shift": (1, 1), "axis": (1, 1)}),
            (((0,),), {"shift": (1,), "axis": (0,)}),
        ),
        doc="`x` with its elements moved on by `shift` along the axes `axis`, round the end.",
    ),
    structural=True,
)


def _diagonal_of(x: Any, *, offset: int) -> Any:
    part = x.diagonal(offset, -2, -1)
    if type(x) is ndarray:
        part.flags.writeable = x.flags.writeable  # NumPy clears it, but this one may be written
    return part


def _diagonal_forward(xp: Any, x: Any, *, offset: int) -> Any:
    if hasattr(x, "diagonal"):
        return _diagonal_of(x, offset=offset)
    return xp.linalg.diagonal(x, offset=offset)


def _diagonal_rule(g: Any, _out: Any, shape: Any, *, offset: int) -> Any:
    return embed_diagonal(g, offset=offset, to=shape)


diagonal = define(
    Op(
        "diagonal",
        forward=_diagonal_forward,
        vjp=(_diagonal_rule,),
        jvp="linear",
        batch=lambda function, mapped, x, *, offset: function(x, offset=offset),
        operator=_diagonal_of,
        samples=lambda rng: (
            *each(
                (((3, 3),), {"offset": 0}),
                (((2, 4),), {"offset": 1}),
                (((2, 3, 2),), {"offset": -1}),
                (((2, 3),), {"offset": 5}),
            )(rng),
            ((complex_normal(rng, (2, 2)),), {"offset": 0}),
        ),
        doc="The elements `x[..., i, i + offset]`.",
    ),
    structural=True,
)


def _embed_forward(xp: Any, x: Any, *, offset: int, to: Ints) -> Any:
    out = xp.zeros(to, dtype=x.dtype)
    steps = xp.arange(x.shape[-1])
    out[..., steps + max(-offset, 0), steps + max(offset, 0)] = x
    return out


def _embed_rule(g: Any, _out: Any, _x: Any, *, offset: int, to: Ints) -> Any:
    return diagonal(g, offset=offset)


def _embed_batch(function: Any, mapped: Any, x: Any, *, offset: int, to: Ints) -> Any:
    return function(x, offset=offset, to=(x.shape[0], *to))


embed_diagonal = define(
    Op(
        "embed_diagonal",
        forward=_embed_forward,
        vjp=(_embed_rule,),
        jvp="linear",
        batch=_embed_batch,
        samples=each(
            (((3,),), {"offset": 0, "to": (3, 3)}),
            (((2,),), {"offset": -1, "to": (3, 2)}),
            (((2, 2),), {"offset": 1, "to": (2, 2, 4)}),
        ),
        doc="Zeros of shape `to` with `x` on a diagonal: the transpose of `diagonal`.",
    ),
    structural=True,
)


def _write_diagonal(base: Any, new: Any, *, offset: int) -> Any:
    """`base` once its diagonal is `new`."""
    xp = namespace(raw(base))
    there = xp.eye(*base.shape[-2:], k=offset, dtype=bool)
    return where(there, embed_diagonal(new, offset=offset, to=base.shape), base)


writers["diagonal"] = _write_diagonal
