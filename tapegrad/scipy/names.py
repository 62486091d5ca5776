"""Names of SciPy's modules that this package does not define itself."""

from __future__ import annotations

import functools
import importlib.util
import inspect
from types import ModuleType
from typing import Any

from .dispatch import without_rule


def own(module: ModuleType, face: str, name: str, reason: str = "") -> Any:
    """SciPy's `module.name`, for this package's module `face`, which has no such name itself.

    A function raises for tracked arrays, and says that it has no derivative here, and the `reason`.
    A module is this package's where there is one.
    """
    if name.startswith("_"):
        raise AttributeError(f"module {face!r} has no attribute {name!r}")
    value = getattr(module, name)
    if inspect.ismodule(value) and importlib.util.find_spec(f"{face}.{name}"):
        return importlib.import_module(f"{face}.{name}")
    if inspect.isfunction(value):
        return guarded(value, f"{module.__name__}.{name}", reason)
    return value


guarded = functools.cache(without_rule)
