"""The compiler: from a tape to a program that runs without Python between its operations."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .function import Compiled, compile

__all__ = ["Compiled", "compile"]


def __getattr__(name: str) -> Any:
    """`compile`, imported when it is used: kernels for eager code take parts of this package."""
    if name in __all__:
        return getattr(import_module(".function", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
