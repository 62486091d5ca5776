"""Versions of buffers that are written in place, as arrays of a face that shares memory are.

A write stamps the buffer's owner with the clock that slots are drawn from. So a sweep can tell
whether an entry saved an array that was changed since: then its derivative would be wrong, and the
sweep raises instead. Stamps go when their buffer goes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any
from weakref import ref

from numpy import ndarray

from .. import errors
from ..backend import on_device
from .op import codes
from .tape import Entry, shared, tick

REMEMBERED = 64
"""How many of the last writes to a buffer are kept with their times."""


class Version:
    """How often a buffer was written, and when the last times."""

    __slots__ = ("count", "name", "owner", "times")

    def __init__(self, owner: Any) -> None:
        key = id(owner)
        self.count = 0
        self.name = ""
        self.times: deque[int] = deque(maxlen=REMEMBERED)
        self.owner = ref(owner, lambda _: versions.pop(key, None))


versions: dict[int, Version] = {}
"""By the `id` of a buffer's owner."""


def owner_of(raw: Any) -> Any:
    """The array that owns the memory of `raw`."""
    while (base := raw.base) is not None:
        if not isinstance(base, ndarray):
            if on_device(raw):
                return base
            base = getattr(base, "base", None)  # what NumPy puts between for strides of one's own
            if not isinstance(base, ndarray):
                break
        raw = base
    return raw


def stamp(raw: Any, name: str) -> None:
    """Note that the operation `name` has just written into the memory of `raw`."""
    owner = owner_of(raw)
    version = versions.get(id(owner))
    if version is None:
        version = versions[id(owner)] = Version(owner)
    version.count += 1
    version.name = name
    time = tick()
    version.times.append(time)
    shared.changed = time


def version_of(raw: Any) -> int:
    """How often the memory of `raw` was written."""
    version = (
        versions.get(id(owner_of(raw))) if isinstance(raw, ndarray) or on_device(raw) else None
    )
    return 0 if version is None else version.count


def check_unchanged(entries: Iterable[Entry]) -> None:
    """Raise if an array that one of `entries` saved was written in place since."""
    for entry in entries:
        slot = entry[1]
        if shared.changed < slot:
            continue
        arity = codes[entry[0]][1]
        for value in entry[3 + arity :]:
            for array in value if type(value) is tuple else (value,):  # a tuple of results, too
                if type(array) is ndarray or on_device(array):
                    version = versions.get(id(owner_of(array)))
                    if version is not None and version.times[-1] > slot:
                        raise modified(entry, array, version)


def modified(entry: Entry, value: Any, version: Version) -> errors.ModifiedError:
    """The error that an array which an entry saved was written since."""
    op = codes[entry[0]][0].name
    later = sum(time > entry[1] for time in version.times)
    return errors.ModifiedError(entry, op, value, version.name, version.count, later)
