"""The tape: entries in the order they ran, one list a thread.

An entry is a flat tuple, an instruction of a small intermediate representation:

    (code, slot, *input slots, params, *saved inputs, saved output)

`code` numbers an operation with its number of inputs (see `op.py`). A slot is an integer drawn from
one clock for the whole process, so that it is an identity, a time and a sign of life at once: an
entry whose output slot nothing else refers to can be dropped. Slot 0 means "not tracked".
"""

from __future__ import annotations

import itertools
import os
import threading
import weakref
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from contextvars import ContextVar
from operator import itemgetter
from sys import getrefcount
from typing import Any, final

from .. import errors
from ..backend import quiet

Entry = tuple[Any, ...]
Watcher = Callable[[Entry], Entry]
Examiner = Callable[[Entry, Callable[[], None], dict[int, Any]], None]

tick = itertools.count(1 << 20).__next__  # above the interpreter's cache of small integers
slot_of = itemgetter(1)

YOUNG_ENTRIES = 1 << 14
YOUNG_BYTES = 8 << 20
FULL_ENTRIES = 1 << 16
FULL_BYTES = 64 << 20


def _references_of_a_dead_slot() -> int:
    entries = [(0, tick())]
    entry = entries.pop()
    return getrefcount(entry[1])


DEAD = _references_of_a_dead_slot()


class Tape(list[Entry]):
    """A thread's entries, oldest first, with what bounds their number and bytes.

    Results that die without a sweep leave entries that nothing can reach. `compact` drops them,
    a generation at a time: a minor pass looks at what is younger than the last two passes, a full
    pass at everything, once minor passes have looked at as much as there is.

    `steep` says that an operation was recorded whose rules may divide by zero (see `Op`).
    """

    __slots__ = (
        "budget",
        "depth",
        "limit",
        "marks",
        "middle",
        "old",
        "old_bytes",
        "owner",
        "replay",
        "seen_bytes",
        "seen_entries",
        "steep",
        "watchers",
    )

    # of replay tapes alone
    closed: bool
    mapped: set[int]
    purpose: str

    def __init__(self, depth: int = 0) -> None:
        self.owner = threading.get_ident()
        self.depth = depth
        self.replay = False
        self.marks: list[Any] = []  # the active transforms' levels, outermost first
        self.old = self.middle = 0  # slots: entries up to `old` survived two minor passes
        self.old_bytes = 0
        self.seen_entries = self.seen_bytes = 0  # by minor passes since the last full one
        self.steep = False
        self.watchers: list[Watcher] = []  # of a `WatchedTape` alone
        self.renew()

    def renew(self) -> None:
        """Allow as many new entries and bytes as a minor pass is worth."""
        self.limit = tick() + YOUNG_ENTRIES
        self.budget = YOUNG_BYTES

    def spend(self, nbytes: int) -> None:
        """Count the bytes of a result, and compact when the young ones are many."""
        self.budget -= nbytes
        if self.budget < 0:
            self.compact()

    def position(self, slot: int) -> int:
        """The index of the first entry younger than `slot`."""
        if not self or self[-1][1] <= slot:
            return len(self)
        return bisect_right(self, slot, key=slot_of)

    def find(self, slot: int) -> int | None:
        """The index of the entry whose output has `slot`, or None."""
        index = bisect_left(self, slot, key=slot_of)
        return index if index < len(self) and self[index][1] == slot else None

    def compact(self) -> None:
        """Drop entries whose output nothing alive refers to."""
        with shared.lock:  # a sweep in another thread may be looking for entries here
            self._compact()
            if hooks or following:
                drop_stale_hooks()

    def _compact(self) -> None:
        young = bisect_right(self, self.old, key=slot_of)
        self.seen_entries += len(self) - young
        self.seen_bytes += YOUNG_BYTES - self.budget
        full = self.seen_entries > max(FULL_ENTRIES, young) or self.seen_bytes > max(
            FULL_BYTES, self.old_bytes
        )
        kept: list[Entry] = []
        pop, keep, count, dead = self.pop, kept.append, getrefcount, DEAD
        try:
            for _ in range(len(self) if full else len(self) - young):
                entry = pop()
                if count(entry[1]) > dead:
                    keep(entry)
            entry = ()
        finally:  # also when a KeyboardInterrupt comes in between
            kept.reverse()
            self.extend(kept)
        if full:
            self.old_bytes = sum(map(entry_bytes, kept))
            self.seen_entries = self.seen_bytes = 0
            self.old = tick()
        else:
            promoted = bisect_right(self, self.middle, lo=young, key=slot_of)
            self.old_bytes += sum(map(entry_bytes, self[young:promoted]))
            self.old = self.middle
        self.middle = tick()
        self.renew()


class WatchedTape(Tape):
    """A tape on which every entry is shown to watchers first, which may put another in its place.

    A root is made one, and an ordinary tape again, in place (`watch` and `unwatch`): so watching
    costs nothing where nobody does.
    """

    __slots__ = ()

    def append(self, entry: Entry) -> None:
        for watcher in (*shared.watchers, *self.watchers):
            entry = watcher(entry)
        super().append(entry)

    def settle(self) -> None:
        """Be an ordinary tape again if nobody watches any more."""
        ordinary: Any = Tape
        if not (self.watchers or shared.watchers):
            self.__class__ = ordinary


class ReplayTape(Tape):
    """A tape whose entries are complete instructions, to be replayed by `vmap` and its like.

    Entries save every input that is not tracked here, arrays of enclosing tapes included, and the
    data of every value, since rules may run recorded on any of them. `mapped` holds the slots whose
    values differ between the lanes; `closed` is set when the trace has ended. `randomness` says
    what is drawn at random in the `lanes` of `vmap`; `drawn` holds by slot what was drawn, for all
    lanes at once, and `samplers` what draws the values that every replay is to draw anew. `parent`
    is what was the current tape before. `quiet` says that steep rules were recorded, so that the
    replay is not to warn.
    """

    __slots__ = (
        "closed",
        "drawn",
        "lanes",
        "mapped",
        "parent",
        "purpose",
        "quiet",
        "randomness",
        "samplers",
    )

    def __init__(self, purpose: str, randomness: str = "same", lanes: int = 0) -> None:
        super().__init__(current_tape().depth + 1)
        self.replay = True
        self.closed = False
        self.mapped: set[int] = set()
        self.purpose = purpose
        self.randomness = randomness
        self.lanes = lanes
        self.drawn: dict[int, Any] = {}
        self.samplers: dict[int, Any] = {}
        self.quiet = False
        self.parent: Tape | Paused = local.tape

    def renew(self) -> None:
        """A replay tape is short-lived and keeps all its entries."""
        self.limit = 1 << 62
        self.budget = 1 << 62

    def compact(self) -> None:
        self.renew()

    def read(self, x: Any, what: str) -> Any:
        """The data of a value in `mapped`, read for `what`: there is no single one."""
        raise errors.many_lanes(what, self.purpose)

    def sample(self, sampler: Any) -> Any:
        """Random numbers as they are while the tape is recorded."""
        return sampler(())

    def leaves(self) -> list[Any]:
        """The arrays that `backward()` on values of this tape fills the `grad` of."""
        raise errors.backward_of_lanes(self.purpose)

    def pulled(self, outputs: Any, seeds: Any, wanted: Any) -> list[Any]:
        """The cotangents of arrays that are `wanted`, None for none, given those of outputs."""
        raise errors.backward_of_lanes(self.purpose)

    def requires_grad(self, x: Any) -> bool:
        """Whether a value on this tape counts as one that is differentiated."""
        return True


@final
class Paused:
    """What stands for the current tape where recording is off; `tape` is the one underneath."""

    __slots__ = ("tape",)

    def __init__(self, tape: Tape) -> None:
        self.tape = tape

    @property
    def owner(self) -> int:
        return self.tape.owner


class _Shared:
    """What the threads share: the tapes at their bottoms, and a lock for looking into others'.

    `imperative` says whether there ever was an imperative leaf; `changed` is the time of the last
    write into a buffer that others may have saved (see `versions.py`); `packed` says whether
    entries ever saved something else than arrays (see `watch.py`). `watchers` see the entries of
    all threads, and `examine` the steps of their sweeps.
    """

    imperative = False
    changed = 0
    packed = False
    examine: Examiner | None = None

    watchers: tuple[Watcher, ...] = ()

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Know of no tape yet."""
        self.lock = threading.RLock()
        self.roots: list[tuple[threading.Thread, Tape]] = []

    def add(self, root: Tape) -> None:
        """Enter a new thread's tape; forget those of ended threads that nothing refers to."""
        with self.lock:
            kept = []
            for thread, tape in self.roots:
                if not thread.is_alive():
                    tape.old = tape.middle = 0
                    tape.compact()
                    if not tape:
                        continue
                kept.append((thread, tape))
            kept.append((threading.current_thread(), root))
            self.roots = kept

    def anything(self) -> bool:
        """Whether any thread has recorded something that is still there."""
        return any(root for _, root in tuple(self.roots))

    def interrupt(self) -> None:
        """Tell the active transforms of all threads that there are other values to track."""
        for _, root in tuple(self.roots):
            for level in tuple(root.marks):
                level.outermost = False


shared = _Shared()


NOWHERE = Tape(-1)
"""What the current tape is in a thread that has not used one yet: a tape that tracks nothing."""

_current: ContextVar[Tape | Paused] = ContextVar("tape", default=NOWHERE)

current = _current.get
"""The current tape, read faster than through `local`; not to be trusted in a copied context."""

set_current = _current.set
"""Makes a tape the current one. No code of Python's, at the begin of which Ctrl-C might come."""


class _Local(threading.local):
    """This thread's tapes: `root`, the one at the bottom, and `tape`, the current one."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Have an empty tape at the bottom."""
        self.root = WatchedTape() if shared.watchers else Tape()
        set_current(self.root)
        shared.add(self.root)

    @property
    def tape(self) -> Tape | Paused:
        """The innermost tape, perhaps paused."""
        tape = current()
        below = tape.tape if type(tape) is Paused else tape
        if below.owner != self.root.owner:
            return self.root  # a context may come from a thread
        while isinstance(below, ReplayTape) and below.closed:  # Ctrl-C came before it was put back
            tape = below.parent
            below = tape.tape if type(tape) is Paused else tape
        return tape


leaves: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
"""The imperative leaves by slot: the arrays whose `grad` a `backward()` fills.

Their slots are negative: a leaf has no place on any tape, and is older than every mark.
"""

hooks: dict[int, list[Any]] = {}
"""By slot: what a `backward()` calls with the cotangent of a computed value."""

following: dict[int, list[Any]] = {}
"""By slot: what a `backward()` calls after the entry that computed a value was pulled through."""


def drop_stale_hooks() -> None:
    """Forget the hooks of values that are on no tape any more."""
    for own in (hooks, following):
        for slot in [s for s in own if all(tape.find(s) is None for _, tape in shared.roots)]:
            del own[slot]


local = _Local()


def _after_fork() -> None:
    """Begin with empty tapes, and with a lock that no other thread was holding."""
    shared.begin()
    hooks.clear()
    following.clear()
    local.begin()


os.register_at_fork(after_in_child=_after_fork)


def current_tape() -> Tape:
    """The innermost tape of this thread, whether recording is on or off."""
    tape = local.tape
    return tape.tape if type(tape) is Paused else tape


def quietly(steep: bool) -> Any:
    """A context for derivative rules, without NumPy's warnings if one of them is `steep`.

    What the rules record on a replay tape is then replayed without warnings too.
    """
    if steep:
        tape = current_tape()
        if isinstance(tape, ReplayTape):
            tape.quiet = True
    return quiet(steep)


def entry_bytes(entry: Entry) -> int:
    """About what an entry and the arrays it saved occupy."""
    size = 160
    for value in entry[3:]:
        size += getattr(value, "nbytes", 0)
    return size
