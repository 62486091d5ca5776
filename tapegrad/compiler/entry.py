"""A compiled program as one entry of a tape: its rules are compiled programs again.

As of a checkpoint, nothing is kept between the program's run and its derivative's but the inputs;
the derivative's program computes what it needs of the rest in one go.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from ..core.array import Array, is_mapped
from ..core.lanes import repeat
from ..core.op import Op
from ..core.program import Program
from ..core.record import raw, record
from ..transforms.rules import Usage, pull_function, push_function, pushing_through

Flat = Callable[..., list[Any]]


class Runnable(Protocol):
    """What an entry holds: a program, the arrays' part of its inputs, and the ways to run it."""

    program: Program

    def execute(self, data: Sequence[Any]) -> list[Any]:
        """The results for other raw inputs (the program's, in its order)."""

    def derive(self, key: Any, function: Flat) -> Flat:
        """`function` compiled, for a purpose that has `key`; the same for the same key."""


def append(
    runnable: Runnable, inputs: Sequence[Any], results: Sequence[Any], usage: Usage
) -> tuple[Any, ...]:
    """`results`, computed from `inputs`, recorded as results of one entry."""
    params = {"program": runnable.program, "runnable": runnable, "usage": usage}
    return record(operation(len(results)), tuple(inputs), params, tuple(results))


@functools.cache
def operation(outputs: int) -> Op:
    """The operation whose entries hold a compiled program with so many results."""

    def function(*inputs: Any, program: Program, runnable: Runnable, usage: Usage) -> Any:
        return append(runnable, inputs, runnable.execute(list(map(raw, inputs))), usage)

    return Op(
        "compiled",
        forward=lambda _xp, *inputs, **params: function(*inputs, **params),
        vjp=_pull,
        jvp=_push,
        batch=_batch,
        joint=True,
        steep=True,
        outputs=outputs,
        function=function,
        doc="A compiled program.",
    )


def _pull(
    g: Any,
    _out: Any,
    *inputs: Any,
    wanted: tuple[bool, ...],
    program: Program,
    runnable: Runnable,
    usage: Usage,
) -> Any:
    usage.pulled = True
    given = tuple(x is not None for x in g)
    count = len(inputs)

    def pull(*arrays: Any) -> list[Any]:
        rest = iter(arrays[count:])
        gs = [next(rest) if has else None for has in given]
        pulled = pull_function("compile", program.run, arrays[:count], wanted, gs)
        return [d for d, want in zip(pulled, wanted, strict=True) if want]

    derivatives = runnable.derive(("pull", wanted, given), pull)
    results = iter(derivatives(*inputs, *(x for x in g if x is not None)))
    return [next(results) if want else None for want in wanted]


def _push(
    tangents: Any, _out: Any, *inputs: Any, program: Program, runnable: Runnable, usage: Usage
) -> Any:
    given = tuple(t is not None for t in tangents)
    count = len(inputs)

    def push(*arrays: Any) -> list[Any]:
        rest = iter(arrays[count:])
        ts = [next(rest) if has else None for has in given]
        with pushing_through(usage):
            return list(push_function(program.run, arrays[:count], ts))

    derivatives = runnable.derive(("push", given), push)
    return tuple(derivatives(*inputs, *(t for t in tangents if t is not None)))


def _batch(
    _function: Any,
    mapped: tuple[bool, ...],
    *inputs: Any,
    program: Program,
    runnable: Runnable,
    usage: Usage,
) -> Any:
    def over_lanes(*arrays: Any) -> list[Any]:
        (lanes,) = {x.shape[0] for x, has in zip(arrays, mapped, strict=True) if has}
        has, results = program.run_lanes(list(mapped), *arrays)
        return [r if h else repeat(r, lanes) for h, r in zip(has, results, strict=True)]

    return tuple(runnable.derive(("lanes", mapped), over_lanes)(*inputs))


def any_mapped(inputs: Sequence[Any]) -> bool:
    """Whether an input stands for many values."""
    return any(is_mapped(x) for x in inputs if isinstance(x, Array))
