"""Morphology of grey images, with flat structuring elements and with others."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy
import scipy.ndimage

from ...core.array import Array
from ...numpy.dispatch import np
from ...numpy.operands import operand
from ...ops.linear import cast
from ..dispatch import implements
from .arguments import stored
from .neighbours import Window, largest, neighbours, real_image, smallest


def element(size: Any, footprint: Any, structure: Any) -> tuple[Any, Any]:
    """The footprint of a structuring element, and its heights if it has any."""
    if structure is None:
        if size is None and footprint is None:
            raise ValueError("size, footprint, or structure must be specified")
        return footprint, None
    heights = structure if isinstance(structure, Array) else operand(structure)
    cells = numpy.ones(heights.shape, dtype=bool) if footprint is None else footprint
    return cells, heights


def eroded(x: Any, window: Window, heights: Any) -> Any:
    if heights is None:
        return smallest(x, window)
    axes, cells = window.cells(x.ndim)
    return np.min(neighbours(x, axes, cells, window) - heights[cells], axis=-1)


def dilated(x: Any, window: Window, heights: Any) -> Any:
    window = window.turned(x.ndim)
    if heights is None:
        return largest(x, window)
    axes, cells = window.cells(x.ndim)
    return np.max(neighbours(x, axes, cells, window) + np.flip(heights)[cells], axis=-1)


def opened(step: Callable[[Any], Any], x: Any, window: Window, heights: Any) -> Any:
    return dilated(step(eroded(x, window, heights)), window, heights)


def closed(step: Callable[[Any], Any], x: Any, window: Window, heights: Any) -> Any:
    return eroded(step(dilated(x, window, heights)), window, heights)


def morphological(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate `compute(step, x, window, heights)`; gives this namespace's function of the name.

    `step(y)` is what SciPy goes on with after a part of the computation.
    """

    def decorate(compute: Callable[..., Any]) -> Callable[..., Any]:
        @implements(getattr(scipy.ndimage, name))
        def function(
            input: Any,
            size: Any = None,
            footprint: Any = None,
            structure: Any = None,
            output: Any = None,
            mode: Any = "reflect",
            cval: Any = 0.0,
            origin: Any = 0,
            *,
            axes: Any = None,
        ) -> Any:
            x, dtype = real_image(name, input, output, structure, cval)
            footprint, heights = element(size, footprint, structure)
            window = Window(size, footprint, mode, cval, origin, axes)
            return cast(compute(partial(stored, dtype=dtype), x, window, heights), dtype)

        return function

    return decorate


@morphological("grey_erosion")
def grey_erosion(step: Any, x: Any, window: Window, heights: Any) -> Any:
    return eroded(x, window, heights)


@morphological("grey_dilation")
def grey_dilation(step: Any, x: Any, window: Window, heights: Any) -> Any:
    return dilated(x, window, heights)


grey_opening = morphological("grey_opening")(opened)
grey_closing = morphological("grey_closing")(closed)


@morphological("white_tophat")
def white_tophat(step: Any, x: Any, window: Window, heights: Any) -> Any:
    return x - opened(step, x, window, heights)


@morphological("black_tophat")
def black_tophat(step: Any, x: Any, window: Window, heights: Any) -> Any:
    return closed(step, x, window, heights) - x


@morphological("morphological_gradient")
def morphological_gradient(step: Any, x: Any, window: Window, heights: Any) -> Any:
    return dilated(x, window, heights) - eroded(x, window, heights)


@morphological("morphological_laplace")
def morphological_laplace(step: Any, x: Any, window: Window, heights: Any) -> Any:
    return dilated(x, window, heights) + eroded(x, window, heights) - x - x
