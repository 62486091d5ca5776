"""What runs a graph: NumPy at once, machine code as soon as it is made, where it is possible."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from importlib import import_module
from typing import Any, Protocol

from . import errors
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


class NativeProgram(Program, Protocol):
    """The same as machine code."""

    def report(self) -> tuple[tuple[str, ...], int, int]:
        """Its steps in words, the bytes that they read and write, those of intermediate arrays."""


class Runner:
    """Runs a graph with a backend.

    `watched` are the outputs in which there must be no NaN, `kinds` the types of the inputs, and
    `donated` those of the inputs whose memory machine code may use for results. With
    the backend "auto", machine code is made in another thread; until it is there, and where it
    cannot be made, NumPy runs the program. `problem` says why there is no machine code.
    """

    def __init__(
        self,
        graph: Graph,
        watched: Sequence[int],
        kinds: Sequence[type],
        donated: Sequence[int],
        fast: bool,
        backend: str,
    ) -> None:
        self.graph = graph
        self.watched = watched
        self.fast = fast
        self.timing = False  # whether the next call is to find out how long steps take
        self.times: tuple[float, ...] | None = None
        self.problem: str | None = None
        self.native: NativeProgram | None = None
        self.pending: Future[NativeProgram] | None = None
        self.process = os.getpid()
        self.make = functools.partial(native_program, graph, watched, kinds, donated, fast)
        if backend == "numpy":
            self.problem = 'it was compiled with backend="numpy"'
            return
        self.problem = unavailable()
        if backend == "llvm":
            if self.problem is not None:
                raise errors.no_machine_code(self.problem)
            self.native = self.make()
        elif self.problem is None:
            self.pending = maker().submit(self.make)

    def __call__(self, *inputs: Any) -> list[Any] | None:
        if self.timing:
            self.timing = False
            self.times = self.timed(inputs)
        return self.program(*inputs)

    def timed(self, inputs: Sequence[Any]) -> tuple[float, ...] | None:
        """The seconds that each step of the machine code takes; None where there is none."""
        self.wait()
        if self.native is None:
            return None
        module = import_module(".llvm.timing", __package__)
        seconds: tuple[float, ...] = module.step_times(self.graph, self.watched, self.fast, inputs)
        return seconds

    @property
    def entry(self) -> Callable[..., Any] | None:
        """The short way in, if there is one by now."""
        return self.native.entry if self.native is not None else None

    @property
    def program(self) -> Program:
        """What runs the graph now."""
        if self.pending is not None:
            self.look()
        return self.native if self.native is not None else self.numpy

    @functools.cached_property
    def numpy(self) -> NumpyProgram:
        return NumpyProgram(self.graph, self.watched)

    def look(self) -> None:
        """Take the machine code if it is ready."""
        pending = self.pending
        if self.process != os.getpid():  # a fork, to which the other thread did not come along
            self.process = os.getpid()
            self.pending = maker().submit(self.make)
        elif pending is not None and pending.done():
            try:
                self.native = pending.result()
            except Exception as error:  # of the compiler's own: NumPy runs it, `report` tells
                self.problem = f"{type(error).__name__}: {error}"
            self.pending = None

    def wait(self) -> None:
        """Wait for machine code that is being made."""
        pending = self.pending
        if pending is not None and self.process == os.getpid():
            pending.exception()
            self.look()


def native_program(
    graph: Graph,
    watched: Sequence[int],
    kinds: Sequence[type],
    donated: Sequence[int],
    fast: bool,
) -> NativeProgram:
    """The machine code of a graph."""
    module = import_module(".llvm.kept", __package__)
    program: NativeProgram = module.program(graph, watched, kinds, donated, fast)
    return program


class WayIn(Protocol):
    """A way into a program for trees: ``call(*args)`` gives results or `NotImplemented`."""

    call: Callable[..., Any]

    @property
    def hits(self) -> int:
        """How often it gave results."""


def native_way_in(entry: Callable[..., Any], arguments: Any, results: Any) -> WayIn | None:
    """An entry for trees of these structures of `optree`'s, as machine code, if it can be had."""
    found: WayIn | None = import_module(".llvm.trees", __package__).way_in(
        entry, arguments, results
    )
    return found


@functools.cache
def executor(process: int) -> ThreadPoolExecutor:
    """The thread of a process that makes machine code, a program at a time."""
    return ThreadPoolExecutor(1, thread_name_prefix="tapegrad-compile")


def maker() -> ThreadPoolExecutor:
    return executor(os.getpid())
