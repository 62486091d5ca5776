"""A compiled function's way in for trees: a builtin function that takes lists, tuples and
dictionaries apart, runs the program on the arrays, and puts its results together.

A small machine runs instructions: how to take arguments of one structure apart, and how to build
results of one. Where arguments have another structure, or the program does not take the arrays, it
gives `NotImplemented`.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy
from numpy import ndarray

from .entry import FASTCALL, Method, State
from .entry_layout import COUNT
from .machine import machine
from .tree_machine import DICT, HITS, KIND_OF, LEAVES
from .words import ITEMS, SIZE, TYPE, WORDS


class Apart(NamedTuple):
    """How to take arguments apart: instructions, and how many places and arrays they need."""

    instructions: list[tuple[int, ...]]
    places: int
    arrays: int


class UnsupportedError(LookupError):
    """Raised for structures with other containers, or other keys."""


def apart(spec: Any, keys: Callable[[Any], int]) -> Apart:
    """The instructions for a structure (of `optree`'s), that of the tuple of arguments.

    `keys` gives the address of an array of the addresses of keys.
    """
    found: list[tuple[int, ...]] = []
    places, arrays = 1, 0

    def inside(children: list[Any], parent: int) -> None:
        nonlocal places, arrays
        first = 0
        for i, child in enumerate([*children, None]):
            if child is not None and child.is_leaf():
                continue
            if i > first:
                found.append((LEAVES, parent, first, i - first, 0, 0))
                arrays += i - first
            first = i + 1
            if child is None:
                return
            kind = kind_of(child)
            size = child.num_children
            values = names = 0
            own, places = places, places + 1
            if kind == DICT:
                values, places = places, places + size
                names = keys(child.entries())
            found.append((kind, parent, i, size, values, names))
            inside(child.children(), own)

    inside(spec.children(), 0)
    return Apart(found, places, arrays)


def together(spec: Any, keys: Callable[[Any], int]) -> tuple[list[tuple[int, ...]], int]:
    """The instructions that build a structure of `optree`'s, and the height of their stack.

    None is the structure of a single result.
    """
    found: list[tuple[int, ...]] = []
    height = most = 0

    def visit(node: Any, leaf: int) -> None:
        nonlocal height, most
        if node is None or node.is_leaf():
            found.append((LEAVES, 0, leaf, 1, 0, 0))
            height += 1
            most = max(most, height)
            return
        children, starts = node.children(), [leaf]
        for child in children:
            starts.append(starts[-1] + child.num_leaves)
        order, names = list(range(len(children))), 0
        kind = kind_of(node)
        if kind == DICT:  # the keys in the user's order
            example, entries = node.unflatten(range(node.num_leaves)), node.entries()
            order = [entries.index(name) for name in example]
            names = keys(example)
        for i in order:
            visit(children[i], starts[i])
        found.append((kind, 0, 0, len(children), 0, names))
        height += 1 - len(children)
        most = max(most, height)

    visit(spec, 0)
    return found, most


def kind_of(spec: Any) -> int:
    """The kind of container that a structure is."""
    if spec.type not in KIND_OF or (
        spec.type is dict and any(type(k) not in (str, int) for k in spec.entries())
    ):
        raise UnsupportedError
    return KIND_OF[spec.type]


def word(at: int) -> int:
    return ctypes.c_size_t.from_address(at).value


@functools.cache
def trustworthy() -> bool:
    """Whether containers are laid out as assumed, which is tried on some."""
    some, others = [1.5, 2.5, 3.5], (1.5, 2.5)
    items = [word(id(some) + ITEMS), id(others) + ITEMS]
    return all(
        word(id(x) + TYPE) == id(type(x))
        and word(id(x) + SIZE) == len(x)
        and [word(at + 8 * i) for i in range(len(x))] == list(map(id, x))
        for x, at in zip((some, others), items, strict=True)
    )


def way_in(entry: Any, arguments: Any, results: Any) -> WayIn | None:
    """The way in for an entry and two structures of `optree`'s, if it can have one.

    `results` is None for a single one.
    """
    if not isinstance(getattr(entry, "__self__", None), State) or not trustworthy():
        return None
    try:
        return WayIn(entry, arguments, results)
    except UnsupportedError:
        return None


class Tables(ndarray):
    """The `self` of a way in; `kept` is what its addresses are of."""

    kept: list[Any]


class WayIn:
    """A builtin function for one structure of arguments and one of results."""

    def __init__(self, entry: Any, arguments: Any, results: Any) -> None:
        """`entry` is a builtin function of machine code that takes arrays and gives a list."""
        kept: list[Any] = [entry, machine()]

        def keys(names: Any) -> int:
            names = list(names)
            kept.append((names, numpy.array([id(name) for name in names], numpy.uint64)))
            return int(kept[-1][1].ctypes.data)

        steps, places, arrays = apart(arguments, keys)
        making, depth = together(results, keys)
        tables = [numpy.array(x, numpy.uint64).reshape(-1, WORDS) for x in (steps, making)]
        ranges = [(x.ctypes.data, x.ctypes.data + x.nbytes) for x in tables]
        program = entry.__self__
        count = int(program[COUNT])
        state = [
            *(arguments.num_children, places, arrays, *ranges[0], *ranges[1], max(depth, 1)),
            *(program.ctypes.data, count, id(NotImplemented), 0, *map(id, KIND_OF)),
        ]
        self.table = numpy.array(state, numpy.uint64).view(Tables)
        self.method = Method(b"call", machine()["call"], FASTCALL, None)
        self.table.kept = [*kept, tables, self.method]
        make = ctypes.pythonapi.PyCFunction_NewEx
        make.restype = ctypes.py_object
        make.argtypes = (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
        self.call: Callable[..., Any] = make(ctypes.addressof(self.method), self.table, None)

    @property
    def hits(self) -> int:
        """How often it was called and did not give `NotImplemented`."""
        return int(self.table[HITS])
