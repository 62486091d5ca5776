"""LLVM assembly as text, a function at a time: names for values, loops, loads and stores.

Text is built because it is fast: a program has thousands of instructions.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy

Index = str | int
"""A place in a loop: the name of a 64-bit integer, or a constant."""


class Kind:
    """A type of elements in registers: `width` of them, 1 for a scalar. There is one of each.

    `element` and `text` are the types of one and of all in registers, `memory` that in memory,
    where a truth value takes a byte, `mask` that of as many truth values; `suffix` is how the names
    of intrinsics end.
    """

    __slots__ = ("dtype", "element", "is_float", "mask", "memory", "suffix", "text", "width")

    dtype: numpy.dtype[Any]
    width: int
    element: str
    text: str
    memory: str
    mask: str
    suffix: str
    is_float: bool

    def __new__(cls, dtype: numpy.dtype[Any], width: int) -> Kind:
        found = KINDS.get((dtype.char, width))
        return KINDS.setdefault((dtype.char, width), made(dtype, width)) if found is None else found

    def scalar(self) -> Kind:
        return Kind(self.dtype, 1)

    def of(self, dtype: Any) -> Kind:
        return Kind(numpy.dtype(dtype), self.width)

    def constant(self, value: Any) -> str:
        """A number in every element."""
        return splat(self, literal(self.dtype, value))


KINDS: dict[tuple[str, int], Kind] = {}


def made(dtype: numpy.dtype[Any], width: int) -> Kind:
    """A new kind."""
    char, size = dtype.kind, dtype.itemsize

    def vector(element: str) -> str:
        return element if width == 1 else f"<{width} x {element}>"

    kind = object.__new__(Kind)
    kind.dtype, kind.width, kind.is_float = dtype, width, char == "f"
    if char == "b":
        kind.element = "i1"
    else:
        kind.element = f"i{8 * size}" if char in "iu" else {4: "float", 8: "double"}[size]
    kind.text, kind.mask = vector(kind.element), vector("i1")
    kind.memory = vector("i8" if char == "b" else kind.element)
    name = {"float": "f32", "double": "f64"}.get(kind.element, kind.element)
    kind.suffix = name if width == 1 else f"v{width}{name}"
    return kind


def literal(dtype: numpy.dtype[Any], value: Any) -> str:
    """A number as an operand."""
    if dtype.kind == "b":
        return "true" if value else "false"
    if dtype.kind in "iu":
        return str(int(value))
    bits = struct.unpack("<Q", struct.pack("<d", float(dtype.type(value))))[0]
    return f"0x{bits:016X}"


def splat(kind: Kind, text: str) -> str:
    return text if kind.width == 1 else f"splat ({kind.element} {text})"


class Function:
    """The text of one function under construction.

    `flags` stand with floating point arithmetic: "contract" allows fused products. `glue` says that
    it does little itself: LLVM is to make it quickly, in a third of the time.
    """

    def __init__(self, head: str, flags: str = "", glue: bool = False) -> None:
        self.head = f"{head} optnone noinline" if glue else head
        self.flags = flags
        self.lines: list[str] = []
        self.stack: list[str] = []
        self.needs: dict[str, str] = {}  # declarations and definitions by name
        self.count = 0

    def let(self, expression: str) -> str:
        """A new value."""
        self.count += 1
        name = f"%v{self.count}"
        self.lines.append(f"  {name} = {expression}")
        return name

    def do(self, line: str) -> None:
        self.lines.append(f"  {line}")

    def call(self, result: str, name: str, *arguments: tuple[str, str]) -> str:
        """Call a function that is declared outside, with `(type, value)` pairs."""
        types = ", ".join(t for t, _ in arguments)
        self.needs[name] = f"declare {result} @{name}({types})"
        given = ", ".join(f"{t} {v}" for t, v in arguments)
        if result == "void":
            self.do(f"call void @{name}({given})")
            return ""
        return self.let(f"call {result} @{name}({given})")

    def variable(self, type: str) -> str:
        """Memory for one value, which becomes a register."""
        self.count += 1
        name = f"%a{self.count}"
        self.stack.append(f"  {name} = alloca {type}, align 64")
        return name

    def loop(self, low: Index, high: Index, step: int, body: Callable[[Index], None]) -> None:
        """``for i in range(low, high, step)``; a single turn is written without a loop."""
        if isinstance(low, int) and isinstance(high, int):
            if low >= high:
                return
            if low + step >= high:
                body(low)
                return
        counter = self.variable("i64")
        self.do(f"store i64 {low}, ptr {counter}")
        self.count += 1
        head, end = f"loop{self.count}", f"end{self.count}"
        self.do(f"br label %{head}")
        self.lines.append(f"{head}:")
        i = self.let(f"load i64, ptr {counter}")
        body(i)
        following = self.hidden(self.let(f"add nuw nsw i64 {i}, {step}"))
        self.do(f"store i64 {following}, ptr {counter}")
        again = self.let(f"icmp ult i64 {following}, {high}")
        self.do(f"br i1 {again}, label %{head}, label %{end}")
        self.lines.append(f"{end}:")

    def hidden(self, value: str) -> str:
        """The same number, of which LLVM does not see where it comes from, without an instruction.

        For counters: LLVM's search for better ones takes up to a fifth of the time of compiling,
        and makes no loop faster that was measured.
        """
        return self.let(f'call i64 asm "", "=r,0"(i64 {value})')

    def plus(self, x: Index, y: Index) -> Index:
        if isinstance(x, int) and isinstance(y, int):
            return x + y
        if x == 0:
            return y
        return x if y == 0 else self.let(f"add nsw i64 {x}, {y}")

    def times(self, x: Index, factor: int) -> Index:
        if isinstance(x, int):
            return x * factor
        if factor in (0, 1):
            return x if factor else 0
        return self.let(f"mul nsw i64 {x}, {factor}")

    def at(self, kind: Kind, pointer: str, index: Index) -> str:
        """The address of an element."""
        if index == 0:
            return pointer
        return self.let(f"getelementptr {kind.scalar().memory}, ptr {pointer}, i64 {index}")

    def splat(self, kind: Kind, value: str) -> str:
        """A scalar in every element."""
        if kind.width == 1:
            return value
        one = self.let(f"insertelement {kind.text} poison, {kind.element} {value}, i64 0")
        return self.let(
            f"shufflevector {kind.text} {one}, {kind.text} poison, "
            f"<{kind.width} x i32> zeroinitializer"
        )

    def joined(self, kind: Kind, x: str, y: str) -> str:
        """Two vectors, or scalars, as one vector."""
        if kind.width == 1:
            first = self.let(f"insertelement <2 x {kind.text}> poison, {kind.text} {x}, i64 0")
            return self.let(f"insertelement <2 x {kind.text}> {first}, {kind.text} {y}, i64 1")
        return self.shuffled(kind, x, y, 0, 2 * kind.width)

    def halves(self, kind: Kind, x: str) -> list[str]:
        """The two halves of a vector."""
        count = kind.width // 2
        if count == 1:
            return [self.let(f"extractelement {kind.text} {x}, i64 {i}") for i in range(2)]
        return [self.shuffled(kind, x, "poison", i * count, count) for i in range(2)]

    def shuffled(self, kind: Kind, x: str, y: str, first: int, count: int) -> str:
        """Lanes that follow each other, out of two vectors."""
        lanes = ", ".join(f"i32 {first + i}" for i in range(count))
        return self.let(
            f"shufflevector {kind.text} {x}, {kind.text} {y}, <{count} x i32> <{lanes}>"
        )

    def load(self, kind: Kind, address: str, mask: str | None = None) -> str:
        """Elements that lie side by side; where the mask is false, zero."""
        memory, align = kind.memory, kind.dtype.itemsize
        if mask is None or kind.width == 1:
            value = self.let(f"load {memory}, ptr {address}, align {align}")
        else:
            suffix = kind.suffix.replace("i1", "i8") if kind.dtype.kind == "b" else kind.suffix
            value = self.call(
                memory,
                f"llvm.masked.load.{suffix}.p0",
                ("ptr", address),
                ("i32", str(align)),
                (kind.mask, mask),
                (memory, "zeroinitializer"),
            )
        return self.from_memory(kind, value)

    def gather(self, kind: Kind, address: str, stride: int, mask: str | None) -> str:
        """Elements that lie `stride` apart."""
        if kind.width == 1:
            return self.load(kind, address)
        memory, n = kind.memory, kind.width
        offsets = ", ".join(f"i64 {k * stride}" for k in range(n))
        element = kind.scalar().memory
        addresses = self.let(f"getelementptr {element}, ptr {address}, <{n} x i64> <{offsets}>")
        suffix = kind.suffix.replace("i1", "i8") if kind.dtype.kind == "b" else kind.suffix
        value = self.call(
            memory,
            f"llvm.masked.gather.{suffix}.v{n}p0",
            (f"<{n} x ptr>", addresses),
            ("i32", str(kind.dtype.itemsize)),
            (kind.mask, mask or "splat (i1 true)"),
            (memory, "zeroinitializer"),
        )
        return self.from_memory(kind, value)

    def store_first(self, kind: Kind, value: str, address: str, count: int) -> None:
        """Put the first elements side by side, in pieces without masks.

        A load that is near to a masked store has to wait for it, even beside what it writes.
        """
        done, width = 0, kind.width
        while done < count:
            if done + width > count:
                width //= 2
                continue
            part = Kind(kind.dtype, width)
            if width == 1:
                piece = self.let(f"extractelement {kind.text} {value}, i64 {done}")
            else:
                piece = self.shuffled(kind, value, "poison", done, width)
            self.store(part, piece, self.at(kind, address, done))
            done += width

    def scatter(self, kind: Kind, value: str, address: str, stride: int, mask: str | None) -> None:
        """Put elements `stride` apart; where the mask is false, nothing."""
        if kind.width == 1 or stride == 1:
            self.store(kind, value, address, mask)
            return
        assert kind.dtype.kind != "b", "truth values are not scattered"
        n = kind.width
        offsets = ", ".join(f"i64 {k * stride}" for k in range(n))
        element = kind.element
        addresses = self.let(f"getelementptr {element}, ptr {address}, <{n} x i64> <{offsets}>")
        self.call(
            "void",
            f"llvm.masked.scatter.{kind.suffix}.v{n}p0",
            (kind.text, value),
            (f"<{n} x ptr>", addresses),
            ("i32", str(kind.dtype.itemsize)),
            (kind.mask, mask or "splat (i1 true)"),
        )

    def from_memory(self, kind: Kind, value: str) -> str:
        if kind.dtype.kind != "b":
            return value
        return self.let(
            f"icmp ne {kind.memory} {value}, {'0' if kind.width == 1 else 'zeroinitializer'}"
        )

    def store(self, kind: Kind, value: str, address: str, mask: str | None = None) -> None:
        """Put elements side by side; where the mask is false, nothing."""
        memory, align = kind.memory, kind.dtype.itemsize
        if kind.dtype.kind == "b":
            value = self.let(f"zext {kind.text} {value} to {memory}")
        if mask is None or kind.width == 1:
            self.do(f"store {memory} {value}, ptr {address}, align {align}")
            return
        suffix = kind.suffix.replace("i1", "i8") if kind.dtype.kind == "b" else kind.suffix
        self.call(
            "void",
            f"llvm.masked.store.{suffix}.p0",
            (memory, value),
            ("ptr", address),
            ("i32", str(align)),
            (kind.mask, mask),
        )

    def prefetch(self, address: str, write: int) -> None:
        """Have the memory at an address, which need not exist, brought into the second cache."""
        given = (("ptr", address), ("i32", str(write)), ("i32", "2"), ("i32", "1"))
        self.call("void", "llvm.prefetch.p0", *given)

    def text(self) -> str:
        body = "\n".join([*self.stack, *self.lines])
        return f"{self.head} {{\nentry:\n{body}\n}}\n"
