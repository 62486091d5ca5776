"""A solver's answer as one entry, which holds the condition that the answer fulfils.

The entry's program is one evaluation of the problem's function, at the answer: nothing of the way
there is recorded. A replay solves again, with the program in place of the function.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..backend import as_data
from ..core.array import Array, is_mapped
from ..core.op import Op
from ..core.program import Program, trace
from ..core.record import raw, record
from ..core.tape import Paused, ReplayTape, current_tape, local, set_current, shared, tick
from ..ops.linear import stop_gradient
from ..transforms.arguments import zeros_like
from ..transforms.rules import Flat, Usage, pushing_through
from ..transforms.vectors import Layout
from . import errors
from .condition import Condition, Lanes, Linear, Residual, Solver


def solve_as_entry(
    name: str,
    function: Flat,
    residual: Residual,
    solver: Solver,
    starts: Sequence[Any],
    args: Sequence[Any],
    linear: Linear,
    first: Solver | None = None,
) -> list[Any]:
    """The unknowns xs with ``residual(function, xs, args) = 0``, as one entry.

    `first`, or else `solver`, finds them with the Python function, which may branch on what it
    gets, and on plain data. `solver` finds them again wherever the entry is run again, with the
    function's program: under `vmap`, where each lane needs a solve of its own, from the beginning.
    """
    starts = [stop_gradient(x) if isinstance(x, Array) else x for x in starts]
    given = (*starts, *args)
    many = any(map(is_mapped, given))
    apart = False
    if current_tape().replay and not many:
        _, captured = traced(function, given, len(starts), many)
        many = any(map(is_mapped, captured))
        apart = not captured
    if many:
        at = given
    else:
        rest = [raw(x) for x in args]
        with undisturbed(apart):
            xs = (first or solver)(detached(function, rest), [raw(x) for x in starts], rest)
        if nothing_tracked() and not any(isinstance(x, Array) for x in given):
            return xs
        at = (*xs, *args)
    program, captured = traced(function, at, len(starts), many)
    inputs = (*given, *captured)
    rest = [raw(x) for x in inputs[len(starts) :]]
    with undisturbed(apart=True):
        values = residual(program.run, [raw(x) for x in at[: len(starts)]], rest)
    unknowns, equations = Layout([raw(x) for x in starts]), Layout(values)
    if unknowns.size != equations.size:
        raise errors.not_square(name, unknowns.size, equations.size)
    condition = Condition(name, program, residual, solver, linear, unknowns, equations)
    return append(condition, inputs, None if many else xs)


def nothing_tracked() -> bool:
    """Whether there is no value anywhere that an operation would be recorded for."""
    tape = current_tape()
    return not (tape.marks or tape.replay or shared.imperative)


def traced(
    function: Flat, arrays: Sequence[Any], unknowns: int, many: bool
) -> tuple[Program, list[Any]]:
    """The program of a function at some arrays, and what it closes over.

    `many` says that the first of them, the unknowns, differ between lanes.
    """
    mapped = [(many and i < unknowns) or is_mapped(x) for i, x in enumerate(arrays)]

    def results(*xs: Any) -> list[Any]:
        return [x if isinstance(x, Array) else as_data(x) for x in function(*xs)]

    return trace(results, [raw(x) for x in arrays], mapped, ReplayTape("vmap")).closed()


@contextmanager
def undisturbed(apart: bool = False) -> Iterator[None]:
    """Run something that gives plain data, and leave nothing of it on the tape.

    `apart` says that nothing recorded comes into it. Then it runs as outside of every replay, where
    all that a transform computes would be recorded.
    """
    previous, first = local.tape, tick()
    tape = local.root if apart else current_tape()
    try:
        set_current(Paused(tape))
        yield
    finally:
        set_current(previous)
        del tape[tape.position(first) :]


def detached(function: Flat, rest: Sequence[Any]) -> Flat:
    """A function of the unknowns alone, which gives plain data where it gets plain data."""

    def alone(*xs: Any) -> list[Any]:
        results = function(*xs, *rest)
        if any(isinstance(x, Array) for x in xs):
            return results  # in a transform that the solver uses
        return [as_data(raw(x)) for x in results]

    return alone


def append(
    condition: Condition | Lanes,
    inputs: Sequence[Any],
    solution: list[Any] | None = None,
    pulled: bool = False,
) -> list[Any]:
    """The entry of a condition; it is solved first where no solution is given.

    `pulled` says how the entry was used in a trace before.
    """
    if solution is None:
        with undisturbed(apart=True):
            solution = condition.solution([raw(x) for x in inputs])
    params = {"condition": condition, "program": condition.program, "usage": Usage(pulled)}
    return list(record(operation(len(solution)), tuple(inputs), params, tuple(solution)))


@functools.cache
def operation(outputs: int) -> Op:
    """The operation of entries with so many unknown arrays."""

    def function(
        *inputs: Any, condition: Condition | Lanes, usage: Usage, **_: Any
    ) -> tuple[Any, ...]:
        return tuple(append(condition, inputs, pulled=usage.pulled))

    return Op(
        "implicit",
        forward=lambda _xp, *inputs, **params: function(*inputs, **params),
        vjp=_pull,
        jvp=_push,
        batch=_batch,
        joint=True,
        steep=True,  # for all that is known
        outputs=outputs,
        function=function,
        doc="The solution of a condition, differentiated by the implicit function theorem.",
    )


def _pull(
    g: Any,
    out: Any,
    *inputs: Any,
    wanted: tuple[bool, ...],
    condition: Condition | Lanes,
    usage: Usage,
    **_: Any,
) -> list[Any]:
    usage.pulled = True
    gs = [zeros_like(x) if d is None else d for x, d in zip(out, g, strict=True)]
    return condition.pull(gs, out, inputs, wanted)


def _push(
    tangents: tuple[Any, ...],
    out: Any,
    *inputs: Any,
    condition: Condition | Lanes,
    usage: Usage,
    **_: Any,
) -> tuple[Any, ...]:
    with pushing_through(usage):
        return tuple(condition.push(tangents, out, inputs))


def _batch(
    _function: Any,
    mapped: tuple[bool, ...],
    *inputs: Any,
    condition: Condition | Lanes,
    usage: Usage,
    **_: Any,
) -> tuple[Any, ...]:
    return tuple(append(Lanes(condition, mapped), inputs, pulled=usage.pulled))
