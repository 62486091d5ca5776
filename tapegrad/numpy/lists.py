"""Lists with recorded arrays in them, as arrays."""

from __future__ import annotations

from typing import Any

import numpy

from ..core.array import Array
from ..ops.join import stack
from ..ops.linear import cast, reshape
from .reading import any_recorded


def assembled(value: Any) -> Any:
    """Nested lists as an array: those with recorded arrays inside are stacked, others converted."""
    if isinstance(value, Array):
        return value
    if not (isinstance(value, list | tuple) and any_recorded(value)):
        return numpy.asarray(value)
    depth: tuple[int, ...] = (len(value),)
    while all(isinstance(item, list | tuple) for item in value):
        sizes = {len(item) for item in value}
        if len(sizes) != 1:
            break  # ragged: the stack below raises
        depth += tuple(sizes)
        value = [inner for item in value for inner in item]
    parts = [assembled(item) for item in value]
    shapes = {p.shape for p in parts}
    if len(shapes) != 1:
        raise ValueError(
            "setting an array element with a sequence: the nested lists hold arrays of the shapes "
            + " and ".join(map(str, sorted(shapes)))
        )
    dtype = numpy.result_type(*(p.dtype for p in parts))
    stacked = stack(*(cast(p, dtype) for p in parts), axis=0)
    return reshape(stacked, to=depth + parts[0].shape) if len(depth) > 1 else stacked


def without_lists(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments that are to be arrays, with arrays in place of lists."""
    for value in values:
        if type(value) is list or type(value) is tuple:
            return tuple(assembled(v) if isinstance(v, list | tuple) else v for v in values)
    return values
