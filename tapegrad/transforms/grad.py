"""`grad` and `value_and_grad`: a mark, a run of the function, one reverse walk."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from sys import getrefcount
from typing import Any

from numpy import float32, float64, ndarray

from ..backend import has_nan, quiet
from ..core.array import Array
from ..core.face import bare, dressed, face_of
from ..core.level import Level
from ..core.reverse import sweep
from .arguments import (
    Inputs,
    auxiliary,
    check_function,
    keywords,
    map_results,
    owned,
    plain_argnums,
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


def _references_of_one_variable() -> int:
    value = object()
    return getrefcount(value)


def differentiator(
    name: str,
    fun: Callable[..., Any],
    argnums: int | Sequence[int],
    argnames: str | Sequence[str] | None,
    has_aux: bool,
    holomorphic: bool,
) -> Callable[..., Any]:
    """What `grad` and `value_and_grad` return; `name` says which."""
    check_function(name, fun)
    argnums = plain_argnums(argnums)
    names = (argnames,) if isinstance(argnames, str) else tuple(argnames or ())
    if names and argnums == 0:
        argnums = ()  # the default gives way to names
    single = isinstance(argnums, int) or (argnums == () and isinstance(argnames, str))
    fixed = (argnums,) if isinstance(argnums, int) and argnums >= 0 and not names else None
    with_value = name == "value_and_grad"

    plain_call = argnums in (0, (0,)) and not names and not holomorphic

    @functools.wraps(fun, updated=())
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        level = Level()
        if plain_call and args and not kwargs and level.outermost:
            x = args[0]
            if type(x) is ndarray and x.dtype.char in "df":
                return of_one_array(level, x, args[1:])
        if fixed is not None and len(args) > fixed[0]:
            keys: tuple[Any, ...] = fixed
        else:
            keys = (*positions(argnums, len(args), name), *keywords(names, kwargs, name))
        inputs = Inputs(name, fun, level, keys, args, kwargs)
        with level:
            return finish(level, inputs, inputs.call(fun, args, kwargs))

    def of_one_array(level: Level, x: ndarray, rest: tuple[Any, ...]) -> Any:
        """The commonest call, in the fewest steps; what is not as expected is left to `finish`."""
        leaf = level.leaf(x)
        with level:
            returned = fun(leaf, *rest)
            value, aux = auxiliary(name, returned) if has_aux else (returned, None)
            if type(value) is Array and value.slot > level.first and level.outermost:
                data = value.raw
                if type(data) in REAL_SCALARS:
                    cotangents = {value.slot: type(data)(1)}
                    entries = level.recorded()[::-1]  # not the tape, which rules may compact
                    skipped: list[Any] | None = [] if level.doubtful else None
                    if level.tape.steep:
                        with quiet():
                            sweep(entries, cotangents, skipped=skipped)
                    else:
                        sweep(entries, cotangents, skipped=skipped)
                    g = cotangents.pop(level.slots[0], None)
                    if (
                        type(g) is ndarray
                        and not cotangents
                        and not skipped
                        and g.dtype is x.dtype
                        and not has_nan(g)
                    ):
                        level.doubtful = False  # every entry led to the leaf, and to no other
                        if g.base is not None or getrefcount(g) > ALONE:
                            g = g.copy()
                        result = g if single else (g,)
                        if has_aux:
                            aux = map_results(level, aux, [x])
                            return ((data, aux), result) if with_value else (result, aux)
                        return (data, result) if with_value else result
            return finish(level, Inputs.of(x, leaf), returned)

    def finish(level: Level, inputs: Inputs, value: Any) -> Any:
        """What is returned, given what `fun` did."""
        if has_aux:
            value, aux = auxiliary(name, value)
        face = face_of(value)
        value = scalar_result(name, bare(value), holomorphic)
        gradients = inputs.rebuild_cotangents(owned(level.gradient(value), inputs.data))
        result = gradients[0] if single else tuple(gradients)
        value = dressed(level.outside(value), face)
        if has_aux:
            aux = map_results(level, aux, inputs.data)
            return ((value, aux), result) if with_value else (result, aux)
        return (value, result) if with_value else result

    return wrapper


REAL_SCALARS = (float64, float32)

ALONE = _references_of_one_variable()
