"""Recording: what happens when an operation meets recorded arrays.

`apply` is the whole of it, for any operation. `fast.py` has specialised versions for the common
case; they call `record` here for everything else.
"""

from __future__ import annotations

import threading
from copy import copy
from typing import Any

import numpy

from .. import errors
from ..backend import (
    HOST,
    as_data,
    as_raw,
    is_inexact,
    namespace,
    on_device,
    place_of,
    plain,
    python_numbers,
    scalars,
)
from .array import Array, Traced, is_mapped, tracked, untracked
from .op import NOTHING, SHAPE, Op, table
from .tape import Paused, ReplayTape, Tape, current, local, tick


def apply(op: Op, *inputs: Any, **params: Any) -> Any:
    """Run an operation on recorded and raw inputs, and record it where an input is tracked."""
    tape: Any = current()
    if type(tape) is not Paused and tape.replay:
        result = replayed(op, tape, inputs, params)
        if result is not None:
            return result
    data = [raw(x) for x in inputs]
    try:
        out = op.forward(namespace(*data), *data, **params)
    except (ValueError, TypeError) as error:
        errors.explain(error, op, data)
        raise
    return record(op, inputs, params, out)


def replayed(op: Op, tape: Any, inputs: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """As `apply`, in fewer steps, for the common case on the replay tape that is current.

    That is NumPy data, some of it recorded on this tape. None if it is another.
    """
    slots = []
    data = []
    for x in inputs:
        if type(x) is Traced and x.tape is tape and type(x.raw) in plain:
            slots.append(x.slot)
            data.append(x.raw)
        elif type(x) in plain:
            slots.append(0)
            data.append(x)
        else:
            return None
    if tape.closed or tape.owner != threading.get_ident() or not any(slots):
        return None
    compute = op.operator
    try:
        out = compute(*data, **params) if compute else op.forward(numpy, *data, **params)
    except (ValueError, TypeError):
        return None  # raises again, where more is said
    if op.outputs or type(out) in python_numbers or out.dtype.kind not in "fciub":
        return record(op, inputs, params, out)
    if op.promote or (op.elementwise and len(slots) > 1):
        kind, dtype, shape = type(out), out.dtype, out.shape
        for slot, x in zip(slots, data, strict=True):
            if slot and (type(x) is not kind or x.dtype is not dtype or x.shape != shape):
                return record(op, inputs, params, out)
    slot = tick()
    tape.append((op.code(len(data)), slot, *slots, params or None, *data, out))
    if op.steep:
        tape.steep = True
    if not tape.mapped.isdisjoint(slots):
        tape.mapped.add(slot)
    result = Traced()
    result.raw = out
    result.slot = slot
    result.tape = tape
    return result


def raw(x: Any) -> Any:
    """The data of one input."""
    if type(x) in plain:
        return x
    return x.raw if isinstance(x, Array) else as_raw(x)


def record(op: Op, inputs: tuple[Any, ...], params: dict[str, Any], out: Any) -> Any:
    """Record `out`, just computed from `inputs`, on the deepest tape among theirs."""
    if type(out) in python_numbers:
        out = as_data(out)  # Python's own arithmetic: of a complex number and a NumPy scalar
    tape = deepest_tape(inputs)
    if tape is None:
        return as_untracked(op, out) if any(isinstance(x, Array) for x in inputs) else out
    return record_on(tape, op, inputs, params, out)


def record_on(tape: Tape, op: Op, inputs: tuple[Any, ...], params: dict[str, Any], out: Any) -> Any:
    """Record `out` on the tape that is known to be the deepest among the inputs'."""
    paused = type(local.tape) is Paused
    useful = has_derivative(op, out)
    if not useful and op.vjp is not None and getattr(out.dtype, "kind", "") in "OSUMm":
        raise errors.no_numbers(op.name, out.dtype)
    if not tape.replay and (paused or not useful):
        return as_untracked(op, out)
    if op.elementwise:
        if len(inputs) > 1:  # one input is as it should be (or complex, of abs)
            if on_device(out):
                inputs = tuple(brought(x, out) for x in inputs)
            inputs = aligned(op, inputs, tape, out.shape, out.dtype)
    elif op.promote:
        inputs = aligned(op, inputs, tape, None, out[0].dtype if op.outputs else out.dtype)
    result = append(op, tape, inputs, params, out)
    if paused and op.vjp is not None:  # on a replay tape: replayed, but not differentiated
        stop = table["stop_gradient"].function
        return tuple(map(stop, result)) if op.outputs else stop(result)
    return result


def as_untracked(op: Op, out: Any) -> Any:
    """A result that no tape has any use for."""
    return tuple(map(untracked, out)) if op.outputs else untracked(out)


def has_derivative(op: Op, out: Any) -> bool:
    """Whether a differentiation tape has any use for the operation."""
    return op.vjp is not None and (bool(op.outputs) or is_inexact(out.dtype))


def deepest_tape(inputs: tuple[Any, ...]) -> Tape | None:
    """The tape to record on: the innermost of those that track an input."""
    deepest: Tape | None = None
    for x in inputs:
        if isinstance(x, Array) and x.slot and x.tape is not deepest:
            tape = x.tape
            assert tape is not None
            if isinstance(tape, ReplayTape) and tape.closed:
                raise errors.escaped(x)
            if tape.replay:
                if tape.owner != threading.get_ident():
                    raise errors.other_thread(x)
            elif tape is not local.root:
                if any(x.slot > level.first for level in tape.marks[:1]):
                    raise errors.other_thread(x)
                tape = local.root  # imperative graphs may span threads
            if deepest is None or tape.depth > deepest.depth:
                deepest = tape
    return deepest


def is_on(x: Any, tape: Tape) -> bool:
    """Whether `tape` is the one to follow `x` on."""
    if not isinstance(x, Array) or x.tape is None:
        return False
    return x.tape is tape or not (tape.replay or x.tape.replay)


def aligned(
    op: Op, inputs: tuple[Any, ...], tape: Tape, shape: tuple[int, ...] | None, dtype: Any
) -> tuple[Any, ...]:
    """`inputs`, those that are tracked with the result's shape (if given) and dtype.

    What this takes is recorded. So the rules of elementwise operations never see broadcasting or
    mixed dtypes: `broadcast_to` and `astype` are differentiated like everything else.
    """
    changed = None
    for i, x in enumerate(inputs):
        if not isinstance(x, Array) or not is_on(x, tape):
            continue
        own = x.raw.dtype
        if not (tape.replay or is_inexact(own)):
            continue
        y = x
        if own is not dtype and own != dtype and op.differentiable(i) and is_inexact(dtype):
            y = table["astype"].function(y, to=dtype, source=own)
        if shape is not None and x.raw.shape != shape:
            y = table["broadcast_to"].function(y, to=shape)
        if y is not x:
            changed = changed or list(inputs)
            changed[i] = y
    return inputs if changed is None else tuple(changed)


def brought(x: Any, out: Any) -> Any:
    """An input where a result on a device is: scalars of the host are brought there, recorded."""
    if isinstance(x, Array) and x.slot and type(x.raw) in scalars:
        return table["transfer"].function(x, to=place_of(out), source=HOST)
    return x


def append(op: Op, tape: Tape, inputs: tuple[Any, ...], params: dict[str, Any], out: Any) -> Any:
    """Append the entry, and give the recorded result."""
    arity = len(inputs)
    code = op.code(arity)
    replay = tape.replay
    slots = []
    values = []
    for i, x in enumerate(inputs):
        slot = 0
        if isinstance(x, Array):
            data = x.raw
            if is_on(x, tape) and (replay or (op.differentiable(i) and is_inexact(data.dtype))):
                slot = x.slot
            elif replay:
                # an input of an enclosing tape stays an Array: the replay takes it from there. A
                # copy, since item assignment may make the object stand for another value
                data = copy(x)
            values.append(data)
        else:
            values.append(x if replay else raw(x))
        slots.append(slot)
    values.append(out)
    if not replay:
        amounts = op.saves(code, tuple(map(bool, slots)))
        for i, amount in enumerate(amounts):
            if amount == NOTHING:
                values[i] = None
            elif amount == SHAPE:
                values[i] = values[i].shape
    slot = tick()
    tape.append((code, slot, *slots, params or None, *values))
    if op.steep:
        tape.steep = True
    if replay:
        if any(map(is_mapped, inputs)):  # captured ones, of an enclosing vmap, among them
            tape.mapped.add(slot)
    elif slot > tape.limit:
        tape.compact()
    kind = Traced if replay else Array
    if op.outputs:
        whole = tracked(kind, out, slot, tape)
        return tuple(pick(whole, i) for i in range(op.outputs))
    if not replay and out.size > 64:
        tape.spend(out.nbytes)
    return tracked(kind, out, slot, tape)


def pick(whole: Array, index: int) -> Array:
    """One result of an operation that has several."""
    tape = whole.tape
    assert tape is not None
    data = whole.raw[index]
    if not tape.replay and not is_inexact(data.dtype):
        return untracked(data)
    slot = tick()
    saved = data if tape.replay else None
    tape.append((PICK.code(1), slot, whole.slot, {"index": index}, None, saved))
    if tape.replay and whole.slot in tape.mapped:
        tape.mapped.add(slot)
    return tracked(type(whole), data, slot, tape)


def _pick_rule(g: Any, _out: Any, _whole: Any, *, index: int) -> Any:
    return index, g  # the walks know


PICK = Op(
    "pick",
    forward=lambda xp, whole, *, index: whole[index],
    vjp=(_pick_rule,),
    jvp=lambda tangents, _out, _whole, *, index: tangents[0][index],
    batch=lambda function, mapped, whole, *, index: whole[index],
)
table["pick"] = PICK
PICK.function = lambda whole, *, index: whole[index]
