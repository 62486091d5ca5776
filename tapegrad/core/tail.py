"""The commonest `backward`, in the fewest steps: of a scalar, with what the tape holds before it.

So it is in a training loop: nobody hooks into the graph, and the sweep uses it up. It ends where
nothing but leaves has a cotangent. What is found to be otherwise is left to `backward.py`, before
anything has changed.
"""

from __future__ import annotations

from sys import getrefcount
from threading import get_ident
from typing import Any

from numpy import float32, float64

from ..backend import has_nan, quiet
from .array import Array, grad_of
from .face import conjugated, face_of
from .leaf import accumulate, retained
from .reverse import Cotangents, may_poison, sweep
from .tape import (
    YOUNG_BYTES,
    Entry,
    Paused,
    Tape,
    current,
    following,
    hooks,
    leaves,
    set_current,
    shared,
)

LARGE = 1 << 22
"""From so many bytes of results on, a sweep frees entries while it goes on."""

FIRST, MOST = 32, 1024
"""How many entries are swept until the first look whether the graph has ended, and at most."""

NOT_RAW = (dict, Array)
"""Cotangents of several results, and what a custom rule computed from a tracked value."""

SEEDS = {float64: float64(1), float32: float32(1)}


def _references_of_a_value() -> int:
    cotangents = {1: object()}
    return max(getrefcount(g) for slot, g in cotangents.items() if slot)


ALONE = _references_of_a_value()


def oldest_but(skipped: list[Entry], entries: list[Entry]) -> int:
    """The slot of the oldest entry that is not among those skipped, which come youngest first."""
    for entry, other in zip(entries, reversed(skipped), strict=False):
        if entry is not other:
            return int(entry[1])
    return int(entries[len(skipped)][1]) if len(skipped) < len(entries) else 0


def backward_at_the_end(output: Array) -> bool:
    """Add the derivatives of a scalar to its leaves' `grad` and free its graph, if it is so simple.

    False if nothing was done.
    """
    tape: Any = current()
    if (
        type(tape) is not Tape
        or output.tape is not tape
        or tape.budget < YOUNG_BYTES - LARGE
        or tape.old_bytes
        or tape.marks
        or hooks
        or following
        or retained
        or shared.packed
        or tape.owner != get_ident()
    ):
        return False
    seed = SEEDS.get(type(output.raw))
    if seed is None:
        return False
    end = start = tape.position(output.slot)
    last = tape[end - 1 : end]
    size = FIRST
    cotangents: Cotangents = {output.slot: seed}
    skipped: list[Entry] = []
    set_current(Paused(tape))
    try:
        with quiet(tape.steep):
            while start and max(cotangents, default=0) > 0:
                stop, start = start, max(0, start - size)
                sweep(reversed(tape[start:stop]), cotangents, skipped=skipped)
                size = min(4 * size, MOST)
    finally:
        set_current(tape)
    if tape[end - 1 : end] != last:
        return False  # custom rules recorded so much that the tape was compacted
    swept = tape[start:end]
    if shared.changed > oldest_but(skipped, swept):
        return False
    check = may_poison(swept)
    targets = []
    for slot, g in cotangents.items():
        leaf = leaves.get(slot)
        if leaf is None and slot < 0:
            continue
        if leaf is None or isinstance(g, NOT_RAW) or hasattr(leaf, "hooks"):
            return False
        if check and has_nan(g):
            return False
        if g.dtype is not leaf.raw.dtype:
            return False
        if (before := grad_of(leaf)) is not None and before.slot:
            return False
        if getrefcount(g) > ALONE or getattr(g, "base", None) is not None:
            g = g.copy()  # rules gave it to two, or it is a view
        if g.dtype.kind == "c":
            g = conjugated(g, face_of(leaf))
        targets.append((leaf, before, g))
    skipped.reverse()  # graphs that are still alive, and results that nobody asked about
    tape[start:end] = skipped
    if not tape:
        tape.steep = False
        tape.renew()
    with shared.lock:
        for leaf, before, g in targets:
            accumulate(leaf, before, g)
    return True
