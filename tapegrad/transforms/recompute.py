"""A run in a budget of memory: recorded as instructions, reversed chunk by chunk.

In the reverse sweep each chunk's entries are made again, with the slots they always have, and swept
into the same cotangents. So the same rules meet the same numbers in the same order as in a sweep
over the whole tape: the gradients are bit-equal to the plain ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from sys import getrefcount
from time import perf_counter
from typing import Any

from ..backend import has_nan, on_device
from ..core.array import Array
from ..core.op import NOTHING, WHOLE
from ..core.program import Program
from ..core.reverse import Cotangents, sweep
from ..core.tape import DEAD, Entry, ReplayTape, quietly, tick
from .instructions import COMPUTED, ENTRY, RESULT, WINDOW, Instruction, computed, size_of
from .keeping import Keeping, State
from .plan import Plan
from .schedule import first_advance

BATCH = 256
BATCH_BYTES = 2 << 20
"""So many entries, or bytes of their results, are turned into instructions at a time."""


class RunTape(ReplayTape):
    """A replay tape that keeps no entries: they become instructions, and `keeping` their results.

    A value is alive while an `Array` refers to its slot.
    """

    __slots__ = ("active", "alive", "keeping", "pending", "places", "plan", "room", "times")

    def __init__(self, plan: Plan, inputs: int) -> None:
        super().__init__("checkpoint")
        self.plan = plan
        self.keeping = plan.keeping(inputs)
        self.places: dict[int, int] = {}  # by slot, of inputs
        self.alive: dict[int, tuple[int, Any]] = {}  # by slot, of computed values: place and data
        self.active: set[int] = set()  # places of values that may have a derivative
        self.pending = 0  # bytes of the entries
        self.room = min(self.keeping.target, BATCH_BYTES)  # for the entries
        self.times = [perf_counter()]  # of the start, and when each entry came

    def following(self, function: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
        """`function`, with its entries taken off this tape while it runs, and at its end."""

        def followed(*arrays: Array) -> list[Any]:
            self.places = {x.slot: -1 - i for i, x in enumerate(arrays)}
            results = function(*arrays)
            self.digest()
            return results

        return followed

    def append(self, entry: Entry) -> None:
        super().append(entry)
        self.times.append(perf_counter())
        self.pending += ENTRY + size_of(entry[-1])
        if (self.pending > self.room or len(self) >= BATCH) and not self.marks:
            self.digest()  # else a transform needs its entries

    def digest(self) -> None:
        """Turn the entries into instructions; keep of the results what is alive, and what fits."""
        instructions, keeping = self.keeping.instructions, self.keeping
        instructions.quiet |= self.quiet
        steps = instructions.steps
        data = dict(self.alive.values())
        places = self.places | {slot: place for slot, (place, _) in self.alive.items()}
        read: set[int] = set()
        found = []
        for i, entry in enumerate(self):
            at = instructions.add(entry, places)
            places[entry[1]] = at
            data[at] = entry[-1]
            found.append(at)
            step = steps[at]
            seconds = self.times[i + 1] - self.times[i]
            if seconds < step.seconds:
                step.seconds = seconds
            if step.useful:
                note_reads(step, at, self.active, read)
        entry = ()
        del places
        self.alive = self.still_alive(found, data)
        keeping.grow({at: data[at] for at in read if at in data}, self.pending)
        self.pending = 0
        self.active.intersection_update([at for at, _ in self.alive.values()])
        if keeping.open >= keeping.target:
            live = {at: at in self.active for at, _ in self.alive.values()}
            keeping.cut(live, dict(self.alive.values()))
        self.room = min(keeping.target - keeping.open, BATCH_BYTES)
        self.times = [perf_counter()]

    def still_alive(self, found: list[int], data: State) -> dict[int, tuple[int, Any]]:
        """The values that an `Array` stands for; takes all entries off the tape."""
        alive = {}
        mapped = self.mapped  # refers to slots too
        for at in reversed(found):  # from the youngest on: an entry refers to older slots
            entry = self.pop()
            if getrefcount(entry[1]) > DEAD + (entry[1] in mapped):
                alive[entry[1]] = at, data[at]
            else:
                mapped.discard(entry[1])
        entry = ()
        for slot in list(self.alive):
            if getrefcount(slot) > DEAD_KEY + (slot in mapped):
                alive[slot] = self.alive[slot]
            else:
                mapped.discard(slot)
        return alive


def _references_of_a_key() -> int:
    held = {tick(): None}
    references = 0
    for slot in list(held):
        references = getrefcount(slot)
    return references


DEAD_KEY = _references_of_a_key()
"""What `getrefcount` says of a key that nothing but its dictionary refers to, as it is asked above.
"""


def note_reads(step: Instruction, at: int, active: set[int], read: set[int]) -> None:
    """Note whether a result is active, and if so, which computed values its rules read."""
    for source in step.active:
        if source < 0 or computed(source, at) in active:
            break
    else:
        return
    active.add(at)
    for i in step.reads:
        read.add(at if i == RESULT else computed(step.sources[i], at))


class Run(Program):
    """A finished run: a program whose entries are made when they are asked for, and what is kept.

    `places` are those of its results.
    """

    __slots__ = ("keeping", "places")

    def __init__(self, keeping: Keeping, places: list[int]) -> None:
        self.keeping = keeping
        self.places = places
        instructions = keeping.instructions
        count = instructions.count + len(instructions.arrays)
        super().__init__([], list(range(1, count + 1)), [COMPUTED + at for at in places])
        self.quiet = instructions.quiet

    @property
    def entries(self) -> list[Entry]:
        return self.keeping.instructions.entries()

    @entries.setter
    def entries(self, entries: list[Entry]) -> None:
        """There is nothing to set: `Program` has them from the start."""

    def pull(self, inputs: Sequence[Any], wanted: Sequence[bool], gs: Sequence[Any]) -> list[Any]:
        """The inputs' cotangents for those of the results (None where there is none).

        Goes through what was kept and drops it. Another time, all is computed from the inputs.
        """
        seeds: Cotangents = {
            COMPUTED + at: g for at, g in zip(self.places, gs, strict=True) if g is not None
        }
        self.keeping.warn_of_repetitions()
        with quietly(True):
            careful = any(map(on_device, seeds.values()))
            pulled = self.reverse(inputs, wanted, dict(seeds), careful)
            if not careful and any(d is not None and has_nan(d) for d in pulled):
                pulled = self.reverse(inputs, wanted, seeds, careful=True)
        return pulled

    def reverse(
        self,
        inputs: Sequence[Any],
        wanted: Sequence[bool],
        cotangents: Cotangents,
        careful: bool,
    ) -> list[Any]:
        """One sweep over all chunks, the last one first."""
        keeping = self.keeping
        for start in reversed(keeping.starts):
            chunk = Chunk(keeping, inputs, start)
            state = self.state(start, inputs)
            reached = {slot - COMPUTED for slot in cotangents}
            entries = chunk.entries(dict(state), wanted, reached)
            del state
            sweep(consumed(entries), cotangents, careful)
            keeping.drop_state(start)
            for at in range(start, keeping.stop_of(start)):
                if at in keeping.results:
                    keeping.vault.drop(keeping.results.pop(at))
        return [cotangents.get(1 + i) if want else None for i, want in enumerate(wanted)]

    def state(self, start: int, inputs: Sequence[Any]) -> State:
        """The values that are alive before a chunk, computed from the last state that is kept."""
        keeping = self.keeping
        first = max((s for s in keeping.states if s <= start), default=0)
        state = keeping.states.get(first, {})
        while first < start:
            ahead = keeping.chunks_between(first, start)
            slots = keeping.slots(state)
            advance = first_advance(len(ahead), slots)
            for chunk in ahead[:advance]:
                state = Chunk(keeping, inputs, chunk).run(dict(state))
            first = ahead[advance]
            if slots and first < start:
                state = keeping.keep(first, state)
        return state


class Chunk:
    """A part of a run, to be computed again from the state before it."""

    __slots__ = ("inputs", "keeping", "start", "stop")

    def __init__(self, keeping: Keeping, inputs: Sequence[Any], start: int) -> None:
        self.keeping = keeping
        self.inputs = inputs
        self.start = start
        self.stop = keeping.stop_of(start)

    def run(self, values: State) -> State:
        """The state behind the chunk."""
        steps, results, inputs = self.keeping.instructions.steps, self.keeping.results, self.inputs
        for at in range(self.start, self.stop):
            if at in results:
                values[at] = results[at]
                continue
            step = steps[at]
            args = []
            for source, constant, _ in step.inputs:
                if source > 0:
                    args.append(values[at - source if source <= WINDOW else computed(source, at)])
                else:
                    args.append(inputs[-source - 1] if source else constant)
            params = step.params
            values[at] = step.function(*args, **params) if params else step.function(*args)
        return {at: values[at] for at in self.keeping.live[self.stop]}

    def entries(self, values: State, wanted: Sequence[bool], reached: set[int]) -> list[Entry]:
        """The chunk's entries that a sweep visits, as a differentiation tape would have them.

        It begins with cotangents of the values whose places are `reached`.
        """
        keeping, inputs = self.keeping, self.inputs
        steps, results = keeping.instructions.steps, keeping.results
        active = {at for at, has in keeping.live[self.start].items() if has}
        skipped, last = self.uses(reached)
        entries: list[Entry] = []
        for at in range(self.start, self.stop):
            step = steps[at]
            args = []
            slots = []
            for source, constant, differentiable in step.inputs:
                if source > 0:
                    place = at - source if source <= WINDOW else computed(source, at)
                    args.append(values.get(place))
                    slots.append(COMPUTED + place if differentiable and place in active else 0)
                elif source:
                    args.append(inputs[-source - 1])
                    slots.append(-source if differentiable and wanted[-source - 1] else 0)
                else:
                    args.append(constant)
                    slots.append(0)
            params = step.params
            if at in results:
                out = values[at] = results[at]
            elif at in skipped:
                out = None
            else:
                out = step.function(*args, **params) if params else step.function(*args)
                values[at] = out
            if step.useful and any(slots):
                active.add(at)
                if at in reached:
                    entries.append(entry_of(step, at, slots, args, out))
            for place in last.get(at, ()):
                values.pop(place, None)
        return entries

    def uses(self, reached: set[int]) -> tuple[set[int], dict[int, list[int]]]:
        """Which results need not be computed, and behind which instructions values are dropped.

        A result is needed where rules read it that the sweep calls, and where another one that is
        needed is computed of it. What the sweep reaches in the chunk is added to `reached`.
        """
        steps, results = self.keeping.instructions.steps, self.keeping.results
        needed: set[int] = set()
        unneeded: set[int] = set()
        last: dict[int, list[int]] = {}
        for at in range(self.stop - 1, self.start - 1, -1):
            step = steps[at]
            reads: tuple[int, ...] = ()
            if step.useful and at in reached:
                reads = step.reads
                reached.update(computed(source, at) for source in step.active if source > 0)
            run = at not in results and (at in needed or RESULT in reads)
            if at not in needed:
                last[at] = [at]
            if not run and at not in results:
                unneeded.add(at)
            for i, source in enumerate(step.sources):
                if source > 0 and (run or i in reads):
                    place = computed(source, at)
                    if place not in needed:
                        needed.add(place)
                        last.setdefault(at, []).append(place)
        return unneeded, last


def consumed(entries: list[Entry]) -> Iterator[Entry]:
    """The entries from the last one on, each let go of as it is given."""
    while entries:
        yield entries.pop()


def entry_of(step: Instruction, at: int, slots: list[int], args: list[Any], out: Any) -> Entry:
    """The entry of an instruction: what its rules read is saved, for inputs with a slot."""
    tracked = tuple(map(bool, slots))
    amount = step.saved.get(tracked)
    if amount is None:
        amount = step.saved[tracked] = step.op.saves(step.code, tracked)
    values = [
        x if n == WHOLE else None if n == NOTHING else x.shape
        for x, n in zip((*args, out), amount, strict=True)
    ]
    return (step.code, COMPUTED + at, *slots, step.params, *values)
