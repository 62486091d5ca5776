"""The machine that runs programs on arrays, in LLVM: what it is told stands in tables of words.

``entry`` is what Python calls with the arrays of a program, and gives a list of results. `execute`
does its work: it looks at each array, finds memory for the results, and has the steps run.
``run`` calls the functions of steps, each with the addresses of its arrays.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy

from . import entry_layout as at
from .lanes import with_branch
from .text import Kind
from .words import DATA, DESCRIPTION, ITEMS, SCALAR, TYPE, WEAK, Counter, Words

FUNCTIONS = (
    *("PyList_New", "Py_IncRef", "Py_DecRef", "PyMem_RawMalloc", "PyMem_RawFree"),
    *("PyEval_SaveThread", "PyEval_RestoreThread"),
)
"""Python's that are called."""


def texts() -> list[Words]:
    """The functions of the machine."""
    return [Run(), Usable(), Execute(), Entry()]


class Entry(Words):
    """``entry(self, arguments, count)``: a builtin function of Python's."""

    def __init__(self) -> None:
        super().__init__("define ptr @entry(ptr %self, ptr %arguments, i64 %count)")
        f = self.function
        f.do(f"%state = load ptr, ptr {f.let(f'getelementptr i8, ptr %self, i64 {DATA}')}")
        self.require(f.let(f"icmp eq i64 %count, {self.own(at.INPUTS, 'i64')}"))
        count = self.own(at.COUNT, "i64")
        results = f.let(f"alloca ptr, i64 {count}")
        status = f.let(f"call i32 @execute(ptr %state, ptr %arguments, ptr {results})")
        self.require(f.let(f"icmp ne i32 {status}, {at.OTHER_WAY}"))
        with_branch(
            f, f.let(f"icmp eq i32 {status}, {at.FAILED}"), lambda: self.leave("ret ptr null")
        )
        made = f.call("ptr", "PyList_New", ("i64", count))

        def give_up() -> None:
            self.each(count, lambda i: self.drop(self.word(results, i, "ptr")))
            self.leave("ret ptr null")

        with_branch(f, f.let(f"icmp eq ptr {made}, null"), give_up)
        items = self.field(made, ITEMS)
        self.each(count, lambda i: self.set(items, i, self.word(results, i, "ptr")))
        f.do(f"ret ptr {made}")
        self.give_otherwise(at.OTHERWISE)


class Run(Words):
    """``run(table, steps)``: says whether there was a NaN."""

    def __init__(self) -> None:
        super().__init__("define i32 @run(ptr %table, ptr %steps)")
        f = self.function
        arrays = f.let(f"alloca ptr, i64 {self.word('%steps', 0)}")
        at, odd = f.variable("ptr"), f.variable("i32")
        f.do(f"store ptr {f.let('getelementptr i64, ptr %steps, i64 1')}, ptr {at}")
        f.do(f"store i32 0, ptr {odd}")
        f.do("br label %next")
        f.lines.append("next:")
        step = f.let(f"load ptr, ptr {at}")
        function, count = self.word(step, 0, "ptr"), self.word(step, 1)
        f.do(f"br i1 {f.let(f'icmp eq ptr {function}, null')}, label %end, label %step")
        f.lines.append("step:")
        places = f.let(f"getelementptr i64, ptr {step}, i64 2")

        def array(i: str) -> None:
            pair = f.let(f"getelementptr [2 x i64], ptr {places}, i64 {i}")
            base = self.word("%table", self.word(pair, 0), "ptr")
            address = f.let(f"getelementptr i8, ptr {base}, i64 {self.word(pair, 1)}")
            self.set(arrays, i, address)

        self.each(count, array)
        none = f.let(f"icmp eq i64 {count}, 0")
        given = f.let(f"select i1 {none}, ptr %table, ptr {arrays}")
        before = f.let(f"load i32, ptr {odd}")
        found = f.let(f"call i32 {function}(ptr {given})")
        f.do(f"store i32 {f.let(f'or i32 {before}, {found}')}, ptr {odd}")
        f.do(f"store ptr {f.let(f'getelementptr [2 x i64], ptr {places}, i64 {count}')}, ptr {at}")
        f.do("br label %next")
        f.lines.append("end:")
        f.do(f"ret i32 {f.let(f'load i32, ptr {odd}')}")


class Usable(Words):
    """``usable(array, record, type)``: whether what was given as a result can be given again: if
    nothing else refers to it, and it is still as it was made."""

    def __init__(self) -> None:
        super().__init__("define internal i1 @usable(ptr %x, ptr %record, ptr %type) alwaysinline")
        f = self.function
        self.require(f.let("icmp ne ptr %x, null"))
        self.require(f.let(f"icmp eq i32 {f.let('load i32, ptr %x')}, 1"))
        kind, dtype, axes = (self.word("%record", i) for i in range(3))
        self.when(kind, at.NUMBER, lambda: self.leave("ret i1 true"))
        self.require(f.let(f"icmp eq ptr {self.field('%x', TYPE)}, %type"))
        self.require(f.let(f"icmp eq i64 {self.field('%x', DESCRIPTION, 'i64')}, {dtype}"))
        self.require(f.let(f"icmp eq ptr {self.field('%x', WEAK)}, null"))
        self.require_shape("%x", axes, self.word("%record", 3, "ptr"))
        self.require_flags("%x", str(at.CONTIGUOUS_AND_ALIGNED | at.OWN_AND_WRITEABLE))
        f.do("ret i1 true")
        f.lines.append("otherwise:")
        f.do("ret i1 false")


class Execute(Words):
    """``execute(state, arguments, results)``: puts the results of a program into an array."""

    def __init__(self) -> None:
        head = "define internal i32 @execute(ptr %state, ptr %arguments, ptr %results)"
        super().__init__(head)
        f = self.function
        self.table = f.let(f"alloca ptr, i64 {self.own(at.POINTERS, 'i64')}")
        self.look_at_arguments()
        self.keep_apart()
        pointer = self.counter(self.own(at.INPUTS, "i64"))
        self.find_results(pointer)
        constants = self.own(at.CONSTANTS)
        self.each(
            self.own(at.CONSTANT_COUNT, "i64"),
            lambda i: self.set(self.table, pointer.next(), self.word(constants, i, "ptr")),
        )
        held = self.memory(pointer)
        odd = self.run()
        self.release(held)
        f.do(f"br i1 {f.let(f'icmp eq i32 {odd}, 0')}, label %fine, label %drop")
        f.lines.append("fine:")
        self.make_truth_values()
        f.do(f"ret i32 {at.FINE}")
        f.lines.append("drop:")
        self.drop_results()
        f.do("br label %otherwise")
        f.lines.append("otherwise:")
        f.do(f"ret i32 {at.OTHER_WAY}")
        f.lines.append("failed:")
        self.drop_results()
        f.do(f"ret i32 {at.FAILED}")

    def look_at_arguments(self) -> None:
        """Check each argument, and find its elements."""
        f = self.function
        number = self.counter()
        array_type = self.own(at.ARRAY_TYPE)

        def argument(record: str) -> None:
            i = number.next()
            x = self.word("%arguments", i, "ptr")
            type = self.field(x, TYPE)
            self.require(f.let(f"icmp eq ptr {type}, {self.word(record, 0, 'ptr')}"))
            is_array = f.let(f"icmp eq ptr {type}, {array_type}")
            self.set(self.table, i, f.let(f"getelementptr i8, ptr {x}, i64 {SCALAR}"))

            def array() -> None:
                dtype = self.field(x, DESCRIPTION)
                self.require(f.let(f"icmp eq ptr {dtype}, {self.word(record, 1, 'ptr')}"))
                self.require_shape(x, self.word(record, 2), self.word(record, 3, "ptr"))
                self.require_flags(x, self.word(record, 4, "i32"))
                self.set(self.table, i, self.field(x, DATA))

            with_branch(f, is_array, array)

        self.records(at.ARGUMENTS, at.ARGUMENTS_END, argument)

    def keep_apart(self) -> None:
        """Go the other way if an array that is written to overlaps with another argument: each is
        to overlap with one, itself."""
        f = self.function
        count = self.own(at.WRITTEN_COUNT, "i64")

        def compare() -> None:
            kind = Kind(numpy.dtype("i8"), at.SIDE_BY_SIDE)
            inputs = self.own(at.INPUTS, "i64")
            lengths, written = self.own(at.LENGTHS), self.own(at.WRITTEN)
            behind = f.let(f"getelementptr ptr, ptr {self.table}, i64 {inputs}")
            f.store(kind, "zeroinitializer", behind)
            hits = f.variable(kind.text)
            f.do(f"store {kind.text} zeroinitializer, ptr {hits}")

            def one(k: str) -> None:
                i = self.word(written, k)
                own = f.splat(kind, self.word(self.table, i))
                length = f.splat(kind, self.word(lengths, i))

                def others(j: int | str) -> None:
                    at = f.let(f"getelementptr i64, ptr {self.table}, i64 {j}")
                    other = f.load(kind, at)
                    sizes = f.load(kind, f.let(f"getelementptr i64, ptr {lengths}, i64 {j}"))
                    # one begins less than its own length before the other, counted without sign
                    after = f.let(f"sub {kind.text} {other}, {own}")
                    before = f.let(f"sub {kind.text} {own}, {other}")
                    first = f.let(f"icmp ult {kind.text} {after}, {length}")
                    second = f.let(f"icmp ult {kind.text} {before}, {sizes}")
                    both = f.let(f"or {kind.mask} {first}, {second}")
                    found = f.let(f"zext {kind.mask} {both} to {kind.text}")
                    total = f.let(f"load {kind.text}, ptr {hits}")
                    total = f.let(f"add {kind.text} {total}, {found}")
                    f.do(f"store {kind.text} {total}, ptr {hits}")

                f.loop(0, inputs, at.SIDE_BY_SIDE, others)

            f.loop(0, count, 1, lambda k: one(str(k)))
            found = f.let(f"load {kind.text}, ptr {hits}")
            sum = f.call("i64", f"llvm.vector.reduce.add.{kind.suffix}", (kind.text, found))
            self.require(f.let(f"icmp eq i64 {sum}, {count}"))

        with_branch(f, f.let(f"icmp ne i64 {count}, 0"), compare)

    def find_results(self, pointer: Counter) -> None:
        """Find or make what the results are written to."""
        f = self.function
        number, count = self.counter(), self.own(at.COUNT, "i64")
        self.values = f.let(f"alloca [2 x i64], i64 {f.let(f'add i64 {count}, 1')}")

        def result(record: str) -> None:
            i = number.next()
            kind, dtype = self.word(record, 0), self.word(record, 1)

            def taken() -> None:
                x = self.word("%arguments", dtype, "ptr")
                self.hold(x)
                self.set("%results", i, x)

            def truth_value() -> None:
                self.set("%results", i, "null")
                value = f.let(f"getelementptr [2 x i64], ptr {self.values}, i64 {i}")
                self.set(self.table, pointer.next(), value)

            def fresh() -> None:
                x = self.find(record, kind)
                self.set("%results", i, x)
                is_number = f.let(f"icmp eq i64 {kind}, {at.NUMBER}")
                value = f.let(f"getelementptr i8, ptr {x}, i64 {SCALAR}")
                address = f.let(f"select i1 {is_number}, ptr {value}, ptr {self.field(x, DATA)}")
                self.set(self.table, pointer.next(), address)

            self.when(kind, at.TAKEN, taken)
            self.when(kind, at.ARRAY, fresh)
            self.when(kind, at.NUMBER, fresh)
            self.when(kind, at.BOOLEAN, truth_value)

        self.each(count, lambda i: self.set("%results", i, "null"))
        self.records(at.RESULTS, at.RESULTS_END, result)

    def find(self, record: str, kind: str) -> str:
        """Have one of the two things of a record be first that nothing else refers to, or a new one
        in its place; gives it, for the caller. What is dropped may call this program again (from
        the callback of a weak reference), which changes the record."""
        f = self.function
        array_type, old = self.own(at.ARRAY_TYPE), f.variable("ptr")
        f.do(f"store ptr null, ptr {old}")
        first = self.word(record, at.FIRST, "ptr")

        def unless_usable(x: str, body: Callable[[], None]) -> None:
            usable = f.let(f"call i1 @usable(ptr {x}, ptr {record}, ptr {array_type})")
            with_branch(f, f.let(f"xor i1 {usable}, true"), body)

        def look_at_second() -> None:
            second = self.word(record, at.SECOND, "ptr")
            self.set(record, at.FIRST, second)
            self.set(record, at.SECOND, first)

            def replace() -> None:
                self.set(record, at.FIRST, self.made(record, kind))
                f.do(f"store ptr {second}, ptr {old}")

            unless_usable(second, replace)

        unless_usable(first, look_at_second)
        x = self.word(record, at.FIRST, "ptr")
        self.hold(x)
        self.drop(f.let(f"load ptr, ptr {old}"))
        return x

    def made(self, record: str, kind: str) -> str:
        """A new array or scalar."""
        f = self.function
        dtype, axes, shape = self.word(record, 1, "ptr"), self.word(record, 2), self.word(record, 3)
        new = f.variable("ptr")

        def array() -> None:
            f.call("void", "Py_IncRef", ("ptr", dtype))  # the array takes it
            made = f.call(
                "ptr",
                "PyArray_NewFromDescr",
                ("ptr", self.own(at.ARRAY_TYPE)),
                ("ptr", dtype),
                ("i32", f.let(f"trunc i64 {axes} to i32")),
                ("ptr", f.let(f"inttoptr i64 {shape} to ptr")),
                ("ptr", "null"),
                ("ptr", "null"),
                ("i32", "0"),
                ("ptr", "null"),
            )
            f.do(f"store ptr {made}, ptr {new}")

        def scalar() -> None:
            f.do(f"store ptr {self.scalar(self.values, dtype)}, ptr {new}")

        self.when(kind, at.ARRAY, array)
        self.when(kind, at.NUMBER, scalar)
        made = f.let(f"load ptr, ptr {new}")
        self.leave_if(f.let(f"icmp eq ptr {made}, null"), "failed")
        return made

    def scalar(self, value: str, dtype: str) -> str:
        return self.function.call(
            "ptr", "PyArray_Scalar", ("ptr", value), ("ptr", dtype), ("ptr", "null")
        )

    def memory(self, pointer: Counter) -> str:
        """Put the block that the program works in behind the other pointers: the spare one, or a
        new one if that is in use. Gives the place where the block is noted."""
        f = self.function
        size, held = self.own(at.BLOCK, "i64"), f.variable("ptr")
        f.do(f"store ptr null, ptr {held}")

        def take() -> None:
            f.do(f"store ptr {self.own(at.SPARE)}, ptr {held}")
            self.set("%state", at.SPARE, "null")

            def take_more() -> None:
                whole = f.let(f"add i64 {size}, 63")
                fresh = f.call("ptr", "PyMem_RawMalloc", ("i64", whole))
                self.leave_if(f.let(f"icmp eq ptr {fresh}, null"), "drop")
                f.do(f"store ptr {fresh}, ptr {held}")

            with_branch(f, f.let(f"icmp eq ptr {f.let(f'load ptr, ptr {held}')}, null"), take_more)

        with_branch(f, f.let(f"icmp ne i64 {size}, 0"), take)
        up = f.let(f"add i64 {f.let(f'load i64, ptr {held}')}, 63")
        self.set(self.table, pointer.next(), f.let(f"and i64 {up}, -64"), "i64")
        return held

    def run(self) -> str:
        """Have the steps run; gives whether there was a NaN."""
        f = self.function
        thread = f.variable("ptr")
        f.do(f"store ptr null, ptr {thread}")

        def let_others_run() -> None:
            f.do(f"store ptr {f.call('ptr', 'PyEval_SaveThread')}, ptr {thread}")

        with_branch(f, f.let(f"icmp eq i64 {self.own(at.QUICK, 'i64')}, 0"), let_others_run)
        odd = f.let(f"call i32 @run(ptr {self.table}, ptr {self.own(at.STEPS)})")
        own = f.let(f"load ptr, ptr {thread}")

        def go_on() -> None:
            f.call("void", "PyEval_RestoreThread", ("ptr", own))

        with_branch(f, f.let(f"icmp ne ptr {own}, null"), go_on)
        return odd

    def release(self, held: str) -> None:
        """Put the block back; if another has been put there meanwhile, free that."""
        f = self.function
        block = f.let(f"load ptr, ptr {held}")

        def put_back() -> None:
            f.call("void", "PyMem_RawFree", ("ptr", self.own(at.SPARE)))  # of null: nothing
            self.set("%state", at.SPARE, block)

        with_branch(f, f.let(f"icmp ne ptr {block}, null"), put_back)

    def make_truth_values(self) -> None:
        """Make those results that are objects of their own only when their value is known."""
        f = self.function
        number = self.counter()

        def result(record: str) -> None:
            i = number.next()

            def make() -> None:
                value = f.let(f"getelementptr [2 x i64], ptr {self.values}, i64 {i}")
                made = self.scalar(value, self.word(record, 1, "ptr"))
                self.leave_if(f.let(f"icmp eq ptr {made}, null"), "failed")
                self.set("%results", i, made)

            self.when(self.word(record, 0), at.BOOLEAN, make)

        some = f.let(f"icmp ne i64 {self.own(at.BOOLEANS, 'i64')}, 0")
        with_branch(f, some, lambda: self.records(at.RESULTS, at.RESULTS_END, result))

    def drop_results(self) -> None:
        self.each(self.own(at.COUNT, "i64"), lambda i: self.drop(self.word("%results", i, "ptr")))
