"""How NumPy's functions reach recorded arrays, whether called here or as plain `numpy`.

`functions` and `ufuncs` say, for a function of NumPy, what runs on recorded arrays. A function of
this namespace takes the short way there when its first argument is an `Array`; else it calls NumPy,
which computes on plain arrays and finds recorded ones anywhere in its arguments by itself
(`__array_function__`, `__array_ufunc__`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy

from .. import errors
from ..core.array import Array
from ..core.op import table

Function = Callable[..., Any]

functions: dict[Function, Function] = {}
"""For functions of NumPy: what runs on recorded arrays, with the same signature."""

ufuncs: dict[numpy.ufunc, Function] = {}
"""For ufuncs: the operation, called with positional inputs only."""


def implements(*originals: Function) -> Callable[[Function], Function]:
    """Decorate what runs on recorded arrays for functions of NumPy; gives this namespace's function."""

    def decorate(implementation: Function) -> Function:
        for original in originals:
            functions[original] = implementation
        return face(originals[0], implementation)

    return decorate


def face(original: Function, implementation: Function) -> Function:
    """This namespace's function: `implementation` on recorded arrays, else `original`."""

    @functools.wraps(original)
    def function(*args: Any, **kwargs: Any) -> Any:
        if args and type(args[0]) is Array:
            return implementation(*args, **kwargs)
        return original(*args, **kwargs)

    return function


def implements_ufunc(original: numpy.ufunc, operation: Function) -> Function:
    """Enter the operation that a ufunc stands for; gives this namespace's function."""
    ufuncs[original] = operation

    @functools.wraps(original, assigned=("__name__", "__qualname__", "__doc__"), updated=())
    def function(*args: Any, **kwargs: Any) -> Any:
        if not kwargs and type(args[0]) is Array:
            return operation(*args)
        return original(*args, **kwargs)

    return function


def array_function(self: Array, func: Function, types: Any, args: Any, kwargs: Any) -> Any:
    """`Array.__array_function__`."""
    implementation = functions.get(func)
    if implementation is None:
        raise errors.no_rule(func.__name__)
    return implementation(*args, **kwargs)


def array_ufunc(self: Array, ufunc: numpy.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """`Array.__array_ufunc__`."""
    operation = ufuncs.get(ufunc)
    if operation is None and ufunc.__name__ in table:
        operation = table[ufunc.__name__].function
    if operation is None or kwargs or method != "__call__":
        raise errors.no_rule(ufunc.__name__)
    return operation(*inputs)


Array.__array_function__ = array_function  # type: ignore[attr-defined]
Array.__array_ufunc__ = array_ufunc  # type: ignore[attr-defined]
