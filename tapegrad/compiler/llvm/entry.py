"""A program's way in from Python: a builtin function that is machine code.

It takes the arrays as positional arguments, looks at each for its type, dtype, shape and layout,
makes the results' arrays, runs the program and returns them in a list. Where anything is not as
it was compiled for, it returns `NotImplemented`, and the caller goes the long way.

The code holds no address: what it refers to stands in an array of pointers that is the function's
`self`, and NumPy's and Python's functions are imported by name.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy
from numpy import ndarray

from ..graph import Node
from .text import Function

DATA, DIMENSIONS, SHAPE, DESCRIPTION, FLAGS = 16, 24, 32, 56, 64
"""Where an array object has its data, number of axes, shape, dtype and flags."""

SCALAR = 16
"""Where a NumPy scalar has its value."""

TYPE = 8
"""Where an object has its type."""

CONTIGUOUS_AND_ALIGNED = 0x101

OWN_AND_WRITEABLE = 0x404

ARRAY_TYPE, OTHERWISE, ARENA, FIRST = 0, 1, 2, 3
"""Places in `self`: NumPy's array type, what to return on a mismatch, spare memory, the rest."""

FASTCALL = 0x80

QUICK = 1 << 15
"""Elements computed, from which on other threads may run meanwhile."""


Item = tuple[str, Any]
"""What a place in `self` refers to, by what means the same in every process: a type by its name, a
dtype by its character, a shape, a constant by its number."""


class Method(ctypes.Structure):
    """Python's description of a builtin function."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


@functools.cache
def imports() -> dict[str, int]:
    """The functions of NumPy and Python that the code calls, by name."""
    api = ctypes.pythonapi
    pointer = api.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    capsule = import_module("numpy._core._multiarray_umath")._ARRAY_API
    table = ctypes.cast(pointer(capsule, None), ctypes.POINTER(ctypes.c_void_p))
    found = {"PyArray_NewFromDescr": table[94], "PyArray_Scalar": table[60]}
    for name in (
        *("PyList_New", "PyList_SetItem", "Py_IncRef", "PyMem_RawMalloc", "PyMem_RawFree"),
        *("PyEval_SaveThread", "PyEval_RestoreThread"),
    ):
        found[name] = ctypes.cast(getattr(api, name), ctypes.c_void_p).value
    return {name: int(address or 0) for name, address in found.items()}


@functools.cache
def trustworthy() -> bool:
    """Whether this Python's objects are laid out as assumed, which is tried on some."""
    x = numpy.arange(6.0).reshape(2, 3)
    y = numpy.float64(1.25)

    def word(at: int) -> int:
        return ctypes.c_size_t.from_address(at).value

    return (
        word(id(x) + TYPE) == id(ndarray)
        and word(id(x) + DATA) == x.ctypes.data
        and ctypes.c_int.from_address(id(x) + DIMENSIONS).value == 2
        and [word(word(id(x) + SHAPE) + 8 * i) for i in range(2)] == [2, 3]
        and word(id(x) + DESCRIPTION) == id(x.dtype)
        and ctypes.c_int.from_address(id(x) + FLAGS).value == x.flags.num
        and word(id(y) + TYPE) == id(numpy.float64)
        and ctypes.c_double.from_address(id(y) + SCALAR).value == 1.25
    )


class Entry:
    """The text of a program's entry, and what goes into its `self`.

    `kinds` says of each input whether it is an array or a scalar; `outputs` are nodes, of which
    those in `replaced` take the place of an input, and those in `given` have their arrays passed as
    further arguments; `constants` are arrays that stay; `block` is the size of the memory that the
    program works in, and `work` the number of operations.
    """

    def __init__(
        self,
        body: str,
        inputs: Sequence[Node],
        kinds: Sequence[type],
        outputs: Sequence[Node],
        replaced: Mapping[Node, Node],
        given: Sequence[Node],
        constants: Sequence[ndarray],
        block: int,
        work: int,
    ) -> None:
        self.body = body
        self.inputs = inputs
        self.kinds = kinds
        self.outputs = outputs
        self.replaced = replaced
        self.given = given
        self.constants = constants
        self.block = block
        self.quick = work < QUICK
        self.items: list[Item] = []
        head = "define ptr @entry(ptr %self, ptr %arguments, i64 %count)"
        self.function = Function(head, glue=True)
        self.write()

    def place(self, what: str, value: Any) -> int:
        """The place in `self` of an item."""
        self.items.append((what, value))
        return FIRST + len(self.items) - 1

    def field(self, pointer: str, offset: int, type: str = "ptr") -> str:
        f = self.function
        return f.let(f"load {type}, ptr {f.let(f'getelementptr i8, ptr {pointer}, i64 {offset}')}")

    def own(self, index: int, type: str = "ptr") -> str:
        return self.field("%state", 8 * index, type)

    def require(self, condition: str) -> None:
        """Go the long way unless a condition holds."""
        f = self.function
        f.count += 1
        f.do(f"br i1 {condition}, label %next{f.count}, label %otherwise")
        f.lines.append(f"next{f.count}:")

    def write(self) -> None:
        f = self.function
        f.do(f"%state = load ptr, ptr {f.let(f'getelementptr i8, ptr %self, i64 {DATA}')}")
        self.require(f.let(f"icmp eq i64 %count, {len(self.inputs) + len(self.given)}"))
        array_type = self.own(ARRAY_TYPE)
        pointers = [
            self.argument(i, node, kind, array_type)
            for i, (node, kind) in enumerate(zip(self.inputs, self.kinds, strict=True))
        ]
        self.keep_apart(pointers)
        spare, block = self.memory()
        results = [self.result(node, array_type) for node in self.outputs]
        pointers += [
            data
            for node, (_, data) in zip(self.outputs, results, strict=True)
            if node not in self.replaced
        ]
        for i in range(len(self.constants)):
            pointers.append(self.own(self.place("constant", i)))
        pointers.append(block)
        table = f.variable(f"[{len(pointers)} x ptr]")
        for i, pointer in enumerate(pointers):
            place = f.let(f"getelementptr ptr, ptr {table}, i64 {i}")
            f.do(f"store ptr {pointer}, ptr {place}")
        thread = None if self.quick else f.call("ptr", "PyEval_SaveThread")
        odd = f.let(f"call i32 @{self.body}(ptr {table})")
        if thread is not None:
            f.call("void", "PyEval_RestoreThread", ("ptr", thread))
        self.release(spare)
        made = f.call("ptr", "PyList_New", ("i64", str(len(self.outputs))))
        for i, (node, (object, data)) in enumerate(zip(self.outputs, results, strict=True)):
            if object is None:
                description = self.own(self.place("dtype", node.dtype.char))
                object = f.call(
                    "ptr", "PyArray_Scalar", ("ptr", data), ("ptr", description), ("ptr", "null")
                )
            f.call("i32", "PyList_SetItem", ("ptr", made), ("i64", str(i)), ("ptr", object))
        self.check(odd, made)
        f.do(f"ret ptr {made}")
        f.lines.append("otherwise:")
        other = self.own(OTHERWISE)
        f.call("void", "Py_IncRef", ("ptr", other))
        f.do(f"ret ptr {other}")

    def check(self, odd: str, made: str) -> None:
        """Where a NaN came out, go the long way: there the careful program is run."""
        f = self.function
        f.needs["Py_DecRef"] = "declare void @Py_DecRef(ptr)"
        f.do(f"%odd = icmp ne i32 {odd}, 0")
        f.do("br i1 %odd, label %drop, label %give")
        f.lines.append("drop:")
        f.do(f"call void @Py_DecRef(ptr {made})")
        f.do("br label %otherwise")
        f.lines.append("give:")

    def argument(self, i: int, node: Node, kind: type, array_type: str) -> str:
        """Check an argument, and find its elements."""
        f = self.function
        x = f.let(f"load ptr, ptr {f.let(f'getelementptr ptr, ptr %arguments, i64 {i}')}")
        type = self.field(x, TYPE)
        if kind is not ndarray:
            self.require(
                f.let(f"icmp eq ptr {type}, {self.own(self.place('type', kind.__name__))}")
            )
            return f.let(f"getelementptr i8, ptr {x}, i64 {SCALAR}")
        self.require(f.let(f"icmp eq ptr {type}, {array_type}"))
        axes = self.field(x, DIMENSIONS, "i32")
        self.require(f.let(f"icmp eq i32 {axes}, {len(node.shape)}"))
        description = self.field(x, DESCRIPTION)
        self.require(
            f.let(f"icmp eq ptr {description}, {self.own(self.place('dtype', node.dtype.char))}")
        )
        wanted = CONTIGUOUS_AND_ALIGNED
        if node in self.replaced.values():
            wanted |= OWN_AND_WRITEABLE
        flags = f.let(f"and i32 {self.field(x, FLAGS, 'i32')}, {wanted}")
        self.require(f.let(f"icmp eq i32 {flags}, {wanted}"))
        if node.shape:
            shape = self.field(x, SHAPE)
            for axis, n in enumerate(node.shape):
                self.require(f.let(f"icmp eq i64 {self.field(shape, 8 * axis, 'i64')}, {n}"))
        return self.field(x, DATA)

    def keep_apart(self, pointers: list[str]) -> None:
        """Go the long way if an array that is written to overlaps with another argument."""
        f = self.function
        addresses = [f.let(f"ptrtoint ptr {p} to i64") for p in pointers] if self.replaced else []
        written = set(self.replaced.values())
        for i, x in enumerate(self.inputs):
            for j, y in enumerate(self.inputs):
                if x not in written or i == j or (y in written and j < i):
                    continue
                # one begins less than its own length before the other, counted without sign
                after = f.let(f"sub i64 {addresses[j]}, {addresses[i]}")
                before = f.let(f"sub i64 {addresses[i]}, {addresses[j]}")
                first = f.let(f"icmp uge i64 {after}, {max(x.nbytes, 1)}")
                second = f.let(f"icmp uge i64 {before}, {max(y.nbytes, 1)}")
                self.require(f.let(f"and i1 {first}, {second}"))

    def result(self, node: Node, array_type: str) -> tuple[str | None, str]:
        """A new array and its data, or memory alone for a scalar that is made later."""
        f = self.function
        if node in self.given or node in self.replaced:
            if node in self.given:
                place = len(self.inputs) + self.given.index(node)
            else:
                place = self.inputs.index(self.replaced[node])
            x = f.let(f"load ptr, ptr {f.let(f'getelementptr ptr, ptr %arguments, i64 {place}')}")
            f.call("void", "Py_IncRef", ("ptr", x))
            return x, self.field(x, DATA)
        if not node.shape:
            return None, f.variable("[16 x i8]")
        description = self.own(self.place("dtype", node.dtype.char))
        f.call("void", "Py_IncRef", ("ptr", description))  # the array takes it
        made = f.call(
            "ptr",
            "PyArray_NewFromDescr",
            ("ptr", array_type),
            ("ptr", description),
            ("i32", str(len(node.shape))),
            ("ptr", self.own(self.place("shape", node.shape))),
            ("ptr", "null"),
            ("ptr", "null"),
            ("i32", "0"),
            ("ptr", "null"),
        )
        f.count += 1
        f.do(f"%null{f.count} = icmp eq ptr {made}, null")
        f.do(f"br i1 %null{f.count}, label %failed{f.count}, label %made{f.count}")
        f.lines.append(f"failed{f.count}:")
        f.do("ret ptr null")  # out of memory: Python raises
        f.lines.append(f"made{f.count}:")
        return made, self.field(made, DATA)

    def memory(self) -> tuple[str | None, str]:
        """The block that the program works in: the spare one, or a new one if that is in use."""
        f = self.function
        if not self.block:
            return None, "null"
        place = f.let(f"getelementptr i8, ptr %state, i64 {8 * ARENA}")
        held = f.variable("i64")
        spare = f.let(f"atomicrmw xchg ptr {place}, i64 0 acq_rel")
        f.do(f"store i64 {spare}, ptr {held}")
        none = f.let(f"icmp eq i64 {spare}, 0")
        f.do(f"br i1 {none}, label %take, label %taken")
        f.lines.append("take:")
        fresh = f.call("ptr", "PyMem_RawMalloc", ("i64", str(self.block + 64)))
        f.do(f"store i64 {f.let(f'ptrtoint ptr {fresh} to i64')}, ptr {held}")
        f.do("br label %taken")
        f.lines.append("taken:")
        whole = f.let(f"load i64, ptr {held}")
        self.require(f.let(f"icmp ne i64 {whole}, 0"))
        up = f.let(f"add i64 {whole}, 63")
        aligned = f.let(f"and i64 {up}, -64")
        return whole, f.let(f"inttoptr i64 {aligned} to ptr")

    def release(self, spare: str | None) -> None:
        """Put the block back; if another has been put there meanwhile, free that."""
        if spare is None:
            return
        f = self.function
        place = f.let(f"getelementptr i8, ptr %state, i64 {8 * ARENA}")
        other = f.let(f"atomicrmw xchg ptr {place}, i64 {spare} acq_rel")
        pointer = f.let(f"inttoptr i64 {other} to ptr")
        f.call("void", "PyMem_RawFree", ("ptr", pointer))  # of null: nothing


def found(item: Item, constants: Sequence[ndarray]) -> tuple[Any, int]:
    """What an item stands for, and what is at its place: an object's address, or that of data."""
    what, value = item
    if what == "type":
        thing: Any = getattr(numpy, value)
    elif what == "dtype":
        thing = numpy.dtype(value)
    elif what == "shape":
        thing = numpy.array(value, numpy.intp)
        return thing, thing.ctypes.data
    else:
        thing = constants[value]
        return thing, thing.ctypes.data
    return thing, id(thing)


def builtin(
    items: Sequence[Item], constants: Sequence[ndarray], address: int, library: Any
) -> Callable[..., Any]:
    """The function whose code is at an address in a library, with what its `self` refers to."""
    things = [found(item, constants) for item in items]
    state = [id(ndarray), id(NotImplemented), 0, *(value for _, value in things)]
    method = Method(b"program", address, FASTCALL, None)
    table = numpy.array(state, numpy.uint64).view(State)
    table.kept = [*(thing for thing, _ in things), library, method]
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype = ctypes.py_object
    make.argtypes = (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    result: Callable[..., Any] = make(ctypes.addressof(method), table, None)
    return result


class State(ndarray):
    """The `self` of an entry: addresses, and in `kept` what is there.

    It frees the spare block, whose address is among its elements.
    """

    kept: list[Any]

    def __del__(self) -> None:
        if hasattr(self, "kept"):
            free = ctypes.pythonapi.PyMem_RawFree
            free.argtypes, free.restype = (ctypes.c_void_p,), None
            free(int(self[ARENA]))
