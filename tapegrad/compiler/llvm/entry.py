"""A program's way in from Python: a builtin function that takes the arrays as positional arguments.

It looks at each for its type, dtype, shape and layout, finds memory for the results, runs the
program and returns the results in a list. Where anything is not as it was compiled for, it returns
`NotImplemented`, and the caller goes the long way.

All programs have the same code (`entry_machine`), and tables of their own (`entry_layout`). Results
are given again when nothing refers to them any more: that takes a tenth of the time of new ones.
"""

from __future__ import annotations

import ctypes
import functools
import sys
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy
from numpy import ndarray

from ..graph import Node
from . import entry_layout as at
from .machine import machine
from .words import DATA, DESCRIPTION, DIMENSIONS, FLAGS, SCALAR, SHAPE, TYPE, WEAK, WORDS

FASTCALL = 0x80

QUICK = 1 << 15
"""Elements computed, from which on other threads may run meanwhile."""


class Method(ctypes.Structure):
    """Python's description of a builtin function."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


@functools.cache
def trustworthy() -> bool:
    """Whether this Python's objects are laid out as assumed, which is tried on some."""
    x = numpy.arange(6.0).reshape(2, 3)
    y = numpy.float64(1.25)
    alone = [numpy.empty(1)]

    def word(at: int) -> int:
        return ctypes.c_size_t.from_address(at).value

    def references(at: int) -> int:
        return ctypes.c_uint32.from_address(at).value

    before = word(id(x) + WEAK), references(id(alone[0]))
    other, reference = alone[0], weakref.ref(x)
    return (
        word(id(x) + TYPE) == id(ndarray)
        and word(id(x) + DATA) == x.ctypes.data
        and ctypes.c_int.from_address(id(x) + DIMENSIONS).value == 2
        and [word(word(id(x) + SHAPE) + 8 * i) for i in range(2)] == [2, 3]
        and word(id(x) + DESCRIPTION) == id(x.dtype)
        and ctypes.c_int.from_address(id(x) + FLAGS).value == x.flags.num
        and word(id(y) + TYPE) == id(numpy.float64)
        and ctypes.c_double.from_address(id(y) + SCALAR).value == 1.25
        and before == (0, 1)
        and (word(id(x) + WEAK), references(id(other))) == (id(reference), 2)
    )


class Argument(NamedTuple):
    """What an argument must be: the name of a type, the character of a dtype, a shape, a size in
    bytes, and whether it is written to."""

    type: str
    dtype: str
    shape: tuple[int, ...]
    size: int
    written: bool


class Result(NamedTuple):
    """What a result is: its dtype and shape, or the number of the argument that becomes it."""

    dtype: str
    shape: tuple[int, ...]
    taken: int | None


class Description(NamedTuple):
    """What an entry takes and gives, by what means the same in every process.

    `block` is the size of the memory that the program works in; `quick` says that it takes so
    little time that other threads may wait.
    """

    arguments: Sequence[Argument]
    results: Sequence[Result]
    block: int
    quick: bool


def description(
    inputs: Sequence[Node],
    kinds: Sequence[type],
    outputs: Sequence[Node],
    replaced: Mapping[Node, Node],
    block: int,
    work: int,
) -> Description:
    """What a program takes and gives.

    `kinds` says of each input whether it is an array or a scalar; of `outputs`, those in `replaced`
    take the place of an input; `work` is the number of operations.
    """
    written = set(replaced.values())
    arguments = [
        Argument(kind.__name__, x.dtype.char, x.shape, x.nbytes, x in written)
        for x, kind in zip(inputs, kinds, strict=True)
    ]
    results = [
        Result(x.dtype.char, x.shape, inputs.index(replaced[x]) if x in replaced else None)
        for x in outputs
    ]
    return Description(arguments, results, block, work < QUICK)


def builtin(
    wanted: Description, constants: Sequence[ndarray], steps: int, library: Any
) -> Callable[..., Any]:
    """The function for a program whose table of steps is at an address in a library."""
    kept: list[Any] = [library, machine(), *constants]

    def kept_address(words: Sequence[int]) -> int:
        array = numpy.array(words, numpy.int64)
        kept.append(array)
        return int(array.ctypes.data)

    def kept_id(thing: Any) -> int:
        kept.append(thing)
        return id(thing)

    arguments, lengths, results = [], [], []
    for type, dtype, shape, size, is_written in wanted.arguments:
        flags = at.CONTIGUOUS_AND_ALIGNED | (at.OWN_AND_WRITEABLE if is_written else 0)
        described = (kept_id(numpy.dtype(dtype)), len(shape), kept_address(shape), flags, 0)
        arguments.append((kept_id(getattr(numpy, type)), *described))
        lengths.append(max(size, 1))
    for dtype, shape, taken in wanted.results:
        if taken is not None:
            results.append((at.TAKEN, taken, 0, 0, 0, 0))
            continue
        kind = at.ARRAY
        if not shape:
            kind = at.BOOLEAN if dtype == "?" else at.NUMBER
        described = (kept_id(numpy.dtype(dtype)), len(shape), kept_address(shape), 0, 0)
        results.append((kind, *described))
    given = Given(results)
    looked_at = numpy.array(arguments, numpy.int64).reshape(-1, WORDS)
    written = [i for i, x in enumerate(wanted.arguments) if x.written]
    addresses = [x.ctypes.data for x in constants]
    places = {
        at.ARRAY_TYPE: id(ndarray),
        at.OTHERWISE: id(NotImplemented),
        at.BLOCK: wanted.block and wanted.block + 64,
        at.QUICK: wanted.quick,
        at.STEPS: steps,
        at.ARGUMENTS: looked_at.ctypes.data,
        at.ARGUMENTS_END: looked_at.ctypes.data + looked_at.nbytes,
        at.INPUTS: len(arguments),
        at.LENGTHS: kept_address([*lengths, *[0] * at.SIDE_BY_SIDE]),
        at.WRITTEN: kept_address(written),
        at.WRITTEN_COUNT: len(written),
        at.RESULTS: given.table.ctypes.data,
        at.RESULTS_END: given.table.ctypes.data + given.table.nbytes,
        at.COUNT: len(results),
        at.BOOLEANS: any(kind == at.BOOLEAN for kind, *_ in results),
        at.CONSTANTS: kept_address(addresses),
        at.CONSTANT_COUNT: len(addresses),
        at.POINTERS: len(arguments) + max(len(results) + len(constants) + 1, 8),
    }
    method = Method(b"program", machine()["entry"], FASTCALL, None)
    state = numpy.zeros(at.PLACES, numpy.int64).view(State)
    for place, value in places.items():
        state[place] = value
    state.kept = [*kept, looked_at, given, method]
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype = ctypes.py_object
    make.argtypes = (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    result: Callable[..., Any] = make(ctypes.addressof(method), state, None)
    return result


class Given:
    """The records of results, with references to what was given and is to be given again."""

    def __init__(self, records: Sequence[tuple[int, ...]]) -> None:
        self.table = numpy.array(records, numpy.int64).reshape(-1, WORDS)

    def __del__(self, finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        if finalizing():
            return
        drop = ctypes.pythonapi.Py_DecRef
        drop.argtypes, drop.restype = (ctypes.c_void_p,), None
        for address in self.table[:, at.FIRST :].ravel().tolist():
            if address:
                drop(address)


class State(ndarray):
    """The `self` of an entry: its table, and in `kept` what its addresses are of.

    It frees the spare block, whose address is in the table.
    """

    kept: list[Any]

    def __del__(self) -> None:
        if hasattr(self, "kept"):
            free = ctypes.pythonapi.PyMem_RawFree
            free.argtypes, free.restype = (ctypes.c_void_p,), None
            free(int(self[at.SPARE]))
