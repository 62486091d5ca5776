"""The matrix product."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from threading import get_ident
from typing import Any

import numpy
from numpy import ndarray

from ..backend import as_raw
from ..core.array import Array, new
from ..core.op import Op, table
from ..core.record import apply, record
from ..core.tape import current, tick
from .linear import broadcast_to, permute_dims, reshape
from .samples import Sample, complex_normal, normal


def product_of(kind: type[Array]) -> Callable[[Any, Any], Any]:
    """The matrix product for recorded arrays of the class `kind`, in the fewest steps."""

    def matmul(x: Any, y: Any) -> Any:
        if type(x) is kind:
            a = x.raw
            i = x.slot
        elif type(x) is ndarray:
            a = x
            i = 0
        else:
            return _matmul_any(x, y)
        if type(y) is kind:
            b = y.raw
            j = y.slot
        elif type(y) is ndarray:
            if type(x) is ndarray:
                return x @ y
            b = y
            j = 0
        else:
            return _matmul_any(x, y)
        if not 0 < a.ndim < 3 or not 0 < b.ndim < 3:
            return _matmul_any(x, y)
        try:
            out = a @ b
        except ValueError:
            return apply(_matmul, x, y)  # raises the same with more to say
        tape: Any = current()
        dtype = out.dtype
        if (
            not (i or j)
            or (i and (x.tape is not tape or a.dtype is not dtype))
            or (j and (y.tape is not tape or b.dtype is not dtype))
            or tape.owner != get_ident()
        ):
            return record(_matmul, (x, y), {}, out)
        result = new(kind)
        result.raw = out
        result.tape = tape
        result.slot = slot = tick()
        tape.append((_MATMUL, slot, i, j, None, a if j else None, b if i else None, None))
        if slot > tape.limit:
            tape.compact()
        if out.size > 64:
            tape.spend(out.nbytes)
        return result

    return matmul


matmul = product_of(Array)


def _matmul_any(x: Any, y: Any) -> Any:
    """The product of anything: what is recorded has vectors, matrices, or stacks of equal shape."""
    for own, other, name in ((y, x, "__rmatmul__"), (x, y, "__matmul__")):
        if hasattr(own, "tocsr"):  # a sparse matrix knows how to multiply
            return getattr(own, name)(other)
    x = x if isinstance(x, Array) else as_raw(x)
    y = y if isinstance(y, Array) else as_raw(y)
    shape_x, shape_y = (getattr(z, "shape", ()) for z in (x, y))
    tracked = any(isinstance(z, Array) and z.slot for z in (x, y))
    if not tracked or not shape_x or not shape_y or max(len(shape_x), len(shape_y)) < 3:
        return apply(_matmul, x, y)
    if shape_x[-1] != shape_y[max(len(shape_y) - 2, 0)]:
        return apply(_matmul, x, y)  # raises
    if len(shape_y) < 3:  # one matrix product for the whole stack
        flat = reshape(x, to=(_product(shape_x[:-1]), shape_x[-1]))
        return reshape(matmul(flat, y), to=(*shape_x[:-1], *shape_y[1:]))
    if len(shape_x) == 1:
        row = reshape(x, to=(1, *shape_x))
        return reshape(_matmul_any(row, y), to=(*shape_y[:-2], shape_y[-1]))
    stack = numpy.broadcast_shapes(shape_x[:-2], shape_y[:-2])
    if shape_x[:-2] != stack:
        x = broadcast_to(x, to=(*stack, *shape_x[-2:]))
    if shape_y[:-2] != stack:
        y = broadcast_to(y, to=(*stack, *shape_y[-2:]))
    return apply(_matmul, x, y)


def _product(shape: tuple[int, ...]) -> int:
    size = 1
    for n in shape:
        size *= n
    return size


def transpose(x: Any) -> Any:
    """`x` with its last two axes exchanged."""
    n = x.ndim
    return permute_dims(x, axes=(1, 0) if n == 2 else (*range(n - 2), n - 1, n - 2))


def _matmul_rule_x(g: Any, _out: Any, _x: Any, y: Any) -> Any:
    if y.ndim == 1:
        return g * y if g.ndim == 0 else reshape(g, to=(*g.shape, 1)) * y
    return matmul(y, g) if g.ndim < y.ndim else matmul(g, transpose(y))


def _matmul_rule_y(g: Any, _out: Any, x: Any, _y: Any) -> Any:
    if x.ndim == 1:
        return g * x if g.ndim == 0 else reshape(x, to=(*x.shape, 1)) * g
    return matmul(g, x) if g.ndim < x.ndim else matmul(transpose(x), g)


def _matmul_step(_arity: int) -> Callable[..., None]:
    """As the rules, without the calls in between where both are matrices."""

    def step(entry: Any, g: Any, cotangents: dict[int, Any]) -> None:
        _, _, i, j, _, x, y, _ = entry
        flat = type(g) is ndarray and g.ndim == 2
        if i:
            plain = flat and type(y) is ndarray and y.ndim == 2
            d = g @ y.T if plain else _matmul_rule_x(g, None, None, y)
            cotangents[i] = cotangents[i] + d if i in cotangents else d
        if j:
            plain = flat and type(x) is ndarray and x.ndim == 2
            d = x.T @ g if plain else _matmul_rule_y(g, None, x, None)
            cotangents[j] = cotangents[j] + d if j in cotangents else d

    return step


def _matmul_batch(function: Any, mapped: tuple[bool, ...], x: Any, y: Any) -> Any:
    n, m = x.ndim - mapped[0], y.ndim - mapped[1]
    if mapped == (True, True):
        if n > 1 and m > 1:
            return function(x, y)
        to = (len(x), *x.shape[1 : n if n > 1 else 1], *(y.shape[2:] if m > 1 else ()))
        x = reshape(x, to=(len(x), 1, *x.shape[1:])) if n == 1 else x
        y = reshape(y, to=(*y.shape, 1)) if m == 1 else y
        return reshape(function(x, y), to=to)
    if mapped[0]:
        if m > 2 or n == 1:
            return function(x, y)
        flat = reshape(x, to=(x.shape[0] * x.shape[1], x.shape[2]))
        return reshape(function(flat, y), to=(*x.shape[:2], *y.shape[1:]))
    if m > 1:
        return function(x, y)
    return function(y, x if n == 1 else transpose(x))


def _matmul_samples(rng: Any) -> Iterator[Sample]:
    shapes = (
        ((3,), (3,)),
        ((2, 3), (3,)),
        ((3,), (3, 2)),
        ((2, 3), (3, 4)),
        ((2, 3, 2), (2, 2, 3)),
        ((3, 2, 2), (2, 3)),
        ((2, 3), (2, 3, 2)),
        ((2, 1, 2, 3), (3, 3, 2)),
        ((2, 2, 3), (3,)),
        ((3,), (2, 3, 2)),
        ((2, 0), (0, 3)),
    )
    for a, b in shapes:
        yield (normal(rng, a), normal(rng, b)), {}
    yield (complex_normal(rng, (2, 3)), complex_normal(rng, (3, 2))), {}
    yield (normal(rng, (2, 3)), complex_normal(rng, (3,))), {}


_matmul = Op(
    "matmul",
    forward=lambda xp, x, y: xp.matmul(x, y),
    vjp=(_matmul_rule_x, _matmul_rule_y),
    jvp="multilinear",
    batch=_matmul_batch,
    samples=_matmul_samples,
    promote=True,
    operator=operator.matmul,
    step=_matmul_step,
    doc="`x @ y`, as NumPy defines it: vectors, matrices, and stacks of matrices that broadcast.",
    function=matmul,
)
table["matmul"] = _matmul
vars(matmul)["op"] = _matmul
_MATMUL = _matmul.code(2)
