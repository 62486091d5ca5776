"""What operations that hold a function need for their rules: its derivatives at given inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..core.op import codes
from ..core.record import deepest_tape
from ..core.tape import Entry, Paused, local
from .linearize import Recording, jvp

Flat = Callable[..., list[Any]]
"""A function of arrays that gives a list of arrays."""


class _Pulled(Recording):
    """A run that is pulled before it ends, so that nothing outlives it."""

    __slots__ = ("cotangents", "name", "pulled")

    def __init__(
        self, name: str, function: Flat, primals: tuple[Any, ...], cotangents: list[Any]
    ) -> None:
        self.name = name
        self.cotangents = cotangents
        super().__init__(name, function, primals, has_aux=False, keep=False)

    def finish(self) -> None:
        self.pulled = self.pull(self.name, self.cotangents)


def pull_function(
    name: str,
    function: Flat,
    inputs: Sequence[Any],
    wanted: Sequence[bool],
    cotangents: Sequence[Any],
) -> list[Any]:
    """The cotangents of the inputs that are wanted, None for the others.

    `cotangents` are the results', with None where there is none.
    """
    chosen = [i for i, want in enumerate(wanted) if want]
    pending = [k for k, g in enumerate(cotangents) if g is not None]
    pulled: list[Any] = [None] * len(inputs)

    def restricted(*some: Any) -> list[Any]:
        results = function(*filled(inputs, chosen, some))
        return [results[k] for k in pending]

    if pending:
        primals = tuple(inputs[i] for i in chosen)
        run = _Pulled(name, restricted, primals, [cotangents[k] for k in pending])
        for i, g in zip(chosen, run.pulled, strict=True):
            pulled[i] = g
    return pulled


def push_function(
    function: Flat, inputs: Sequence[Any], tangents: Sequence[Any]
) -> tuple[Any, ...]:
    """The results' tangents, for those of the inputs (None where there is none)."""
    chosen = [i for i, t in enumerate(tangents) if t is not None]
    primals = tuple(inputs[i] for i in chosen)
    given = tuple(tangents[i] for i in chosen)
    return tuple(jvp(lambda *some: function(*filled(inputs, chosen, some)), primals, given)[1])


def can_push(entries: Iterable[Entry]) -> bool:
    """Whether forward mode is possible: no entry has a reverse rule alone."""
    for entry in entries:
        op, arity = codes[entry[0]]
        params = entry[2 + arity] or {}
        if op.jvp is None and op.vjp is not None:
            return False
        if getattr(params.get("rule"), "reverse_only", False) and params["levels"] < 2:
            return False
        if "program" in params and not can_push(params["program"].entries):
            return False
    return True


def active_levels(inputs: Sequence[Any]) -> int:
    """How many transforms are active on the tape that an operation on `inputs` is recorded on."""
    tape = deepest_tape(tuple(inputs))
    return len(tape.marks) if tape is not None and type(local.tape) is not Paused else 0


def filled(inputs: Sequence[Any], chosen: Sequence[int], some: Sequence[Any]) -> list[Any]:
    """`inputs` with others in the chosen places."""
    result = list(inputs)
    for i, x in zip(chosen, some, strict=True):
        result[i] = x
    return result
