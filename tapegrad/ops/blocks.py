"""Work on large arrays in blocks that stay in the cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import isfinite
from typing import Any

import numpy
from numpy import ndarray

from ..backend import on_device
from .fused import fused
from .native import native

BLOCK = 16384
"""Elements of a block: an expression's intermediate results then fit the second-level cache."""
LARGE = 2 * BLOCK
"""Arrays of more elements than this are worked on in blocks."""


def in_blocks(function: Callable[..., Any], *arrays: Any, kernel: str | None = None) -> Any:
    """An elementwise `function` of arrays; of large raw ones, block by block.

    Each intermediate result is then read while it is in the cache. A `kernel` of that name does the
    same in machine code, where there is one. On a device all is one kernel.
    """
    first = arrays[0]
    if type(first) is not ndarray:
        return fused(function, *arrays) if on_device(first) else function(*arrays)
    if first.size <= LARGE:
        return function(*arrays)
    for x in arrays:
        if type(x) is not ndarray or x.shape != first.shape or x.dtype != first.dtype:
            return function(*arrays)
    if kernel is not None:
        found = native(kernel, *arrays)
        if found is not None:
            return found
    flat = [x.reshape(-1) for x in arrays]
    out = numpy.empty(first.shape, first.dtype)
    into = out.reshape(-1)
    for start in range(0, first.size, BLOCK):
        part = slice(start, start + BLOCK)
        into[part] = function(*(x[part] for x in flat))
    return out


def row_blocks(rows: int, length: int) -> Iterator[slice]:
    """Slices over rows of a length, each of about two blocks."""
    step = max(1, 2 * BLOCK // max(length, 1))
    for start in range(0, rows, step):
        yield slice(start, min(start + step, rows))


SAFE = 1e-20
"""Above this, sums of exponentials and what counts in them are far from underflow."""


def exponentials(x: Any, out: Any = None) -> tuple[Any, Any] | None:
    """Write ``exp(x - top)``, for one `top` of all lines, and give its sums over them, and `top`.

    The largest element of all takes a fraction of the time that the largest of each line takes.
    None if it does not serve: where a line's sum comes near underflow, or elements are not finite.
    """
    top = numpy.maximum.reduce(x, None)
    if not isfinite(top):
        return None
    out = numpy.subtract(x, top, out=out)
    numpy.exp(out, out=out)
    total = numpy.add.reduce(out, -1)
    return (total, top) if numpy.minimum.reduce(total, None) > SAFE else None
