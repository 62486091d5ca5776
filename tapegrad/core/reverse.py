"""The reverse walk: from an output back to the leaves, pulling cotangents.

Two loops. `sweep` runs where nothing outside the range is tracked: rules see raw arrays.
`sweep_recorded` runs everywhere else (an outer transform, an imperative leaf, a replay tape): what
the rules see is recorded as far as the outside depends on it. Both call the same rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..backend import has_nan, is_inexact, namespace, on_device
from .array import Array, Traced, tracked
from .op import NOTHING, SHAPE, Op, amounts, codes, table
from .record import PICK, pick
from .tape import Entry, Tape

Cotangents = dict[int, Any]

Step = Callable[[Entry, Any, Cotangents], None]

UNARY, BINARY, OTHER = 1, 2, 0

steps: list[tuple[int, Any, Any]] = []
"""By code: what a plain sweep does at an entry.

Most entries are of elementwise operations of one or two inputs. For these the sweep calls the rules
itself, `(UNARY, rule, None)` and `(BINARY, rule of x, rule of y)`, since a call that is saved there
is felt. For the others, `(OTHER, step, None)`.
"""


fragile: list[bool] = []
"""By code: whether a rule may make NaN of a zero cotangent."""


def may_poison(entries: Iterable[Entry]) -> bool:
    """Whether a rule that was called for one of some entries may have made NaN of a zero."""
    return True in [fragile[entry[0]] for entry in entries]  # faster than any()


def extend_steps() -> None:
    """Make the steps of codes that were numbered since the last sweep."""
    for op, arity in codes[len(steps) :]:
        code = op.codes[arity]
        fragile.append(op.elementwise and any(op.singular(code, i) for i in range(arity)))
        steps.append(make_step(op, arity))


def make_step(op: Op, arity: int) -> tuple[int, Any, Any]:
    if op is PICK:
        return OTHER, pick_step, None
    if op.step is not None:
        return OTHER, op.step(arity), None
    if op.joint:
        return OTHER, joint_step(arity), None
    if isinstance(op.vjp, tuple) and None not in op.vjp and not op.outputs:
        if arity == 1:
            return UNARY, op.vjp[0], None
        if arity == 2 and op.elementwise:
            return BINARY, op.vjp[0], op.vjp[1]
    return OTHER, general_step(op, arity), None


def deposit(cotangents: Cotangents, slot: int, g: Any) -> None:
    """Add `g` to the cotangent of `slot`."""
    before = cotangents.get(slot)
    cotangents[slot] = g if before is None else before + g


def general_step(op: Op, arity: int) -> Step:
    rules = [op.rule(i) for i in range(arity)]
    variadic = not isinstance(op.vjp, tuple)

    def step(entry: Entry, g: Any, cotangents: Cotangents) -> None:
        if op.outputs:
            g = tuple(g.get(i) for i in range(op.outputs))
        params = entry[2 + arity] or {}
        out = entry[-1]
        inputs = entry[3 + arity : -1]
        for i, rule in enumerate(rules):
            slot = entry[2 + i]
            if slot and rule is not None:
                if variadic:
                    d = rule(g, out, *inputs, argnum=i, **params)
                else:
                    d = rule(g, out, *inputs, **params)
                deposit(cotangents, slot, d)

    return step


def joint_step(arity: int) -> Step:
    def step(entry: Entry, g: Any, cotangents: Cotangents) -> None:
        pull_jointly(entry, entry[3 + arity : -1], entry[-1], g, cotangents)

    return step


def pull_jointly(
    entry: Entry, inputs: Sequence[Any], out: Any, g: Any, cotangents: Cotangents
) -> None:
    """The step of an operation whose rule gives all inputs' cotangents at once."""
    op, arity = codes[entry[0]]
    rule = op.rule(0)
    assert rule is not None
    g = tuple(g.get(i) for i in range(op.outputs)) if op.outputs else g
    slots = entry[2 : 2 + arity]
    wanted = tuple(slot != 0 for slot in slots)
    pulled = rule(g, out, *inputs, wanted=wanted, **(entry[2 + arity] or {}))
    for slot, d in zip(slots, pulled, strict=True):
        if slot and d is not None:
            deposit(cotangents, slot, d)


def pick_step(entry: Entry, g: Any, cotangents: Cotangents) -> None:
    """Keep the cotangent of one of several results until their entry is reached."""
    pending = cotangents.setdefault(entry[2], {})
    deposit(pending, entry[3]["index"], g)


def pull_through(
    entry: Entry, inputs: Sequence[Any], out: Any, g: Any, cotangents: Cotangents, careful: bool
) -> None:
    """A step in slow motion: with given values for what the entry saved.

    If `careful`, a zero cotangent stays zero through a singular partial derivative.
    """
    op, arity = codes[entry[0]]
    if op is PICK:
        pick_step(entry, g, cotangents)
        return
    if op.joint:
        pull_jointly(entry, inputs, out, g, cotangents)
        return
    params = entry[2 + arity] or {}
    if op.outputs:
        g = tuple(g.get(i) for i in range(op.outputs))
    for i, slot in enumerate(entry[2 : 2 + arity]):
        if slot:
            rule = op.rule(i)
            if rule is None:
                continue
            if isinstance(op.vjp, tuple):
                d = rule(g, out, *inputs, **params)
            else:
                d = rule(g, out, *inputs, argnum=i, **params)
            if careful and op.singular(entry[0], i):
                d = guard(d, g)
            deposit(cotangents, slot, d)


def guard(d: Any, *factors: Any) -> Any:
    """`d`, a product of `factors` at heart, with zeros where it is NaN although a factor is zero.

    In the reverse walk the factor is the cotangent that `d` is linear in.
    """
    for g in factors:
        if type(d) is Traced or type(g) is Traced:
            d = table["guard"].function(d, g)
            continue
        plain_d = d.raw if isinstance(d, Array) else d
        if not is_inexact(plain_d.dtype):
            continue
        if on_device(plain_d):  # to look would be to wait for it
            d = table["guard"].function(d, g)
            continue
        if not has_nan(plain_d):
            continue
        xp = namespace(plain_d)
        poisoned = xp.isnan(plain_d) & ((g.raw if isinstance(g, Array) else g) == 0)
        d = table["where"].function(poisoned, xp.zeros_like(plain_d), d)
    return d


def sweep(
    entries: Iterable[Entry],
    cotangents: Cotangents,
    careful: bool = False,
    skipped: list[Entry] | None = None,
) -> None:
    """Pull cotangents through raw entries, in place. `entries` come youngest first.

    Those that have no cotangent are added to `skipped`. A `careful` sweep keeps zero cotangents
    zero, and takes the quick steps on a device, where all sweeps are careful.
    """
    if len(steps) < len(codes):
        extend_steps()
    pop = cotangents.pop
    if careful:
        for entry in entries:
            g = pop(entry[1], None)
            if g is None:
                continue
            kind, step, _ = steps[entry[0]]
            if kind == OTHER and on_device(g) and not fragile[entry[0]]:
                step(entry, g, cotangents)
            else:
                arity = codes[entry[0]][1]
                pull_through(entry, entry[3 + arity : -1], entry[-1], g, cotangents, True)
        return
    take = steps
    for entry in entries:
        g = pop(entry[1], None)
        if g is None:
            if skipped is not None:
                skipped.append(entry)
            continue
        kind, rule, other = take[entry[0]]
        if kind == BINARY:
            _, _, i, j, _, x, y, out = entry
            if i:
                d = rule(g, out, x, y)
                cotangents[i] = cotangents[i] + d if i in cotangents else d
            if j:
                d = other(g, out, x, y)
                cotangents[j] = cotangents[j] + d if j in cotangents else d
        elif kind == UNARY:
            _, _, i, params, x, out = entry
            d = rule(g, out, x, **params) if params else rule(g, out, x)
            cotangents[i] = cotangents[i] + d if i in cotangents else d
        else:
            rule(entry, g, cotangents)


def sweep_recorded(
    entries: Iterable[Entry],
    cotangents: Cotangents,
    inner: set[int],
    outer: set[int] | None,
    tape: Tape,
) -> None:
    """Pull cotangents with rules that record what depends on the outside, in place.

    `inner` holds the slots that depend on the leaves: only these get cotangents. `outer` holds
    those that depend on something outside the range: only these are seen recorded (None: all).
    """
    for entry in entries:
        g = cotangents.pop(entry[1], None)
        if g is not None:
            inputs, out = visible(entry, outer, tape)
            n = 2 + codes[entry[0]][1]
            for slot in entry[2:n]:
                if slot and slot not in inner:
                    entry = (*entry[:2], *(s if s in inner else 0 for s in entry[2:n]), *entry[n:])
                    break
            pull_through(entry, inputs, out, g, cotangents, careful=True)


def visible(entry: Entry, outer: set[int] | None, tape: Tape) -> tuple[list[Any], Any]:
    """An entry's inputs and output as the rules of a recorded walk see them.

    Saved values that depend on the outside become recorded arrays; what no rule reads becomes None.
    """
    code = entry[0]
    op, arity = codes[code]
    reads = amounts[code]
    kind = Traced if tape.replay else Array
    inputs: list[Any] = []
    for i in range(arity):
        value = entry[3 + arity + i]
        amount = reads[i]
        if amount == NOTHING or value is None:
            inputs.append(None)
        elif amount == SHAPE:
            inputs.append(value if type(value) is tuple else value.shape)
        else:
            slot = entry[2 + i]
            if slot and (outer is None or slot in outer):
                value = tracked(kind, value, slot, tape)
            inputs.append(value)
    out = entry[-1]
    amount = reads[arity]
    if amount == NOTHING or out is None:
        return inputs, None
    if amount == SHAPE:
        return inputs, out if type(out) is tuple else out.shape
    if outer is None or entry[1] in outer:
        whole = tracked(kind, out, entry[1], tape)
        if op.outputs:
            out = tuple(None if x is None else pick(whole, i) for i, x in enumerate(out))
        else:
            out = whole
    return inputs, out
