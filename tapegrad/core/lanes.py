"""The walks with many cotangents or tangents at once, stacked along a leading axis of lanes.

Elementwise rules serve as they are, by broadcasting; linear and multilinear tangent rules are the
operation's batch rule; any other rule is traced on one lane and replayed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import errors
from ..backend import as_data, is_inexact, namespace
from .array import Array
from .forward import Tangents, extend_steps, steps, tangent
from .op import Op, codes, table
from .program import last_uses, needed, trace
from .record import PICK
from .reverse import Cotangents, deposit, pull_through, visible
from .tape import Entry, ReplayTape, quietly
from .walk import Walk, any_nan, any_on_device, collect, settled


def pull_lanes(walk: Walk, seeds: Cotangents, lanes: int) -> list[Any]:
    """As `Walk.pull`, for seeds with a leading axis of `lanes`: so have the results."""
    walk.check_unchanged(seeds)
    with quietly(walk.steep):
        careful = walk.inner is not None or any_on_device(seeds.values())
        pulled = _pull(walk, seeds, lanes, careful)
        if not careful and any_nan([g for g in pulled if g is not None]):
            pulled = _pull(walk, seeds, lanes, careful=True)
    return settled(pulled, walk.tape, walk.first) if walk.inner is None else pulled


def _pull(walk: Walk, seeds: Cotangents, lanes: int, careful: bool) -> list[Any]:
    cotangents = dict(seeds)
    inner = walk.inner
    for entry in reversed(walk.entries):
        g = cotangents.pop(entry[1], None)
        if g is None:
            continue
        op, arity = codes[entry[0]]
        inputs, out = _seen(walk, entry, arity)
        if inner is not None:
            kept = (slot if slot in inner else 0 for slot in entry[2 : 2 + arity])
            entry = (*entry[:2], *kept, *entry[2 + arity :])
        if op.elementwise or op is PICK:
            pull_through(entry, inputs, out, g, cotangents, careful)
        else:
            _pull_traced(entry, inputs, out, g, cotangents, lanes)
    return collect(cotangents, walk.slots)


def _seen(walk: Walk, entry: Entry, arity: int) -> tuple[Sequence[Any], Any]:
    """What an entry saved, as the rules are to see it."""
    if walk.inner is None:
        return entry[3 + arity : -1], entry[-1]
    return visible(entry, walk.outer, walk.tape)


def _pull_traced(
    entry: Entry, inputs: Sequence[Any], out: Any, g: Any, cotangents: Cotangents, lanes: int
) -> None:
    """A step of an operation that is not elementwise: its rules traced, and replayed."""
    pending = g if type(g) is dict else {None: g}  # a dictionary by index for several results
    slots: list[int] = []

    def pull(*gs: Any) -> list[Any]:
        own: Cotangents = {}
        one = dict(zip(pending, gs, strict=True)) if type(g) is dict else gs[0]
        pull_through(entry, inputs, out, one, own, careful=False)
        slots[:] = own
        return list(own.values())

    pulled = over_lanes(pull, list(pending.values()), lanes)
    for slot, d in zip(slots, pulled, strict=True):
        deposit(cotangents, slot, d)


def push_lanes(walk: Walk, tangents: list[Any], outputs: list[int], lanes: int) -> list[Any]:
    """As `Walk.push`, for tangents with a leading axis of `lanes`: so have the results."""
    walk.check_unchanged(outputs)
    with quietly(walk.steep):
        careful = walk.inner is not None or any_on_device(tangents)
        pushed = _push(walk, tangents, outputs, lanes, careful)
        if not careful and any_nan([t for t in pushed if t is not None]):
            pushed = _push(walk, tangents, outputs, lanes, careful=True)
    return settled(pushed, walk.tape, walk.first) if walk.inner is None else pushed


def _push(
    walk: Walk, tangents: list[Any], outputs: list[int], lanes: int, careful: bool
) -> list[Any]:
    pushed: Tangents = {
        slot: t for slot, t in zip(walk.slots, tangents, strict=True) if t is not None
    }
    if len(steps) < len(codes):
        extend_steps()
    inner = walk.inner
    plain = inner is None and not careful
    entries = needed(walk.entries, outputs)
    for entry, dead in zip(entries, last_uses(entries, outputs), strict=True):
        step = steps[entry[0]] if plain else None
        if step is not None:
            step(entry, pushed)
        elif inner is None or entry[1] in inner:
            op, arity = codes[entry[0]]
            ts = tuple(map(pushed.get, entry[2 : 2 + arity]))
            if any(t is not None for t in ts):
                inputs, out = _seen(walk, entry, arity)
                params = entry[2 + arity]
                pushed[entry[1]] = _tangent(op, ts, inputs, out, params, careful, lanes)
        for slot in dead:
            pushed.pop(slot, None)
    return [pushed.get(slot) for slot in outputs]


def _tangent(
    op: Op,
    ts: tuple[Any, ...],
    inputs: Sequence[Any],
    out: Any,
    params: dict[str, Any] | None,
    careful: bool,
    lanes: int,
) -> Any:
    """The tangent, with lanes, of an entry's output."""
    if op.elementwise or op is PICK:
        return tangent(op, ts, inputs, out, params, careful)
    if op.jvp in ("linear", "multilinear"):
        total = None
        for i, t in enumerate(ts):
            if t is not None:
                args = (t if k == i else x for k, x in enumerate(inputs))
                mapped = tuple(k == i for k in range(len(ts)))
                d = batched(op, mapped, *args, **(params or {}))
                total = d if total is None else total + d
        return total
    given = [i for i, t in enumerate(ts) if t is not None]

    def push(*some: Any) -> list[Any]:
        filled = dict(zip(given, some, strict=True))
        one = tuple(filled.get(i) for i in range(len(ts)))
        t = tangent(op, one, inputs, out, params, careful=False)
        return list(t) if op.outputs else [t]

    pushed = over_lanes(push, [ts[i] for i in given], lanes)
    return tuple(pushed) if op.outputs else pushed[0]


def batched(op: Op, mapped: tuple[bool, ...], *inputs: Any, **params: Any) -> Any:
    """The operation on inputs of which those marked in `mapped` have a leading lane axis."""
    if op.elementwise or True not in mapped:
        return op.function(*inputs, **params)
    if op.batch is None:
        raise errors.no_batch_rule(op.name)
    return op.batch(op.function, mapped, *inputs, **params)


def over_lanes(function: Callable[..., list[Any]], arrays: list[Any], lanes: int) -> list[Any]:
    """`function(*arrays)`, a list of results, over the leading axis of all arrays."""
    mapped = [True] * len(arrays)
    tape = ReplayTape("vmap", lanes=lanes)
    program = trace(function, [lane(x) for x in arrays], mapped, tape)
    has, results = program.run_lanes(mapped, *arrays)
    return [r if h else repeat(r, lanes) for h, r in zip(has, results, strict=True)]


def lane(x: Any) -> Any:
    """The data of an array's first lane, or a stand-in where there is none.

    That is what most functions can be traced on: ones, unit matrices, and zeros as indices.
    """
    data = x.raw if isinstance(x, Array) else x
    if data.shape[0]:
        return data[0]
    xp, shape = namespace(data), data.shape[1:]
    if not is_inexact(data.dtype):
        return xp.zeros(shape, dtype=data.dtype)[()]
    if len(shape) > 1 and shape[-1] == shape[-2]:
        return xp.broadcast_to(xp.eye(shape[-1], dtype=data.dtype), shape)
    return xp.ones(shape, dtype=data.dtype)[()]


def repeat(x: Any, lanes: int) -> Any:
    """`x` for every one of the lanes."""
    if not hasattr(x, "shape"):
        x = as_data(x)
    return table["broadcast_to"].function(x, to=(lanes, *x.shape))
