"""Names of `scipy.sparse` that have no derivative here."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ... import errors
from ..names import own
from .array import SparseArray


def guarded(module: ModuleType, face: str, name: str) -> Any:
    """SciPy's `module.name`; a function raises for recorded arrays and matrices."""
    value = own(module, face, name)
    return refusing(value) if inspect.isfunction(value) else value


@functools.cache
def refusing(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of SciPy's that says that it has no derivative for a `SparseArray`."""

    @functools.wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        if any(isinstance(x, SparseArray) for x in (*args, *kwargs.values())):
            raise errors.no_scipy_rule(f"{function.__module__}.{function.__name__}")
        return function(*args, **kwargs)

    return checked
