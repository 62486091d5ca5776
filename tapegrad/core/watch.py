"""Watching: who sees entries as they are recorded, and what entries may save in place of arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from numpy import generic, ndarray

from .op import codes
from .record import PICK
from .tape import Entry, Tape, WatchedTape, Watcher, local, shared


def watch(watcher: Watcher) -> None:
    """Show `watcher` the entries of this thread from now on, before those who came earlier."""
    root = local.root
    root.watchers.insert(0, watcher)
    if type(root) is Tape:
        root.__class__ = WatchedTape


def unwatch(watcher: Watcher) -> None:
    """Show it no more."""
    root = local.root
    root.watchers.remove(watcher)
    if isinstance(root, WatchedTape):
        root.settle()


def watch_everywhere(watchers: tuple[Watcher, ...]) -> None:
    """Show these the entries of all threads from now on, and nobody else."""
    with shared.lock:
        shared.watchers = watchers
        for _, root in shared.roots:
            if watchers and type(root) is Tape:
                root.__class__ = WatchedTape
            elif isinstance(root, WatchedTape):
                root.settle()


class Packed:
    """What an entry saved in place of an array; `unpack` makes an array of `value` again."""

    __slots__ = ("unpack", "value")

    def __init__(self, value: Any, unpack: Callable[[Any], Any]) -> None:
        self.value = value
        self.unpack = unpack


def pack(entry: Entry, function: Callable[[Any, int], Packed]) -> Entry:
    """The entry with what `function` makes of the arrays that it saved, and their slots."""
    op, arity = codes[entry[0]]
    if op is PICK:
        return entry
    shared.packed = True
    n = 3 + arity
    slots = (*entry[2 : n - 1], entry[1])
    saved = zip(entry[n:], slots, strict=True)
    return (*entry[:n], *(packed(value, slot, function) for value, slot in saved))


def packed(value: Any, slot: int, function: Callable[[Any, int], Packed]) -> Any:
    if isinstance(value, ndarray | generic):
        return function(value, slot)
    if type(value) is tuple:  # several results
        return tuple(packed(x, slot, function) for x in value)
    return value


class Unpacked:
    """Entries with arrays in place of what was packed, one at a time, as often as one likes."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries = entries

    def __iter__(self) -> Iterator[Entry]:
        for entry in self.entries:
            yield tuple(map(unpacked, entry))


def unpacked(value: Any) -> Any:
    """One part of an entry."""
    if type(value) is Packed:
        return value.unpack(value.value)
    if type(value) is tuple:
        return tuple(map(unpacked, value))
    return value
