"""`Tape`: what a function did, as a program that can be read and printed."""

from __future__ import annotations

import os.path
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Value:
    """A name with what it stands for: a shape, a dtype, and the data of this run.

    `data` is None for what differs between the lanes of a `vmap` around.
    """

    name: str
    shape: tuple[int, ...]
    dtype: Any
    data: Any = field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        return f"{self.name}: {kind_of(self)}"


@dataclass(frozen=True)
class Entry:
    """One recorded operation: `outputs = op(*inputs, **params)`.

    `inputs` are names, or the values of constants. `source` is the line that called it, as
    ``(file, line)``.
    """

    outputs: tuple[Value, ...]
    op: str
    inputs: tuple[Any, ...]
    params: dict[str, Any] = field(default_factory=dict)
    source: tuple[str, int] | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the (first) output."""
        return self.outputs[0].shape

    @property
    def dtype(self) -> Any:
        """The dtype of the (first) output."""
        return self.outputs[0].dtype

    @property
    def name(self) -> str:
        """The name of the (first) output."""
        return self.outputs[0].name

    @property
    def data(self) -> Any:
        """The data of the (first) output."""
        return self.outputs[0].data

    def columns(self) -> tuple[str, str, str]:
        """What is computed, of which shapes and dtypes, and where in the user's program."""
        names = ", ".join(output.name for output in self.outputs)
        arguments = [*map(argument, self.inputs)]
        arguments += [f"{name}={static(name, value)}" for name, value in self.params.items()]
        kinds = ", ".join(map(kind_of, self.outputs))
        where = f"{os.path.basename(self.source[0])}:{self.source[1]}" if self.source else ""
        return f"{names} = {self.op}({', '.join(arguments)})", kinds, where

    def __str__(self) -> str:
        return "  ".join(filter(None, self.columns()))


class Tape:
    """The entries of a function's run, oldest first. Print it to read them."""

    def __init__(
        self, name: str, inputs: list[Value], entries: list[Entry], outputs: list[Any]
    ) -> None:
        self.name = name
        self.inputs = inputs
        self.entries = entries
        self.outputs = outputs

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __str__(self) -> str:
        rows = [entry.columns() for entry in self.entries]
        widths = [min(max(map(len, column), default=0), 72) for column in zip(*rows, strict=True)]
        lines = [f"{self.name}({', '.join(map(str, self.inputs))}):"]
        for row in rows:
            cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            lines.append(("    " + "  ".join(cells)).rstrip())
        lines.append(f"    return {', '.join(map(argument, self.outputs))}".rstrip())
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Tape of {self.name}: {len(self)} entries>"


class Name(str):
    """The name of a value, as opposed to a constant that is a string."""

    __slots__ = ()


def kind_of(value: Any) -> str:
    """A dtype and a shape: `float64[2, 3]`, or `float64` of a scalar."""
    return f"{value.dtype}[{', '.join(map(str, value.shape))}]" if value.shape else str(value.dtype)


def argument(value: Any) -> str:
    """An input as it is printed: a name, a number, or the kind of a constant array."""
    if isinstance(value, Name):
        return str(value)
    shape = getattr(value, "shape", None)
    if shape:
        return f"<{kind_of(value)}>"
    return str(value) if shape == () else repr(value)


def static(parameter: str, value: Any) -> str:
    """A parameter as it is printed."""
    if parameter == "key":
        return f"[{', '.join(map(index, value))}]"
    entries = getattr(value, "entries", None)
    if entries is not None:
        return f"<{len(entries)} entries>"
    name = getattr(value, "name", None)
    if isinstance(name, str):
        return name  # of a dtype, of a rule
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def index(part: Any) -> str:
    """A part of an index as one writes it."""
    if part is Ellipsis:
        return "..."
    if not isinstance(part, slice):
        return repr(part)
    bounds = (part.start, part.stop) if part.step is None else (part.start, part.stop, part.step)
    return ":".join("" if bound is None else str(bound) for bound in bounds)
