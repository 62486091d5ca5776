"""Errors of `torch.compile` and of preferences."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = [
    "bad_compile_mode",
    "bad_compiler",
    "bad_debug_mode",
    "bad_precision",
    "bad_thread_count",
    "mode_and_options",
    "no_script",
    "not_callable",
    "python_function_on_leaf",
]


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


def bad_thread_count(count: object) -> RuntimeError:
    return RuntimeError(f"set_num_threads expects a positive integer\nIt got {count!r}.")


def bad_precision(precision: object) -> RuntimeError:
    return RuntimeError(
        f"Invalid float32 matmul precision {precision!r}: it is 'highest', 'high' or 'medium'."
    )


def bad_debug_mode(mode: object) -> RuntimeError:
    return RuntimeError(
        f"invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got {mode}"
    )


def no_script() -> RuntimeError:
    return RuntimeError(
        "programs of torch.jit are neither saved nor loaded here. Save the model's state_dict(), "
        "and load it into the model made by its class."
    )


def python_function_on_leaf(name: str) -> RuntimeError:
    return RuntimeError(
        f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead."
    )
