"""Graphs run by NumPy: the backend that needs nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
from numpy import ndarray

from ..backend import has_nan
from .graph import Graph
from .numpy_source import source_of


class NumpyProgram:
    """A graph as a function of raw arrays that gives a list of arrays of the caller's own.

    Calls may run at once: each takes a set of buffers out of a pool, and puts it back.
    """

    entry: Callable[..., Any] | None = None

    def __init__(self, graph: Graph, watched: Sequence[int] = ()) -> None:
        self.watched = watched
        self.source = source_of(graph)
        self.function = self.source.function()
        self.pool: list[list[ndarray]] = []

    def __call__(self, *inputs: Any) -> list[Any] | None:
        """The results; None if there is a NaN in one of those that are `watched`."""
        try:
            buffers = self.pool.pop()
        except IndexError:
            buffers = [numpy.empty(shape, dtype) for shape, dtype in self.source.buffers]
        with numpy.errstate(all="ignore"):
            results = self.function(buffers, *inputs)
        self.pool.append(buffers)
        if any(has_nan(results[i]) for i in self.watched):
            return None
        return owned(results, inputs)


def owned(results: list[Any], inputs: Sequence[Any]) -> list[Any]:
    """Results that share memory neither with anything that stays nor with each other.

    Single numbers are NumPy scalars.
    """
    known = {id(x) for x in inputs}
    for i, x in enumerate(results):
        if type(x) is not ndarray:
            continue
        if not x.shape:
            results[i] = x[()]
        elif x.base is not None or id(x) in known:
            results[i] = x = x.copy()
        known.add(id(x))
    return results
