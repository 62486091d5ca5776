"""What a function reads beside its arguments: globals, what it closes over, attributes of objects.

NumPy's arrays that are operands of its operations become inputs of its program. All else that it
reads is a part of the program, which is right as long as the same objects are found in the same
places, and the same numbers in small arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from keyword import iskeyword
from types import BuiltinFunctionType, CellType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy
from numpy import ndarray

from ..core.versions import owner_of
from .places import BYTES, SIZE, Attributes, Place
from .search import Found

MOST = 1000
"""How many places are looked at before each call. Where there are more, none is."""

FIXED = (ModuleType, BuiltinFunctionType, FunctionType, MethodType, type, numpy.ufunc)
"""What is taken to stay as it was, since it is code."""

SMALL = 1 << 12
"""Bytes of an array that is no operand, up to which its contents are looked at before a call."""

REMEMBERED = 1 << 20
"""Bytes of an array up to which it is noticed if the function itself writes to it."""


class Outside:
    """What can be read from some functions and objects, as it is now."""

    def __init__(self, roots: Iterable[tuple[str, Any]]) -> None:
        found = Found(roots)
        self.arrays = found.plain
        self.owners = {id(owner_of(x)) for _, x in found.plain}
        places = {
            (id(place.container), place.key): place
            for place in found.read()
            if not isinstance(place.value, FIXED)
        }
        self.places = list(places.values()) if found.whole and len(places) <= MOST else []
        self.same = comparison(self.places)

    def settle(self, operands: Iterable[ndarray]) -> None:
        """After the functions ran, and took some arrays for operands: look at small others too.

        What the functions changed themselves is looked at no more: lists that they append to, say.
        """
        grown = {id(p.container) for p in self.places if p.key is SIZE and not p.same()}
        self.places = [p for p in self.places if id(p.container) not in grown and p.same()]
        taken = {id(owner_of(x)) for x in operands}
        self.places += [
            Place(name, name, x, BYTES, x.tobytes())
            for name, x in self.arrays
            if x.nbytes <= SMALL and x.dtype.kind in "biufc" and id(owner_of(x)) not in taken
        ]
        self.same = comparison(self.places)

    def __contains__(self, x: Any) -> bool:
        """Whether an array of NumPy's, or one that it is a view of, can be read."""
        return isinstance(x, ndarray) and id(owner_of(x)) in self.owners

    def changed(self) -> str | None:
        """The name of the first value that is another by now.

        None if all are equal to what they were; then these are the ones to be the same.
        """
        for place in self.places:
            if not place.same():
                return place.name
        self.places = [place._replace(value=place.current()) for place in self.places]
        self.same = comparison(self.places)
        return None


def comparison(places: list[Place]) -> Callable[[], bool]:
    """A function that says whether the same objects are in some places; it takes 20 ns for each."""
    names: dict[str, Any] = {}
    tests = []
    for i, (_, _, container, key, value) in enumerate(places):
        names[f"c{i}"], names[f"k{i}"], names[f"v{i}"] = container, key, value
        if key is SIZE:
            tests.append(f"len(c{i}) == v{i}")
        elif key is BYTES:
            tests.append(f"c{i}.tobytes() == v{i}")
        elif isinstance(container, CellType):
            tests.append(f"c{i}.cell_contents is v{i}")
        elif isinstance(container, Attributes) and key.isidentifier() and not iskeyword(key):
            names[f"c{i}"] = container.owner
            tests.append(f"c{i}.{key} is v{i}")
        else:
            tests.append(f"c{i}[k{i}] is v{i}")
    exec(COMPARISON.format(" and ".join(tests) or "True"), names)
    result: Callable[[], bool] = names["same"]
    return result


COMPARISON = """
def same():
    try:
        return {}
    except (AttributeError, LookupError, ValueError):
        return False
"""


class Written:
    """The contents of arrays, to see whether a function writes to them."""

    def __init__(self, arrays: Iterable[tuple[str, ndarray]]) -> None:
        self.before = [
            (name, x, x.copy())
            for name, x in arrays
            if x.nbytes <= REMEMBERED and x.dtype.kind in "biufc"
        ]

    def put_back(self) -> str | None:
        """Undo what was written since; the name of an array that was written to, or None."""
        written = [
            (name, x, copy)
            for name, x, copy in self.before
            if not numpy.array_equal(x, copy, equal_nan=x.dtype.kind in "fc")
        ]
        for _, x, copy in written:
            x[...] = copy
        return written[0][0] if written else None
