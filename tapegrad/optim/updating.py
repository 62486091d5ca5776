"""Applies a rule to a parameter: in place block by block, or purely."""

from __future__ import annotations

from typing import Any

import numpy
from numpy import ndarray

from ..ops.complex import from_parts, imag, real
from ..ops.join import stack
from ..ops.linear import astype
from .arithmetic import BLOCK, InPlace, Pure
from .rule import Arrays, Options, Rule

HALVES = ("float16", "bfloat16")


def update_in_place(
    rule: Rule,
    arithmetics: dict[Any, InPlace],
    p: ndarray,
    g: Any,
    state: dict[str, ndarray],
    c: Any,
    options: Options,
) -> None:
    """Do a step on a parameter's buffer, and on those of its state, given its gradient.

    Halves are computed in float32. `arithmetics` keeps scratch memory by dtype.
    """
    if not rule.elementwise:
        new, arrays = rule.update(Pure, p, g, state, c, options)
        p[...] = new
        for name, array in arrays.items():
            state[name][...] = array
        return
    g = numpy.asarray(g)
    if not p.flags.c_contiguous and p.flags.f_contiguous:
        p, g = p.T, g.T
        state = {name: array.T for name, array in state.items()}
    written: list[tuple[ndarray, ndarray]] = []
    line = line_of(p, written)
    lines = {name: line_of(array, written) for name, array in state.items()}
    g = line_of(g, None)
    arithmetic = arithmetics.get(line.dtype)
    if arithmetic is None:
        arithmetic = arithmetics[line.dtype] = InPlace(line.dtype)
    size = line.size
    if size <= BLOCK:
        arithmetic.begin(size)
        rule.update(arithmetic, line, g, lines, c, options)
    else:
        for start in range(0, size, BLOCK):
            stop = min(start + BLOCK, size)
            arithmetic.begin(stop - start)
            parts = {name: array[start:stop] for name, array in lines.items()}
            rule.update(arithmetic, line[start:stop], g[start:stop], parts, c, options)
    for array, values in written:
        if array.dtype.kind == "c":
            values = values.view(array.dtype)
        array[...] = values.reshape(array.shape)


def line_of(array: ndarray, written: list[tuple[ndarray, ndarray]] | None) -> ndarray:
    """The real numbers of an array along one axis; noted in `written` if they are a copy."""
    line = array.reshape(-1)
    kind = array.dtype.kind
    if kind == "c":
        line = line.view(line.real.dtype)
    elif array.dtype.name in HALVES:
        line = line.astype(numpy.float32)
    if written is not None and not numpy.may_share_memory(line, array):
        written.append((array, line))
    return line


def update_pure(
    rule: Rule, p: Any, g: Any, state: Arrays, numbers: dict[str, Any], options: Options
) -> tuple[Any, Arrays, dict[str, Any]]:
    """The parameter, its arrays and its numbers after a step, as new arrays of the core."""
    numbers, c = rule.coefficients(Pure, options, numbers)
    dtype = p.dtype
    pairs = dtype.kind == "c" and rule.elementwise
    if pairs:
        p, g = parts_of(p), parts_of(g)
        state = {name: parts_of(array) for name, array in state.items()}
    c = {name: like(value, p.dtype) for name, value in c.items()}
    p, state = rule.update(Pure, p, g, state, c, options)
    if pairs:
        p = whole_of(p)
        state = {name: whole_of(array) for name, array in state.items()}
    return p, state, numbers


def like(x: Any, dtype: Any) -> Any:
    """A coefficient that does not change the dtype of what it multiplies."""
    source = getattr(x, "dtype", None)
    if source is None or source == dtype or source.kind == "b":
        return x
    return astype(x, to=dtype, source=source)


def parts_of(x: Any) -> Any:
    """The real and imaginary parts of an array, along a new first axis."""
    return stack([real(x), imag(x)], 0)


def whole_of(parts: Any) -> Any:
    """The complex array with these parts."""
    return from_parts(parts[0], parts[1])
