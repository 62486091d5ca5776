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
    return differentiator("grad", fun, argnums, argnames, has_aux, holomorphic)


def value_and_grad(
    fun: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    *,
    argnames: str | Sequence[str] | None = None,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> Callable[..., Any]:
    """As `grad`, giving `(value, gradient)`, or `((value, aux), gradient)` with `has_aux`.

    >>> import tapegrad as tg
    >>> value, gradient = tg.value_and_grad(lambda x: x * x)(3.0)
    >>> float(value), float(gradient)
    (9.0, 6.0)
    """
    return differentiator("value_and_grad", fun, argnums, argnames, has_aux, holomorphic)


def differentiator(
    name: str,
    fun: Callable[..., Any],
    argnums: int | Sequence[int],
    argnames: str | Sequence[str] | None,
    has_aux: bool,
    holomorphic: bool,
) -> Callable[..., Any]:
    """What `grad` and `value_and_grad` return; `name` says which, for what it returns and errors."""
    names = (argnames,) if isinstance(argnames, str) else tuple(argnames or ())
    if names and argnums == 0:
        argnums = ()  # the default gives way to names
    single = isinstance(argnums, int) or (argnums == () and isinstance(argnames, str))
    fixed = (argnums,) if isinstance(argnums, int) and argnums >= 0 and not names else None
    with_value = name == "value_and_grad"

    @functools.wraps(fun, updated=())
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if fixed is not None and len(args) > fixed[0]:
            keys: tuple[Any, ...] = fixed
        else:
            keys = (*positions(argnums, len(args), name), *names)
        level = Level()
        inputs = Inputs(name, fun, level, keys, args, kwargs)
        with level:
            value = inputs.call(fun, args, kwargs)
            if has_aux:
                value, aux = auxiliary(name, value)
            value = scalar_result(name, value, holomorphic)
            if level.depends(value):
                pulled = level.gradient(value, ones_like(value))
            else:
                pulled = [None] * len(inputs.data)
            gradients = inputs.rebuild(owned(pulled, inputs.data))
            result = gradients[0] if single else tuple(gradients)
            if with_value:
                value = level.outside(value)
                return (
                    ((value, map_results(level, aux, inputs.data)), result)
                    if has_aux
                    else (value, result)
                )
            return (result, map_results(level, aux, inputs.data)) if has_aux else result

    return wrapper
