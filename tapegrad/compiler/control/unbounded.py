"""`while_loop`: a loop that ends when a condition says so."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ... import tree
from ...backend import is_inexact
from ...core.array import Array, is_mapped
from ...core.op import Op, table
from ...core.record import raw, record
from ...transforms.custom import detached
from ...transforms.rules import push_function
from ...transforms.vmap import vmap
from .. import errors
from . import scan
from .body import Body, Traced, check_carry, leaves_of, scalar, settled
from .calling import pulled


def while_loop(cond_fun: Callable[[Any], Any], body_fun: Callable[[Any], Any], init: Any) -> Any:
    """``value = body_fun(value)`` from `init` on, for as long as ``cond_fun(value)``.

    On recorded values outside of `vmap` and `compile` this is a Python loop: every turn is on the
    tape, and derivatives of all kinds are exact. Elsewhere it is one operation, of which both
    functions are recorded once and compiled: lanes may end at different times. Its reverse sweep
    goes round once more to see how often, and then is that of a `scan`; under `vmap`, for one lane
    after the other.

    >>> import tapegrad as tg
    >>> tg.while_loop(lambda x: x < 100, lambda x: 2 * x, 3)
    np.int64(192)
    """
    carry, structure = leaves_of(init)

    def body(*leaves: Any) -> Any:
        result = body_fun(tree.unflatten(structure, leaves))
        own = tree.structure(result)
        if own != structure:
            raise errors.carry_changes(
                "while_loop", 0, f"structure {structure}", f"structure {own}"
            )
        return result

    def test(*leaves: Any) -> Any:
        return cond_fun(tree.unflatten(structure, leaves))

    carry = settled("while_loop", body, carry, [])
    turn = Traced("while_loop", body, carry)
    check_carry("while_loop", carry, turn.results)
    check = Traced("while_loop", test, carry)
    if len(check.results) != 1 or check.results[0].shape != ():
        raise errors.bad_predicate("while_loop", getattr(check.results[0], "shape", None))
    captured = [*check.captured, *turn.captured]
    inputs = [x for x in (*captured, *carry) if isinstance(x, Array) and x.slot]
    if inputs and not any(map(is_mapped, inputs)):
        value = init
        while bool(cond_fun(value)):
            value = body_fun(value)
        return value
    counts = (len(check.captured), len(turn.captured))
    return tree.unflatten(
        structure, run(check.body, turn.body, counts, [*captured, *carry], len(carry))
    )


Counts = tuple[int, int]
"""How many of the inputs the condition captured, and how many the body."""


def run(
    check: Body, turn: Body, counts: Counts, inputs: Sequence[Any], outputs: int
) -> tuple[Any, ...]:
    """The results of a loop, recorded where an input is."""
    params = {"check": check, "turn": turn, "counts": counts}
    results: tuple[Any, ...] = operation(outputs).function(*inputs, **params)
    return results


def split(counts: Counts, inputs: Sequence[Any]) -> tuple[list[Any], list[Any], list[Any]]:
    """A loop's inputs: what the condition captured, the body, and what is carried."""
    a, b = counts
    return list(inputs[:a]), list(inputs[a : a + b]), list(inputs[a + b :])


def forward(*inputs: Any, check: Body, turn: Body, counts: Counts) -> tuple[Any, ...]:
    """The loop on raw arrays."""
    return tuple(gone_round(inputs, check, turn, counts)[0])


def gone_round(
    inputs: Sequence[Any], check: Body, turn: Body, counts: Counts
) -> tuple[list[Any], int]:
    """What a loop on raw arrays carries in the end, and how often it went round."""
    for_check, for_turn, carry = split(counts, inputs)
    carry = [scalar(x) for x in carry]
    count = 0
    with detached():
        while check(*carry, *for_check)[0]:
            carry = turn(*carry, *for_turn)
            count += 1
    return carry, count


@functools.cache
def operation(outputs: int) -> Op:
    """The operation of loops that carry so many arrays."""

    def function(*inputs: Any, **params: Any) -> Any:
        return record(op, inputs, params, forward(*map(raw, inputs), **params))

    op = Op(
        "while_loop",
        forward=lambda _xp, *inputs, **params: forward(*inputs, **params),
        vjp=pull,
        jvp=push,
        batch=batch,
        joint=True,
        steep=True,
        outputs=outputs,
        function=function,
        doc="A loop of unknown length.",
    )
    return op


def pull(
    g: Any,
    out: Any,
    *inputs: Any,
    wanted: tuple[bool, ...],
    check: Body,
    turn: Body,
    counts: Counts,
) -> list[Any]:
    """The cotangents: those of a loop of known length, once the length is known."""

    def counted(*inputs: Any) -> list[Any]:
        _, for_turn, carry = split(counts, inputs)
        _, length = gone_round(list(map(raw, inputs)), check, turn, counts)
        arity = (len(for_turn), len(carry), 0)
        return list(scan.run(turn, arity, len(carry), length, False, [*for_turn, *carry]))

    return pulled(counted, inputs, wanted, g)


def push(
    tangents: Sequence[Any],
    _out: Any,
    *inputs: Any,
    check: Body,
    turn: Body,
    counts: Counts,
) -> tuple[Any, ...]:
    """The tangents: a loop that carries them beside the values."""
    for_check, for_turn, carry = split(counts, inputs)
    _, t_turn, t_carry = split(counts, tangents)
    active = tuple(is_inexact(x.dtype) for x in carry)
    moved = tuple(t is not None for t in t_turn)
    c, k = len(carry), len(for_turn)

    def pushing(*arrays: Any) -> list[Any]:
        rest = iter(arrays)
        values = [next(rest) for _ in range(c)]
        moves = [next(rest) if has else None for has in active]
        fixed = [next(rest) for _ in range(k)]
        fixed_moves = [next(rest) if has else None for has in moved]
        pushed = push_function(turn.function, [*values, *fixed], [*moves, *fixed_moves])
        own = [d for d, has in zip(pushed, active, strict=True) if has]
        return [*turn.function(*values, *fixed), *own]

    def testing(*arrays: Any) -> list[Any]:
        return check.function(*arrays[:c], *arrays[c + sum(active) :])

    start = [t if t is not None else x * 0 for t, x in zip(t_carry, carry, strict=True)]
    start = [t for t, has in zip(start, active, strict=True) if has]
    fixed = [*for_turn, *(t for t in t_turn if t is not None)]
    results = run(
        check.derive(("push", active), testing),
        turn.derive(("push", active, moved), pushing),
        (len(for_check), len(fixed)),
        [*for_check, *fixed, *carry, *start],
        c + len(start),
    )
    rest = iter(results[c:])
    return tuple(next(rest) if has else None for has in active)


def batch(
    _function: Any,
    mapped: tuple[bool, ...],
    *inputs: Any,
    check: Body,
    turn: Body,
    counts: Counts,
) -> tuple[Any, ...]:
    """All lanes in one loop, until the last has ended; those that have keep what they have."""
    (lanes,) = {x.shape[0] for x, has in zip(inputs, mapped, strict=True) if has}
    for_check, for_turn, carry = split(counts, inputs)
    has_check, has_turn, has_carry = split(counts, mapped)
    broad = table["broadcast_to"].function
    carry = [
        x if has else broad(x, to=(lanes, *x.shape))
        for x, has in zip(carry, has_carry, strict=True)
    ]
    c, k = len(carry), len(for_check)
    check_axes = tuple([0] * c + [0 if has else None for has in has_check])
    turn_axes = tuple([0] * c + [0 if has else None for has in has_turn])

    def on(arrays: Sequence[Any]) -> Any:
        return vmap(check.function, in_axes=check_axes)(*arrays[:c], *arrays[c : c + k])[0]

    def testing(*arrays: Any) -> list[Any]:
        return [table["any"].function(on(arrays), axis=(0,), keepdims=False)]

    def turning(*arrays: Any) -> list[Any]:
        going = on(arrays)
        new = vmap(turn.function, in_axes=turn_axes)(*arrays[:c], *arrays[c + k :])
        results = []
        for x, y in zip(new, arrays[:c], strict=True):
            shape = (lanes, *(1,) * (y.ndim - 1))
            results.append(
                table["where"].function(table["reshape"].function(going, to=shape), x, y)
            )
        return results

    key = ("lanes", lanes, check_axes, turn_axes)
    return run(
        check.derive(key, testing),
        turn.derive(key, turning),
        (k, k + len(for_turn)),
        [*for_check, *for_check, *for_turn, *carry],
        c,
    )
