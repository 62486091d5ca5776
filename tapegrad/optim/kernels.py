"""Machine code for rules: `Code` is the arithmetic that writes it, in one pass over all arrays.

Imported only where there is llvmlite.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy
from llvmlite import ir

from ..compiler.llvm.cache import Cache, key
from ..compiler.llvm.eager.rows import Row, Rows
from ..compiler.llvm.host import Host, host
from ..compiler.llvm.jit import compile_object, load
from ..compiler.llvm.mathematics.arithmetic import maximum, minimum, sign
from ..compiler.llvm.vector import DOUBLE, SINGLE, absolute, select, square_root
from .arithmetic import Pure
from .rule import NUMBERS, Options, Rule

ELEMENTS = {numpy.dtype(numpy.float32): SINGLE, numpy.dtype(numpy.float64): DOUBLE}


class Code(Pure):
    """On values in code that is being written."""

    abs = staticmethod(absolute)
    maximum = maximum_ = staticmethod(maximum)
    sign = staticmethod(sign)
    sqrt = staticmethod(square_root)

    @staticmethod
    def greater(x: Any, y: Any) -> Any:
        return x > y

    @staticmethod
    def less(x: Any, y: Any) -> Any:
        return x < y

    @staticmethod
    def where(mask: Any, x: Any, y: Any) -> Any:
        if type(mask) is bool:
            return x if mask else y
        return select(mask, x, y)

    @staticmethod
    def clamp_(x: Any, low: Any, high: Any) -> Any:
        return minimum(maximum(x, low), high)


class Kernel:
    """``run(1, size, *addresses)`` does a step on arrays of one axis.

    The addresses are those of the parameter, the gradient, the arrays of the state in the order of
    `names`, and the coefficients that are numbers; the others are part of the code.
    """

    def __init__(
        self,
        rule: Rule,
        dtype: numpy.dtype[Any],
        names: Sequence[str],
        coefficients: dict[str, Any],
        options: Options,
    ) -> None:
        machine = host()
        count = 2 + len(names) + sum(map(is_number, coefficients.values()))
        text = text_of(rule, dtype, names, coefficients, options, count, machine)
        cache, stored = Cache(), key(text.encode(), machine, "update")
        code = cache.get(stored)
        if code is None:
            code = compile_object(text, machine)
            cache.put(stored, code)
        self.library = load(code, ["update"])
        arguments = [ctypes.c_int64] * 2 + [ctypes.c_void_p] * count
        self.run = ctypes.CFUNCTYPE(None, *arguments)(self.library["update"])


def is_number(coefficient: Any) -> bool:
    """Whether a coefficient is handed to the code, which is written for other values."""
    return type(coefficient) in NUMBERS


def text_of(
    rule: Rule,
    dtype: numpy.dtype[Any],
    names: Sequence[str],
    coefficients: dict[str, Any],
    options: Options,
    count: int,
    machine: Host,
) -> str:
    """The kernel as LLVM assembly."""
    module = ir.Module()
    rows = Rows(module, machine, "update", ELEMENTS[dtype], count)

    def body(row: Row) -> None:
        places = iter(range(2 + len(names), count))
        known = {
            name: row.value(next(places)) if is_number(x) else x for name, x in coefficients.items()
        }

        def update() -> list[Any]:
            state = {name: row.load(i) for i, name in enumerate(names, 2)}
            p, after = rule.update(Code, row.load(0), row.load(1), state, known, options)
            row.store(0, p)
            for i, name in enumerate(names, 2):
                row.store(i, after[name])
            return []

        row.pass_([], update)

    rows.each(body)
    return str(module)
