"""Machine code for large arrays, from the compiler where it is installed.

Operations lie below the compiler: they ask for a kernel by name, and go NumPy's way where there is
none. It is looked for when the first large array comes; nothing is imported before. Results are the
same up to a few units in the last place (see `docs/compiler.md`). The variable
``TAPEGRAD_KERNELS=0`` does without.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from numpy import ascontiguousarray, ndarray

SWITCH = "TAPEGRAD_KERNELS"


def native(name: str, *arguments: Any) -> Any:
    """What a kernel makes of its arguments; None where there is none for them.

    Arrays that do not lie in one piece, such as the cotangent of what was summed, are copied.
    """
    compute = kernels().get(name)
    return None if compute is None else compute(*map(in_one_piece, arguments))


def in_one_piece(x: Any) -> Any:
    return ascontiguousarray(x) if type(x) is ndarray and not x.flags.c_contiguous else x


@functools.cache
def kernels() -> Mapping[str, Callable[..., Any]]:
    """The kernels of this machine by name."""
    if os.environ.get(SWITCH) == "0":
        return {}
    found: Mapping[str, Callable[..., Any]] = import_module(
        "tapegrad.compiler.llvm.eager"
    ).available()
    return found
