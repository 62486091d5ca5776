"""`CompileTape`: the replay tape of a function that is being compiled.

Values that are read for a Python branch become guards. Where the function is a step that calls
`backward()`, the tape knows the leaves, and what the sweep does is recorded too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.array import Array
from ..core.op import codes, table
from ..core.record import has_derivative, raw
from ..core.reverse import Cotangents, sweep_recorded
from ..core.tape import Paused, ReplayTape, current_tape, quietly
from . import errors

GUARDED = "biu"
"""The kinds of dtype whose scalars may be read: branches and integers, of which there are few."""


class CompileTape(ReplayTape):
    """A tape of entries that become a program.

    `guards` holds what was read of single values, by slot; `known` are the random numbers that come
    first, drawn already. `watched` are the leaves of a step, tensors that stand for values of this
    tape while it runs; `places` are the slots that these had so far, with the leaf. `swept` says
    that there was a `backward()`.
    """

    __slots__ = ("dependent", "guards", "known", "places", "seen", "stepping", "swept", "watched")

    def __init__(self, known: Sequence[Any] = ()) -> None:
        super().__init__("compile", "again")
        self.known = list(known)
        self.guards: dict[int, Any] = {}
        self.watched: list[Array] = []
        self.places: dict[int, Array] = {}
        self.dependent: set[int] = set()
        self.seen = 0
        self.stepping = False  # it is a step's
        self.swept = False

    def read(self, x: Any, what: str) -> Any:
        """The data of a single truth value or integer, which becomes a guard."""
        value = raw(x)
        if value.shape != () or value.dtype.kind not in GUARDED:
            raise errors.value_read(what)
        self.guards[x.slot] = value
        return value

    def sample(self, sampler: Any) -> Any:
        """Random numbers: those that were drawn already, then new ones."""
        return self.known.pop(0) if self.known else super().sample(sampler)

    def watch(self, leaves: list[Array], computed: list[Array]) -> None:
        """Take arrays, which have places on this tape by now, for the leaves of a step.

        What depends on those that were `computed` outside requires a gradient too.
        """
        self.watched = leaves
        self.dependent.update(x.slot for x in computed)
        self.stepping = True

    def look(self) -> None:
        """Note where leaves are now, and which values depend on them."""
        for leaf in self.watched:  # a write in place has moved some
            if leaf.slot not in self.places:
                self.places[leaf.slot] = leaf
        places, dependent = self.places, self.dependent
        for entry in self[self.seen :]:
            op, arity = codes[entry[0]]
            if op is STOP or not has_derivative(op, entry[-1]):
                continue
            if any(s in places or s in dependent for s in entry[2 : 2 + arity]):
                dependent.add(entry[1])
        self.seen = len(self)

    def requires_grad(self, x: Any) -> bool:
        """Whether a value depends on a leaf; in a function without side effects, it may."""
        if not self.stepping:
            return True
        self.look()
        return x.slot in self.dependent or x.slot in self.places

    def leaves(self) -> list[Any]:
        """The leaves of a step; raises where the tape is that of a function."""
        return self.watched if self.stepping else super().leaves()

    def pulled(self, outputs: Any, seeds: Any, wanted: Sequence[Any]) -> list[Any]:
        """The cotangents of leaves or computed values, recorded; None for none."""
        if not self.stepping:
            return super().pulled(outputs, seeds, wanted)
        if any(hasattr(leaf, "hooks") for leaf in self.watched):
            raise errors.hooked()
        self.look()
        self.swept = True
        stops = set(self.places).union(x.slot for x in wanted)
        cotangents: Cotangents = {}
        for x, g in zip(outputs, seeds, strict=True):
            cotangents[x.slot] = cotangents[x.slot] + g if x.slot in cotangents else g
        kept: Cotangents = {}
        useful = self.dependent.union(stops)
        for entry in reversed(list(self)):
            if entry[1] in stops:  # a leaf that was written to, or a value that is asked for
                if entry[1] in cotangents:
                    kept[entry[1]] = cotangents[entry[1]]
                if entry[1] in self.places:
                    cotangents.pop(entry[1], None)
                    continue
            with quietly(True):
                sweep_recorded([entry], cotangents, useful, None, self)
        kept.update(cotangents)
        return [self.total(x, kept) for x in wanted]

    def total(self, x: Array, cotangents: Cotangents) -> Any:
        """The cotangent of an array, at whatever places it had."""
        total = None
        for slot in [slot for slot, leaf in self.places.items() if leaf is x] or [x.slot]:
            g = cotangents.get(slot)
            if g is not None:
                total = g if total is None else total + g
        return total


STOP = table["stop_gradient"]


def is_compiling() -> bool:
    """Whether a trace for a compiled function is running: then others are part of its program."""
    tape = current_tape()
    while isinstance(tape, ReplayTape):
        if isinstance(tape, CompileTape):
            return True
        tape = tape.parent.tape if isinstance(tape.parent, Paused) else tape.parent
    return False
