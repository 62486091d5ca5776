"""Whether a function draws from NumPy's own generators, which know nothing of the lanes of `vmap`.

What they draw is a constant of the trace, the same in all lanes. It cannot be seen as it is drawn,
but by the generators' states afterwards: of the one behind `numpy.random`, and of those that the
function closes over, names, gets or is a method of. To compare them takes as long as a small
`vmap`, so each function is looked at until it has drawn nothing once.
"""

from __future__ import annotations

import functools
import inspect
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from weakref import WeakSet

import numpy

from .. import callers
from . import misuse
from .arguments import name_of

drew_nothing: WeakSet[Any] = WeakSet()
"""The code of functions that are known to draw nothing; the classes of other callables."""


class Watch:
    """Generators, and their states before a function is traced."""

    __slots__ = ("fun", "seen", "states")

    def __init__(self, fun: Callable[..., Any], leaves: Iterable[Any]) -> None:
        self.fun = innermost(fun)
        self.seen = code_of(self.fun)
        self.states: list[tuple[Any, Any]] = []
        if self.seen not in drew_nothing:
            self.states = [(state, state()) for state in states(self.fun, leaves)]

    def check(self, randomness: str) -> None:
        """Raise if a generator has drawn since; warn if it may have been for another thread."""
        for state, before in self.states:
            if not equal(before, state()):
                error = misuse.plain_random(name_of(self.fun), randomness)
                if state is not common_state or threading.active_count() == 1:
                    raise error
                callers.warn(str(error), RuntimeWarning)  # it may be another thread that drew
                return
        drew_nothing.add(self.seen)


def innermost(fun: Callable[..., Any]) -> Any:
    """The user's function in what transforms, decorators and `partial` made of it."""
    while True:
        inner = inspect.unwrap(fun)
        if isinstance(inner, functools.partial):
            inner = inner.func
        if inner is fun:
            return fun
        fun = inner


def code_of(fun: Any) -> Any:
    """What is the same for all functions of one text."""
    return getattr(fun, "__code__", None) or type(fun)


def common_state() -> Any:
    """The state of the generator behind `numpy.random`."""
    return numpy.random.get_state(legacy=False)


def states(fun: Any, leaves: Iterable[Any]) -> Iterator[Callable[[], Any]]:
    """What gives the states of NumPy's generators, as far as a function's are to be found."""
    random = sys.modules.get("numpy.random")
    if random is None:
        return
    yield common_state
    for x in (*leaves, *values_of(fun)):
        if type(x) is random.RandomState:
            yield functools.partial(x.get_state, legacy=False)
        elif type(x) is random.Generator:
            yield functools.partial(getattr, x.bit_generator, "state")


def values_of(fun: Any) -> Iterator[Any]:
    """What a function closes over and names, and what its object has."""
    owner = getattr(fun, "__self__", fun)
    yield from getattr(owner, "__dict__", {}).values()
    function = getattr(fun, "__func__", fun)
    if inspect.isfunction(function):
        found = inspect.getclosurevars(function)
        yield from found.nonlocals.values()
        yield from found.globals.values()


def equal(x: Any, y: Any) -> bool:
    """Whether two states are the same: numbers, arrays and dictionaries of these."""
    if isinstance(x, dict):
        return all(equal(x[key], y[key]) for key in x)
    return numpy.array_equal(x, y)
