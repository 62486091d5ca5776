"""Errors of `torch.compile`."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["bad_compile_mode", "bad_compiler", "mode_and_options", "not_callable"]


def mode_and_options() -> RuntimeError:
    return RuntimeError(
        "Either mode or options can be specified, but both can't be specified at the same time."
    )


def bad_compile_mode(mode: str, known: Sequence[str]) -> RuntimeError:
    return RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(known)}")


def bad_compiler(backend: str, known: Sequence[str]) -> RuntimeError:
    return RuntimeError(f"Invalid backend: {backend!r}. Those known are: {', '.join(known)}")


def not_callable(kind: type) -> AssertionError:
    return AssertionError(f"A callable function is expected, but {kind} is provided.")
