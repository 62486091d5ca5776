"""Neighbourhoods in images, and the choice of one neighbour by its size.

Of equal largest or smallest neighbours each has an equal share of the gradient; of equal ones in
between, the first gets it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from operator import index
from typing import Any

import numpy

from ...backend import is_complex
from ...numpy.dispatch import np
from .arguments import chosen_axes, for_each, image
from .filters import extended


@dataclass(frozen=True)
class Window:
    """The arguments by which filters describe which neighbours they look at."""

    size: Any
    footprint: Any
    mode: Any
    cval: Any
    origin: Any
    axes: Any

    def cells(self, ndim: int) -> tuple[tuple[int, ...], Any]:
        """The axes of an image that are meant, and along these which neighbours there are."""
        axes = chosen_axes(self.axes, ndim)
        if self.footprint is None:
            if self.size is None:
                raise RuntimeError("no footprint or filter size provided")
            return axes, numpy.ones([index(n) for n in for_each(self.size, len(axes))], dtype=bool)
        footprint = numpy.asarray(self.footprint, dtype=bool)
        if footprint.ndim != len(axes):
            raise RuntimeError(
                f"footprint.ndim ({footprint.ndim}) must match len(axes) ({len(axes)})"
            )
        if not footprint.any():
            raise ValueError("All-zero footprint is not supported.")
        return axes, footprint

    def turned(self, ndim: int) -> Window:
        """The window of the opposite operation: seen from the neighbours."""
        axes, cells = self.cells(ndim)
        origins = for_each(self.origin, len(axes))
        origin = [-at - (n % 2 == 0) for at, n in zip(origins, cells.shape, strict=True)]
        footprint = None if self.footprint is None else numpy.flip(cells)
        return replace(self, footprint=footprint, origin=origin)


def real_image(name: str, x: Any, output: Any, *parameters: Any) -> tuple[Any, Any]:
    """An image of real numbers, and the dtype of the result."""
    x, dtype = image(name, x, output, *parameters)
    if is_complex(x.dtype):
        raise TypeError("Complex type not supported")
    return x, dtype


def neighbours(x: Any, axes: tuple[int, ...], cells: Any, window: Window) -> Any:
    """The neighbours of each element, along a new last axis."""
    modes, origins = for_each(window.mode, len(axes)), for_each(window.origin, len(axes))
    shape = x.shape
    for axis, n, mode, origin in zip(axes, cells.shape, modes, origins, strict=True):
        before = n // 2 + origin
        if not 0 <= before < n:
            raise ValueError("invalid origin")
        x = extended(x, axis, before, n - 1 - before, mode, window.cval)
    parts = []
    for place in zip(*cells.nonzero(), strict=True):
        start = dict(zip(axes, map(int, place), strict=True))
        parts.append(
            x[tuple(slice(start.get(a, 0), start.get(a, 0) + n) for a, n in enumerate(shape))]
        )
    return np.stack(parts, axis=-1)


def extreme(x: Any, reduce: Callable[..., Any], window: Window) -> Any:
    """The largest or smallest neighbour of each element, in a box along one axis at a time."""
    axes, cells = window.cells(x.ndim)
    if not cells.all():
        return reduce(neighbours(x, axes, cells, window), axis=-1)
    modes, origins = for_each(window.mode, len(axes)), for_each(window.origin, len(axes))
    for axis, n, mode, origin in zip(axes, cells.shape, modes, origins, strict=True):
        if n > 1:
            part = replace(window, mode=mode, origin=origin)
            x = reduce(neighbours(x, (axis,), numpy.ones(n, dtype=bool), part), axis=-1)
    return x


def largest(x: Any, window: Window) -> Any:
    return extreme(x, np.max, window)


def smallest(x: Any, window: Window) -> Any:
    return extreme(x, np.min, window)


def ranked(x: Any, window: Window, rank_of: Callable[[int], int]) -> Any:
    """Of the neighbours in ascending order the one whose place `rank_of` gives for their number."""
    axes, cells = window.cells(x.ndim)
    count = int(cells.sum())
    rank = rank_of(count)
    rank = rank + count if rank < 0 else rank
    if not 0 <= rank < count:
        raise RuntimeError("rank not within filter footprint size")
    if rank == 0:
        return smallest(x, window)
    if rank == count - 1:
        return largest(x, window)
    if not isinstance(window.mode, str):
        raise RuntimeError("A sequence of modes is not supported by non-separable rank filters")
    return np.sort(neighbours(x, axes, cells, window), axis=-1)[..., rank]
