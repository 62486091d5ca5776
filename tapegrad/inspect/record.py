"""`record`: run a function, and keep its tape to look at."""

from __future__ import annotations

import functools
import os.path
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy
from numpy import ndarray

from ..backend import as_data
from ..core.array import Array, is_mapped
from ..core.op import codes
from ..core.program import Program, trace
from ..core.record import PICK, raw
from ..core.tape import Entry as Instruction
from ..core.tape import ReplayTape
from ..transforms.arguments import check_function, name_of
from ..transforms.flat import FlatCall, is_array
from .tape import Entry, Name, Tape, Value

PACKAGES = tuple(
    os.path.join(os.path.dirname(os.path.abspath(path)), "")
    for path in (os.path.dirname(__file__), numpy.__file__)
)
"""The folders of this package and of NumPy, which calls it: not the user's program."""

HIDDEN = {"count", "randomness", "saved", "usage"}
"""Parameters of entries that hold functions which say nothing to a reader."""


class SourceTape(ReplayTape):
    """A replay tape that notes which line of the user's program made each entry."""

    __slots__ = ("sources",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.sources: dict[int, tuple[str, int]] = {}

    def append(self, entry: Instruction) -> None:
        super().append(entry)
        source = user_line(sys._getframe(1))
        if source is not None:
            self.sources[entry[1]] = source


def user_line(frame: FrameType | None) -> tuple[str, int] | None:
    """The file and line of the innermost frame outside of the libraries."""
    while frame is not None:
        if not frame.f_code.co_filename.startswith(PACKAGES):
            return frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back
    return None


def record(fun: Callable[..., Any]) -> Callable[..., tuple[Any, Tape]]:
    """`fun` with its tape: ``out, tape = record(fun)(*args)``.

    ``print(tape)`` shows one line an operation: what is computed from what, of which dtype and
    shape, and on which line of your program. `tape.entries` holds the same as objects, each with
    the `data` that was computed.

    >>> import tapegrad as tg
    >>> out, tape = tg.record(lambda x: x * x + 1.0)(3.0)
    >>> [entry.op for entry in tape.entries]
    ['multiply', 'add']
    """
    check_function("record", fun)

    @functools.wraps(fun, updated=())
    def wrapper(*args: Any, **kwargs: Any) -> tuple[Any, Tape]:
        call = FlatCall(fun, args, kwargs, lambda _, x: is_array(x) or type(x) in (float, complex))
        inputs = [x if isinstance(x, Array) else as_data(x) for x in call.inputs()]
        mapped = [is_mapped(x) for x in inputs]
        tape = SourceTape("record")
        program = trace(call, list(map(raw, inputs)), mapped, tape)
        names: dict[int, Name] = {}
        arguments = []
        for i, (slot, x) in enumerate(zip(program.inputs, inputs, strict=True)):
            names[slot] = Name(f"x{i}")
            arguments.append(value_of(tape, names[slot], slot, raw(x)))
        entries = readable(tape, names)
        returned = [names[o] if type(o) is int else o[0] for o in program.outputs]
        results = outside(program, tape, inputs)
        own = [x.copy() if type(x) is ndarray else x for x in results]  # the tape keeps the others
        return call.rebuild(own), Tape(name_of(fun), arguments, entries, returned)

    return wrapper


def outside(program: Program, tape: ReplayTape, inputs: list[Any]) -> list[Any]:
    """The results as the caller sees them: tracked where the arguments or what is captured are."""
    body, captured = program.closed()
    if any(isinstance(x, Array) for x in (*inputs, *captured)):
        return body.run(*inputs, *captured)
    data = {entry[1]: entry[-1] for entry in tape}
    data.update(zip(program.inputs, inputs, strict=True))
    return [o[0] if type(o) is tuple else data[o] for o in program.outputs]


def value_of(tape: SourceTape, name: Name, slot: int, data: Any) -> Value:
    """What stands in a slot, with its name."""
    return Value(name, data.shape, data.dtype, None if slot in tape.mapped else data)


def readable(tape: SourceTape, names: dict[int, Name]) -> list[Entry]:
    """The instructions of a tape with names, which are entered in `names`."""
    picks: dict[int, list[Value]] = {}
    count = 0
    for entry in tape:
        op, _ = codes[entry[0]]
        if op.outputs:
            continue  # its results have names, each its own
        names[entry[1]] = Name(f"v{count}")
        count += 1
        if op is PICK:
            value = value_of(tape, names[entry[1]], entry[1], entry[-1])
            picks.setdefault(entry[2], []).append(value)
    entries = []
    for entry in tape:
        op, arity = codes[entry[0]]
        if op is PICK:
            continue
        slots, saved = entry[2 : 2 + arity], entry[3 + arity : -1]
        arguments = [names[s] if s else x for s, x in zip(slots, saved, strict=True)]
        params = {k: v for k, v in (entry[2 + arity] or {}).items() if k not in HIDDEN}
        if op.outputs:
            outputs = tuple(picks[entry[1]])
        else:
            outputs = (value_of(tape, names[entry[1]], entry[1], entry[-1]),)
        source = tape.sources.get(entry[1])
        entries.append(Entry(outputs, op.name, tuple(arguments), params, source))
    return entries
