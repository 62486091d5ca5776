"""The text of kernels for rules: `Text` is the arithmetic that writes it, in CUDA's C++."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy

from ..backend import on_device
from .arithmetic import Pure
from .rule import NUMBERS, Options, Rule

CHUNK = 1 << 12
"""How many numbers a block of threads updates."""

STORED = {
    "float16": "float16",
    "bfloat16": "bfloat16",
    "float32": "float",
    "float64": "double",
    "complex64": "float",
    "complex128": "double",
}
"""What memory holds, by dtype: a complex number is two real ones."""

HEADERS = ("float16", "bfloat16")
"""The types that are CuPy's; their numbers are computed with in single precision."""


class Value:
    """A number in the text, which is written line by line."""

    __slots__ = ("lines", "name")

    def __init__(self, lines: list[str], expression: str, kind: str = "T") -> None:
        self.lines = lines
        self.name = f"v{len(lines)}"
        lines.append(f"const {kind} {self.name} = {expression};")

    def then(self, form: str, *others: Any, kind: str = "T") -> Value:
        """The number of an expression, in which `{}` are this one and others."""
        return Value(self.lines, form.format(self.name, *map(spelled, others)), kind)

    def __add__(self, other: Any) -> Value:
        return self.then("{} + {}", other)

    def __radd__(self, other: Any) -> Value:
        return self.then("{1} + {0}", other)

    def __sub__(self, other: Any) -> Value:
        return self.then("{} - {}", other)

    def __rsub__(self, other: Any) -> Value:
        return self.then("{1} - {0}", other)

    def __mul__(self, other: Any) -> Value:
        return self.then("{} * {}", other)

    def __rmul__(self, other: Any) -> Value:
        return self.then("{1} * {0}", other)

    def __truediv__(self, other: Any) -> Value:
        return self.then("{} / {}", other)

    def __rtruediv__(self, other: Any) -> Value:
        return self.then("{1} / {0}", other)

    def __neg__(self) -> Value:
        return self.then("-{}")


def spelled(x: Any) -> str:
    """A number in the text."""
    return x.name if isinstance(x, Value) else f"T({float(x)!r})"


class Text(Pure):
    """On numbers in the text; one that is not a number goes through, as it does in arrays."""

    @staticmethod
    def abs(x: Value) -> Value:
        return x.then("{0} < T(0) ? -{0} : {0}")

    @staticmethod
    def sqrt(x: Value) -> Value:
        return x.then("sqrt({})")

    @staticmethod
    def sign(x: Value) -> Value:
        return x.then("{0} > T(0) ? T(1) : {0} < T(0) ? T(-1) : {0}")

    @staticmethod
    def maximum(x: Value, y: Any) -> Value:
        return x.then("{0} != {0} || {0} > {1} ? {0} : {1}", y)

    maximum_ = maximum

    @staticmethod
    def greater(x: Value, y: Any) -> Value:
        return x.then("{} > {}", y, kind="bool")

    @staticmethod
    def less(x: Value, y: Any) -> Value:
        return x.then("{} < {}", y, kind="bool")

    @staticmethod
    def where(mask: Any, x: Any, y: Any) -> Any:
        if type(mask) is bool:
            return x if mask else y
        return mask.then("{} ? {} : {}", x, y)

    @staticmethod
    def clamp_(x: Value, low: Any, high: Any) -> Value:
        return x.then("{0} < {1} ? {1} : {0} > {2} ? {2} : {0}", low, high)


def is_passed(coefficient: Any) -> bool:
    """Whether a coefficient is handed to the kernel: a number that is not zero, or an array.

    The others are part of the text, since the rule asks which are zero.
    """
    return on_device(coefficient) or (type(coefficient) in NUMBERS and coefficient != 0)


def element_of(dtype: Any) -> Any:
    """The type that is computed in."""
    return numpy.float64 if dtype.name in ("float64", "complex128") else numpy.float32


def text_of(
    rule: Rule,
    dtypes: Sequence[Any],
    names: Sequence[str],
    coefficients: Mapping[str, Any],
    options: Options,
) -> str:
    """A kernel ``update(chunks, table, *coefficients)``, of one block for each chunk.

    A chunk is a row of the table and where it begins in the arrays there. A row has the addresses
    of the parameter, the gradient, the arrays of the state in the order of `names`, then those of
    the results, and the number of elements. `dtypes` are those of what is read.
    """
    stored = [STORED[dtype.name] for dtype in dtypes]
    lines: list[str] = []
    passed = {name: x for name, x in coefficients.items() if is_passed(x)}
    known = {name: x for name, x in coefficients.items() if name not in passed}
    for name, x in passed.items():
        known[name] = Value(lines, f"{'*' if on_device(x) else ''}c_{name}")
    p, g, *state = (
        Value(lines, f"T(((const {kind}*)row[{i}])[i])") for i, kind in enumerate(stored)
    )
    after, arrays = rule.update(Text, p, g, dict(zip(names, state, strict=True)), known, options)
    results = [after, *(arrays[name] for name in names)]
    of_results = [stored[0], *stored[2:]]
    for i, (kind, x) in enumerate(zip(of_results, results, strict=True), len(stored)):
        lines.append(f"(({kind}*)row[{i}])[i] = {kind}({spelled(x)});")
    width = len(stored) + len(results) + 1
    parameters = ["const long long* chunks", "const long long* table"]
    parameters += [f"const T{'*' if on_device(x) else ''} c_{name}" for name, x in passed.items()]
    headers = [f"#include <cupy/{kind}.cuh>" for kind in HEADERS if kind in stored]
    element = "double" if element_of(dtypes[0]) is numpy.float64 else "float"
    return "\n".join(
        [
            *headers,
            f"typedef {element} T;",
            "",
            f'extern "C" __global__ void update({", ".join(parameters)}) {{',
            "    const long long* const chunk = chunks + 2 * (long long)blockIdx.x;",
            f"    const long long* const row = table + {width} * chunk[0];",
            "    const long long start = chunk[1];",
            f"    const long long end = min(start + {CHUNK}, row[{width - 1}]);",
            "    for (long long i = start + threadIdx.x; i < end; i += blockDim.x) {",
            *(f"        {line}" for line in lines),
            "    }",
            "}",
            "",
        ]
    )
