"""The machine that takes trees of arguments apart and puts those of results together, in LLVM.

It runs instructions of `WORDS` words: a kind, a parent, an index, a length, the first place of a
dictionary's values, the address of its keys.
"""

from __future__ import annotations

from collections.abc import Callable

from .entry import TYPE
from .lanes import with_branch
from .text import Function

LEAVES, LIST, TUPLE, DICT = range(4)
"""What an instruction does: moves leaves, opens or builds a container."""

KIND_OF = {list: LIST, tuple: TUPLE, dict: DICT}

SIZE, ITEMS = 16, 24
"""Where lists and tuples have their length and their items, or the address of these."""

COUNT, PLACES, ARRAYS, STEPS, END, MAKING, MADE, DEPTH, ENTRY, SELF, OTHERWISE, TYPES, HITS = (
    *range(12),
    11 + len(KIND_OF),
)
"""Places in `self`: numbers of arguments, of places for items and of arrays; where instructions
begin and end, for taking apart and for building; the height of the stack; the entry and its `self`;
what to return on a mismatch; the types of containers; how often it was called."""

WORDS = 6
"""Of an instruction: kind, parent, index, length, first place of a dictionary's values, keys."""

FUNCTIONS = (
    *("PyList_New", "PyTuple_New", "PyDict_New", "PyDict_SetItem", "PyDict_GetItem"),
    *("PyDict_Size", "Py_IncRef", "Py_DecRef"),
)


class Machine:
    """Writes the machine."""

    def __init__(self) -> None:
        head = "define ptr @call(ptr %self, ptr %arguments, i64 %count)"
        self.function = Function(head)

    def text(self) -> str:
        f = self.function
        f.do(f"%state = load ptr, ptr {f.let(f'getelementptr i8, ptr %self, i64 {ITEMS - 8}')}")
        self.require(f.let(f"icmp eq i64 %count, {self.own(COUNT, 'i64')}"))
        items = f.let(f"alloca ptr, i64 {self.own(PLACES, 'i64')}")
        arrays = f.let(f"alloca ptr, i64 {self.own(ARRAYS, 'i64')}")
        stack = f.let(f"alloca ptr, i64 {self.own(DEPTH, 'i64')}")
        self.take_apart(items, arrays)
        found = self.own(ARRAYS, "i64")
        self.each(found, lambda i: self.hold("Py_IncRef", arrays, i))
        given = f"ptr {self.own(SELF)}, ptr {arrays}, i64 {found}"
        results = f.let(f"call ptr {self.own(ENTRY)}({given})")
        self.each(found, lambda i: self.hold("Py_DecRef", arrays, i))
        f.do(f"%failed = icmp eq ptr {results}, null")
        f.do(f"%other = icmp eq ptr {results}, {self.own(OTHERWISE)}")
        f.do("%not = or i1 %failed, %other")
        f.do("br i1 %not, label %as.it.is, label %given")
        f.lines.append("as.it.is:")
        f.do(f"ret ptr {results}")
        f.lines.append("given:")
        self.put_together(results, stack)
        f.call("void", "Py_DecRef", ("ptr", results))
        hits = f.let(f"getelementptr i64, ptr %state, i64 {HITS}")
        before = f.let(f"load i64, ptr {hits}")
        f.do(f"store i64 {f.let(f'add i64 {before}, 1')}, ptr {hits}")
        f.do(f"ret ptr {f.let(f'load ptr, ptr {stack}')}")
        f.lines.append("otherwise:")
        other = self.own(OTHERWISE)
        f.call("void", "Py_IncRef", ("ptr", other))
        f.do(f"ret ptr {other}")
        return "\n".join([*f.needs.values(), f.text()])

    def own(self, index: int, type: str = "ptr") -> str:
        f = self.function
        return f.let(f"load {type}, ptr {f.let(f'getelementptr i64, ptr %state, i64 {index}')}")

    def word(self, base: str, index: int | str, type: str = "i64") -> str:
        f = self.function
        return f.let(f"load {type}, ptr {f.let(f'getelementptr i64, ptr {base}, i64 {index}')}")

    def set(self, base: str, index: str, pointer: str) -> None:
        f = self.function
        f.do(f"store ptr {pointer}, ptr {f.let(f'getelementptr ptr, ptr {base}, i64 {index}')}")

    def require(self, condition: str) -> None:
        """Give `NotImplemented` unless a condition holds."""
        f = self.function
        f.count += 1
        f.do(f"br i1 {condition}, label %next{f.count}, label %otherwise")
        f.lines.append(f"next{f.count}:")

    def each(self, count: str, body: Callable[[str], None]) -> None:
        """For each number below a count, which may be 0."""
        f = self.function
        some = f.let(f"icmp ne i64 {count}, 0")
        with_branch(f, some, lambda: f.loop(0, count, 1, lambda i: body(str(i))))

    def hold(self, how: str, arrays: str, i: str) -> None:
        """Count a reference to an array: while the program runs, other threads may run too."""
        self.function.call("void", how, ("ptr", self.word(arrays, i, "ptr")))

    def run(self, begin: int, end: int, body: Callable[[str, str], None]) -> None:
        """Run instructions: ``body(instruction, kind)``."""
        f = self.function
        at = f.variable("ptr")
        f.do(f"store ptr {self.own(begin)}, ptr {at}")
        last = self.own(end)
        f.count += 1
        head, after = f"run{f.count}", f"ran{f.count}"
        f.do(f"br label %{head}")
        f.lines.append(f"{head}:")
        instruction = f.let(f"load ptr, ptr {at}")
        body(instruction, self.word(instruction, 0))
        following = f.let(f"getelementptr i64, ptr {instruction}, i64 {WORDS}")
        f.do(f"store ptr {following}, ptr {at}")
        done = f.let(f"icmp eq ptr {following}, {last}")
        f.do(f"br i1 {done}, label %{after}, label %{head}")
        f.lines.append(f"{after}:")

    def when(self, kind: str, is_kind: int, body: Callable[[], None]) -> None:
        with_branch(self.function, self.function.let(f"icmp eq i64 {kind}, {is_kind}"), body)

    def take_apart(self, items: str, arrays: str) -> None:
        """Check the structure of the arguments, and find the arrays in them."""
        f = self.function
        opened, found = f.variable("i64"), f.variable("i64")
        f.do(f"store i64 1, ptr {opened}")
        f.do(f"store i64 0, ptr {found}")
        f.do(f"store ptr %arguments, ptr {items}")

        def step(instruction: str, kind: str) -> None:
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
                    at = f.let(f"getelementptr i8, ptr {thing}, i64 {TYPE}")
                    type = f.let(f"load ptr, ptr {at}")
                    wanted = self.own(TYPES + number - LIST)
                    self.require(f.let(f"icmp eq ptr {type}, {wanted}"))
                    place = f.let(f"load i64, ptr {opened}")
                    f.do(f"store i64 {f.let(f'add i64 {place}, 1')}, ptr {opened}")
                    self.set(items, place, self.opened(number, thing, instruction, items, opened))

                return body

            self.when(kind, LEAVES, leaves)
            for number in KIND_OF.values():
                self.when(kind, number, container(number))

        self.run(STEPS, END, step)

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
        size = f.let(f"load i64, ptr {f.let(f'getelementptr i8, ptr {thing}, i64 {SIZE}')}")
        self.require(f.let(f"icmp eq i64 {size}, {length}"))
        inside = f.let(f"getelementptr i8, ptr {thing}, i64 {ITEMS}")
        return f.let(f"load ptr, ptr {inside}") if kind == LIST else inside

    def put_together(self, results: str, stack: str) -> None:
        """Build what is returned; in the end it is what is on the stack."""
        f = self.function
        inside = f.let(f"getelementptr i8, ptr {results}, i64 {ITEMS}")
        given = f.let(f"load ptr, ptr {inside}")
        height = f.variable("i64")
        f.do(f"store i64 0, ptr {height}")

        def leaf(instruction: str) -> None:
            result = self.word(given, self.word(instruction, 2), "ptr")
            f.call("void", "Py_IncRef", ("ptr", result))
            push(result)

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
                        f.call("void", "Py_DecRef", ("ptr", pair[1]))

                    self.each(length, item)
                else:
                    at = f.let(f"getelementptr i8, ptr {made}, i64 {ITEMS}")
                    target = f.let(f"load ptr, ptr {at}") if number == LIST else at
                    self.each(length, lambda i: self.set(target, i, self.word(parts, i, "ptr")))
                push(made)

            return body

        def step(instruction: str, kind: str) -> None:
            self.when(kind, LEAVES, lambda: leaf(instruction))
            for number in KIND_OF.values():
                self.when(kind, number, container(number, instruction))

        self.run(MAKING, MADE, step)

    def out_of_memory(self, made: str) -> None:
        """Return nothing where nothing could be made: Python raises."""
        f = self.function

        def give_up() -> None:
            f.do("ret ptr null")
            f.count += 1
            f.lines.append(f"unreachable{f.count}:")

        with_branch(f, f.let(f"icmp eq ptr {made}, null"), give_up)
