"""`torch.jit`, for programs written with it: functions and modules run as they are."""

from __future__ import annotations

from typing import Any, TypeVar

from . import errors

__all__ = [
    "export",
    "ignore",
    "interface",
    "is_scripting",
    "is_tracing",
    "load",
    "save",
    "script",
    "script_if_tracing",
    "trace",
    "unused",
]

Anything = TypeVar("Anything")


def script(obj: Anything, *args: Any, **kwargs: Any) -> Anything:
    """What is given: a function, a module or a class."""
    return obj


def trace(func: Anything, example_inputs: Any = None, **options: Any) -> Anything:
    """What is given; the inputs are not needed."""
    return func


def export(fn: Anything) -> Anything:
    """What is given."""
    return fn


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """What is given, or a decorator that gives it."""
    return drop if callable(drop) else export


def unused(fn: Anything) -> Anything:
    """What is given."""
    return fn


def interface(obj: Anything) -> Anything:
    """What is given."""
    return obj


def script_if_tracing(fn: Anything) -> Anything:
    """What is given."""
    return fn


def is_scripting() -> bool:
    """False: nothing is translated."""
    return False


def is_tracing() -> bool:
    """False: nothing is traced."""
    return False


def save(m: Any, f: Any, *args: Any, **kwargs: Any) -> None:
    """Raises: there are no programs to save."""
    raise errors.no_script()


def load(f: Any, *args: Any, **kwargs: Any) -> Any:
    """Raises: programs of PyTorch's are not read."""
    raise errors.no_script()
