"""The structure of a linear map that is known by what it does to vectors.

A few random vectors tell which element each result depends on, if it is one; numbers in their
digits say which. Nothing is concluded from a value that happens to be zero.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from math import prod
from typing import Any

import numpy
from numpy.typing import NDArray

Map = Callable[[Any], Any]
"""A linear map, of arrays of some shape to arrays of another."""

Indices = NDArray[numpy.int64]

BASE = 1 << 10
"""What digits count to: well inside the precision of single precision numbers."""

LARGEST = 1 << 26
"""Sums of this many random integers below it are exact in double precision."""

SMALL, SMALLER = 1 << 20, 1 << 19
"""Between these are weights: also times digits, and summed up, they are exact."""


def places(push: Map, shape: tuple[int, ...]) -> Indices | None:
    """For each result of `push`, which element of its input, of a shape, it is (-1: it is zero).

    None if it does more than to move elements: numbers tell which, and random ones whether.
    """
    numbers, weights = numbered(prod(shape))
    found = flat(push(numbers.reshape(shape)[()]))
    if found.dtype.kind != "f" or not numpy.all((found >= 0) & (found <= numbers.size)):
        return None
    chosen = found.astype(numpy.int64) - 1
    moved = flat(push(weights[:-1].reshape(shape)[()]))
    return chosen if numpy.array_equal(moved, weights[chosen]) else None


@functools.lru_cache(maxsize=16)
def numbered(count: int) -> tuple[Any, Any]:
    """The numbers from 1 to `count`, and as many random ones before a zero."""
    weights = numpy.zeros(count + 1)
    weights[:-1] = random_integers(numpy.random.default_rng(2), count)
    return numpy.arange(1.0, count + 1), weights


def sources(push: Map, count: int, spread: Map) -> Indices | None:
    """For each result of `push`, the number of what it depends on (-1: nothing).

    `spread` makes an input of an array of `count` numbers. None if a result depends on several.
    """
    rng = numpy.random.default_rng(0)
    numbers = numpy.arange(count)
    weights = random_integers(rng, count)
    whole = flat(push(spread(weights)))
    present = whole != 0
    scale = whole[present]
    found = numpy.zeros(scale.size, dtype=numpy.int64)
    unit = 1
    while unit < max(count, 2):
        digits = flat(push(spread(weights * (numbers // unit % BASE))))[present] / scale
        rounded = numpy.rint(digits.real)
        if not numpy.all((abs(digits - rounded) < 0.01) & (rounded >= 0) & (rounded < BASE)):
            return None
        found += unit * rounded.astype(numpy.int64)
        unit *= BASE
    if found.size and found.max() >= count:
        return None
    others = random_integers(rng, count)
    result = flat(push(spread(others)))
    expected = scale * (others / weights)[found]
    tolerance = 1e3 * numpy.finfo(whole.dtype).eps
    if numpy.any(result[~present]) or numpy.any(
        abs(result[present] - expected) > tolerance * abs(expected)
    ):
        return None
    chosen = numpy.full(whole.size, -1, dtype=numpy.int64)
    chosen[present] = found
    return chosen


def alike(pull: Map, shape: tuple[int, ...]) -> tuple[int, Indices]:
    """Numbers for the elements of an input, equal for those on which all results depend alike.

    `pull` is the transposed map, of cotangents of `shape`. Gives how many numbers there are, too.
    Elements that differ may get equal numbers, by a chance of 2**-52 a pair.
    """
    rng = numpy.random.default_rng(1)
    pulled = [flat(pull(rng.integers(1, LARGEST, shape).astype(float)[()])).real for _ in range(2)]
    values, numbers = numpy.unique(pulled[0] + 1j * pulled[1], return_inverse=True)
    return values.size, numbers.astype(numpy.int64)


def random_integers(rng: numpy.random.Generator, count: int) -> Any:
    """Weights, as floating point numbers."""
    return rng.integers(SMALLER, SMALL, count).astype(float)


def flat(x: Any) -> Any:
    return numpy.asarray(x).ravel()
