"""`Program`: recorded entries as a function of their own, run again plainly or over many lanes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import errors
from ..backend import quiet
from .array import Array, Traced, tracked
from .op import codes, table
from .tape import Entry, ReplayTape, local, quietly, set_current, tick


class Program:
    """Instructions from input slots to outputs.

    `outputs` are slots where a value was computed by the instructions, and constants in a
    one-element tuple otherwise. `drawn` holds random numbers by slot, with a leading lane axis.
    `quiet` says that derivative rules are among the instructions which are not to warn.
    """

    __slots__ = ("drawn", "entries", "inputs", "last", "outputs", "quiet")

    def __init__(
        self,
        entries: list[Entry],
        inputs: list[int],
        outputs: list[Any],
        drawn: dict[int, Any] | None = None,
        quiet: bool = False,
    ) -> None:
        self.drawn = drawn or {}
        self.quiet = quiet
        self.entries = entries
        self.inputs = inputs
        self.outputs = outputs
        self.last: list[tuple[int, ...]] | None = None

    def run(self, *inputs: Any) -> list[Any]:
        """The outputs for other inputs, by the operations' functions: recorded where tracked."""
        values: dict[int, Any] = dict(zip(self.inputs, inputs, strict=True))
        with quietly(self.quiet):
            for entry, dead in zip(self.entries, self.last_uses(), strict=True):
                op, args, params = instruction(entry, values)
                values[entry[1]] = op.function(*args, **params)
                del args
                for slot in dead:
                    del values[slot]
        return [o[0] if type(o) is tuple else values[o] for o in self.outputs]

    def last_uses(self) -> list[tuple[int, ...]]:
        """For each instruction, the values that nothing needs after it."""
        if self.last is None:
            self.last = last_uses(self.entries, self.outputs)
        return self.last

    def run_lanes(self, mapped: list[bool], *inputs: Any) -> tuple[list[bool], list[Any]]:
        """As `run`, for inputs of which those marked have a leading lane axis.

        Gives the outputs, and which of them have lanes.
        """
        values: dict[int, Any] = dict(zip(self.inputs, inputs, strict=True))
        lanes = {slot for slot, has in zip(self.inputs, mapped, strict=True) if has}
        values.update(self.drawn)
        lanes.update(self.drawn)
        with quietly(self.quiet):
            for entry, dead in zip(self.entries, self.last_uses(), strict=True):
                op, args, params = instruction(entry, values)
                slots = entry[2 : 2 + codes[entry[0]][1]]
                has = tuple(slot in lanes for slot in slots)
                if True in has:
                    lanes.add(entry[1])
                if True not in has or op.elementwise:
                    values[entry[1]] = op.function(*args, **params)
                elif op.batch is None:
                    raise errors.no_batch_rule(op.name)
                else:
                    values[entry[1]] = op.batch(op.function, has, *args, **params)
                del args
                for slot in dead:
                    del values[slot]
        return (
            [type(o) is int and o in lanes for o in self.outputs],
            [o[0] if type(o) is tuple else values[o] for o in self.outputs],
        )

    def closed(self) -> tuple[Program, list[Any]]:
        """This program with what it captured as further inputs, and these.

        Captured are the arrays of enclosing tapes. The values that were recorded are dropped.
        """
        captured: dict[int, Array] = {}
        inputs: dict[int, int] = {}  # slots by those of what is captured

        def source(slot: int, value: Any) -> tuple[int, Any]:
            if slot:
                return slot, None
            if not isinstance(value, Array):
                return 0, value
            if not value.slot:
                return 0, value.raw
            captured[value.slot] = value
            return inputs.setdefault(value.slot, tick()), None

        def aligned(slot: int, value: Any, shape: tuple[int, ...]) -> tuple[int, Any]:
            if slot or not isinstance(value, Array) or not value.slot or value.shape == shape:
                return source(slot, value)
            own, _ = source(slot, value)
            whole = tick()
            entries.append((broadcast.code(1), whole, own, {"to": shape}, None, None))
            return whole, None

        broadcast = table["broadcast_to"]
        entries: list[Entry] = []
        for entry in self.entries:
            op, arity = codes[entry[0]]
            n = 2 + arity
            sources = zip(entry[2:n], entry[n + 1 : -1], strict=True)
            if op.elementwise and arity > 1:  # with lanes, they must not meet two shapes
                pairs = [aligned(s, x, entry[-1].shape) for s, x in sources]
            else:
                pairs = [source(s, x) for s, x in sources]
            slots, saved = zip(*pairs, strict=True) if pairs else ((), ())
            entries.append((*entry[:2], *slots, entry[n], *saved, None))
        outputs = [source(0, o[0]) if type(o) is tuple else (o, None) for o in self.outputs]
        return Program(
            entries,
            [*self.inputs, *inputs.values()],
            [slot or (constant,) for slot, constant in outputs],
            quiet=self.quiet,
        ), list(captured.values())


def instruction(entry: Entry, values: dict[int, Any]) -> tuple[Any, list[Any], dict[str, Any]]:
    """The operation of an entry, its inputs from `values` or as saved, and its parameters."""
    op, arity = codes[entry[0]]
    args = [
        values[slot] if slot else saved
        for slot, saved in zip(entry[2 : 2 + arity], entry[3 + arity : -1], strict=True)
    ]
    return op, args, entry[2 + arity] or {}


def trace(
    function: Callable[..., list[Any]],
    data: list[Any],
    mapped: list[bool],
    tape: ReplayTape,
) -> Program:
    """The program of `function(*arrays)`, a list of results, recorded on a new replay tape.

    `data` are the values to trace with; those marked in `mapped` stand for many, so that reading
    them raises.
    """
    previous = local.tape
    try:
        set_current(tape)
        arrays = []
        slots = []  # of the arguments as they come in: the function may assign to them
        for x, has in zip(data, mapped, strict=True):
            slot = tick()
            if has:
                tape.mapped.add(slot)
            slots.append(slot)
            arrays.append(tracked(Traced, x, slot, tape))
        with quiet(True in mapped):
            results = function(*arrays)
        outputs = [
            x.slot
            if isinstance(x, Array) and x.slot and x.tape is tape
            else (x.raw if isinstance(x, Array) and not x.slot else x,)
            for x in results
        ]
    except ValueError as error:
        errors.check_filling(error)
        raise
    finally:
        tape.closed = True
        set_current(previous)
    return Program(needed(tape, outputs), slots, outputs, tape.drawn, tape.quiet)


def needed(entries: list[Entry], outputs: list[Any]) -> list[Entry]:
    """The entries that the outputs depend on."""
    wanted = {o for o in outputs if type(o) is int}
    kept = []
    for entry in reversed(entries):
        if entry[1] in wanted:
            kept.append(entry)
            wanted.update(entry[2 : 2 + codes[entry[0]][1]])
    kept.reverse()
    return kept


def last_uses(entries: list[Entry], outputs: list[Any]) -> list[tuple[int, ...]]:
    """For each entry, the slots that no later one reads and that are no outputs."""
    wanted = {o for o in outputs if type(o) is int}
    uses: list[tuple[int, ...]] = []
    for entry in reversed(entries):
        slots = {slot for slot in entry[1 : 2 + codes[entry[0]][1]] if slot} - wanted
        wanted |= slots
        uses.append(tuple(slots))
    uses.reverse()
    return uses
