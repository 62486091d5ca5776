"""The walks that a sparse matrix of derivatives takes: one vector a colour, all at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy

from ..backend import is_inexact
from ..core.lanes import pull_lanes, push_lanes
from ..core.op import table
from ..core.record import raw
from ..ops.index import ARRAY
from ..transforms.grad import differentiator
from ..transforms.linearize import Recording
from ..transforms.rules import can_push
from . import errors
from .coloring import count
from .pattern import Pattern

TOGETHER = 1 << 22
"""So many numbers at most go through a walk as vectors of one result."""


class Compressed(Recording):
    """A run that is walked for the elements of a pattern before it ends."""

    __slots__ = ("elements", "name", "pattern")

    def __init__(
        self,
        name: str,
        fun: Callable[..., Any],
        pattern: Pattern,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> None:
        self.name = name
        self.pattern = pattern
        forward = bool((pattern.columns >= 0).any())
        super().__init__(name, fun, args, False, False, (0,), kwargs, forward)

    def finish(self) -> None:
        for what, arrays in (("argument", self.data), ("result", self.values)):
            for x in arrays:
                if x.dtype.kind == "c":
                    raise errors.complex_values(self.name, what, x.dtype)
        shape = sum(y.size for y in self.values), sum(x.size for x in self.data)
        if shape != self.pattern.shape:
            raise errors.wrong_shape(self.name, self.pattern.shape, shape)
        self.elements = self.take()

    def take(self) -> Any:
        """The elements of the pattern, in its order."""
        pattern = self.pattern
        parts = [
            *self.walked(pattern.columns, self.data, self.values, self.push_lanes),
            *self.walked(pattern.rows, self.values, self.data, self.pull_lanes),
        ]
        if not parts:
            return numpy.zeros(0, dtype=numpy.result_type(*self.data, float))
        concat, getitem = table["concat"].function, table["getitem"].function
        numbers = parts[0] if len(parts) == 1 else concat(*parts, axis=0)
        return getitem(numbers, pattern.places(), key=(ARRAY,))

    def walked(
        self,
        colors: Any,
        own: list[Any],
        others: list[Any],
        walk: Callable[[list[Any], int], list[Any]],
    ) -> Iterator[Any]:
        """What comes out for the sum of the unit vectors of each colour, as flat arrays."""
        lanes = count(colors)
        size = sum(x.size for x in others)
        chunk = max(1, TOGETHER // max(size, colors.size, 1))
        for start in range(0, lanes, chunk):
            stop = min(start + chunk, lanes)
            inside = numpy.flatnonzero((start <= colors) & (colors < stop))
            seeds = numpy.zeros((stop - start, colors.size))
            seeds[colors[inside] - start, inside] = 1
            yield self.flat(walk(self.parts(seeds, own), stop - start), others, stop - start)

    def parts(self, vectors: Any, arrays: list[Any]) -> list[Any]:
        """Vectors of all elements, a row each, cut to the shapes of `arrays`; None of integers."""
        parts: list[Any] = []
        start = 0
        for x in arrays:
            part = vectors[:, start : start + x.size]
            start += x.size
            floating = is_inexact(x.dtype)
            shaped = part.reshape(len(vectors), *x.shape)
            parts.append(shaped.astype(x.dtype, copy=False) if floating else None)
        return parts

    def flat(self, walked: list[Any], arrays: list[Any], lanes: int) -> Any:
        """What came out for each of `arrays`, with zeros where nothing did, as one flat array."""
        reshape, concat = table["reshape"].function, table["concat"].function
        rows = [
            numpy.zeros((lanes, x.size)) if t is None else reshape(t, to=(lanes, x.size))
            for t, x in zip(walked, arrays, strict=True)
        ]
        whole = rows[0] if len(rows) == 1 else concat(*rows, axis=1)
        return reshape(whole, to=(whole.size,))

    def push_lanes(self, seeds: list[Any], lanes: int) -> list[Any]:
        pushed = push_lanes(self.walk, seeds, self.slots, lanes)
        return [t if slot else None for slot, t in zip(self.slots, pushed, strict=True)]

    def pull_lanes(self, seeds: list[Any], lanes: int) -> list[Any]:
        cotangents: dict[int, Any] = {}
        for slot, seed in zip(self.slots, seeds, strict=True):
            if slot and seed is not None:
                cotangents[slot] = cotangents[slot] + seed if slot in cotangents else seed
        return pull_lanes(self.walk, cotangents, lanes)


class Probed(Compressed):
    """A run whose sparse matrix is compared with walks for random vectors."""

    __slots__ = ("difference", "probes")

    def __init__(self, *args: Any, probes: int) -> None:
        self.probes = probes
        super().__init__(*args)

    def take(self) -> Any:
        data = numpy.asarray(raw(super().take()))
        matrix = self.pattern.matrix().astype(data.dtype)
        matrix.data = data
        rng = numpy.random.default_rng()
        if can_push(self.walk.entries):
            vectors = rng.standard_normal((self.probes, matrix.shape[1]))
            walked = self.push_lanes(self.parts(vectors, self.data), self.probes)
            found = self.flat(walked, self.values, self.probes)
        else:
            vectors = rng.standard_normal((self.probes, matrix.shape[0]))
            walked = self.pull_lanes(self.parts(vectors, self.values), self.probes)
            found = self.flat(walked, self.data, self.probes)
            matrix = matrix.T
        expected = numpy.asarray(raw(found)).reshape(self.probes, -1)
        scale = abs(vectors) @ abs(matrix).T + abs(expected)
        tolerance = 1e3 * numpy.finfo(data.dtype).eps
        error = abs(vectors @ matrix.T - expected)
        self.difference = float(numpy.max(error[error > tolerance * scale], initial=0.0))
        return data


def check(pattern: Pattern, fun: Callable[..., Any], *args: Any, probes: int = 2) -> None:
    """Raise `PatternError` if the derivative of `fun` at `args` has elements outside of `pattern`.

    The sparse matrix times random vectors is compared with what walks give for the same vectors,
    of which there are `probes`. A symmetric pattern is one of the Hessian.

    >>> import numpy as np, tapegrad as tg
    >>> pattern = tg.sparsity(lambda x: x * x, np.ones(3))
    >>> tg.sparse.check(pattern, lambda x: x * x, np.arange(3.0))
    """
    if pattern.symmetric:
        fun = differentiator("check", fun, 0, None, False, False)
    run = Probed("check", fun, pattern, args, {}, probes=probes)
    if run.difference:
        raise errors.incomplete(run.difference)
