"""Reading values off the tape: where it is allowed, and the error where it is not.

On a differentiation tape the values are known. They may be read where no derivative can get lost by
it (a branch, a print, an index), and where the name says so (`item`, `tolist`). A conversion that
would silently drop a derivative raises. A value that differs between the lanes of `vmap` stands for
many, and cannot be read at all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
from numpy import generic, ndarray

from ..backend import is_inexact, on_device, plain
from ..core.array import Array, check_alive, is_mapped, untracked
from ..core.tape import ReplayTape
from . import errors

__all__ = [
    "any_recorded",
    "arrays_in",
    "as_untracked",
    "converted",
    "is_mapped",
    "is_tracked",
    "known",
    "on_shapes",
    "on_values",
    "read",
    "replaced",
    "shape_of",
]


def is_tracked(x: Any) -> bool:
    """Whether a tape knows `x`."""
    return isinstance(x, Array) and x.slot != 0


def read(x: Array, what: str) -> Any:
    """The data of `x`; `what` says what it is read for, if it must not be."""
    if x.slot:
        check_alive(x)
        if is_mapped(x) and isinstance(x.tape, ReplayTape):
            return x.tape.read(x, what)
    return x.raw


def known(x: Any, what: str) -> Any:
    """As `read`, for anything: raw values are what they are."""
    return read(x, what) if isinstance(x, Array) else x


def converted(
    x: Array, what: str, refusal: Callable[[str], Exception] = errors.no_conversion
) -> Any:
    """The data of `x`, where handing it out loses no derivative."""
    data = read(x, what)
    if x.slot and is_inexact(data.dtype):
        raise refusal(what)
    return data


def any_recorded(value: Any) -> bool:
    """Whether there is an `Array` in a value, or in lists, tuples and dictionaries inside it."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return not plain.issuperset(map(type, value)) and any(map(any_recorded, value))
    return isinstance(value, Array)


def arrays_in(value: Any) -> Any:
    """The `Array`s in a value, in order, looking into lists, tuples and dictionaries."""
    if isinstance(value, Array):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from arrays_in(item)
    elif isinstance(value, dict):
        yield from arrays_in(list(value.values()))


def replaced(value: Any, data: Callable[[Array], Any]) -> Any:
    """`value` with `data(x)` in place of each `Array` x that `arrays_in` finds."""
    if isinstance(value, Array):
        return data(value)
    if isinstance(value, list):
        return [replaced(item, data) for item in value]
    if isinstance(value, tuple):
        items = [replaced(item, data) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, dict):
        return {key: replaced(item, data) for key, item in value.items()}
    return value


def as_untracked(result: Any) -> Any:
    """A function's raw result with its arrays as untracked `Array`s."""
    if isinstance(result, ndarray | generic) or on_device(result):
        return untracked(result) if result.dtype.kind in "biufc" else result
    if isinstance(result, tuple) and type(result) is not tuple and hasattr(result, "_fields"):
        return type(result)(*map(as_untracked, result))
    if type(result) in (tuple, list):
        return type(result)(map(as_untracked, result))
    return result


def on_values(function: Callable[..., Any], what: str | None = None) -> Callable[..., Any]:
    """A function of NumPy without derivative, as it runs on recorded arrays: on their values."""
    name = what or f"numpy.{getattr(function, '__name__', function)}"

    def run(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = replaced((args, kwargs), lambda x: read(x, name))
        return as_untracked(function(*args, **kwargs))

    return run


def on_shapes(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of NumPy that looks at shapes and dtypes only, as it runs on recorded arrays."""

    def run(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = replaced((args, kwargs), lambda x: x.raw)
        return function(*args, **kwargs)

    return run


def shape_of(x: Any) -> tuple[int, ...]:
    return x.shape if isinstance(x, Array | ndarray) or on_device(x) else numpy.shape(x)
