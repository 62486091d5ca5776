"""What the compiler's errors and warnings say."""

from __future__ import annotations

from typing import Any


class CompilerError(AssertionError):
    """The compiler itself is wrong: please report it."""


class RecompilationWarning(UserWarning):
    """A compiled function is called with ever new shapes, dtypes or static values."""


def ill_formed(what: str, fault: str) -> CompilerError:
    return CompilerError(f"The compiler made an ill-formed program: {what}: {fault}.")


def bad_backend(backend: Any, known: tuple[str, ...]) -> ValueError:
    return ValueError(f"compile: backend must be one of {', '.join(known)}, but is {backend!r}.")


def bad_argnum(name: str, argnum: Any, count: int) -> IndexError:
    return IndexError(
        f"compile: {name} names argument {argnum}, but the call has {count} positional arguments."
    )


def unhashable_static(where: str, value: Any) -> TypeError:
    return TypeError(
        f"compile: {where} is static and must be hashable, but is a {type(value).__name__}. "
        "Pass a tuple in place of a list, or pass arrays as ordinary arguments."
    )


def no_program() -> RuntimeError:
    return RuntimeError(
        "The compiled function has no program yet. Call it once, or give the arguments that you "
        "would call it with."
    )
