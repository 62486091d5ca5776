"""What is kept of a run so that its reverse sweep fits into a budget.

The run is cut into chunks. Kept are results (all, while they fit; then those that are dearest to
compute by their size) and states: all values that are alive between two chunks. A chunk's results
are computed again from the last state before it. Half of the budget is for what is kept, half for
the results of the chunk in hand. Where there are too many states, chunks are merged while they fit
into their half; later, states are dropped as `schedule.Online` says.
"""

from __future__ import annotations

import weakref
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from math import inf
from typing import Any

from numpy import ndarray

from .. import callers
from . import misuse
from .instructions import ENTRY, Instruction, Instructions
from .schedule import Online, least_steps
from .spill import SEGMENT, Spill

PARTS = 32
"""Into how many chunks a half of the budget is cut at first."""

OFTEN, MANY, FEW = 20, 100_000, 4
"""Who has a run computed again `OFTEN` times, and so `MANY` operations, is told of the budget with
which it would be `FEW` times.
"""

State = dict[int, Any]
"""Values by their place in the program."""


class Vault:
    """Arrays that are held, each counted once, however often it was put in."""

    __slots__ = ("copies", "held", "nbytes", "spill")

    def __init__(self, spill: Spill | None) -> None:
        self.held: dict[int, list[Any]] = {}  # by identity: what owns the memory, uses, its bytes
        self.nbytes = 0
        self.spill = spill
        self.copies: dict[int, tuple[Any, Any]] = {}  # by identity: an array, weakly, and its copy

    def put(self, data: Any) -> Any:
        """Hold `data`; gives what is held in its place, perhaps a copy in a file."""
        if isinstance(data, tuple):
            return tuple(map(self.put, data))
        if self.spill is not None and self.spill.takes(data):
            data = self.copied(data)
            owner, nbytes = data, ENTRY
        else:
            owner = owner_of(data)
            nbytes = ENTRY + getattr(owner, "nbytes", 0)
        record = self.held.setdefault(id(owner), [owner, 0, nbytes])
        if not record[1]:
            self.nbytes += nbytes
        record[1] += 1
        return data

    def drop(self, data: Any) -> None:
        """Hold `data`, as `put` gave it, no longer."""
        if isinstance(data, tuple):
            for part in data:
                self.drop(part)
            return
        key = id(data) if id(data) in self.held else id(owner_of(data))
        record = self.held[key]
        record[1] -= 1
        if not record[1]:
            self.nbytes -= record[2]
            del self.held[key]

    def copied(self, data: Any) -> Any:
        """The copy of `data` in a file: made once, for as long as `data` lives."""
        assert self.spill is not None
        known = self.copies.get(id(data))
        if known is None or known[0]() is not data:
            copy = self.spill.store(data)
            self.copies[id(data)] = known = (weakref.ref(data), copy)
        return known[1]


def owner_of(data: Any) -> Any:
    """What owns the memory of an array."""
    base = getattr(data, "base", None)
    return base if isinstance(base, ndarray) else data


def state_bytes(state: State) -> int:
    """About the bytes that a state takes."""
    return sum(ENTRY + getattr(data, "nbytes", 0) for data in state.values())


class Keeping:
    """The chunks of a run, and what is kept of it.

    `starts` are the numbers of the instructions that chunks begin with. By these, `live` says which
    values a state has, and whether they are active (depend on what may be differentiated), and
    `states` has the values themselves where they are kept. `results` are kept results.
    """

    def __init__(
        self,
        instructions: Instructions,
        budget: float | None,
        policy: Callable[[Instruction], bool],
        spill: Spill | None,
        everything: bool,
    ) -> None:
        self.instructions = instructions
        self.budget = inf if budget is None else budget
        self.policy = policy
        self.vault = Vault(spill)
        self.starts = [0]
        self.live: dict[int, dict[int, bool]] = {0: {}}
        self.sizes: list[int] = []  # of all results of a chunk, in bytes
        self.states: dict[int, State] = {}
        self.results: State = {}
        self.everything = everything  # so far, everything fitted
        self.threshold = inf  # results that are dearer by the byte are kept
        self.open = 0  # bytes of the chunk that is still growing
        self.target = min(self.budget / 2 / PARTS, inf if spill is None else SEGMENT)
        self.online: Online | None = None
        self.largest = 0  # bytes of a state

    @property
    def limit(self) -> float:
        """How much may be kept, in bytes."""
        return self.budget if self.everything else self.budget / 2

    def grow(self, read: State, nbytes: int) -> None:
        """Take note of results that rules read, and of the size of all new ones."""
        steps = self.instructions.steps
        for at, data in read.items():
            if at not in self.results and (
                self.everything or steps[at].density() > self.threshold or self.policy(steps[at])
            ):
                self.results[at] = self.vault.put(data)
        self.open += nbytes
        if self.vault.nbytes > self.limit:
            self.enforce()

    def keep(self, start: int, state: State) -> State:
        """Keep the state before a chunk; gives it as it is kept."""
        self.largest = max(self.largest, state_bytes(state))
        self.states[start] = {at: self.vault.put(data) for at, data in state.items()}
        return self.states[start]

    def cut(self, live: dict[int, bool], state: State) -> None:
        """Begin another chunk, with the state that is alive."""
        start = len(self.instructions.steps)
        if start == self.starts[-1]:
            return
        self.starts.append(start)
        self.sizes.append(self.open)
        self.open = 0
        self.live[start] = live
        self.keep(start, state)
        if self.online is not None:
            self.drop_position(self.online.add(len(self.starts) - 1))
        self.enforce()

    def enforce(self) -> None:
        """Keep less until it is no more than is allowed."""
        while self.vault.nbytes > self.limit:
            if self.everything:
                self.everything = False
            elif self.online is None and self.merge():
                continue
            elif not self.evict() and not self.thin():
                break  # the user's own policy, or a single state, is larger than the budget

    def merge(self) -> bool:
        """Merge small chunks, and drop the states between them; say whether that was possible."""
        if self.target * 2 > self.budget / 2 or len(self.starts) < 3:
            return False
        self.target *= 2
        starts, sizes = [0], [0]
        for start, size in zip(self.starts, [*self.sizes, self.open], strict=True):
            if start and sizes[-1] + size > self.target:
                starts.append(start)
                sizes.append(0)
            elif start:
                self.drop_state(start)
                del self.live[start]
            sizes[-1] += size
        self.open = sizes.pop()
        self.starts, self.sizes = starts, sizes
        return True

    def evict(self) -> bool:
        """Drop the results that are cheapest to compute by the byte: a greedy knapsack."""
        steps = self.instructions.steps
        free = [at for at in self.results if not self.policy(steps[at])]
        if not free:
            return False
        free.sort(key=lambda at: steps[at].density())
        goal = 0.75 * self.limit
        for at in free:
            if self.vault.nbytes <= goal:
                break
            self.threshold = steps[at].density()
            self.vault.drop(self.results.pop(at))
        return True

    def thin(self) -> bool:
        """Drop a state."""
        if self.online is None:
            kept = [i for i, start in enumerate(self.starts) if start in self.states]
            if len(kept) < 2:
                return False
            self.online = Online(len(kept) - 1)
            for position in kept:
                self.drop_position(self.online.add(position))
            return True
        dropped = self.online.shrink()
        self.drop_position(dropped)
        return dropped is not None

    def drop_position(self, position: int | None) -> None:
        """Drop the state before the chunk of a number."""
        if position is not None:
            self.drop_state(self.starts[position])

    def drop_state(self, start: int) -> None:
        """Drop the state that the chunk from `start` begins with, if it is kept."""
        for data in self.states.pop(start, {}).values():
            self.vault.drop(data)

    def stop_of(self, start: int) -> int:
        """Where the chunk from `start` ends."""
        index = bisect_right(self.starts, start)
        return self.starts[index] if index < len(self.starts) else len(self.instructions.steps)

    def slots(self, state: State) -> int:
        """How many more states like this one may be kept."""
        left = self.budget / 2 - self.vault.nbytes
        return int(min(max(left // max(state_bytes(state), 1), 0), len(self.starts)))

    def chunks_between(self, first: int, last: int) -> list[int]:
        """The starts from `first` to `last`, both included."""
        return self.starts[bisect_left(self.starts, first) : bisect_right(self.starts, last)]

    def warn_of_repetitions(self) -> None:
        """Warn if the budget is so small that the time grows as the square of the length."""
        parts, states = len(self.starts), len(self.states)
        times = least_steps(parts, states) / parts
        if times < OFTEN or times * len(self.instructions.steps) < MANY:
            return
        total = sum(self.sizes) + self.open
        better, fewer = self.budget, times
        while fewer > FEW:
            better *= 1.25
            n = int(2 * total / better) + 1
            fewer = least_steps(n, int(better / 2 / max(self.largest, 1))) / n
        callers.warn(
            misuse.repeated_often(
                self.budget, states, self.largest, parts, round(times), better, round(fewer)
            ),
            RuntimeWarning,
        )
