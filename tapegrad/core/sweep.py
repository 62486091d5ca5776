"""`Sweep`: one walk over the imperative graph, from outputs back to leaves, and who watches it."""

from __future__ import annotations

import threading
from collections import Counter
from sys import getrefcount
from typing import Any

from .. import errors
from ..backend import has_nan, on_device
from .array import Array, Traced, grad_of, set_grad
from .face import bare, conjugated, face_of
from .gradient import add_to_grad, present
from .graph import cut, free, reach, toward
from .leaf import detach, retained
from .op import codes
from .record import PICK
from .reverse import Cotangents, deposit, may_poison, sweep, sweep_recorded
from .tail import LARGE
from .tape import (
    YOUNG_BYTES,
    Entry,
    Paused,
    Tape,
    current_tape,
    entry_bytes,
    following,
    hooks,
    leaves,
    local,
    quietly,
    set_current,
    shared,
    slot_of,
    tick,
)
from .versions import check_unchanged
from .watch import Unpacked


def _references_of_one_variable() -> int:
    value = object()
    return getrefcount(value)


ALONE = _references_of_one_variable()


class _Running(threading.local):
    """The sweep that this thread is in the midst of."""

    sweep: Sweep | None = None


running = _Running()

FREED_TOGETHER = 1 << 18
"""About how many bytes of entries a sweep that frees as it goes holds on to."""

NO_HOOKS: tuple[list[Any], list[Any]] = ([], [])


def leaves_of(entry: Entry) -> list[int]:
    """The slots of imperative leaves among an entry's inputs."""
    return [slot for slot in entry[2 : 2 + codes[entry[0]][1]] if slot < 0]


def take(entries: list[Entry]) -> list[Entry]:
    """Some entries from the end, up to a certain number and size, taken out of the list."""
    chunk: list[Entry] = []
    size = 0
    while entries and size < FREED_TOGETHER and len(chunk) < 512:
        entry = entries.pop()
        chunk.append(entry)
        size += entry_bytes(entry)
    return chunk


class _Everything:
    """A set that has every slot."""

    def __contains__(self, slot: object) -> bool:
        return True


class Sweep:
    """One sweep over the imperative graph: what it starts from, passes and finds."""

    __slots__ = (
        "__weakref__",
        "captured",
        "careful",
        "cotangents",
        "create_graph",
        "entries",
        "lanes",
        "recorded",
        "root",
        "targets",
        "useful",
    )

    def __init__(
        self, outputs: list[Array], seeds: list[Any], targets: set[int] | None, create_graph: bool
    ) -> None:
        self.root: Tape = local.root
        self.targets = targets
        self.create_graph = create_graph
        self.recorded = create_graph or bool(self.root.marks)
        self.lanes = any(type(g) is Traced for g in seeds)
        self.careful = self.lanes or any(map(on_device, seeds))
        self.captured: Cotangents = {}
        self.cotangents: Cotangents = {}
        for x, g in zip(outputs, seeds, strict=True):
            if isinstance(g, Array) and type(g) is not Traced and not (self.recorded and g.slot):
                g = g.raw
            before = self.cotangents.get(x.slot)
            self.cotangents[x.slot] = g if before is None else before + g
        floor = max(1, min(targets, default=1)) if targets is not None else 1
        self.entries = reach(self.cotangents, floor, targets or set())
        self.useful: Any = _Everything()
        if targets is not None:
            self.entries, self.useful = toward(self.entries, targets)

    def run(self, accumulate: bool) -> None:
        """Sweep, and capture what is asked for; fill leaves' `grad` where none was asked for."""
        root = self.root
        previous = local.tape
        if self.entries and shared.changed > self.entries[-1][1]:
            check_unchanged(self.entries)
        start = tick()
        below = current_tape()
        written: list[Array] = []
        outer = running.sweep
        try:
            running.sweep = self
            set_current(below if self.recorded or self.lanes else Paused(below))
            position = 0
            for stop in self.stops():
                self.pull(self.entries[position:stop])
                try:
                    self.visit(self.entries[stop][1])
                except BaseException:  # the leaves that are done get their share all the same
                    if accumulate:
                        self.deliver(self.done(stop), written)
                    raise
                position = stop
            self.pull(self.entries[position:] if position else self.entries)
            if self.targets is not None:
                for slot in self.targets - self.captured.keys():
                    if slot in self.cotangents and (slot > 0 or not accumulate):
                        self.visit(slot)
            if accumulate:
                self.deliver([s for s in self.cotangents if s < 0], written)
        except BaseException:
            if self.recorded:  # what the rules recorded goes; so do the links of grads to it
                del root[root.position(start) :]
                for leaf in written:
                    g = grad_of(leaf)
                    if g is not None and g.slot > start:
                        set_grad(leaf, detach(g))
            raise
        finally:
            set_current(previous)
            running.sweep = outer

    def slots(self) -> set[int]:
        """The slots that get a cotangent."""
        found = set(self.cotangents) | {entry[1] for entry in self.entries}
        for entry in self.entries:
            found.update(entry[2 : 2 + codes[entry[0]][1]])
        return {slot for slot in found if slot in self.useful}

    def is_large(self) -> bool:
        """Whether so much was recorded that entries should go as soon as they are used."""
        return self.root.budget < YOUNG_BYTES - LARGE or self.root.old_bytes > 0

    def is_plain(self) -> bool:
        """Whether nobody looks in between: no rule is recorded, nothing but leaves gets a share."""
        watched = self.lanes or self.targets is not None or following or self.stops()
        return not (self.recorded or watched)

    def consume(self) -> None:
        """A plain sweep that frees entries, and fills leaves' `grad`, as early as it can."""
        root = self.root
        previous = local.tape
        entries = self.entries
        if entries and shared.changed > entries[-1][1]:
            check_unchanged(entries)
        free(entries)
        uses: Counter[int] = Counter(slot for entry in entries for slot in leaves_of(entry))
        entries.reverse()
        written: list[Array] = []
        try:
            set_current(Paused(current_tape()))
            self.deliver([s for s in self.cotangents if s < 0 and s not in uses], written)
            while entries:
                chunk = take(entries)
                self.pull(chunk)
                used = Counter(slot for entry in chunk for slot in leaves_of(entry))
                del chunk
                uses.subtract(used)
                self.deliver([s for s in used if not uses[s] and s in self.cotangents], written)
        finally:
            set_current(previous)
            if entries:  # something raised: what was not used stays
                root[:] = sorted([*root, *entries], key=slot_of)

    def stops(self) -> list[int]:
        """The places of entries whose cotangents somebody wants to see."""
        targets = self.targets or ()
        if not (hooks or retained or any(slot > 0 for slot in targets)):
            return []
        return [
            i
            for i, entry in enumerate(self.entries)
            if entry[1] in hooks or entry[1] in retained or entry[1] in targets
        ]

    def pull(self, entries: list[Entry]) -> None:
        """Pull cotangents through some entries, one by one if somebody looks."""
        if shared.examine is None and following.keys().isdisjoint(map(slot_of, entries)):
            self.walk(entries, self.cotangents)
            return
        for entry in entries:
            self.step(entry)

    def step(self, entry: Entry) -> None:
        """Pull the cotangent of one entry through it, and show what comes out."""
        g = self.cotangents.get(entry[1])
        if g is None or codes[entry[0]][0] is PICK:
            self.walk([entry], self.cotangents)
            return
        del self.cotangents[entry[1]]
        pulled: Cotangents = {entry[1]: g}
        if shared.examine is None:
            self.walk([entry], pulled)
        else:
            shared.examine(entry, lambda: self.walk([entry], pulled), pulled)
        for hook in tuple(following.get(entry[1], ())):
            hook(pulled, g)
        for slot, d in pulled.items():
            deposit(self.cotangents, slot, d)

    def walk(self, some: list[Entry], cotangents: Cotangents) -> None:
        """Pull cotangents through some entries; a zero one stays zero."""
        entries: Any = some
        if not self.recorded and self.targets is not None:
            entries = cut(some, self.useful)
        if shared.packed:
            entries = Unpacked(entries)
        if self.recorded:
            with quietly(True):
                sweep_recorded(entries, cotangents, self.useful, None, self.root)
            return
        before = dict(cotangents)
        self.sweep_plainly(entries, cotangents, self.careful)
        if not self.careful and may_poison(some):
            for slot, g in cotangents.items():
                if g is not before.get(slot) and type(g) is not dict and has_nan(g):
                    cotangents.clear()
                    cotangents.update(before)
                    self.sweep_plainly(entries, cotangents, True)
                    return

    def sweep_plainly(self, entries: Any, cotangents: Cotangents, careful: bool) -> None:
        """Sweep where nothing is recorded: a tracked value in a custom rule is a constant."""
        with quietly(True):
            sweep(entries, cotangents, careful=careful)
        if not self.lanes:
            for slot, g in cotangents.items():
                if isinstance(g, Array):
                    cotangents[slot] = g.raw

    def visit(self, slot: int) -> None:
        """Show a finished cotangent to its hooks, and keep it where it is asked for."""
        g = self.cotangents.get(slot)
        if g is None or type(g) is dict:
            return
        own_hooks = hooks.get(slot) if slot > 0 else getattr(leaves.get(slot), "hooks", NO_HOOKS)[0]
        if own_hooks:
            g = self.cotangents[slot] = self.call_hooks(own_hooks, g)
        if self.targets is not None and slot in self.targets:
            self.captured[slot] = g
        array = retained.get(slot)
        if array is not None:
            add_to_grad(array, g if isinstance(g, Array) else g.copy(), self.create_graph)

    def call_hooks(self, own_hooks: list[Any], g: Any) -> Any:
        """What the hooks of a value make of its cotangent."""
        for hook, like in tuple(own_hooks):
            seen = present(g, like)
            result = hook(seen)
            if result is None:
                continue
            if result.shape != seen.shape:
                raise errors.hook_size(hook, seen.raw.shape, result.raw.shape)
            g = conjugated(bare(result), face_of(like))
            if isinstance(g, Array) and not (g.slot and self.recorded):
                g = g.raw
        return g

    def done(self, stop: int) -> list[int]:
        """The leaves that no entry from the place `stop` on adds to."""
        open_slots = {
            slot for entry in self.entries[stop:] for slot in entry[2 : 2 + codes[entry[0]][1]]
        }
        return [slot for slot in self.cotangents if slot < 0 and slot not in open_slots]

    def deliver(self, slots: list[int], written: list[Array]) -> None:
        """Add leaves' cotangents to their `grad`."""
        for slot in slots:
            leaf = leaves.get(slot)
            if leaf is None or (self.targets is not None and slot not in self.targets):
                continue
            if type(self.cotangents[slot]) is Traced:
                raise errors.backward_of_lanes("vmap")
            before, after = getattr(leaf, "hooks", NO_HOOKS)
            if before:
                self.cotangents[slot] = self.call_hooks(before, self.cotangents[slot])
            g = self.cotangents.pop(slot)
            shared_data = getrefcount(g) > ALONE or getattr(g, "base", None) is not None
            if shared_data and not isinstance(g, Array):
                g = g.copy()  # rules gave it to two, or it is a view
            add_to_grad(leaf, g, self.create_graph)
            written.append(leaf)
            for hook in tuple(after):
                hook(leaf)
