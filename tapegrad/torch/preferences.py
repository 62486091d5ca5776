"""Preferences that programs set. Computation here is as it is: most are kept, and given back."""

from __future__ import annotations

import os

from . import errors

__all__ = [
    "are_deterministic_algorithms_enabled",
    "get_deterministic_debug_mode",
    "get_float32_matmul_precision",
    "get_num_interop_threads",
    "get_num_threads",
    "is_deterministic_algorithms_warn_only_enabled",
    "is_warn_always_enabled",
    "set_deterministic_debug_mode",
    "set_float32_matmul_precision",
    "set_flush_denormal",
    "set_num_interop_threads",
    "set_num_threads",
    "set_warn_always",
    "use_deterministic_algorithms",
]

PRECISIONS = ("highest", "high", "medium")

DEBUG_MODES = {"default": 0, "warn": 1, "error": 2}


class Preferences:
    """What was set."""

    threads: int = int(os.environ.get("OMP_NUM_THREADS") or os.cpu_count() or 1)
    interop_threads: int = os.cpu_count() or 1
    precision: str = "highest"
    deterministic: bool = False
    warn_only: bool = False
    warn_always: bool = False


def counted(count: int) -> int:
    """A number of threads, checked."""
    if not isinstance(count, int) or count < 1:
        raise errors.bad_thread_count(count)
    return count


def set_num_threads(num_threads: int) -> None:
    """Keep a number of threads. NumPy's own are as OMP_NUM_THREADS says when Python begins."""
    Preferences.threads = counted(num_threads)


def get_num_threads() -> int:
    """The number of threads that was set, or that there are."""
    return Preferences.threads


def set_num_interop_threads(num_threads: int) -> None:
    """Keep a number of threads. Operations here run one after the other."""
    Preferences.interop_threads = counted(num_threads)


def get_num_interop_threads() -> int:
    """The number of threads that was set, or of the processors."""
    return Preferences.interop_threads


def set_float32_matmul_precision(precision: str) -> None:
    """Keep a precision of products of matrices. They are computed in the highest."""
    if precision not in PRECISIONS:
        raise errors.bad_precision(precision)
    Preferences.precision = precision


def get_float32_matmul_precision() -> str:
    """The precision that was set."""
    return Preferences.precision


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Keep a wish for the same results in every run. All algorithms here give them."""
    Preferences.deterministic, Preferences.warn_only = bool(mode), bool(mode and warn_only)


def are_deterministic_algorithms_enabled() -> bool:
    """Whether that was wished for."""
    return Preferences.deterministic


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Whether that was wished for, with warnings alone."""
    return Preferences.warn_only


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """`use_deterministic_algorithms` by a name or number."""
    mode = DEBUG_MODES.get(debug_mode, -1) if isinstance(debug_mode, str) else debug_mode
    if mode not in DEBUG_MODES.values():
        raise errors.bad_debug_mode(debug_mode)
    use_deterministic_algorithms(mode > 0, warn_only=mode == 1)


def get_deterministic_debug_mode() -> int:
    """The number of the mode."""
    return Preferences.deterministic * (2 - Preferences.warn_only)


def set_warn_always(b: bool, /) -> None:
    """Keep whether warnings are to be given each time: Python's filters say so here."""
    Preferences.warn_always = b


def is_warn_always_enabled() -> bool:
    """Whether that was set."""
    return Preferences.warn_always


def set_flush_denormal(mode: bool) -> bool:
    """False: numbers near 0 are not flushed to it here."""
    return False
