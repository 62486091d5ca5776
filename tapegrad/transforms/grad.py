"""`grad` and `value_and_grad`: a mark, a run of the function, one reverse walk."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ..core.level import Level
from .arguments import (
    Inputs,
    auxiliary,
    map_results,
    ones_like,
    owned,
    positions,
    scalar_result,
)


def grad(
    fun: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    *,
    argnames: str | Sequence[str] | None = None,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> Callable[..., Any]:
    """The gradient of a scalar function, in the shape, dtype and container of its argument.

    `argnums` (and `argnames`, for keyword arguments) choose what to differentiate with respect to;
    several give a tuple. With `has_aux`, `fun` returns `(value, aux)` and the gradient comes with
    `aux`. Complex arguments follow the convention of HIPS autograd and JAX: the gradient of
    ``abs(z) ** 2`` is ``2 * conj(z)``; `holomorphic` allows a complex result.

    Raises TypeError for inputs that are not floating point and for results that are not scalar.

    >>> import tapegrad as tg
    >>> float(tg.grad(lambda x: x**3)(2.0))
    12.0
    """
    both = value_and_grad(
        fun, argnums, argnames=argnames, has_aux=has_aux, holomorphic=holomorphic, _name="grad"
    )

    @functools.wraps(fun, updated=())
    def gradient(*args: Any, **kwargs: Any) -> Any:
        value, gradients = both(*args, **kwargs)
        return (gradients, value[1]) if has_aux else gradients

    return gradient


def value_and_grad(
    fun: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    *,
    argnames: str | Sequence[str] | None = None,
    has_aux: bool = False,
    holomorphic: bool = False,
    _name: str = "value_and_grad",
) -> Callable[..., Any]:
    """As `grad`, giving `(value, gradient)`, or `((value, aux), gradient)` with `has_aux`.

    >>> import tapegrad as tg
    >>> value, gradient = tg.value_and_grad(lambda x: x * x)(3.0)
    >>> float(value), float(gradient)
    (9.0, 6.0)
    """
    several = not isinstance(argnums, int) or argnames is not None
    names = (argnames,) if isinstance(argnames, str) else tuple(argnames or ())
    if names and argnums == 0:
        argnums = ()  # the default gives way to names

    @functools.wraps(fun, updated=())
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        keys = (*positions(argnums, len(args), _name), *names)
        level = Level()
        inputs = Inputs(_name, fun, level, keys, args, kwargs)
        with level:
            result = inputs.call(fun, args, kwargs)
            if has_aux:
                result, aux = auxiliary(_name, result)
            value = scalar_result(_name, result, holomorphic)
            if level.depends(value):
                pulled = level.walk().pull({value.slot: ones_like(value)})
            else:
                pulled = [None] * len(inputs.data)
            gradients = inputs.rebuild(owned(pulled, inputs.data))
            value = level.outside(value)
            if has_aux:
                value = value, map_results(level, aux)
        if several and not isinstance(argnames, str):
            return value, tuple(gradients)
        return value, gradients[0]

    return wrapper
