"""What runs a graph: machine code where it is wanted and possible, else NumPy."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol

from .graph import Graph
from .llvm.host import unavailable
from .numpy_program import NumpyProgram


class Program(Protocol):
    """A graph as a function of raw arrays that gives a list of arrays of the caller's own."""

    def __call__(self, *inputs: Any) -> list[Any]: ...


def build(graph: Graph, backend: str) -> Program:
    """The program of a graph."""
    if backend == "numpy" or unavailable() is not None:
        return NumpyProgram(graph)
    program: Program = import_module(".llvm.program", __package__).LlvmProgram(graph)
    return program
