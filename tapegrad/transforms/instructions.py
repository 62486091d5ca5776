"""A program in little memory: each step of a loop is the same few instructions, stored once.

An instruction says where its inputs come from by how many instructions ago they were computed. So
the instructions of one round of a loop are those of the next, and a program is a list of references
to them: 8 bytes for an operation.
"""

from __future__ import annotations

from math import inf
from typing import Any

from numpy import broadcast_to, generic

from ..backend import is_inexact, python_numbers
from ..core.array import Array
from ..core.op import NOTHING, Op, amounts, codes, table
from ..core.record import has_derivative
from ..core.tape import Entry

CONSTANT = 0
RESULT = -1
WINDOW = 1 << 12
"""Up to so many instructions ago, a source is told by its distance, and beyond by its number."""

COMPUTED = 1 << 40
"""Values get slots of their own in the reverse sweep: computed ones from here on, inputs from 1."""


class Instruction:
    """One operation of a program.

    `sources` are its inputs: a positive number for what was computed (see `WINDOW`), a negative one
    for an input of the program, `CONSTANT` for what is in `constants`. `useful` says that the
    result may have a derivative. `inputs` has for each input its source, its constant, and whether
    it has a derivative; `active` are the sources of those that have one; `reads` are the computed
    inputs that rules read, by position, and `RESULT`. `seconds` is the least time that was
    measured. `next` is what followed last time, and likely follows again.
    """

    __slots__ = (
        "active",
        "code",
        "constants",
        "function",
        "inputs",
        "kind",
        "nbytes",
        "next",
        "op",
        "params",
        "reads",
        "saved",
        "seconds",
        "sources",
        "useful",
    )

    def __init__(
        self,
        code: int,
        sources: tuple[int, ...],
        params: dict[str, Any] | None,
        constants: tuple[Any, ...],
        out: Any,
    ) -> None:
        self.op, arity = codes[code]
        self.code = code
        self.sources = sources
        self.params = params
        self.constants = constants
        self.function = self.op.function
        differentiable = map(self.op.differentiable, range(arity))
        self.inputs = tuple(zip(sources, constants, differentiable, strict=True))
        self.active = [source for source, _, has in self.inputs if has and source != CONSTANT]
        self.useful = has_derivative(self.op, out)
        amount = amounts[code]
        self.reads = tuple(i for i in range(arity) if amount[i] != NOTHING and sources[i] > 0)
        if amount[-1] != NOTHING:
            self.reads += (RESULT,)
        self.kind = kind_of(out)
        self.next: Instruction | None = None
        self.nbytes = size_of(out)
        self.saved: dict[tuple[bool, ...], tuple[int, ...]] = {}
        self.seconds = inf

    def density(self) -> float:
        """Seconds to compute a byte of the result, as measured."""
        return self.seconds / (ENTRY + self.nbytes)

    def stands_for(self, entry: Entry, places: dict[int, int], at: int) -> bool:
        """Whether it is surely the instruction `at` of a recorded entry; quickly found out."""
        if entry[0] != self.code:
            return False
        i = 2
        for source, constant, _ in self.inputs:
            slot = entry[i]
            if slot:
                place = places[slot]
                if source != (at - place if place >= 0 else place) or source > WINDOW:
                    return False
            else:
                value = entry[i + 1 + len(self.inputs)]
                if source or (
                    value is not constant
                    and not (type(value) is type(constant) is float and value == constant != 0)
                ):
                    return False
            i += 1
        params = entry[i]
        if params is not None and params is not self.params:
            known = self.params
            if known is None or params.keys() != known.keys():
                return False
            for name, value in params.items():
                if value is not known[name] and hashable(value) != hashable(known[name]):
                    return False
        elif params is not self.params:
            return False
        return kind_of(entry[-1]) == self.kind


ENTRY = 160
"""About the bytes that an entry takes besides its arrays, and an array besides its elements."""


def size_of(out: Any) -> int:
    """The bytes of a result's elements, if it is no view of another value."""
    if isinstance(out, tuple):
        return sum(map(size_of, out))
    return 0 if getattr(out, "base", None) is not None else getattr(out, "nbytes", 0)


def computed(source: int, at: int) -> int:
    """The number of the instruction that a positive source of instruction `at` stands for."""
    return at - source if source <= WINDOW else source - WINDOW - 1


class Instructions:
    """A program as it grows: `steps`, and the inputs that were captured from enclosing tapes."""

    __slots__ = ("arrays", "captured", "count", "known", "likely", "quiet", "steps")

    def __init__(self, count: int) -> None:
        self.count = count  # of the inputs that were given
        self.captured: dict[int, int] = {}  # places by slot
        self.arrays: list[Array] = []  # that were captured
        self.steps: list[Instruction] = []
        self.known: dict[Any, Instruction] = {}
        self.likely: Instruction | None = None  # what comes next, if it comes as before
        self.quiet = False

    def add(self, entry: Entry, places: dict[int, int]) -> int:
        """Append a recorded entry; `places` says by slot which value it is. Gives its number."""
        at = len(self.steps)
        likely = self.likely
        if likely is not None and likely.stands_for(entry, places, at):
            self.steps.append(likely)
            self.likely = likely.next
            return at
        code, out = entry[0], entry[-1]
        arity = codes[code][1]
        found: list[int | None] = [places[slot] if slot else None for slot in entry[2 : 2 + arity]]
        constants: list[Any] = [None] * arity
        if None in found:
            for i, value in enumerate(entry[3 + arity : -1]):
                if found[i] is not None:
                    continue
                if not isinstance(value, Array):
                    constants[i] = value
                elif value.slot:
                    found[i] = self.capture(codes[code][0], i, value, out)
                else:
                    constants[i] = value.raw
        return self.append(code, found, entry[2 + arity], constants, out)

    def append(
        self,
        code: int,
        places: list[int | None],
        params: dict[str, Any] | None,
        constants: list[Any],
        out: Any,
    ) -> int:
        """Append an instruction, the same object as before where there was the same one."""
        at = len(self.steps)
        sources = []
        for place in places:
            if place is None:
                sources.append(CONSTANT)
            elif place < 0:
                sources.append(place)
            else:
                away = at - place
                sources.append(away if away <= WINDOW else WINDOW + 1 + place)
        key: Any = (
            code,
            *sources,
            tuple(map(parameter_key, params.items())) if params else None,
            tuple(map(constant_key, constants)) if CONSTANT in sources else None,
            kind_of(out),
        )
        step = self.known.get(key)
        if step is None:
            step = Instruction(code, tuple(sources), params, tuple(constants), out)
            self.known[key] = step
        if self.steps:
            self.steps[-1].next = step
        self.steps.append(step)
        self.likely = step.next
        return at

    def capture(self, op: Op, index: int, x: Array, out: Any) -> int:
        """The place of an array of an enclosing tape, in the shape and dtype that is wanted.

        As on a differentiation tape, what an elementwise operation takes from it is recorded.
        """
        place = self.captured.get(x.slot)
        if place is None:
            place = -(self.count + len(self.captured) + 1)
            self.captured[x.slot] = place
            self.arrays.append(x)
        own = x.raw
        dtype = out[0].dtype if op.outputs else out.dtype
        matters = (op.elementwise or op.promote) and is_inexact(own.dtype) and is_inexact(dtype)
        if matters and own.dtype != dtype and op.differentiable(index):
            params = {"to": dtype, "source": own.dtype}
            own = own.astype(dtype)
            place = self.append(table["astype"].code(1), [place], params, [None], own)
        if op.elementwise and own.shape != out.shape:
            wide = broadcast_to(own, out.shape)
            params = {"to": out.shape}
            place = self.append(table["broadcast_to"].code(1), [place], params, [None], wide)
        return place

    def entries(self) -> list[Entry]:
        """An entry for each instruction, without the result."""
        entries: list[Entry] = []
        for at, step in enumerate(self.steps):
            slots = [
                COMPUTED + computed(source, at) if source > 0 else -source
                for source in step.sources
            ]
            entries.append((step.code, COMPUTED + at, *slots, step.params, *step.constants, None))
        return entries


def kind_of(out: Any) -> Any:
    """The shape and dtype of a result."""
    return tuple(map(kind_of, out)) if isinstance(out, tuple) else (out.shape, out.dtype.char)


def parameter_key(item: tuple[str, Any]) -> Any:
    """A parameter as a key of a dictionary: equal ones mean the same."""
    return item[0], hashable(item[1])


def hashable(value: Any) -> Any:
    """Something hashable that stands for a static value."""
    if type(value) is slice:
        return slice, value.start, value.stop, value.step
    if isinstance(value, tuple):
        return tuple(map(hashable, value))
    if isinstance(value, float | complex):
        return constant_key(value)
    try:
        hash(value)
    except TypeError:
        return id(value), type(value)  # kept alive by its instruction
    return type(value), value


def constant_key(value: Any) -> Any:
    """A key for an untracked input: numbers by value and type, arrays by identity."""
    if type(value) in python_numbers:
        return type(value), value, str(value) if not value else ""  # 0.0 and -0.0 differ
    if isinstance(value, generic):
        return type(value), value.tobytes()
    return value if value is None else (id(value), type(value))
