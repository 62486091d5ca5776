"""`Level`: one transform's range of the tape, from its mark to where it ends.

A level gives values fresh leaves, is walked backwards and forwards, and when it ends removes the
entries that only it was interested in. Levels nest by nesting ranges; since slots are unique, there
is nothing else to keep apart.
"""

from __future__ import annotations

from copy import copy
from sys import getrefcount
from threading import get_ident
from typing import Any

from numpy import generic

from .. import errors
from ..backend import namespace, quiet
from .array import Array, Traced, check_alive, grad_of, is_mapped, set_grad, tracked
from .op import codes, table
from .program import needed
from .record import deepest_tape, has_derivative, is_on
from .tape import Entry, Paused, Tape, current, leaves, local, set_current, shared, tick
from .versions import check_unchanged
from .walk import Walk, collect, plain_sweep, settled

STALE = (lambda marks: getrefcount(marks[-1]))([object()])
"""What `getrefcount` says of a level that nothing but `marks` refers to: its code is not running.
"""


class Level:
    """An active transform. Use it as a context; walk it inside."""

    __slots__ = (
        "_dependence",
        "_entries",
        "doubtful",
        "first",
        "last",
        "outermost",
        "previous",
        "slots",
        "tape",
        "written",
    )

    tape: Tape

    def __init__(self) -> None:
        tape = current()
        if type(tape) is not Tape or tape.owner != get_ident():
            tape = local.tape
        self.previous = tape
        if type(tape) is Paused:
            tape = tape.tape
        self.tape = tape
        while tape.marks and getrefcount(tape.marks[-1]) <= STALE:
            tape.marks.pop()  # a Ctrl-C came just before or after its code
        # where True, no value is tracked but this level's; an imperative leaf made later clears it
        self.outermost = not (tape.marks or tape.replay)
        self.doubtful = False  # whether that is to be seen: there are imperative values
        if shared.imperative:
            self.doubtful = self.outermost and bool(tape or leaves or shared.anything())
        elif tape and self.outermost:
            tape.clear()  # computed from values that outlived their transform
        self.slots: list[int] = []
        self.written: list[tuple[Any, bool]] | None = None  # by backward(): leaves, `create_graph`
        self._entries: list[Entry] | None = None
        self._dependence: tuple[set[int], set[int] | None] | None = None
        self.first = tick()

    def leaf(self, value: Any) -> Array:
        """A fresh leaf with the data of `value`, linked to it if it is tracked itself."""
        tape = self.tape
        if not isinstance(value, Array):
            leaf = Array()
            leaf.raw = value
            leaf.views = []  # leaves are what is indexed most
            leaf.tape = tape
            leaf.slot = slot = tick()
            self.slots.append(slot)
            if tape.replay:
                leaf.__class__ = Traced
                tape.append((table["identity"].code(1), slot, 0, None, value, value))
            return leaf
        if value.slot:
            check_alive(value)
            deepest_tape((value,))  # raises for one of another thread's transform
            self.outermost = False
        leaf = tracked(Traced if tape.replay else Array, value.raw, tick(), tape)
        self.slots.append(leaf.slot)
        if value.slot or tape.replay:
            on = is_on(value, tape)
            source = value.raw if on or not value.slot else copy(value)
            code = table["identity"].code(1)
            tape.append((code, leaf.slot, value.slot if on else 0, None, source, value.raw))
            if tape.replay and is_mapped(value):
                tape.mapped.add(leaf.slot)
        return leaf

    def __enter__(self) -> Level:
        """Begin, when all leaves are made."""
        self.last = tick()
        self.tape.marks.append(self)
        if self.previous is not self.tape:
            set_current(self.tape)
        return self

    def __exit__(self, kind: Any, error: Any = None, _: Any = None) -> None:
        """Remove this level's entries; on an exception, everything that came after the mark."""
        tape = self.tape
        tape.marks.pop()
        if self.previous is not tape:
            set_current(self.previous)
        if self.written is not None:
            self.detach_gradients(kind is not None)
        if self._entries is not None:  # walked, perhaps with derivatives that are tracked
            self.doubtful = shared.imperative
        if self.is_outermost():
            if self.recorded() is tape:
                tape.clear()
            else:
                del tape[tape.position(self.first) :]
        elif tape.replay:
            pass  # it is short-lived, and something from outside may have been changed in here
        elif kind is not None:
            del tape[tape.position(self.first) :]
        else:
            self.remove()
        if tape.steep and not tape:
            tape.steep = False
        if kind is ValueError:
            errors.check_filling(error)

    def detach_gradients(self, raised: bool) -> None:
        """Take what a `backward()` inside wrote into leaves' `grad` off this level."""
        assert self.written is not None
        outer = self.tape.marks[-1] if self.tape.marks else None
        for leaf, keep in self.written:
            g = grad_of(leaf)
            if g is None or not g.slot:
                continue
            if (raised and g.slot > self.first) or not (keep or outer):
                seen = g.raw
            else:
                seen = self.outside(g)
            seen = seen if isinstance(seen, Array) else tracked(type(g), seen, 0, None)
            set_grad(leaf, seen)
        if outer:
            outer.written = (outer.written or []) + self.written

    def is_outermost(self) -> bool:
        """Whether what was recorded involves nothing from outside; asked when it is recorded."""
        if self.doubtful:
            self.doubtful = False
            if self.outermost and involves_others(self.recorded(), self.first):
                self.outermost = False
        return self.outermost

    def recorded(self) -> list[Entry]:
        """The entries since the mark: the tape itself, if they are all."""
        tape = self.tape
        return tape if not tape or tape[0][1] > self.first else tape[tape.position(self.first) :]

    def entries(self) -> list[Entry]:
        """The entries since the leaves were made, oldest first, taken when first asked for."""
        if self._entries is None:
            tape = self.tape
            start = tape.position(self.last) if tape else 0
            self._entries = tape[start:] if start else tape[:]
        return self._entries

    def dependence(self) -> tuple[set[int], set[int] | None]:
        """The slots that depend on the leaves, and those that depend on the outside (None: all)."""
        if self._dependence is None:
            first = self.first
            inner = set(self.slots)
            outer: set[int] | None = None
            find = self.tape.find
            replay = self.tape.replay
            # called under no_grad, what is outside is a constant to this level's results
            paused = type(self.previous) is Paused and not replay
            if paused:
                outer = set()
            elif not replay:
                position = self.tape.position(first)
                outer = set()
                for entry in self.tape[position:]:
                    if entry[1] > self.last:
                        break
                    if entry[2]:
                        outer.add(entry[1])  # a leaf linked to a tracked input
            for entry in self.entries():
                op, arity = codes[entry[0]]
                for slot in entry[2 : 2 + arity]:
                    if slot:
                        if slot in inner and (not replay or has_derivative(op, entry[-1])):
                            inner.add(entry[1])
                        if outer is None or paused:
                            continue
                        if slot in outer:
                            outer.add(entry[1])
                        elif slot <= first or (slot not in inner and find(slot) is None):
                            outer.add(slot)  # older, or of another thread
                            outer.add(entry[1])
            self._dependence = inner, outer
        return self._dependence

    def depends(self, x: Any) -> bool:
        """Whether `x` was computed from this level's leaves (in the tape's sense)."""
        if not isinstance(x, Array):
            return False
        if x.slot <= self.first or x.tape is not self.tape:
            check_alive(x)  # from outside, and perhaps from a transform that has ended
            return False
        return self.is_outermost() or x.slot in self.dependence()[0]

    def outside(self, x: Any) -> Any:
        """A result as the level's caller sees it: data, or an array that the outside tracks."""
        if not isinstance(x, Array):
            return x
        if not x.slot:
            return x.raw
        if self.is_outermost():
            if x.tape is self.tape and x.slot > self.first:
                return x.raw
            if not shared.imperative:
                raise errors.escaped(x)
            check_alive(x)
            return x
        if x.tape is not self.tape:
            return x
        _, outer = self.dependence()
        if outer is None or x.slot in outer or x.slot <= self.first:
            return x
        return x.raw

    def gradient(self, value: Any) -> list[Any]:
        """The leaves' cotangents for a scalar result, whose own is 1; None where there is none."""
        if not self.depends(value):
            return [None] * len(self.slots)
        slot = value.slot
        seed = one_like(value.raw)
        if not self.is_outermost():
            return self.walk().pull({slot: seed})
        if shared.changed > self.first:
            check_unchanged(needed(self.recorded(), [slot]))
        entries = self.recorded()[:]  # a custom rule may record so much that the tape is compacted
        if not self.tape.steep:
            left = plain_sweep(entries, {slot: seed})
        else:
            with quiet():
                left = plain_sweep(entries, {slot: seed})
        return settled(collect(left, self.slots), self.tape, self.first)

    def walk(self, forward: bool = False) -> Walk:
        """The walks over what was recorded so far, for as long as one likes.

        A reverse walk ends with an error where it meets a value of a transform that has ended. A
        forward walk would take it for a constant: so `forward` looks for one first.
        """
        tape = self.tape
        if not self.is_outermost():
            inner, outer = self.dependence()
            return Walk(self.entries(), self.slots, inner, outer, tape, tape.steep, self.first)
        if forward:
            first = self.first
            for entry in self.entries():
                for slot in entry[2 : 2 + codes[entry[0]][1]]:
                    if 0 < slot <= first:
                        raise errors.gone(1, shared.imperative)
        return Walk(self.entries(), self.slots, None, set(), tape, tape.steep, self.first)

    def remove(self) -> None:
        """Remove the entries that depend on the leaves and on nothing outside.

        Entries that stay, because something outside may be interested, forget the slots of those
        that go.
        """
        inner, outer = self.dependence()
        assert outer is not None
        gone = inner - outer
        tape = self.tape
        start = tape.position(self.first)
        kept = []
        for entry in tape[start:]:
            if entry[1] in gone:
                continue
            n = 2 + codes[entry[0]][1]
            if any(slot in gone for slot in entry[2:n]):
                entry = (*entry[:2], *(0 if s in gone else s for s in entry[2:n]), *entry[n:])
            kept.append(entry)
        tape[start:] = kept


def involves_others(entries: list[Entry], first: int) -> bool:
    """Whether an input of some entry is older than the slot `first`, or an imperative leaf."""
    for entry in entries:
        for slot in entry[2 : 2 + codes[entry[0]][1]]:
            if slot <= first and slot:
                return True
    return False


def one_like(data: Any) -> Any:
    """The number 1 as a scalar of the dtype of `data`, where `data` is."""
    return type(data)(1) if isinstance(data, generic) else namespace(data).ones_like(data)[()]
