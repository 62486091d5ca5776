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
from ..core.program import trace
from ..core.record import raw, record
from ..core.tape import local
from .arguments import check_function
from .flat import FlatCall
from .plan import NOTHING_KEPT, Plan
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

    The reverse sweep computes the rest again, at once: so the peak is not lower where `fun` is the
    whole program, but where it is a part of it (a layer, a time step), or with a `budget`. The
    gradient is bit-equal to that of `fun`; derivatives are exact, of any order and in both modes.
    Python runs once, and random numbers are the same.

    With a `budget`, in bytes or such as ``"500MB"``, as much is kept as fits: everything, or the
    results that are dearest to compute, and states between which a long loop is computed again. Of
    the gradient's memory, this is what the reverse sweep needs besides inputs, constants and the
    cotangents. With a budget of few states, a loop of `n` steps takes time that grows as `n * n`:
    a RuntimeWarning then names a budget with which it does not. Higher derivatives, forward mode
    and `vmap` are exact too, but do not keep to the budget.

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
    >>> slope = tg.grad(tg.checkpoint(decay, budget="10kB"))(2.0)
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


def run_as_entry(function: Flat, inputs: list[Any], plan: Plan, pulled: bool = False) -> list[Any]:
    """`function(*inputs)`, as one entry; `pulled` says how it was used in a trace before.

    Inside a run that keeps something, which sees to every operation itself, it is no entry.
    """
    outer = local.tape
    if type(outer) is RunTape and outer.plan is not NOTHING_KEPT:
        return function(*inputs)
    mapped = [is_mapped(x) for x in inputs]
    tape = RunTape(NOTHING_KEPT if True in mapped else plan, len(inputs))
    program = trace(tape.following(function), [raw(x) for x in inputs], mapped, tape)
    values = dict(zip(program.inputs, inputs, strict=True))
    slots = (o for o in program.outputs if type(o) is int and o not in values)
    computed = list(dict.fromkeys(slots))
    if computed:
        run = Run(tape.keeping, [tape.alive[slot][0] for slot in computed])
        out = tuple(tape.alive[slot][1] for slot in computed)
        given = (*inputs, *tape.keeping.instructions.arrays)
        params: dict[str, Any] = {"program": run, "usage": Usage(pulled)}
        if plan is not NOTHING_KEPT:
            params["plan"] = plan
        results = record(operation(len(out)), given, params, out)
        values.update(zip(computed, results, strict=True))
    return [o[0] if type(o) is tuple else values[o] for o in program.outputs]


@functools.cache
def operation(outputs: int) -> Op:
    """The operation whose entries hold a program with so many results."""

    def function(
        *inputs: Any, program: Run, usage: Usage, plan: Plan = NOTHING_KEPT
    ) -> tuple[Any, ...]:
        if any(isinstance(x, Array) and x.slot for x in inputs):
            return tuple(run_as_entry(program.run, list(inputs), plan, usage.pulled))
        return tuple(program.run(*inputs))

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
    program: Run,
    usage: Usage,
    plan: Plan = NOTHING_KEPT,
) -> Any:
    usage.pulled = True
    if not any(isinstance(x, Array) for x in (*g, *inputs)):
        return program.pull(inputs, wanted, g)
    return pull_function("checkpoint", program.run, inputs, wanted, g)


def _push(
    tangents: Any,
    _out: Any,
    *inputs: Any,
    program: Run,
    usage: Usage,
    plan: Plan = NOTHING_KEPT,
) -> Any:
    with pushing_through(usage):
        return push_function(program.run, inputs, tangents)


def _batch(
    _function: Any,
    mapped: tuple[bool, ...],
    *inputs: Any,
    program: Run,
    usage: Usage,
    plan: Plan = NOTHING_KEPT,
) -> Any:
    (lanes,) = {x.shape[0] for x, has in zip(inputs, mapped, strict=True) if has}

    def over_lanes(*arrays: Any) -> list[Any]:
        has, results = program.run_lanes(list(mapped), *arrays)
        return [r if h else repeat(r, lanes) for h, r in zip(has, results, strict=True)]

    if any(isinstance(x, Array) and x.slot for x in inputs):
        return tuple(run_as_entry(over_lanes, list(inputs), plan, usage.pulled))
    return tuple(over_lanes(*inputs))
