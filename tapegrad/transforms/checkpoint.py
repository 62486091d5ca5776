"""`checkpoint`: a function's run as one entry, which the reverse sweep replays.

The entry holds the run's program: instructions, not Python. So side effects happen once, and what
was drawn at random is the same in the replay.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..core.array import Array, is_mapped
from ..core.lanes import repeat
from ..core.op import Op
from ..core.program import Program, trace
from ..core.record import raw, record
from ..core.tape import ReplayTape
from .arguments import check_function
from .flat import FlatCall
from .rules import Flat, Usage, pull_function, push_function, pushing_through


def checkpoint(fun: Callable[..., Any]) -> Callable[..., Any]:
    """`fun`, with nothing stored for derivatives but its inputs, and what it closes over.

    The reverse sweep computes the rest again: less memory for more time. Derivatives are exact, of
    any order and in both modes.

    >>> import tapegrad as tg
    >>> float(tg.grad(tg.checkpoint(lambda x: x**3))(2.0))
    12.0
    """
    check_function("checkpoint", fun)

    @functools.wraps(fun, updated=())
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        call = FlatCall(fun, args, kwargs)
        return call.rebuild(run_as_entry(call, call.inputs()))

    return wrapper


def run_as_entry(function: Flat, inputs: list[Any], pulled: bool = False) -> list[Any]:
    """`function(*inputs)`, as one entry; `pulled` says how it was used in a trace before."""
    mapped = [is_mapped(x) for x in inputs]
    program = trace(function, [raw(x) for x in inputs], mapped, ReplayTape("checkpoint"))
    values = dict(zip(program.inputs, inputs, strict=True))
    slots = (o for o in program.outputs if type(o) is int and o not in values)
    computed = list(dict.fromkeys(slots))
    if computed:
        data = {entry[1]: entry[-1] for entry in program.entries}
        body, captured = Program(
            program.entries, program.inputs, computed, quiet=program.quiet
        ).closed()
        out = tuple(data[slot] for slot in computed)
        results = append((*inputs, *captured), body, pulled, out)
        values.update(zip(computed, results, strict=True))
    return [o[0] if type(o) is tuple else values[o] for o in program.outputs]


def append(
    inputs: tuple[Any, ...], program: Program, pulled: bool, out: tuple[Any, ...]
) -> tuple[Any, ...]:
    """The results of a program, recorded as its entry."""
    params = {"program": program, "usage": Usage(pulled)}
    return record(operation(len(out)), inputs, params, out)


@functools.cache
def operation(outputs: int) -> Op:
    """The operation whose entries hold a program with so many results."""

    def function(*inputs: Any, program: Program, usage: Usage) -> tuple[Any, ...]:
        return append(inputs, program, usage.pulled, tuple(program.run(*map(raw, inputs))))

    return Op(
        "checkpoint",
        forward=lambda _xp, *inputs, **params: function(*inputs, **params),
        vjp=_pull,
        jvp=_push,
        batch=_batch,
        joint=True,
        steep=True,  # for all that is known
        outputs=outputs,
        function=function,
        doc="A program, run again by the reverse sweep.",
    )


def _pull(
    g: Any, _out: Any, *inputs: Any, wanted: tuple[bool, ...], program: Program, usage: Usage
) -> Any:
    usage.pulled = True
    return pull_function("checkpoint", program.run, inputs, wanted, g)


def _push(tangents: Any, _out: Any, *inputs: Any, program: Program, usage: Usage) -> Any:
    with pushing_through(usage):
        return push_function(program.run, inputs, tangents)


def _batch(
    _function: Any, mapped: tuple[bool, ...], *inputs: Any, program: Program, usage: Usage
) -> Any:
    (lanes,) = {x.shape[0] for x, has in zip(inputs, mapped, strict=True) if has}

    def over_lanes(*arrays: Any) -> list[Any]:
        has, results = program.run_lanes(list(mapped), *arrays)
        return [r if h else repeat(r, lanes) for h, r in zip(has, results, strict=True)]

    if any(isinstance(x, Array) and x.slot for x in inputs):
        return tuple(run_as_entry(over_lanes, list(inputs), usage.pulled))
    return tuple(over_lanes(*inputs))
