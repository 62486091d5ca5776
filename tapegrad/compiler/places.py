"""Places and containers as they were seen: whether they hold the same, and how to put it back."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from operator import is_
from types import CellType
from typing import Any, NamedTuple

import numpy

SCALARS = (bool, int, float, complex, str, bytes, type(None))


class Place(NamedTuple):
    """Where something was found: ``container[key]``, or the contents of a cell, that is, of a
    variable that a function closes over. `SIZE` and `BYTES` for keys stand for how much a container
    holds, and for the contents of an array. `way` is what the container, or the function that reads
    the variable, was found by."""

    name: str
    way: str
    container: Any
    key: Any
    value: Any

    def current(self) -> Any:
        """What is there now; the place itself where there is nothing."""
        try:
            if self.key is SIZE:
                return len(self.container)
            if self.key is BYTES:
                return self.container.tobytes()
            if isinstance(self.container, CellType):
                return self.container.cell_contents
            return self.container[self.key]
        except (LookupError, ValueError):
            return self

    def same(self) -> bool:
        """Whether the same object is still there, or an equal number or text."""
        old, new = self.value, self.current()
        plain = type(old) in SCALARS or isinstance(old, numpy.generic)
        return old is new or (plain and type(old) is type(new) and repr(old) == repr(new))

    def restore(self) -> None:
        """Put back what was there."""
        if isinstance(self.container, CellType):
            self.container.cell_contents = self.value
        else:
            self.container[self.key] = self.value


SIZE, BYTES = object(), object()


class Attributes:
    """The attributes of an object as a container, where it has them in slots or from its class."""

    __slots__ = ("owner",)

    def __init__(self, owner: Any) -> None:
        self.owner = owner

    def __getitem__(self, name: str) -> Any:
        try:
            return getattr(self.owner, name)
        except AttributeError:
            raise KeyError(name) from None

    def __setitem__(self, name: str, value: Any) -> None:
        setattr(self.owner, name, value)


class Held:
    """A container as it was seen: `contents` gives what it holds, `before` what it held.

    `keyed` says that a program depends on what it holds; in the others a change shows a side effect
    alone.
    """

    __slots__ = ("before", "container", "contents", "keyed", "name")

    def __init__(
        self, container: Any, contents: Callable[[Any], Any], name: str, keyed: bool
    ) -> None:
        self.container = container
        self.contents = contents
        self.before = contents(container)
        self.name = name
        self.keyed = keyed

    def same(self) -> bool:
        """Whether it holds the same objects, or equal numbers."""
        before, now = self.before, self.container
        if self.contents is dict:  # most are
            if len(before) == len(now) and all(map(is_, before.values(), now.values())):
                return bool(before.keys() == now.keys())
        else:
            now = self.contents(now)
        return alike(before, now)

    def restore(self) -> None:
        """Put back what it held."""
        container, before = self.container, self.before
        if isinstance(container, dict):
            for name in [n for n in self.contents(container) if n not in before]:
                del container[name]
            container.update(before)
        elif isinstance(container, list | deque):
            container.clear()
            container.extend(before)


def alike(before: Any, after: Any) -> bool:
    if len(before) != len(after):
        return False
    if isinstance(before, dict):
        return all(
            name in after and (x is after[name] or equal(x, after[name]))
            for name, x in before.items()
        )
    return all(x is y or equal(x, y) for x, y in zip(before, after, strict=True))


def equal(x: Any, y: Any) -> bool:
    kind = type(x)
    if kind is tuple and type(y) is tuple and len(x) == len(y):
        return all(a is b or equal(a, b) for a, b in zip(x, y, strict=True))
    return kind is type(y) and kind in SCALARS and bool(x == y)
