"""What the functions have in common that follow tables, which are arrays of words of eight bytes;
and where objects of Python's and NumPy's have what these functions look at.
"""

from __future__ import annotations

from collections.abc import Callable

from .lanes import with_branch
from .text import Function

TYPE = 8
"""Where an object has its type."""

DATA, DIMENSIONS, SHAPE, DESCRIPTION, FLAGS, WEAK = 16, 24, 32, 56, 64, 72
"""Where an array object has its data, number of axes, shape, dtype, flags and weak references."""

SCALAR = 16
"""Where a NumPy scalar has its value."""

SIZE, ITEMS = 16, 24
"""Where lists and tuples have their length and their items, or the address of these."""

WORDS = 6
"""Of a record in a table."""


class Words:
    """Writes a function with a table ``%state``, which goes to the label `otherwise` where anything
    is not as the table says."""

    def __init__(self, head: str) -> None:
        self.function = Function(head)

    def field(self, pointer: str, offset: int, type: str = "ptr") -> str:
        """What an object has at a number of bytes from its beginning."""
        f = self.function
        return f.let(f"load {type}, ptr {f.let(f'getelementptr i8, ptr {pointer}, i64 {offset}')}")

    def word(self, base: str, index: int | str, type: str = "i64") -> str:
        f = self.function
        return f.let(f"load {type}, ptr {f.let(f'getelementptr i64, ptr {base}, i64 {index}')}")

    def own(self, index: int, type: str = "ptr") -> str:
        return self.word("%state", index, type)

    def set(self, base: str, index: int | str, value: str, type: str = "ptr") -> None:
        f = self.function
        f.do(f"store {type} {value}, ptr {f.let(f'getelementptr i64, ptr {base}, i64 {index}')}")

    def require(self, condition: str) -> None:
        """Go on only if a condition holds."""
        f = self.function
        f.count += 1
        f.do(f"br i1 {condition}, label %next{f.count}, label %otherwise")
        f.lines.append(f"next{f.count}:")

    def leave_if(self, condition: str, label: str) -> None:
        """Go to a label if a condition holds."""
        f = self.function
        f.count += 1
        f.do(f"br i1 {condition}, label %{label}, label %next{f.count}")
        f.lines.append(f"next{f.count}:")

    def leave(self, line: str) -> None:
        """Return, in the midst of a branch."""
        f = self.function
        f.do(line)
        f.count += 1
        f.lines.append(f"unreachable{f.count}:")

    def require_shape(self, array: str, axes: str, shape: str) -> None:
        """Go on only if an array has a number of axes and a shape."""
        f = self.function
        own = f.let(f"sext i32 {self.field(array, DIMENSIONS, 'i32')} to i64")
        self.require(f.let(f"icmp eq i64 {own}, {axes}"))
        lengths = self.field(array, SHAPE)

        def axis(i: str) -> None:
            self.require(f.let(f"icmp eq i64 {self.word(lengths, i)}, {self.word(shape, i)}"))

        self.each(axes, axis)

    def require_flags(self, array: str, wanted: str) -> None:
        f = self.function
        flags = f.let(f"and i32 {self.field(array, FLAGS, 'i32')}, {wanted}")
        self.require(f.let(f"icmp eq i32 {flags}, {wanted}"))

    def each(self, count: str, body: Callable[[str], None]) -> None:
        """For each number below a count, which may be 0."""
        f = self.function
        some = f.let(f"icmp ne i64 {count}, 0")
        with_branch(f, some, lambda: f.loop(0, count, 1, lambda i: body(str(i))))

    def records(self, begin: int, end: int, body: Callable[[str], None]) -> None:
        """For each record of the table that lies between two addresses in ``%state``."""
        f = self.function
        at = f.variable("ptr")
        f.do(f"store ptr {self.own(begin)}, ptr {at}")
        last = self.own(end)
        f.count += 1
        head, inside, after = (f"{name}{f.count}" for name in ("records", "record", "after"))
        f.do(f"br label %{head}")
        f.lines.append(f"{head}:")
        record = f.let(f"load ptr, ptr {at}")
        done = f.let(f"icmp eq ptr {record}, {last}")
        f.do(f"br i1 {done}, label %{after}, label %{inside}")
        f.lines.append(f"{inside}:")
        body(record)
        f.do(f"store ptr {f.let(f'getelementptr i64, ptr {record}, i64 {WORDS}')}, ptr {at}")
        f.do(f"br label %{head}")
        f.lines.append(f"{after}:")

    def when(self, kind: str, is_kind: int, body: Callable[[], None]) -> None:
        with_branch(self.function, self.function.let(f"icmp eq i64 {kind}, {is_kind}"), body)

    def counter(self, start: int | str = 0) -> Counter:
        return Counter(self.function, start)

    def hold(self, thing: str) -> None:
        """Count one more reference to an object."""
        f = self.function
        count, one = self.counted(thing)
        f.do(f"store i32 {f.let(f'add i32 {count}, {one}')}, ptr {thing}")

    def let_go(self, thing: str) -> None:
        """Count one reference less to an object."""
        f = self.function
        count, one = self.counted(thing)
        f.do(f"store i32 {f.let(f'sub i32 {count}, {one}')}, ptr {thing}")
        last = f.let(f"icmp eq i32 {count}, 1")

        def free() -> None:
            f.do(f"store i32 1, ptr {thing}")
            f.call("void", "Py_DecRef", ("ptr", thing))

        with_branch(f, last, free)

    def counted(self, thing: str) -> tuple[str, str]:
        """How many references there are to an object, and what one more counts: nothing for those
        that live for ever, which have a negative number."""
        f = self.function
        count = f.let(f"load i32, ptr {thing}")
        return count, f.let(f"zext i1 {f.let(f'icmp sge i32 {count}, 0')} to i32")

    def drop(self, thing: str) -> None:
        """Count one reference less to an object, if there is one."""
        f = self.function

        def count() -> None:
            f.call("void", "Py_DecRef", ("ptr", thing))

        with_branch(f, f.let(f"icmp ne ptr {thing}, null"), count)

    def give_otherwise(self, otherwise: int) -> None:
        """At the label `otherwise`, return the object whose address is in ``%state``."""
        f = self.function
        f.lines.append("otherwise:")
        other = self.own(otherwise)
        f.call("void", "Py_IncRef", ("ptr", other))
        f.do(f"ret ptr {other}")


class Counter:
    """A number that goes up."""

    def __init__(self, function: Function, start: int | str) -> None:
        self.function = function
        self.place = function.variable("i64")
        function.do(f"store i64 {start}, ptr {self.place}")

    def now(self) -> str:
        return self.function.let(f"load i64, ptr {self.place}")

    def next(self, step: int | str = 1) -> str:
        """The number, after which it is higher by a step."""
        f, now = self.function, self.now()
        f.do(f"store i64 {f.let(f'add i64 {now}, {step}')}, ptr {self.place}")
        return now
