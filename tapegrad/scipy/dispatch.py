"""How SciPy's functions reach recorded arrays: through this package's namesakes.

SciPy does not ask its arguments, as NumPy does; so a function here looks for recorded arrays among
them itself.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .. import errors
from ..core.array import Array
from ..numpy.reading import any_recorded, arrays_in, as_untracked, is_tracked, replaced

Function = Callable[..., Any]


def implements(original: Function) -> Callable[[Function], Function]:
    """Decorate what runs on recorded arrays for a function of SciPy; gives this namespace's."""

    def decorate(implementation: Function) -> Function:
        @functools.wraps(original)
        def function(*args: Any, **kwargs: Any) -> Any:
            if (args and type(args[0]) is Array) or any_recorded((args, kwargs)):
                return implementation(*args, **kwargs)
            return original(*args, **kwargs)

        return function

    return decorate


def without_rule(original: Function, name: str, reason: str = "") -> Function:
    """This namespace's function for SciPy's of a name, which has no derivative here.

    It computes on plain and on untracked arrays, and raises for tracked ones, with the `reason`.
    """

    @functools.wraps(original)
    def function(*args: Any, **kwargs: Any) -> Any:
        if not any_recorded((args, kwargs)):
            return original(*args, **kwargs)
        if any(map(is_tracked, arrays_in((args, kwargs)))):
            raise errors.no_scipy_rule(name, reason)
        args, kwargs = replaced((args, kwargs), _data)
        return as_untracked(original(*args, **kwargs))

    return function


def _data(x: Array) -> Any:
    return x.raw
