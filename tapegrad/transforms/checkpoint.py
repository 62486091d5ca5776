"""`checkpoint`: a function's run as one entry, which the reverse sweep replays.

The entry holds the run's program: instructions, not Python. So side effects happen once, and what
was drawn at random is the same in the replay.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ..core.array import Array, is_mapped
from ..core.lanes import repeat
from ..core.op import Op
from ..core.program import Program, trace
from ..core.record import raw, record
from ..core.tape import ReplayTape, local
from .arguments import check_function
from .flat import FlatCall
from .plan import Plan
from .recompute import Run, RunTape
from .rules import Flat, Usage, pull_function, push_function, pushing_through


def checkpoint(
    fun: Callable[..., Any] | None = None,
    *,
    budget: int | str | None = None,
    keep: Sequence[str] | Callable[[Op, Any], bool] | None = None,
    spill: int | str | None = None,
) -> Any:
    """`fun`, with nothing stored for derivatives but its inputs, and what it closes over.

    The reverse sweep computes the rest again: less memory for more time. Derivatives are exact, of
    any order and in both modes. Python runs once, and random numbers are the same.

    With a `budget`, in bytes or such as ``"500MB"``, as much is kept as fits: everything, or the
    results that are dearest to compute, and states between which a long loop is computed again. The
    gradient is then bit-equal to that of `fun`. Of its memory, this is what the reverse sweep needs
    besides inputs, constants and the cotangents. Higher derivatives, forward mode and `vmap` are
    exact too, but do not keep to the budget.

    `keep` names operations ("matmul") or values (see `checkpoint_name`) whose results are kept in
    any case, or is a function of an operation and its parameters. Arrays of at least `spill` bytes
    are kept in temporary files, which do not count.

    >>> import tapegrad as tg
    >>> float(tg.grad(tg.checkpoint(lambda x: x**3))(2.0))
    12.0
    >>> def decay(x):
    ...     for _ in range(1000):
    ...         x = x - 0.001 * x
    ...     return x
    >>> slope = tg.grad(tg.checkpoint(decay, budget="1kB"))(2.0)
    >>> bool(slope == tg.grad(decay)(2.0))
    True
    """
    if fun is None:
        return functools.partial(checkpoint, budget=budget, keep=keep, spill=spill)
    check_function("checkpoint", fun)
    plan = Plan.of(budget, keep, spill)

    @functools.wraps(fun, updated=())
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        call = FlatCall(fun, args, kwargs)
        return call.rebuild(run_as_entry(call, call.inputs(), plan))

    return wrapper


def run_as_entry(
    function: Flat, inputs: list[Any], plan: Plan | None, pulled: bool = False
) -> list[Any]:
    """`function(*inputs)`, as one entry; `pulled` says how it was used in a trace before.

    Inside a run in a budget, which sees to every operation itself, it is no entry.
    """
    if type(local.tape) is RunTape:
        return function(*inputs)
    mapped = [is_mapped(x) for x in inputs]
    if plan is not None and True not in mapped:
        return run_in_budget(function, inputs, plan, pulled)
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
        results = append((*inputs, *captured), body, plan, pulled, out)
        values.update(zip(computed, results, strict=True))
    return [o[0] if type(o) is tuple else values[o] for o in program.outputs]


def run_in_budget(function: Flat, inputs: list[Any], plan: Plan, pulled: bool) -> list[Any]:
    """As `run_as_entry`, keeping what the plan says."""
    tape = RunTape(plan.keeping(len(inputs)))
    data = [raw(x) for x in inputs]
    program = trace(tape.following(function), data, [False] * len(inputs), tape)
    values = dict(zip(program.inputs, inputs, strict=True))
    slots = (o for o in program.outputs if type(o) is int and o not in values)
    computed = list(dict.fromkeys(slots))
    if computed:
        run = Run(tape.keeping, [tape.alive[slot][0] for slot in computed])
        out = tuple(tape.alive[slot][1] for slot in computed)
        given = (*inputs, *tape.keeping.instructions.arrays)
        results = append(given, run, plan, pulled, out)
        values.update(zip(computed, results, strict=True))
    return [o[0] if type(o) is tuple else values[o] for o in program.outputs]


def append(
    inputs: tuple[Any, ...],
    program: Program,
    plan: Plan | None,
    pulled: bool,
    out: tuple[Any, ...],
) -> tuple[Any, ...]:
    """The results of a program, recorded as its entry."""
    params: dict[str, Any] = {"program": program, "usage": Usage(pulled)}
    if plan is not None:
        params["plan"] = plan
    return record(operation(len(out)), inputs, params, out)


@functools.cache
def operation(outputs: int) -> Op:
    """The operation whose entries hold a program with so many results."""

    def function(
        *inputs: Any, program: Program, usage: Usage, plan: Plan | None = None
    ) -> tuple[Any, ...]:
        if plan is not None and any(isinstance(x, Array) and x.slot for x in inputs):
            return tuple(run_as_entry(program.run, list(inputs), plan, usage.pulled))
        return append(inputs, program, plan, usage.pulled, tuple(program.run(*map(raw, inputs))))

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
    g: Any,
    _out: Any,
    *inputs: Any,
    wanted: tuple[bool, ...],
    program: Program,
    usage: Usage,
    plan: Plan | None = None,
) -> Any:
    usage.pulled = True
    if isinstance(program, Run) and not any(isinstance(x, Array) for x in (*g, *inputs)):
        return program.pull(inputs, wanted, g)
    return pull_function("checkpoint", program.run, inputs, wanted, g)


def _push(
    tangents: Any,
    _out: Any,
    *inputs: Any,
    program: Program,
    usage: Usage,
    plan: Plan | None = None,
) -> Any:
    with pushing_through(usage):
        return push_function(program.run, inputs, tangents)


def _batch(
    _function: Any,
    mapped: tuple[bool, ...],
    *inputs: Any,
    program: Program,
    usage: Usage,
    plan: Plan | None = None,
) -> Any:
    (lanes,) = {x.shape[0] for x, has in zip(inputs, mapped, strict=True) if has}

    def over_lanes(*arrays: Any) -> list[Any]:
        has, results = program.run_lanes(list(mapped), *arrays)
        return [r if h else repeat(r, lanes) for h, r in zip(has, results, strict=True)]

    if any(isinstance(x, Array) and x.slot for x in inputs):
        return tuple(run_as_entry(over_lanes, list(inputs), plan, usage.pulled))
    return tuple(over_lanes(*inputs))
