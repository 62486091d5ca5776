"""`pad`, in all its modes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from .. import errors
from ..core.array import Array
from ..ops.index import EVERYTHING
from ..ops.join import concat
from ..ops.linear import broadcast_to, cast
from .creation import duplicate
from .dispatch import implements, np
from .lists import assembled
from .reading import known
from .rearranging import rows
from .shapes import recorded
from .subscript import get

__all__ = ["pad"]

Width = tuple[int, int]

OPTIONS: dict[str, dict[str, Any]] = {
    "constant": {"constant_values": 0},
    "linear_ramp": {"end_values": 0},
    "maximum": {"stat_length": None},
    "mean": {"stat_length": None},
    "median": {"stat_length": None},
    "minimum": {"stat_length": None},
    "reflect": {"reflect_type": "even"},
    "symmetric": {"reflect_type": "even"},
    "edge": {},
    "empty": {},
    "wrap": {},
}
"""By mode, its option with the default."""

STATISTICS: dict[str, Callable[..., Any]] = {
    "maximum": np.max,
    "mean": np.mean,
    "median": np.median,
    "minimum": np.min,
}


@implements(numpy.pad)
def pad(array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Array:
    """`array` with elements put before and after it along each axis."""
    x = recorded(array)
    widths = known(pad_width, "how far to pad")
    if isinstance(widths, dict):
        given = {axis % x.ndim: width for axis, width in widths.items()}
        widths = [numpy.broadcast_to(given.get(i, 0), 2) for i in range(x.ndim)]
    if numpy.asarray(widths).dtype.kind != "i":
        raise TypeError("`pad_width` must be of integral type.")
    pairs: list[Width] = [(int(a), int(b)) for a, b in numpy.broadcast_to(widths, (x.ndim, 2))]
    if any(n < 0 for pair in pairs for n in pair):
        raise ValueError("index can't contain negative values")
    if callable(mode):
        raise errors.no_argument(
            "pad", "a function as mode", "Use concatenate with what it computes."
        )
    if mode not in OPTIONS:
        raise ValueError(f"mode {mode!r} is not supported")
    unknown = set(kwargs) - set(OPTIONS[mode])
    if unknown:
        raise ValueError(f"unsupported keyword arguments for mode {mode!r}: {unknown}")
    options = {**OPTIONS[mode], **kwargs}
    if mode not in ("constant", "empty", "linear_ramp"):
        for axis, pair in enumerate(pairs):
            if x.shape[axis] == 0 and any(pair):
                raise ValueError(
                    f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'"
                )
    result = x
    for axis, pair in enumerate(pairs):
        if any(pair):
            result = pad_axis(result, axis, pair, mode, options, x.ndim)
    return duplicate(result) if result is x else result


def pad_axis(x: Any, axis: int, width: Width, mode: str, options: dict[str, Any], ndim: int) -> Any:
    """`x` padded along one axis."""
    if mode in ("constant", "empty"):
        values = pair_of(options.get("constant_values", 0), axis, ndim)
        sides = [
            spread(cast(as_number(v, x), x.dtype), x, axis, n)
            for v, n in zip(values, width, strict=True)
        ]
    elif mode == "linear_ramp":
        sides = ramps(x, axis, width, pair_of(options["end_values"], axis, ndim))
    elif mode in STATISTICS:
        lengths = options["stat_length"]
        if lengths is not None:
            lengths = pair_of(known(lengths, "a stat_length"), axis, ndim)
        sides = statistics(x, axis, width, mode, lengths)
    elif options.get("reflect_type", "even") == "odd":
        return mirrored(x, axis, width, mode)
    elif options.get("reflect_type", "even") != "even":
        raise ValueError(f"unsupported reflect_type {options['reflect_type']!r}")
    else:
        return rows(x, np.pad(np.arange(x.shape[axis]), width, mode), axis)
    return concat(sides[0], x, sides[1], axis=axis)


def pair_of(values: Any, axis: int, ndim: int) -> list[Any]:
    """The values for both sides of an axis, from what NumPy accepts for all of them."""
    values = assembled(values)
    if values.dtype.kind == "O":
        raise TypeError("numpy.pad: give numbers, or a pair of numbers for each axis")
    whole = np.broadcast_to(values, (ndim, 2))
    return [whole[axis, 0], whole[axis, 1]]


def as_number(value: Any, x: Any) -> Any:
    return value if isinstance(value, Array) else x.dtype.type(value)


def spread(values: Any, x: Any, axis: int, count: int) -> Any:
    """`values` repeated to `count` slices of `x` along an axis."""
    return broadcast_to(values, to=(*x.shape[:axis], count, *x.shape[axis + 1 :]))


def part(x: Any, axis: int, start: int, stop: int) -> Any:
    return get(x, (*(EVERYTHING,) * axis, slice(start, stop)))


def ramps(x: Any, axis: int, width: Width, ends: list[Any]) -> list[Any]:
    """Straight lines from the end values to the edges."""
    n = x.shape[axis]
    sides = []
    for end, edge, count, turn in (
        (ends[0], part(x, axis, 0, 1), width[0], 1),
        (ends[1], part(x, axis, n - 1, n), width[1], -1),
    ):
        steps = numpy.arange(count)[::turn] / max(count, 1)
        steps = steps.reshape((count,) + (1,) * (x.ndim - axis - 1))
        line = end + (edge - end) * steps
        if x.dtype.kind in "iu":
            line = np.floor(line)
        sides.append(line.astype(x.dtype))
    return sides


def statistics(x: Any, axis: int, width: Width, mode: str, lengths: list[Any] | None) -> list[Any]:
    """The maximum, mean, median or minimum of the first and of the last slices."""
    n = x.shape[axis]
    first, last = (n, n) if lengths is None else (min(int(k), n) for k in lengths)
    if (first == 0 or last == 0) and mode in ("maximum", "minimum"):
        raise ValueError("stat_length of 0 yields no value for padding")
    sides = []
    for piece, count in (
        (part(x, axis, 0, first), width[0]),
        (part(x, axis, n - last, n), width[1]),
    ):
        value = STATISTICS[mode](piece, axis=axis, keepdims=True)
        if x.dtype.kind in "iu" and value.dtype.kind == "f":
            value = np.rint(value)
        sides.append(spread(value.astype(x.dtype), x, axis, count))
    return sides


def mirrored(x: Any, axis: int, width: Width, mode: str) -> Any:
    """Padding by reflection at the edges' values: a linear map of the axis.

    Only elements that count are multiplied, so that others may be infinite.
    """
    eye = numpy.eye(x.shape[axis], dtype=int)
    matrix = np.pad(eye, (width, (0, 0)), mode, reflect_type="odd")
    columns = numpy.argsort(matrix == 0, axis=1, kind="stable")
    total = None
    for k in range(numpy.count_nonzero(matrix, axis=1).max()):
        counts = numpy.take_along_axis(matrix, columns[:, k : k + 1], axis=1)
        counts = counts.reshape((-1, *(1,) * (x.ndim - 1 - axis))).astype(x.dtype)
        term = rows(x, columns[:, k], axis) * counts
        total = term if total is None else total + np.where(counts == 0, 0, term)
    return total
