"""Whether operations are recorded: `no_grad`, `enable_grad` and `set_grad_enabled`.

Recording is off while a `Paused` stands in for this thread's current tape. A transform that is
called meanwhile records and differentiates all the same.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Generator
from typing import Any, TypeVar

from .tape import Paused, current_tape, local, set_current

Function = TypeVar("Function", bound=Callable[..., Any])


def is_grad_enabled() -> bool:
    """Whether this thread records operations on tracked values."""
    return type(local.tape) is not Paused


def set_mode(enabled: bool) -> None:
    """Record from now on, or do not, on whatever tape is the current one."""
    tape = current_tape()
    set_current(tape if enabled else Paused(tape))


class Mode:
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

    def again(self) -> Mode:
        """The same mode as a context of its own."""
        return Mode(self.enabled)

    def __call__(self, function: Function) -> Function:
        if inspect.isgeneratorfunction(function):

            def wrapper(*args: Any, **kwargs: Any) -> Any:
                return steps(function(*args, **kwargs), self.again())
        else:

            def wrapper(*args: Any, **kwargs: Any) -> Any:
                with self.again():
                    return function(*args, **kwargs)

        wrapped: Any = functools.wraps(function)(wrapper)
        return wrapped


def steps(generator: Generator[Any, Any, Any], mode: Mode) -> Generator[Any, Any, Any]:
    """`generator` with every step of it in a mode, and what is between them outside."""
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


class NoGrad(Mode):
    """Do not record: results in here are constants to what comes later. Also a decorator.

    A transform called inside differentiates its function as usual.

    >>> with no_grad():
    ...     is_grad_enabled()
    False
    """

    value = False

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        return super().__new__(cls) if function is None else cls()(function)

    def __init__(self, function: Callable[..., Any] | None = None) -> None:
        super().__init__(self.value)


class EnableGrad(NoGrad):
    """Record, inside of a `no_grad` too. Also a decorator.

    >>> with no_grad(), enable_grad():
    ...     is_grad_enabled()
    True
    """

    value = True


class SetGradEnabled(Mode):
    """Record or do not, from the call on; as a context or a decorator, for its part only.

    >>> with set_grad_enabled(False):
    ...     is_grad_enabled()
    False
    """

    def __init__(self, mode: bool) -> None:
        super().__init__(bool(mode))
        self.first = is_grad_enabled()
        set_mode(self.enabled)

    def __enter__(self) -> None:
        self.before.append(self.first)
        set_mode(self.enabled)

    def __call__(self, function: Function) -> Function:
        set_mode(self.first)
        return super().__call__(function)


no_grad = NoGrad
enable_grad = EnableGrad
set_grad_enabled = SetGradEnabled
