"""The kernels of a machine: compiled at the first use, then found on disk."""

from __future__ import annotations

import ctypes
import inspect
from typing import Any

import numpy
from llvmlite import ir

from ..cache import Cache, key
from ..host import Host, host
from ..jit import compile_object, load
from ..vector import DOUBLE, SINGLE
from .composites import ELEMENTS, ROWS
from .recurrent import STEPS
from .rows import Rows

ELEMENT = {numpy.dtype("float32"): SINGLE, numpy.dtype("float64"): DOUBLE}


WRITERS = {**ROWS, **STEPS}


class Kernel:
    """``run(rows, columns, *addresses)``, with the memory that its code is in."""

    def __init__(self, name: str, dtype: numpy.dtype[Any]) -> None:
        machine = host()
        text = text_of(name, dtype, machine)
        cache, stored = Cache(), key(text.encode(), machine, "kernel")
        code = cache.get(stored)
        if code is None:
            code = compile_object(text, machine)
            cache.put(stored, code)
        self.library = load(code, [name])
        arguments = [ctypes.c_int64] * 2 + [ctypes.c_void_p] * arrays_of(name)
        self.run = ctypes.CFUNCTYPE(None, *arguments)(self.library[name])


def arrays_of(name: str) -> int:
    """How many arrays the kernel of a name takes."""
    if name in WRITERS:
        return WRITERS[name][1]
    return len(inspect.signature(ELEMENTS[name]).parameters) + 1


def text_of(name: str, dtype: numpy.dtype[Any], machine: Host) -> str:
    """The kernel as LLVM assembly."""
    module = ir.Module()
    rows = Rows(module, machine, name, ELEMENT[dtype], arrays_of(name))
    if name in WRITERS:
        WRITERS[name][0](rows)
    else:
        rows.each(lambda row: row.apply(ELEMENTS[name]))
    return str(module)
