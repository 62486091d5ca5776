"""The forward walk: from the leaves on to the outputs, pushing tangents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .op import Op, codes
from .reverse import guard, visible
from .tape import Entry, Tape

Tangents = dict[int, Any]


def push(entries: Iterable[Entry], tangents: Tangents, careful: bool = False) -> None:
    """Push tangents through raw entries, oldest first, in place."""
    for entry in entries:
        op, arity = codes[entry[0]]
        if arity == 1:
            t = tangents.get(entry[2])
            if t is not None:
                tangents[entry[1]] = tangent(op, (t,), entry[4:-1], entry[-1], entry[3], careful)
            continue
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
    careful: bool = True,
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
                    tangents[entry[1]] = tangent(op, ts, inputs, out, params, careful)
                    break


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
                    d = guard(d, t)
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


