"""Colours for the columns of a symmetric matrix, of which one of two equal elements is enough.

A column with a colour of its own gives its row too. So the few longest ones get theirs, and the
others are coloured as if the matrix were not symmetric. Where rows differ much in length, a star
colouring may do with fewer: neighbours differ, and no path of four vertices has only two colours
(Coleman and Moré, 1984). All vertices choose at the same time the first colour that goes with those
chosen before; where two choices do not go together, the vertex of the higher degree stays, and the
others choose again.
"""

from __future__ import annotations

from typing import Any

import numpy

from .coloring import SEED, Colors, color_columns, count, first_free, longest, shortened, starts

EVEN = 2
"""How much longer than the mean the longest row may be, for a star colouring to promise little."""

ROUNDS = 8
"""So many rounds of choices must halve the number of vertices, or are given up."""


def color_symmetric(matrix: Any) -> Colors:
    """Colours of the columns of a symmetric matrix in CSR form; -1 for a column that is empty.

    Of each element and the one across the diagonal, at least one is then alone of its colour in its
    row.
    """
    sizes = numpy.diff(matrix.indptr)
    long, bound = shortened(sizes)
    short = numpy.flatnonzero(~long)
    colors = numpy.where(sizes > 0, 0, -1)  # where all neighbours have their own, any will do
    others = color_columns(matrix[short][:, short].tocsr())
    colors[short] = numpy.maximum(colors[short], others)
    colors[long] = count(colors[short]) + numpy.arange(int(long.sum()))
    if count(colors) <= bound and longest(matrix) <= EVEN * sizes.mean():
        return colors
    star = Graph(matrix).colors(count(colors))
    return colors if star is None else star


def recoverable(matrix: Any, colors: Colors) -> Any:
    """For each element of the matrix, whether it is alone of its colour in its row."""
    owner = numpy.repeat(numpy.arange(matrix.shape[0]), numpy.diff(matrix.indptr))
    key = owner * max(count(colors), 1) + colors[matrix.indices]
    return numpy.bincount(key)[key] == 1


class Graph:
    """The graph of a symmetric matrix, an edge as two arrows, and the colours of its vertices."""

    def __init__(self, matrix: Any) -> None:
        n = matrix.shape[0]
        tail = numpy.repeat(numpy.arange(n), numpy.diff(matrix.indptr))
        across = tail != matrix.indices
        self.size = n
        self.tail, self.head = tail[across], matrix.indices[across].astype(numpy.int64)
        degree = numpy.bincount(self.tail, minlength=n)
        self.connected = numpy.flatnonzero(degree)
        self.first = starts(degree[self.connected])
        rank = numpy.random.default_rng(SEED).permutation(n)
        self.priority = degree * n + rank
        self.color = numpy.where(numpy.diff(matrix.indptr) > 0, 0, -1)
        self.color[self.connected] = -1

    def colors(self, limit: int) -> Colors | None:
        """A star colouring with fewer than `limit` colours; None if none is found soon."""
        open = self.connected
        before = 2 * open.size
        step = 0
        while open.size and count(self.color) < limit:
            if step % ROUNDS == 0:
                if 2 * open.size > before:
                    return None
                before = open.size
            step += 1
            self.color[open] = first_free(self.forbidden()[open])
            self.withdraw(open, self.tail, self.equal_neighbours())
            self.withdraw(open, self.head, self.two_colored_paths(open))
            open = open[self.color[open] < 0]
        return self.color if count(self.color) < limit else None

    def counts(self) -> tuple[Any, Any]:
        """Keys of the arrows by tail and the head's colour, and how many arrows have each key.

        Arrows to a vertex without colour have a key of their own.
        """
        width = count(self.color) + 1
        key = self.tail * width + self.color[self.head] + 1
        return key, numpy.bincount(key, minlength=self.size * width)

    def forbidden(self) -> Any:
        """By vertex, as bits: colours that would give it an equal neighbour or a path of two."""
        color, tail, head = self.color, self.tail, self.head
        words = (count(color) + 1) // 64 + 1
        key, counts = self.counts()
        width = count(color) + 1
        bits = numpy.zeros((tail.size, words), dtype=numpy.uint64)
        colored = numpy.flatnonzero(color[head] >= 0)
        chosen = color[head[colored]]
        bits[colored, chosen // 64] = numpy.uint64(1) << (chosen % 64).astype(numpy.uint64)
        near = self.any_of(bits)
        # an arrow w -> x where x has two neighbours of the colour of w
        twice = (color[tail] >= 0) & (counts[head * width + color[tail] + 1] >= 2)
        far = self.any_of(numpy.where(twice[:, None], bits, numpy.uint64(0)))
        # an arrow v -> w where v has two neighbours of the colour of w
        double = (color[head] >= 0) & (counts[key] >= 2)
        beyond = bits | numpy.where((color[head] >= 0)[:, None], far[head], numpy.uint64(0))
        beyond |= numpy.where(double[:, None], near[head], numpy.uint64(0))
        return self.any_of(beyond)

    def any_of(self, bits: Any) -> Any:
        """By vertex: the bits of its arrows, together."""
        total = numpy.zeros((self.size, bits.shape[1]), dtype=numpy.uint64)
        if bits.size:
            total[self.connected] = numpy.bitwise_or.reduceat(bits, self.first)
        return total

    def equal_neighbours(self) -> Any:
        """The arrows between equal colours whose tail has the lower priority."""
        color, priority = self.color, self.priority
        equal = (color[self.tail] >= 0) & (color[self.tail] == color[self.head])
        return equal & (priority[self.tail] < priority[self.head])

    def two_colored_paths(self, open: Any) -> Any:
        """The arrows on paths of two colours to vertices of `open` that are not its best ones."""
        color, tail, head = self.color, self.tail, self.head
        key, counts = self.counts()
        width = count(color) + 1
        back = head * width + color[tail] + 1
        colored = (color[tail] >= 0) & (color[head] >= 0)
        inner = numpy.flatnonzero(colored & (counts[key] >= 2) & (counts[back] >= 2))
        new = numpy.full(self.size, -1)
        new[open] = self.priority[open]
        best = numpy.full(counts.size, -1)
        numpy.maximum.at(best, key, new[head])
        top = numpy.maximum(best[key[inner]], best[back[inner]])
        limit = numpy.full(counts.size, -1)
        numpy.maximum.at(limit, key[inner], top)
        return (color[head] >= 0) & (limit[key] > self.priority[head])

    def withdraw(self, open: Any, end: Any, arrows: Any) -> None:
        """Take back the colours of those vertices of `open` that are an end of marked arrows."""
        mark = numpy.zeros(self.size, dtype=bool)
        mark[end[arrows]] = True
        self.color[open[mark[open]]] = -1
