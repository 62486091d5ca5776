"""`torch.compiler`, for programs written with it: functions run as they are."""

from __future__ import annotations

from typing import Any, TypeVar

from .compilation import BACKENDS, compile

__all__ = [
    "allow_in_graph",
    "assume_constant_result",
    "compile",
    "cudagraph_mark_step_begin",
    "disable",
    "is_compiling",
    "is_dynamo_compiling",
    "is_exporting",
    "list_backends",
    "reset",
    "set_stance",
    "substitute_in_graph",
]

Anything = TypeVar("Anything")


def allow_in_graph(fn: Anything) -> Anything:
    """What is given."""
    return fn


assume_constant_result = allow_in_graph


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """What is given, or a decorator that gives it."""
    return allow_in_graph if fn is None else fn


def substitute_in_graph(original_fn: Any, **options: Any) -> Any:
    """A decorator that gives what it is given."""
    return allow_in_graph


def is_compiling() -> bool:
    """False: `tapegrad.compile` records what a program computes, which has no part in it."""
    return False


is_dynamo_compiling = is_exporting = is_compiling


def list_backends(exclude_tags: Any = ("debug", "experimental")) -> list[str]:
    """The backends that `compile` knows."""
    return list(BACKENDS)


def reset() -> None:
    """Nothing is kept, so that there is nothing to forget."""


def cudagraph_mark_step_begin() -> None:
    """There are no graphs of kernels whose steps could begin."""


class Stance:
    """A context, a decorator and what a function gives; it changes nothing."""

    def __init__(self, stance: str = "default", **options: Any) -> None:
        self.stance = stance

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, *error: object) -> None:
        """End."""

    def __call__(self, fn: Anything) -> Anything:
        return fn


set_stance = Stance
