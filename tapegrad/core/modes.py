"""Whether operations are recorded: `no_grad`, `enable_grad` and `set_grad_enabled`.

Recording is off while a `Paused` stands in for this thread's current tape. A transform that is
called meanwhile records and differentiates all the same.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Generator
from typing import Any, TypeVar

from .tape import Paused, current_tape, local

Function = TypeVar("Function", bound=Callable[..., Any])


def is_grad_enabled() -> bool:
    """Whether this thread records operations on tracked values."""
    return type(local.tape) is not Paused


def set_mode(enabled: bool) -> None:
    """Record from now on, or do not, on whatever tape is the current one."""
    tape = current_tape()
    local.tape = tape if enabled else Paused(tape)


class _Mode:
    """A mode as a context and as a decorator; may be entered many times.

    What it restores is the mode alone, never a tape: a generator may be resumed elsewhere.
    """

    def __init__(self, enabled: bool) -> None:
        self.enabled = enabled
        self.before: list[bool] = []

    def __enter__(self) -> None:
        self.before.append(is_grad_enabled())
        set_mode(self.enabled)

    def __exit__(self, *_: object) -> None:
        set_mode(self.before.pop())

    def __call__(self, function: Function) -> Function:
        enabled = self.enabled
        if inspect.isgeneratorfunction(function):

            def wrapper(*args: Any, **kwargs: Any) -> Any:
                return steps(function(*args, **kwargs), enabled)
        else:

            def wrapper(*args: Any, **kwargs: Any) -> Any:
                with _Mode(enabled):
                    return function(*args, **kwargs)

        wrapped: Any = functools.wraps(function)(wrapper)
        return wrapped


def steps(generator: Generator[Any, Any, Any], enabled: bool) -> Generator[Any, Any, Any]:
    """`generator` with every step of it in a mode, and what is between them outside."""
    mode = _Mode(enabled)
    try:
        with mode:
            value = next(generator)
        while True:
            try:
                sent = yield value
            except GeneratorExit:
                with mode:
                    generator.close()
                raise
            except BaseException as error:
                with mode:
                    value = generator.throw(error)
            else:
                with mode:
                    value = generator.send(sent)
    except StopIteration as stop:
        return stop.value


class _Set(_Mode):
    """A mode that is in force already, and restores what was before that."""

    def __init__(self, enabled: bool) -> None:
        super().__init__(enabled)
        self.first = is_grad_enabled()
        set_mode(enabled)

    def __enter__(self) -> None:
        self.before.append(self.first)
        set_mode(self.enabled)

    def __call__(self, function: Function) -> Function:
        set_mode(self.first)
        return super().__call__(function)


def no_grad(function: Callable[..., Any] | None = None) -> Any:
    """Do not record: results in here are constants to what comes later. Also a decorator.

    A transform called inside differentiates its function as usual.

    >>> with no_grad():
    ...     is_grad_enabled()
    False
    """
    return _Mode(False) if function is None else _Mode(False)(function)


def enable_grad(function: Callable[..., Any] | None = None) -> Any:
    """Record, inside of a `no_grad` too. Also a decorator.

    >>> with no_grad(), enable_grad():
    ...     is_grad_enabled()
    True
    """
    return _Mode(True) if function is None else _Mode(True)(function)


def set_grad_enabled(enabled: bool) -> Any:
    """Record or do not, from the call on; as a context or a decorator, for its part only.

    >>> with set_grad_enabled(False):
    ...     is_grad_enabled()
    False
    """
    return _Set(bool(enabled))
