"""Operations that only move, copy or add up elements: each one's tangent rule is itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, wraps
from math import prod
from typing import Any

import numpy
from numpy import generic, ndarray

from ..backend import SMALL, add_reduce, broadcast_view, is_complex, is_inexact
from ..core.array import Array
from ..core.op import Op, table
from ..core.record import apply
from .define import batch_axis, define
from .samples import Sample, complex_normal, each, normal, one

identity = define(
    Op(
        "identity",
        forward=lambda xp, x: x,
        vjp=(lambda g, _out, _x: g,),
        jvp="linear",
        batch=lambda function, mapped, x: function(x),
        samples=one(normal, complex_normal),
        doc="The input as it is: what links a transform's leaf to a value that is tracked outside.",
    )
)

stop_gradient = define(
    Op(
        "stop_gradient",
        forward=lambda xp, x: x,
        vjp=None,
        jvp=None,
        batch=lambda function, mapped, x: function(x),
        samples=one(normal, complex_normal),
        doc="The input, as a constant for every derivative.",
    )
)


def _reshape_rule(g: Any, _out: Any, shape: Any, *, to: Any) -> Any:
    return reshape(g, to=shape)


reshape = define(
    Op(
        "reshape",
        forward=lambda xp, x, *, to: xp.reshape(x, to),
        vjp=(_reshape_rule,),
        jvp="linear",
        batch=lambda function, mapped, x, *, to: function(x, to=(x.shape[0], *to)),
        operator=lambda x, *, to: x.reshape(to) if to else x.reshape(())[()],
        samples=each(
            (((),), {"to": (1, 1)}),
            (((1,),), {"to": ()}),
            (((2, 3),), {"to": (3, 2)}),
            (((2, 0),), {"to": (0, 5)}),
        ),
        doc="`x` with its elements, in C order, in the shape `to`.",
    ),
    structural=True,
)


def _permute_rule(g: Any, _out: Any, _x: Any, *, axes: tuple[int, ...]) -> Any:
    inverse = [0] * len(axes)
    for i, a in enumerate(axes):
        inverse[a] = i
    return permute_dims(g, axes=tuple(inverse))


permute_dims = define(
    Op(
        "permute_dims",
        forward=lambda xp, x, *, axes: xp.permute_dims(x, axes),
        vjp=(_permute_rule,),
        jvp="linear",
        batch=lambda function, mapped, x, *, axes: function(x, axes=(0, *(a + 1 for a in axes))),
        operator=lambda x, *, axes: x.transpose(axes),
        samples=each(
            (((),), {"axes": ()}),
            (((2, 3),), {"axes": (1, 0)}),
            (((2, 3, 4),), {"axes": (2, 0, 1)}),
        ),
        doc="`x` with axis `axes[i]` as its axis i.",
    ),
    structural=True,
)


def _sum_of(x: Any, *, axis: tuple[int, ...], keepdims: bool) -> Any:
    if x.dtype.kind == "V":  # bfloat16, in which 256 + 1 is 256
        return add_reduce(x.astype(SINGLE), axis=axis, keepdims=keepdims).astype(x.dtype)
    return add_reduce(x, axis=axis, keepdims=keepdims)


def _sum_forward(xp: Any, x: Any, **params: Any) -> Any:
    return _sum_of(x, **params) if xp is numpy else xp.sum(x, **params)


SINGLE = numpy.dtype(numpy.float32)


def in_single(forward: Callable[..., Any]) -> Callable[..., Any]:
    """A forward that adds up bfloat16 and the like in single precision."""

    @wraps(forward)
    def wider(xp: Any, x: Any, *rest: Any, **params: Any) -> Any:
        if xp is numpy and x.dtype.kind == "V":
            return forward(xp, x.astype(SINGLE), *rest, **params).astype(x.dtype)
        return forward(xp, x, *rest, **params)

    return wider


def _sum_rule(g: Any, _out: Any, shape: Any, *, axis: tuple[int, ...], keepdims: bool) -> Any:
    if not keepdims and len(axis) != len(shape):
        g = reshape(g, to=kept_in(shape, axis))
    return broadcast_to(g, to=shape)


@lru_cache(maxsize=512)
def kept_in(shape: tuple[int, ...], axis: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of a reduction that keeps its axes, with length 1."""
    return tuple(1 if i in axis else n for i, n in enumerate(shape))


def spreading(divide: bool) -> Callable[[int], Callable[..., None]]:
    """The step of a sum, or of a mean: for all elements of a small array, without its rule."""

    def make(_arity: int) -> Callable[..., None]:
        def step(entry: Any, g: Any, cotangents: dict[int, Any]) -> None:
            _, _, i, params, shape, _ = entry
            size = prod(shape)
            if isinstance(g, generic) and 0 < size <= SMALL:
                d: Any = ndarray(shape, g.dtype)
                d.fill(g / size if divide else g)
            else:
                rule = table["mean" if divide else "sum"].rule(0)
                assert rule is not None
                d = rule(g, None, shape, **params)
            cotangents[i] = cotangents[i] + d if i in cotangents else d

        return step

    return make


sum = define(
    Op(
        "sum",
        forward=_sum_forward,
        vjp=(_sum_rule,),
        jvp="linear",
        batch=batch_axis,
        operator=_sum_of,
        step=spreading(divide=False),
        samples=each(
            (((),), {"axis": (), "keepdims": False}),
            (((4,),), {"axis": (0,), "keepdims": False}),
            (((2, 3),), {"axis": (), "keepdims": False}),
            (((2, 3),), {"axis": (1,), "keepdims": True}),
            (((2, 3, 4),), {"axis": (0, 2), "keepdims": False}),
            (((2, 0),), {"axis": (1,), "keepdims": False}),
        ),
        doc="The sum over the axes `axis`.",
    ),
    structural=True,
)


@lru_cache(maxsize=512)
def stretched(shape: tuple[int, ...], to: tuple[int, ...]) -> tuple[int, ...]:
    """The axes that an array of a shape gets, or is repeated along, in the shape `to`."""
    extra = len(to) - len(shape)
    repeated = (i + extra for i, n in enumerate(shape) if n == 1 and to[i + extra] != 1)
    return (*range(extra), *repeated)


def _broadcast_rule(g: Any, _out: Any, shape: Any, *, to: Any) -> Any:
    g = sum(g, axis=stretched(shape, to), keepdims=False)
    return g if g.shape == shape else reshape(g, to=shape)


def _broadcast_step(_arity: int) -> Callable[..., None]:
    """As the rule, in fewer steps for NumPy arrays."""

    def step(entry: Any, g: Any, cotangents: dict[int, Any]) -> None:
        _, _, i, params, shape, _ = entry
        if type(g) is ndarray:
            d = _sum_of(g, axis=stretched(shape, params["to"]), keepdims=False)
            d = d if d.shape == shape else d.reshape(shape)
        else:
            d = _broadcast_rule(g, None, shape, **params)
        cotangents[i] = cotangents[i] + d if i in cotangents else d

    return step


def _broadcast_batch(function: Any, mapped: Any, x: Any, *, to: Any) -> Any:
    lanes, *shape = x.shape
    padded = reshape(x, to=(lanes, *(1,) * (len(to) - len(shape)), *shape))
    return function(padded, to=(lanes, *to))


broadcast_to = define(
    Op(
        "broadcast_to",
        forward=lambda xp, x, *, to: xp.broadcast_to(x, to),
        vjp=(_broadcast_rule,),
        jvp="linear",
        batch=_broadcast_batch,
        operator=broadcast_view,
        step=_broadcast_step,
        samples=each(
            (((),), {"to": (2, 3)}),
            (((3,),), {"to": (3,)}),
            (((2, 1),), {"to": (4, 2, 3)}),
            (((1, 3),), {"to": (0, 3)}),
        ),
        doc="`x` repeated along new axes and along those of length 1, up to the shape `to`.",
    ),
    structural=True,
)


def _astype_forward(xp: Any, x: Any, *, to: Any, source: Any) -> Any:
    if is_complex(source) and not (is_complex(to) or "bool" in str(to)):
        x = xp.real(x)
    return x.astype(to) if hasattr(x, "astype") else xp.astype(x, to)


def _astype(x: Any, *, to: Any, source: Any) -> Any:
    return (x.real if source.kind == "c" and to.kind in "fiu" else x).astype(to)


def _astype_samples(rng: Any) -> Iterator[Sample]:
    kinds = {char: numpy.dtype(char) for char in "dDi"}
    for domain, source, to in (
        (normal, "d", "d"),
        (normal, "d", "D"),
        (complex_normal, "D", "d"),
        (normal, "d", "i"),
    ):
        for shape in ((), (2, 3)):
            x = domain(rng, shape)
            yield (x,), {"to": kinds[to], "source": kinds[source]}


_astype_inexact = define(
    Op(
        "astype",
        forward=_astype_forward,
        vjp=(lambda g, _out, _x, *, to, source: cast(g, source),),
        jvp="linear",
        batch=lambda function, mapped, x, *, to, source: function(x, to=to, source=source),
        operator=_astype,
        samples=_astype_samples,
        doc="`x`, of dtype `source`, as dtype `to`. From complex to real, its real part.",
    ),
    structural=True,
)


def astype(x: Any, *, to: Any, source: Any) -> Any:
    if isinstance(x, Array) and not is_inexact(to):
        return apply(ASTYPE, x, to=to, source=source)  # no derivative comes back from integers
    return _astype_inexact(x, to=to, source=source)


ASTYPE = table["astype"]
ASTYPE.function = astype
astype.__doc__ = ASTYPE.doc


def cast(x: Any, dtype: Any) -> Any:
    """`x` as `dtype`; the real part where that is real and `x` is complex."""
    return x if x.dtype == dtype else astype(x, to=dtype, source=x.dtype)
