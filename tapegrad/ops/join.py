"""Operations that put arrays side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import update_wrapper
from threading import get_ident
from typing import Any

import numpy

from ..backend import namespace, plain, python_numbers
from ..core.array import Array, tracked
from ..core.op import Op
from ..core.record import raw
from ..core.tape import current, tick
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


def quick(op: Op, compute: Callable[[list[Any], int], Any]) -> Any:
    """The function of an operation, with a short way for arrays of one dtype on the current tape.

    `compute` is its forward on NumPy data.
    """
    general = define(op)

    def function(*xs: Any, axis: int) -> Any:
        tape: Any = current()
        data = []
        slots = []
        for x in xs:
            if type(x) is Array and (not x.slot or x.tape is tape):
                slots.append(x.slot)
                x = x.raw
            else:
                slots.append(0)
            if type(x) not in plain or type(x) in python_numbers:
                return general(*xs, axis=axis)
            data.append(x)
        dtype = data[0].dtype if data else None
        if not any(slots) or tape.owner != get_ident() or any(x.dtype is not dtype for x in data):
            return general(*xs, axis=axis)
        try:
            out = compute(data, axis)
        except ValueError:
            return general(*xs, axis=axis)  # raises the same with more to say
        slot = tick()
        shapes = [x.shape for x in data]
        tape.append((op.code(len(xs)), slot, *slots, {"axis": axis}, *shapes, None))
        if slot > tape.limit:
            tape.compact()
        if out.size > 64:
            tape.spend(out.nbytes)
        return tracked(Array, out, slot, tape)

    op.function = update_wrapper(function, general)
    return op.function


def _stack_compute(data: list[Any], axis: int) -> Any:
    return numpy.stack(data, axis) if axis else numpy.array(data)


CONCAT = Op(
    "concat",
    forward=lambda xp, *xs, axis: xp.concat(xs, axis=axis),
    vjp=_concat_rule,
    jvp=_concat_jvp,
    batch=_join_batch,
    promote=True,
    samples=_concat_samples,
    doc="The arrays one after the other along `axis`.",
)

STACK = Op(
    "stack",
    forward=lambda xp, *xs, axis: xp.stack(xs, axis=axis),
    vjp=_stack_rule,
    jvp=_stack_jvp,
    batch=_join_batch,
    promote=True,
    samples=_stack_samples,
    doc="The arrays, all of one shape, along a new axis `axis`.",
)

concat = quick(CONCAT, numpy.concatenate)
stack = quick(STACK, _stack_compute)
