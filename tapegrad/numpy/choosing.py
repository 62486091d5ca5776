"""Functions that choose between values: `where`, `clip`, `nan_to_num`."""

from __future__ import annotations

from typing import Any

import numpy

from .. import errors, ops
from ..backend import is_complex, is_inexact, python_numbers
from ..core.array import Array
from .dispatch import functions, implements
from .lists import without_lists
from .operands import operand
from .ufuncs import as_dtype, store

__all__ = ["clip", "nan_to_num", "where"]


@implements(numpy.where)
def where(condition: Any, /, *choices: Any) -> Any:
    if not choices:
        return functions[numpy.nonzero](condition)
    if len(choices) != 2:
        raise ValueError("either both or neither of x and y should be given")
    return ops.selection.where(*without_lists((condition, *choices)))


@implements(numpy.clip)
def clip(
    a: Any,
    a_min: Any = numpy._NoValue,
    a_max: Any = numpy._NoValue,
    out: Any = None,
    *,
    min: Any = numpy._NoValue,
    max: Any = numpy._NoValue,
    **kwargs: Any,
) -> Any:
    missing = numpy._NoValue
    if a_min is missing and a_max is missing:
        a_min = None if min is missing else min
        a_max = None if max is missing else max
    elif a_min is missing or a_max is missing:
        name = "a_min" if a_min is missing else "a_max"
        raise TypeError(f"clip() missing 1 required positional argument: {name!r}")
    elif min is not missing or max is not missing:
        raise ValueError(
            "Passing `min` or `max` keyword argument when `a_min` and `a_max` are given."
        )
    for argument in kwargs:
        raise errors.no_argument("clip", f"{argument}=", "Apply it to the result of clip.")
    a, a_min, a_max = without_lists((a, a_min, a_max))
    if a_min is None and a_max is None:
        return store("clip", ops.arithmetic.positive(a), out)
    given = a_max if a_min is None else a_min
    low = _open_end(a, given, False) if a_min is None else a_min
    high = _open_end(a, given, True) if a_max is None else a_max
    return store("clip", ops.selection.clip(a, low, high), out)


def _open_end(x: Any, bound: Any, above: bool) -> Any:
    """A bound beside another one that `x` never reaches, and that leaves the result's dtype be."""
    dtype = numpy.result_type(*(v.dtype if isinstance(v, Array) else v for v in (x, bound)))
    if is_inexact(dtype):
        return numpy.inf if above else -numpy.inf
    if dtype.kind == "b":
        return above
    limits = numpy.iinfo(dtype)
    return limits.max if above else limits.min


@implements(numpy.nan_to_num)
def nan_to_num(
    x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Any:
    x = operand(x)
    if is_complex(x.dtype):
        parts = (ops.complex.real(x), ops.complex.imag(x))
        result = ops.complex.from_parts(*(_replace(p, nan, posinf, neginf) for p in parts))
    elif is_inexact(x.dtype):
        result = _replace(x, nan, posinf, neginf)
    else:
        result = x.copy()
    return result if copy else store("nan_to_num", result, x)


def _replace(x: Any, nan: Any, above: Any, below: Any) -> Any:
    """`x`, real, with other numbers for NaN and the infinities."""
    limits = numpy.finfo(x.dtype)
    chosen = ops.selection.where
    for mask, value in (
        (ops.comparison.isnan(x), nan),
        (x == numpy.inf, limits.max if above is None else above),
        (x == -numpy.inf, limits.min if below is None else below),
    ):
        x = chosen(mask, value if type(value) in python_numbers else as_dtype(value, x.dtype), x)
    return x
