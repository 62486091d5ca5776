"""Walks over what was recorded: reverse and forward, careful where a zero became NaN.

Where data are on a device all walks are careful at once: to look for a NaN would be to wait.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .. import errors
from ..backend import has_nan, on_device
from .array import Array
from .forward import Tangents, push, push_recorded
from .program import needed
from .reverse import Cotangents, may_poison, sweep, sweep_recorded
from .tape import Entry, Tape, quietly, shared
from .versions import check_unchanged


def any_recorded(values: Iterable[Any]) -> bool:
    """Whether a derivative that is put in is itself recorded, so that rules will record."""
    return True in [isinstance(value, Array) for value in values]  # faster than any()


def any_on_device(values: Iterable[Any]) -> bool:
    """Whether some raw data are on a device: to look for NaN there would be to wait for it."""
    return True in [on_device(value) for value in values]


def plain_sweep(entries: list[Entry], seeds: Cotangents) -> Cotangents:
    """The cotangents that are left of `seeds` after a sweep; if one is NaN, after a careful one."""
    cotangents = dict(seeds)
    if any_on_device(seeds.values()):
        sweep(reversed(entries), cotangents, careful=True)
        return cotangents
    sweep(reversed(entries), cotangents)
    if may_poison(entries) and any_nan(cotangents.values()):
        cotangents = seeds
        sweep(reversed(entries), cotangents, careful=True)
    return cotangents


def collect(cotangents: Cotangents, slots: list[int]) -> list[Any]:
    """The leaves' cotangents out of what a sweep has left, which must be nothing else."""
    pulled = [cotangents.pop(slot, None) for slot in slots]
    if cotangents:
        raise errors.gone(len(cotangents), shared.imperative)
    return pulled


def settled(derivatives: list[Any], tape: Tape, first: int) -> list[Any]:
    """Derivatives from raw rules, for the caller of the level that began at `first`.

    They are raw themselves, but where the rule of a custom function closes over a value of this
    level: that is a constant to everything outside.
    """
    for i, d in enumerate(derivatives):
        if isinstance(d, Array) and (not d.slot or (tape.marks and tape.marks[0].first == first)):
            derivatives[i] = d.raw
    return derivatives


def any_nan(values: Iterable[Any]) -> bool:
    """Whether a raw derivative that came out has a NaN."""
    return True in [has_nan(value) for value in values if type(value) is not dict]


class Walk:
    """Recorded entries that can be walked in both directions, again and again."""

    __slots__ = ("entries", "first", "inner", "outer", "slots", "steep", "tape")

    def __init__(
        self,
        entries: list[Entry],
        slots: list[int],
        inner: set[int] | None,
        outer: set[int] | None,
        tape: Tape,
        steep: bool,
        first: int,
    ) -> None:
        self.entries = entries
        self.slots = slots
        self.inner = inner  # None: everything; then nothing outside is tracked, and rules run raw
        self.outer = outer
        self.tape = tape
        self.steep = steep
        self.first = first

    def check_unchanged(self, outputs: Iterable[int]) -> None:
        """Raise if an array that walks between the leaves and some outputs read was changed."""
        if shared.changed > self.first:
            check_unchanged(needed(self.entries, list(outputs)))

    def pull(self, seeds: Cotangents) -> list[Any]:
        """The leaves' cotangents for those of some outputs by slot; None where there is none.

        A plain sweep runs first; where a NaN comes out, a careful one follows, in which a zero
        cotangent stays zero. Recorded rules are careful at once.
        """
        cotangents = dict(seeds)
        entries = self.entries
        self.check_unchanged(seeds)
        with quietly(self.steep):
            if self.inner is not None:
                sweep_recorded(reversed(entries), cotangents, self.inner, self.outer, self.tape)
            elif any_recorded(seeds.values()):
                sweep(reversed(entries), cotangents, careful=True)
            else:
                cotangents = plain_sweep(entries, cotangents)
                return settled(collect(cotangents, self.slots), self.tape, self.first)
        return collect(cotangents, self.slots)

    def push(self, tangents: list[Any], outputs: list[int]) -> list[Any]:
        """The tangents of the outputs in the slots `outputs`, for those of the leaves (or None)."""
        seeds: Tangents = {
            slot: t for slot, t in zip(self.slots, tangents, strict=True) if t is not None
        }
        pushed = dict(seeds)
        self.check_unchanged(outputs)
        with quietly(self.steep):
            if self.inner is not None:
                push_recorded(self.entries, pushed, self.inner, self.outer, self.tape)
            else:
                recorded = any_recorded(seeds.values())
                careful = recorded or any_on_device(seeds.values())
                push(self.entries, pushed, careful=careful)
                if not careful and any_nan([pushed[s] for s in outputs if s in pushed]):
                    pushed = dict(seeds)
                    push(self.entries, pushed, careful=True)
                if not recorded:
                    return settled([pushed.get(s) for s in outputs], self.tape, self.first)
        return [pushed.get(slot) for slot in outputs]
