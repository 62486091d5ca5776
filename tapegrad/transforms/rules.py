"""What operations that hold a function need for their rules: its derivatives at given inputs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..core.op import codes
from ..core.record import deepest_tape
from ..core.tape import Entry, Paused, local
from .linearize import Recording, jvp

Flat = Callable[..., list[Any]]
"""A function of arrays that gives a list of arrays."""


class Pulled(Recording):
    """A run that is pulled before it ends, so that nothing outlives it."""

    __slots__ = ("cotangents", "name", "pulled")

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        primals: tuple[Any, ...],
        cotangents: Any,
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
        run = Pulled(name, restricted, primals, [cotangents[k] for k in pending])
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


class Usage:
    """Whether a reverse sweep has used the rule of an entry: `pulled`.

    What has a reverse rule alone refuses to be pushed through, unless an inner transform has
    pulled through it before. Then the outer one sees a derivative: a Hessian is pushed through a
    gradient.
    """

    __slots__ = ("pulled",)

    def __init__(self, pulled: bool = False) -> None:
        self.pulled = pulled


class _Pushing(threading.local):
    """Whether this thread pushes through the program of an entry that was pulled through before."""

    pulled = False


pushing = _Pushing()


@contextmanager
def pushing_through(usage: Usage) -> Iterator[None]:
    """Push through what is inside an entry as that entry itself was used."""
    before = pushing.pulled
    pushing.pulled = before or usage.pulled
    try:
        yield
    finally:
        pushing.pulled = before


def can_push(entries: Iterable[Entry]) -> bool:
    """Whether forward mode is possible: no entry has a reverse rule alone."""
    for entry in entries:
        op, arity = codes[entry[0]]
        params = entry[2 + arity] or {}
        if op.jvp is None and op.vjp is not None:
            return False
        usage = params.get("usage")
        if usage is not None and not usage.pulled:
            if "program" in params and not can_push(params["program"].entries):
                return False
            if "rule" in params:
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
