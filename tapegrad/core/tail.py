"""The commonest `backward`, in the fewest steps: of a scalar, where the tape holds little else.

So it is in a training loop: nobody hooks into the graph, and the sweep uses it up. What is found to
be otherwise is left to `backward.py`, before anything has changed.
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
from .reverse import Cotangents, fragile, sweep
from .tape import YOUNG_BYTES, Entry, Paused, Tape, current, following, hooks, leaves, local, shared

LARGE = 1 << 18
"""From so many bytes of results on, a sweep frees entries while it goes on."""

MOST = 1024
"""The longest tape that is swept to its beginning without looking for where the graph ends."""

SEEDS = {float64: float64(1), float32: float32(1)}


def _references_of_a_value() -> int:
    cotangents = {1: object()}
    for g in cotangents.values():
        return getrefcount(g)
    return 0


ALONE = _references_of_a_value()


def oldest_but(skipped: list[Entry], tape: Tape) -> int:
    """The slot of the oldest entry that is not among those skipped, which come youngest first."""
    for entry, other in zip(tape, reversed(skipped), strict=False):
        if entry is not other:
            return int(entry[1])
    return int(tape[len(skipped)][1]) if len(skipped) < len(tape) else 0


def backward_at_the_end(output: Array) -> bool:
    """Add the derivatives of a scalar to its leaves' `grad` and free its graph, if it is so simple.

    False if nothing was done.
    """
    tape: Any = current()
    if (
        type(tape) is not Tape
        or output.tape is not tape
        or not 0 < len(tape) <= MOST
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
    cotangents: Cotangents = {output.slot: seed}
    skipped: list[Entry] = []
    local.tape = Paused(tape)
    try:
        if tape.steep:
            with quiet():
                sweep(reversed(tape), cotangents, skipped=skipped)
        else:
            sweep(reversed(tape), cotangents, skipped=skipped)
    finally:
        local.tape = tape
    if shared.changed > oldest_but(skipped, tape):
        return False
    check = True in [fragile[entry[0]] for entry in tape]
    targets = []
    for slot, g in cotangents.items():
        leaf = leaves.get(slot)
        if leaf is None and slot < 0:
            continue
        if leaf is None or type(g) is dict or hasattr(leaf, "hooks"):
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
    if skipped:  # graphs that are still alive, and results that nobody asked about
        skipped.reverse()
        tape[:] = skipped
    else:
        tape.clear()
        tape.steep = False
        tape.renew()
    with shared.lock:
        for leaf, before, g in targets:
            accumulate(leaf, before, g)
    return True
