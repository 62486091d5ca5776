"""What the functions of `scipy.ndimage` do with their arguments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import index
from typing import Any

import numpy
from numpy.lib.array_utils import normalize_axis_index

from ... import errors
from ...backend import is_inexact
from ...core.array import Array
from ...numpy.creation import assembled
from ...numpy.operands import operand
from ...numpy.reading import is_tracked
from ...ops.linear import cast

MODES = {
    "grid-mirror": "reflect",
    "grid-constant": "constant",
    "grid-wrap": "wrap",
}
"""Other names of ways to continue an image beyond its edges, as filters understand them."""


def image(name: str, x: Any, output: Any, *parameters: Any) -> tuple[Any, Any]:
    """An image as floating-point numbers, and the dtype of the result.

    `parameters` are arguments besides, of which a derivative might be asked.
    """
    if isinstance(output, Array | numpy.ndarray):
        raise errors.not_in_scipy_face(
            f"ndimage.{name}", "an array as output=", "Assign the result instead: a[...] = result."
        )
    x = x if isinstance(x, Array) else operand(assembled(x))
    dtype = x.dtype if output is None else numpy.dtype(output)
    if not is_inexact(dtype) and any(
        is_tracked(p) and is_inexact(p.dtype) for p in (x, *parameters)
    ):
        raise errors.integer_image(f"ndimage.{name}", dtype)
    if not is_inexact(x.dtype):
        x = cast(x, numpy.dtype(float))
    return x, dtype


def for_each(value: Any, count: int) -> list[Any]:
    """A value for each of some axes, from one for all or from a sequence."""
    if isinstance(value, str) or not isinstance(value, Iterable) or getattr(value, "ndim", 1) == 0:
        return [value] * count
    values = list(value)
    if len(values) != count:
        raise RuntimeError("sequence argument must have length equal to input rank")
    return values


def chosen_axes(axes: Any, ndim: int) -> tuple[int, ...]:
    """Which axes are meant: all by default."""
    if axes is None:
        return tuple(range(ndim))
    given: Sequence[int] = (axes,) if isinstance(axes, int) else tuple(axes)
    found = tuple(normalize_axis_index(index(a), ndim) for a in given)
    if len(set(found)) != len(found):
        raise ValueError("axes must be unique")
    return found


def stored(x: Any, dtype: Any) -> Any:
    """What SciPy goes on with once `x` is stored in a result of a dtype: integers cut it off."""
    return x if is_inexact(dtype) else cast(cast(x, dtype), x.dtype)
