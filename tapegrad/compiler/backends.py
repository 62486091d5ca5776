"""What runs a graph: machine code where it is wanted and possible, else NumPy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Protocol

from .graph import Graph
from .llvm.host import unavailable
from .numpy_program import NumpyProgram


class Program(Protocol):
    """A graph as a function of raw arrays that gives a list of arrays of the caller's own.

    It gives None where there is a NaN in an output in which there must be none.
    """

    entry: Callable[..., Any] | None
    """The same for inputs of the kinds that were given alone; else it gives `NotImplemented`."""

    def __call__(self, *inputs: Any) -> list[Any] | None: ...


def build(graph: Graph, watched: Sequence[int], kinds: Sequence[type], backend: str) -> Program:
    """The program of a graph.

    `watched` are the outputs in which there must be no NaN, `kinds` the types of the inputs.
    """
    if backend == "numpy" or unavailable() is not None:
        return NumpyProgram(graph, watched)
    program: Program = import_module(".llvm.program", __package__).LlvmProgram(
        graph, watched, kinds
    )
    return program
