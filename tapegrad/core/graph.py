"""The imperative graph: the entries that an output was computed from, found on the tapes.

Nothing points from a result to its inputs but slots. Entries are looked for from the youngest
wanted slot down; where the ones wanted lie far apart, bisection leaps over what is in between. So
looking costs what is found, however long the tape.
"""

from __future__ import annotations

from collections.abc import Iterable

from .. import errors
from .array import is_leaf_of_active
from .op import codes
from .tape import Entry, Tape, following, hooks, local, shared, slot_of


def reach(slots: Iterable[int], floor: int, targets: set[int]) -> list[Entry]:
    """The entries that values in `slots` were computed from, youngest first.

    Leaves of active transforms end the search, and so does anything older than the slot `floor`.
    Raises where an entry is wanted that no tape has any more; `targets` need none.
    """
    root = local.root
    found: list[Entry] = []
    absent = scan(root, {s for s in slots if s >= floor}, found, floor, root)
    absent -= targets
    if absent:
        with shared.lock:
            search_threads(absent, found, floor, root, targets)
    return found


def scan(tape: Tape, wanted: set[int], found: list[Entry], floor: int, root: Tape) -> set[int]:
    """Collect what can be found on one tape; give the slots that are not on it."""
    absent = set()
    inside = bool(root.marks)
    wanted = {s for s in wanted if not (inside and is_leaf_of_active(root, s))}
    while wanted:
        slot = max(wanted)
        index = tape.find(slot)
        if index is None:
            wanted.remove(slot)
            absent.add(slot)
            continue
        misses = 0
        width = 16
        while wanted and index >= 0 and misses <= 64 + len(wanted):
            start = max(0, index + 1 - width)
            for entry in reversed(tape[start : index + 1]):
                if entry[1] not in wanted:
                    misses += 1
                    continue
                misses = 0
                wanted.remove(entry[1])
                found.append(entry)
                for slot in entry[2 : 2 + codes[entry[0]][1]]:
                    if slot >= floor and not (inside and is_leaf_of_active(root, slot)):
                        wanted.add(slot)
                if not wanted:
                    break
            index = start - 1
            width = min(2 * width, 512)
    return absent


def search_threads(
    absent: set[int], found: list[Entry], floor: int, root: Tape, targets: set[int]
) -> None:
    """Collect the rest from other threads' tapes, and put `found` in order again.

    What is found there may lead back to this thread's tape.
    """
    seen = {entry[1] for entry in found}
    wanted = absent
    while wanted:
        left: set[int] = set()
        progress = False
        for _, tape in shared.roots:
            here = {s for s in wanted if tape.find(s) is not None}
            wanted = wanted - here
            more: list[Entry] = []
            left |= scan(tape, here, more, floor, root)
            for entry in more:
                if entry[1] not in seen:
                    seen.add(entry[1])
                    found.append(entry)
                    progress = True
        left |= wanted
        wanted = left - seen - targets
        if wanted and not progress:
            raise errors.gone(len(wanted), shared.imperative)
    found.sort(key=slot_of, reverse=True)


def toward(found: list[Entry], targets: set[int]) -> tuple[list[Entry], set[int]]:
    """The entries that lead to `targets`, and the slots that do."""
    useful = set(targets)
    kept = []
    for entry in reversed(found):
        for slot in entry[2 : 2 + codes[entry[0]][1]]:
            if slot in useful:
                useful.add(entry[1])
                kept.append(entry)
                break
    kept.reverse()
    return kept, useful


def cut(entries: list[Entry], useful: set[int]) -> list[Entry]:
    """The entries with 0 for the slots of inputs that are of no use."""
    result = []
    for entry in entries:
        n = 2 + codes[entry[0]][1]
        slots = (slot if slot in useful else 0 for slot in entry[2:n])
        result.append((*entry[:2], *slots, *entry[n:]))
    return result


def free(entries: list[Entry]) -> None:
    """Remove entries, given youngest first, from this thread's tape.

    Those older than the outermost active transform only: the others are its own affair. Entries on
    other threads' tapes are left to the compaction there.
    """
    tape = local.root
    if tape.marks:
        first = tape.marks[0].first
        entries = [entry for entry in entries if entry[1] <= first]
    if not entries:
        return
    if hooks or following:
        for entry in entries:
            hooks.pop(entry[1], None)
            following.pop(entry[1], None)
    oldest = tape.position(entries[-1][1] - 1)
    if len(tape) - oldest == len(entries):
        del tape[oldest:]
    elif len(tape) - oldest <= 2 * len(entries) + 64:
        gone = {entry[1] for entry in entries}
        tape[oldest:] = [entry for entry in tape[oldest:] if entry[1] not in gone]
    else:
        free_sparse(tape, entries)
    if not tape:
        tape.old_bytes = 0
        tape.renew()


def free_sparse(tape: Tape, entries: list[Entry]) -> None:
    """Remove entries that lie far apart: each run of neighbours at once."""
    low = high = len(tape)
    for entry in entries:
        index = tape.find(entry[1])
        if index is None:
            continue
        if index != low - 1:
            del tape[low:high]
            high = index + 1
        low = index
    del tape[low:high]
