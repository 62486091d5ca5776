"""The forward walk: from the leaves on to the outputs, pushing tangents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..backend import namespace
from .array import Array
from .op import Op, codes
from .reverse import guard, visible
from .tape import Entry, Tape

Tangents = dict[int, Any]

steps: list[Callable[[Entry, Tangents], None] | None] = []
"""By code: what a plain push does at an entry; None where `push` itself knows."""


def extend_steps() -> None:
    """Make the steps of codes that were numbered since the last push."""
    for op, arity in codes[len(steps) :]:
        step = None
        if op.jvp == "elementwise" and isinstance(op.vjp, tuple) and None not in op.vjp:
            if arity == 1:
                step = unary_step(op.vjp[0])
            elif arity == 2:
                step = binary_step(*op.vjp)
        steps.append(step)


def unary_step(rule: Any) -> Callable[[Entry, Tangents], None]:
    def step(entry: Entry, tangents: Tangents) -> None:
        _, slot, i, _, x, out = entry
        t = tangents.get(i)
        if t is not None:
            tangents[slot] = rule(t, out, x)

    return step


def binary_step(rule_x: Any, rule_y: Any) -> Callable[[Entry, Tangents], None]:
    def step(entry: Entry, tangents: Tangents) -> None:
        _, slot, i, j, _, x, y, out = entry
        t = tangents.get(i)
        u = tangents.get(j)
        if t is not None:
            d = rule_x(t, out, x, y)
            tangents[slot] = d if u is None else d + rule_y(u, out, x, y)
        elif u is not None:
            tangents[slot] = rule_y(u, out, x, y)

    return step


def push(entries: Iterable[Entry], tangents: Tangents, careful: bool = False) -> None:
    """Push tangents through raw entries, oldest first, in place."""
    if len(steps) < len(codes):
        extend_steps()
    for entry in entries:
        step = None if careful else steps[entry[0]]
        if step is not None:
            step(entry, tangents)
            continue
        op, arity = codes[entry[0]]
        ts = tuple(map(tangents.get, entry[2 : 2 + arity]))
        for t in ts:
            if t is not None:
                inputs, params = entry[3 + arity : -1], entry[2 + arity]
                tangents[entry[1]] = tangent(op, ts, inputs, entry[-1], params, careful)
                break


def push_recorded(
    entries: Iterable[Entry],
    tangents: Tangents,
    inner: set[int],
    outer: set[int] | None,
    tape: Tape,
) -> None:
    """Push tangents with rules that record what depends on the outside (as `sweep_recorded`)."""
    for entry in entries:
        if entry[1] in inner:
            op, arity = codes[entry[0]]
            ts = tuple(map(tangents.get, entry[2 : 2 + arity]))
            for t in ts:
                if t is not None:
                    inputs, out = visible(entry, outer, tape)
                    params = entry[2 + arity]
                    tangents[entry[1]] = tangent(op, ts, inputs, out, params, careful=True)
                    break


def ones_like(t: Any) -> Any:
    """Ones as factors beside a tangent: its shape with its lanes, on its device."""
    data = t.raw if isinstance(t, Array) else t
    return namespace(data).ones_like(data)


def tangent(
    op: Op,
    ts: tuple[Any, ...],
    inputs: Sequence[Any],
    out: Any,
    params: dict[str, Any] | None,
    careful: bool,
) -> Any:
    """The tangent of an entry's output, given those of its inputs (None where there is none)."""
    params = params or {}
    if op.jvp == "elementwise":
        total = None
        for i, t in enumerate(ts):
            rule = op.rule(i)
            if t is not None and rule is not None:
                d = rule(t, out, *inputs, **params)
                if careful and op.singular(op.codes[len(ts)], i):
                    # also where the partial derivative is zero, as the cotangent of what the
                    # tangent came from would be: forward over reverse is as reverse over reverse
                    d = guard(d, t, rule(ones_like(t), out, *inputs, **params))
                total = d if total is None else total + d
        return total
    if op.jvp == "linear":
        (t,) = (t for t in ts if t is not None)
        args = (t if s is not None else x for s, x in zip(ts, inputs, strict=True))
        return op.function(*args, **params)
    if op.jvp == "multilinear":
        total = None
        for i, t in enumerate(ts):
            if t is not None:
                d = op.function(*(t if k == i else x for k, x in enumerate(inputs)), **params)
                total = d if total is None else total + d
        return total
    assert callable(op.jvp)
    d = op.jvp(ts, out, *inputs, **params)
    return guard(d, ts[0]) if careful and len(ts) == 1 and op.elementwise else d
