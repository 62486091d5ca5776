"""Operations that put arrays side by side."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..backend import namespace
from ..core.op import Op
from ..core.record import raw
from .define import define
from .index import getitem
from .linear import broadcast_to
from .samples import Sample, complex_normal, normal


def _concat_rule(g: Any, _out: Any, *shapes: Any, argnum: int, axis: int) -> Any:
    start = 0
    for shape in shapes[:argnum]:
        start += shape[axis]
    return getitem(g, key=(*(slice(None),) * axis, slice(start, start + shapes[argnum][axis])))


def _stack_rule(g: Any, _out: Any, *_shapes: Any, argnum: int, axis: int) -> Any:
    return getitem(g, key=(*(slice(None),) * axis, argnum))


def filled(tangents: tuple[Any, ...], shapes: tuple[Any, ...]) -> list[Any]:
    """The tangents, with zeros of the inputs' shapes in place of None."""
    like = raw(next(t for t in tangents if t is not None))
    xp = namespace(like)
    return [
        xp.zeros(shape, dtype=like.dtype)[()] if t is None else t
        for t, shape in zip(tangents, shapes, strict=True)
    ]


def _concat_jvp(tangents: tuple[Any, ...], _out: Any, *shapes: Any, axis: int) -> Any:
    return concat(*filled(tangents, shapes), axis=axis)


def _stack_jvp(tangents: tuple[Any, ...], _out: Any, *shapes: Any, axis: int) -> Any:
    return stack(*filled(tangents, shapes), axis=axis)


def _join_batch(function: Any, mapped: tuple[bool, ...], *xs: Any, axis: int) -> Any:
    (lanes,) = {x.shape[0] for x, has in zip(xs, mapped, strict=True) if has}
    xs = tuple(
        x if has else broadcast_to(x, to=(lanes, *x.shape))
        for x, has in zip(xs, mapped, strict=True)
    )
    return function(*xs, axis=axis + 1)


def _concat_samples(rng: Any) -> Iterator[Sample]:
    yield (normal(rng, (3,)),), {"axis": 0}
    yield (normal(rng, (2,)), normal(rng, (3,))), {"axis": 0}
    yield (normal(rng, (2, 1)), normal(rng, (2, 0)), normal(rng, (2, 3))), {"axis": 1}
    yield (normal(rng, (2, 2)), complex_normal(rng, (1, 2))), {"axis": 0}


def _stack_samples(rng: Any) -> Iterator[Sample]:
    yield (normal(rng, ()), normal(rng, ())), {"axis": 0}
    yield (normal(rng, (3,)), normal(rng, (3,))), {"axis": 1}
    yield (normal(rng, (2, 3)), complex_normal(rng, (2, 3)), normal(rng, (2, 3))), {"axis": 1}


concat = define(
    Op(
        "concat",
        forward=lambda xp, *xs, axis: xp.concat(xs, axis=axis),
        vjp=_concat_rule,
        jvp=_concat_jvp,
        batch=_join_batch,
        promote=True,
        samples=_concat_samples,
        doc="The arrays one after the other along `axis`.",
    )
)

stack = define(
    Op(
        "stack",
        forward=lambda xp, *xs, axis: xp.stack(xs, axis=axis),
        vjp=_stack_rule,
        jvp=_stack_jvp,
        batch=_join_batch,
        promote=True,
        samples=_stack_samples,
        doc="The arrays, all of one shape, along a new axis `axis`.",
    )
)
