"""The machine that takes trees of arguments apart and puts those of results together, in LLVM.

It runs instructions, records of a kind, a parent, an index, a length, the first place of a
dictionary's values, and the address of its keys.
"""

from __future__ import annotations

from collections.abc import Callable

from .entry_layout import FAILED, OTHER_WAY
from .lanes import with_branch
from .words import DATA, ITEMS, SIZE, TYPE, Words

LEAVES, LIST, TUPLE, DICT = range(4)
"""What an instruction does: moves leaves, opens or builds a container."""

KIND_OF = {list: LIST, tuple: TUPLE, dict: DICT}

(
    COUNT,  # of arguments
    PLACES,  # of items
    ARRAYS,  # how many there are
    STEPS,  # where instructions begin and end, for taking apart
    END,
    MAKING,  # and for building
    MADE,
    DEPTH,  # the height of the stack
    PROGRAM,  # the table of the program
    MOST_RESULTS,
    OTHERWISE,  # what to return on a mismatch
    HITS,  # how often it was called
    TYPES,  # those of containers, up to the end
) = range(13)
"""Places in ``%state``."""

FUNCTIONS = (
    *("PyList_New", "PyTuple_New", "PyDict_New", "PyDict_SetItem", "PyDict_GetItem"),
    *("PyDict_Size", "Py_IncRef", "Py_DecRef"),
)


class Machine(Words):
    """Writes the machine."""

    def __init__(self) -> None:
        super().__init__("define ptr @call(ptr %self, ptr %arguments, i64 %count)")
        f = self.function
        f.do(f"%state = load ptr, ptr {f.let(f'getelementptr i8, ptr %self, i64 {DATA}')}")
        self.require(f.let(f"icmp eq i64 %count, {self.own(COUNT, 'i64')}"))
        items = f.let(f"alloca ptr, i64 {self.own(PLACES, 'i64')}")
        arrays = f.let(f"alloca ptr, i64 {self.own(ARRAYS, 'i64')}")
        results = f.let(f"alloca ptr, i64 {self.own(MOST_RESULTS, 'i64')}")
        stack = f.let(f"alloca ptr, i64 {self.own(DEPTH, 'i64')}")
        self.take_apart(items, arrays)
        found = self.own(ARRAYS, "i64")  # while the program runs, other threads may run too
        self.each(found, lambda i: self.hold(self.word(arrays, i, "ptr")))
        status = f.let(f"call i32 @execute(ptr {self.own(PROGRAM)}, ptr {arrays}, ptr {results})")
        self.each(found, lambda i: self.let_go(self.word(arrays, i, "ptr")))
        self.require(f.let(f"icmp ne i32 {status}, {OTHER_WAY}"))
        failed = f.let(f"icmp eq i32 {status}, {FAILED}")
        with_branch(f, failed, lambda: self.leave("ret ptr null"))
        self.put_together(results, stack)
        hits = self.own(HITS, "i64")
        self.set("%state", HITS, f.let(f"add i64 {hits}, 1"), "i64")
        f.do(f"ret ptr {f.let(f'load ptr, ptr {stack}')}")
        self.give_otherwise(OTHERWISE)

    def take_apart(self, items: str, arrays: str) -> None:
        """Check the structure of the arguments, and find the arrays in them."""
        f = self.function
        opened, found = f.variable("i64"), f.variable("i64")
        f.do(f"store i64 1, ptr {opened}")
        f.do(f"store i64 0, ptr {found}")
        f.do(f"store ptr %arguments, ptr {items}")

        def step(instruction: str) -> None:
            kind = self.word(instruction, 0)
            parent, index, length = (self.word(instruction, i) for i in (1, 2, 3))
            inside = self.word(items, parent, "ptr")
            first = f.let(f"getelementptr ptr, ptr {inside}, i64 {index}")

            def leaves() -> None:
                start = f.let(f"load i64, ptr {found}")
                self.each(
                    length,
                    lambda i: self.set(
                        arrays, f.let(f"add i64 {start}, {i}"), self.word(first, i, "ptr")
                    ),
                )
                f.do(f"store i64 {f.let(f'add i64 {start}, {length}')}, ptr {found}")

            def container(number: int) -> Callable[[], None]:
                def body() -> None:
                    thing = f.let(f"load ptr, ptr {first}")
                    type = self.field(thing, TYPE)
                    wanted = self.own(TYPES + number - LIST)
                    self.require(f.let(f"icmp eq ptr {type}, {wanted}"))
                    place = f.let(f"load i64, ptr {opened}")
                    f.do(f"store i64 {f.let(f'add i64 {place}, 1')}, ptr {opened}")
                    self.set(items, place, self.opened(number, thing, instruction, items, opened))

                return body

            self.when(kind, LEAVES, leaves)
            for number in KIND_OF.values():
                self.when(kind, number, container(number))

        self.records(STEPS, END, step)

    def opened(self, kind: int, thing: str, instruction: str, items: str, places: str) -> str:
        """The address of the items of a container of the right length."""
        f = self.function
        length = self.word(instruction, 3)
        if kind == DICT:
            size = f.call("i64", "PyDict_Size", ("ptr", thing))
            self.require(f.let(f"icmp eq i64 {size}, {length}"))
            values, keys = self.word(instruction, 4), self.word(instruction, 5, "ptr")
            target = f.let(f"getelementptr ptr, ptr {items}, i64 {values}")

            def value(i: str) -> None:
                name = self.word(keys, i, "ptr")
                item = f.call("ptr", "PyDict_GetItem", ("ptr", thing), ("ptr", name))
                self.require(f.let(f"icmp ne ptr {item}, null"))
                self.set(target, i, item)

            self.each(length, value)
            f.do(f"store i64 {f.let(f'add i64 {values}, {length}')}, ptr {places}")
            return target
        size = self.field(thing, SIZE, "i64")
        self.require(f.let(f"icmp eq i64 {size}, {length}"))
        inside = f.let(f"getelementptr i8, ptr {thing}, i64 {ITEMS}")
        return f.let(f"load ptr, ptr {inside}") if kind == LIST else inside

    def put_together(self, results: str, stack: str) -> None:
        """Build what is returned; in the end it is what is on the stack."""
        f = self.function
        height = f.variable("i64")
        f.do(f"store i64 0, ptr {height}")

        def leaf(instruction: str) -> None:
            push(self.word(results, self.word(instruction, 2), "ptr"))

        def push(thing: str) -> None:
            top = f.let(f"load i64, ptr {height}")
            self.set(stack, top, thing)
            f.do(f"store i64 {f.let(f'add i64 {top}, 1')}, ptr {height}")

        def container(number: int, instruction: str) -> Callable[[], None]:
            def body() -> None:
                length = self.word(instruction, 3)
                name = {LIST: "PyList_New", TUPLE: "PyTuple_New", DICT: "PyDict_New"}[number]
                made = f.call("ptr", name, *([] if number == DICT else [("i64", length)]))
                self.out_of_memory(made)
                bottom = f.let(f"sub i64 {f.let(f'load i64, ptr {height}')}, {length}")
                parts = f.let(f"getelementptr ptr, ptr {stack}, i64 {bottom}")
                f.do(f"store i64 {bottom}, ptr {height}")
                if number == DICT:
                    keys = self.word(instruction, 5, "ptr")

                    def item(i: str) -> None:
                        pair = self.word(keys, i, "ptr"), self.word(parts, i, "ptr")
                        f.call("i32", "PyDict_SetItem", *(("ptr", x) for x in (made, *pair)))
                        self.let_go(pair[1])

                    self.each(length, item)
                else:
                    at = f.let(f"getelementptr i8, ptr {made}, i64 {ITEMS}")
                    target = f.let(f"load ptr, ptr {at}") if number == LIST else at
                    self.each(length, lambda i: self.set(target, i, self.word(parts, i, "ptr")))
                push(made)

            return body

        def step(instruction: str) -> None:
            kind = self.word(instruction, 0)
            self.when(kind, LEAVES, lambda: leaf(instruction))
            for number in KIND_OF.values():
                self.when(kind, number, container(number, instruction))

        self.records(MAKING, MADE, step)

    def out_of_memory(self, made: str) -> None:
        """Return nothing where nothing could be made: Python raises."""
        missing = self.function.let(f"icmp eq ptr {made}, null")
        with_branch(self.function, missing, lambda: self.leave("ret ptr null"))
