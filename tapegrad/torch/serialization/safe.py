"""Classes and functions that the user says a file may refer to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["add_safe_globals", "clear_safe_globals", "get_safe_globals", "safe_globals"]

known: list[Any] = []


def add_safe_globals(safe_globals: Iterable[Any]) -> None:
    """Let files refer to some classes and functions: `load` may then call them."""
    known.extend(safe_globals)


def clear_safe_globals() -> None:
    """Forget what was added."""
    known.clear()


def get_safe_globals() -> list[Any]:
    """What was added."""
    return list(known)


@contextmanager
def safe_globals(safe_globals: Iterable[Any]) -> Iterator[None]:
    """Let files refer to some classes and functions within a `with` block."""
    before = get_safe_globals()
    add_safe_globals(safe_globals)
    try:
        yield
    finally:
        known[:] = before


def find(module: str, name: str) -> Any:
    """What was added under a name; None where nothing was."""
    for found in known:
        named = found if isinstance(found, tuple) else (found, path_of(found))
        if named[1] == f"{module}.{name}":
            return named[0]
    return None


def path_of(found: Any) -> str:
    """The name that a pickle has for a class or function."""
    return f"{found.__module__}.{found.__qualname__}"
