"""Colours for the columns of a sparse matrix: those of one colour have no row in common.

So the columns of a colour can be added up and told apart afterwards. First comes any partition
into such independent classes: by remainders of the columns' numbers, which is the best there is
for bands and grids, or by rounds of random priorities. Then each column in turn, class by class,
takes the first colour that is free; a class takes no time but that of its elements, since its
columns do not meet. Repeated in another order of the classes this never needs more colours, and
often fewer (Culberson's iterated greedy colouring, 1992). Time is near linear in the number of
elements.
"""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import NDArray

Colors = NDArray[numpy.int64]

PASSES = 12
"""How often the classes are gone through at most."""

SEED = 0xC0105  # of priorities: the numbers of columns must not follow the same

SHORT_ROW, FEW_DISTANCES, SAMPLE = 32, 64, 4096
"""Up to which length of rows, and number of distances in so many rows, remainders are tried."""


def color_columns(rows: Any) -> Colors:
    """Colours 0, 1, ... of the columns of a matrix in CSR form; -1 for a column that is empty."""
    columns = rows.tocsc()
    bound = longest(rows)
    used = numpy.diff(columns.indptr) > 0
    colors = by_lattice(rows, bound)
    if colors is None or count(colors) > bound:
        others = improved(columns, by_rounds(columns), bound)
        if colors is not None:
            colors = improved(columns, numpy.where(used, colors, -1), bound)
        if colors is None or count(others) < count(colors):
            colors = others
    return renumbered(numpy.where(used, colors, -1))


def count(colors: Colors) -> int:
    """How many colours there are, if all numbers are used."""
    return int(colors.max(initial=-1)) + 1


def improved(columns: Any, colors: Colors, bound: int) -> Colors:
    """Colours after several passes of first fit, or as soon as there are only `bound` of them."""
    rng = numpy.random.default_rng(SEED)
    for step in range(PASSES):
        classes = split(colors)
        if len(classes) <= bound:
            break
        if step % 3 == 0:
            classes.reverse()
        elif step % 3 == 1:
            classes.sort(key=len, reverse=True)
        else:
            classes = [classes[i] for i in rng.permutation(len(classes))]
        colors = first_fit(columns, classes)
    return colors


def longest(matrix: Any) -> int:
    """The largest number of elements in a row (CSR) or column (CSC)."""
    return int(numpy.diff(matrix.indptr).max(initial=0))


def shortened(sizes: Any) -> tuple[NDArray[numpy.bool_], int]:
    """Which rows to take out, so that their number and the longest of the others are the least."""
    order = numpy.argsort(-sizes, kind="stable")
    costs = numpy.append(sizes[order], 0) + numpy.arange(sizes.size + 1)
    best = int(costs.argmin())
    out = numpy.zeros(sizes.size, dtype=bool)
    out[order[:best]] = True
    return out, int(costs[best])


def split(colors: Colors) -> list[NDArray[numpy.int64]]:
    """The columns of each colour."""
    order = numpy.argsort(colors, kind="stable")
    sizes = numpy.bincount(colors[colors >= 0])
    order = order[colors.size - int(sizes.sum()) :]
    return [part for part in numpy.split(order, numpy.cumsum(sizes)[:-1]) if part.size]


def renumbered(colors: Colors) -> Colors:
    """The same colours, numbered without gaps."""
    used = numpy.unique(colors[colors >= 0])
    return numpy.where(colors >= 0, numpy.searchsorted(used, colors), -1)


def by_lattice(rows: Any, bound: int) -> Colors | None:
    """Colours ``(i + step * j) % number``, for column ``i + width * j``, with few numbers.

    None where rows are long, irregular, or no such colours are nearly as few as `bound`. What may
    do is found on a sample of the rows, and tested on all.
    """
    m, n = rows.shape
    if not 0 < bound <= SHORT_ROW:
        return None
    sample = rows[numpy.unique(numpy.linspace(0, m - 1, SAMPLE).astype(numpy.int64))]
    owner = numpy.repeat(numpy.arange(sample.shape[0]), numpy.diff(sample.indptr))
    pairs = []
    for lag in range(1, bound):
        same = owner[lag:] == owner[:-lag]
        pairs.append(numpy.stack([sample.indices[:-lag][same], sample.indices[lag:][same]]))
    left, right = numpy.concatenate([*pairs, numpy.zeros((2, 0), dtype=numpy.int64)], axis=1)
    distances = numpy.unique(abs(right - left))
    if distances.size > FEW_DISTANCES:
        return None
    widths = [n, *(int(d) for d in distances if d > bound)]
    moves = [distinct(right % w - left % w, right // w - left // w) for w in widths]
    numbers = numpy.arange(n)
    for number in range(bound, bound + bound // 2 + 2):
        for width, (along, across) in zip(widths, moves, strict=True):
            for step in range(1 if width == n else number):
                if numpy.all((along + step * across) % number):
                    colors = (numbers % width + step * (numbers // width)) % number
                    if is_valid(rows, colors, number):
                        return colors
    return None


def distinct(x: Any, y: Any) -> tuple[Any, Any]:
    """The distinct pairs of numbers of two arrays."""
    low = x.min(initial=0)
    size = int(x.max(initial=0) - low) + 1
    pairs = numpy.unique(x - low + size * y)
    return pairs % size + low, pairs // size


def is_valid(rows: Any, colors: Colors, number: int) -> bool:
    """Whether no row has two columns of one colour."""
    owner = numpy.repeat(numpy.arange(rows.shape[0]), numpy.diff(rows.indptr))
    return int(numpy.bincount(owner * number + colors[rows.indices]).max(initial=0)) <= 1


def by_rounds(columns: Any) -> Colors:
    """A class a round: the columns whose random priority is the highest in all of their rows."""
    m, n = columns.shape
    sizes = numpy.diff(columns.indptr)
    priority = numpy.random.default_rng(SEED).permutation(n)
    colors = numpy.full(n, -1)
    left = numpy.flatnonzero(sizes)
    row = columns.indices
    step = 0
    while left.size:
        size = sizes[left]
        own = numpy.repeat(priority[left], size)
        highest = numpy.full(m, -1)
        numpy.maximum.at(highest, row, own)
        wins = numpy.logical_and.reduceat(highest[row] == own, starts(size))
        colors[left[wins]] = step
        row = row[numpy.repeat(~wins, size)]
        left = left[~wins]
        step += 1
    return colors


def first_fit(columns: Any, classes: list[NDArray[numpy.int64]]) -> Colors:
    """The columns, class by class, in the first colour that none of their rows has yet.

    What colours a row has are the bits of integers, 64 in each.
    """
    m, n = columns.shape
    colors = numpy.full(n, -1)
    taken = numpy.zeros((m, (len(classes) + 63) // 64), dtype=numpy.uint64)
    for members in classes:
        size = columns.indptr[members + 1] - columns.indptr[members]
        first = starts(size)
        within = numpy.arange(int(size.sum())) - numpy.repeat(first, size)
        row = columns.indices[numpy.repeat(columns.indptr[members], size) + within]
        color = first_free(numpy.bitwise_or.reduceat(taken[row], first))
        colors[members] = color
        each = numpy.repeat(color, size)
        taken[row, each // 64] |= numpy.uint64(1) << (each % 64).astype(numpy.uint64)
    return colors


def first_free(taken: NDArray[numpy.uint64]) -> Colors:
    """By row: the number of the lowest bit that is not set."""
    word = numpy.argmax(taken != ~numpy.uint64(0), axis=1)
    bits = ~taken[numpy.arange(len(taken)), word]
    lowest = bits & (~bits + numpy.uint64(1))
    return 64 * word + numpy.log2(lowest.astype(float)).astype(numpy.int64)


def starts(sizes: Any) -> NDArray[numpy.int64]:
    """Where each of some runs of given lengths begins."""
    first = numpy.zeros(len(sizes), dtype=numpy.int64)
    numpy.cumsum(sizes[:-1], out=first[1:])
    return first
