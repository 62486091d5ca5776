"""How NumPy's functions reach recorded arrays, whether called here or as plain `numpy`.

`functions` and `ufuncs` say, for a function of NumPy, what runs on recorded arrays. A function of
this namespace takes the short way there when its first argument is an `Array`, and looks for others
in all arguments, lists included. NumPy itself (`__array_function__`, `__array_ufunc__`) finds those
that its functions take as arrays, outside of lists.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy

from .. import errors
from ..core.array import Array
from .lists import without_lists
from .reading import any_recorded, arrays_in, as_untracked, is_tracked, replaced

Function = Callable[..., Any]

np: Any = numpy
"""NumPy, to be called on recorded arrays, of which its type stubs do not know."""

functions: dict[Function, Function] = {}
"""For functions of NumPy: what runs on recorded arrays, with the same signature."""

ufuncs: dict[numpy.ufunc, Function] = {}
"""For ufuncs, NumPy's or others': the operation, called with positional inputs only."""


def implements(
    *originals: Function, short: Function | None = None
) -> Callable[[Function], Function]:
    """Decorate what runs on recorded arrays for functions of NumPy; gives this namespace's.

    `short` is the same for an `Array` and no other argument, where that is common and hot.
    """

    def decorate(implementation: Function) -> Function:
        for original in originals:
            functions[original] = implementation
        return face(originals[0], implementation, short or implementation)

    return decorate


def face(original: Function, implementation: Function, short: Function) -> Function:
    """This namespace's function: `implementation` on recorded arrays, else `original`."""

    @functools.wraps(original)
    def function(*args: Any, **kwargs: Any) -> Any:
        if args and type(args[0]) is Array:
            if len(args) == 1 and not kwargs:
                return short(args[0])
            return implementation(*args, **kwargs)
        if any_recorded(args) or (kwargs and any_recorded(kwargs)):
            return implementation(*args, **kwargs)
        return original(*args, **kwargs)

    function.__module__ = f"tapegrad.{original.__module__}"
    return function


UFUNC_ATTRIBUTES = (
    "accumulate",
    "at",
    "identity",
    "nargs",
    "nin",
    "nout",
    "ntypes",
    "outer",
    "reduce",
    "reduceat",
    "resolve_dtypes",
    "signature",
    "types",
)


def implements_ufunc(original: numpy.ufunc, operation: Function) -> Function:
    """Enter the operation that a ufunc stands for; gives this namespace's function.

    `operation` takes the ufunc's inputs by position; `out=`, `where=`, `dtype=`, the axes of
    generalised ufuncs and the methods (`reduce`, `at`, ...) are seen to here, for all ufuncs alike.
    """
    ufuncs[original] = operation
    function: Any
    if original.nin == 1:

        def function(x: Any, /, *args: Any, **kwargs: Any) -> Any:
            if type(x) is Array and not args and not kwargs:
                return operation(x)
            return original(*recorded_in_lists(x, *args), **kwargs)
    else:

        def function(x: Any, y: Any, /, *args: Any, **kwargs: Any) -> Any:
            if (type(x) is Array or type(y) is Array) and not args and not kwargs:
                return operation(*without_lists((x, y)))
            return original(*recorded_in_lists(x, y, *args), **kwargs)

    functools.update_wrapper(function, original, ("__name__", "__qualname__", "__doc__"), ())
    own = getattr(numpy, original.__name__, None) is original
    function.__module__ = "tapegrad.numpy" if own else "tapegrad.scipy.special"
    for name in UFUNC_ATTRIBUTES:
        setattr(function, name, getattr(original, name))
    return function


def recorded_in_lists(*args: Any) -> tuple[Any, ...]:
    """Arguments of a ufunc, with arrays in place of lists that have recorded arrays in them."""
    return without_lists(args) if any_recorded(args) else args


def array_function(self: Array, func: Function, types: Any, args: Any, kwargs: Any) -> Any:
    """`Array.__array_function__`."""
    implementation = functions.get(func)
    if implementation is not None:
        return implementation(*args, **kwargs)
    if any(is_tracked(x) for x in arrays_in((args, kwargs))):
        raise errors.no_rule(f"{func.__module__}.{func.__name__}".removeprefix("numpy."))
    args, kwargs = replaced((args, kwargs), lambda x: x.raw)
    return as_untracked(func(*args, **kwargs))


Array.__array_function__ = array_function
