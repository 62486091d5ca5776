"""Values as expressions of Python's, as the text of a program has them."""

from __future__ import annotations

import ast
from typing import Any

import numpy


def literal(value: Any) -> str:
    """A number as an expression."""
    if isinstance(value, complex):
        return f"complex({literal(value.real)}, {literal(value.imag)})"
    if isinstance(value, float) and (value != value or value in (float("inf"), -float("inf"))):
        return f"float('{value}')"
    return f"({value!r})" if value < 0 else repr(value)


def key_text(key: tuple[Any, ...]) -> str:
    """A static index as one writes it."""
    if not key:
        return "()"
    return ", ".join(map(part_text, key)) + ("," if len(key) == 1 else "")


def part_text(part: Any) -> str:
    if part is Ellipsis:
        return "..."
    if not isinstance(part, slice):
        return repr(part)
    bounds = (part.start, part.stop) if part.step is None else (part.start, part.stop, part.step)
    return ":".join("" if bound is None else str(bound) for bound in bounds)


def parameter_text(value: Any) -> str | None:
    """A parameter as an expression, or None where it has none."""
    if value is None or type(value) in (bool, int, str):
        return repr(value)
    if type(value) is float:
        return literal(value)
    if isinstance(value, numpy.dtype):
        return f"np.dtype({value.str!r})" if value.kind in "biufc" else None
    if type(value) is tuple:
        parts = [parameter_text(v) for v in value]
        if None in parts:
            return None
        return f"({', '.join(map(str, parts))}{',' if len(parts) == 1 else ''})"
    return None


def is_expression(text: str) -> bool:
    """Whether a text is an expression of Python's."""
    try:
        ast.parse(text, mode="eval")
    except SyntaxError:
        return False
    return True
