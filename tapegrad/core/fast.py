"""The functions that users and rules call, specialised for the common case.

Each `..._function` makes the Python function of one operation. The common case is an `Array` on
this thread's current tape, beside `Array`s, ndarrays and numbers of the same shape and dtype; it
appends its entry here, in as few steps as there are. Raw inputs are computed on directly, without
a wrapper: so one text of a rule serves first and higher derivatives. Everything else goes to
`record.apply`, which knows all cases. The hottest are generated (`generated.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import get_ident
from typing import Any

import numpy

from .. import errors
from ..backend import plain
from .array import Array, new, untracked
from .generated import binary_function, compute_of, unary_function
from .op import NOTHING, SHAPE, Op
from .record import apply, record, record_on
from .tape import current, tick


def elementwise_function(op: Op, arity: int) -> Callable[..., Any]:
    """The function of an elementwise operation of one or two inputs, or of any other number."""
    if op.vjp is None:
        return constant_function(op)
    if arity == 1:
        return unary_function(op)
    if arity == 2 and op.differentiable(0) and op.differentiable(1):
        return binary_function(op)
    return general_function(op)


def general_function(op: Op, kind: type[Array] = Array) -> Callable[..., Any]:
    """The function of an operation of any kind.

    A face has its own with its class of arrays for `kind`; only its commonest results are of that.
    """
    forward = op.forward
    rules = op.vjp if isinstance(op.vjp, tuple) else None
    usual = op.vjp is not None and not op.outputs
    alike = op.elementwise or op.promote

    def function(*inputs: Any, **params: Any) -> Any:
        tape: Any = current()
        data = []
        slots = []
        recorded = False
        for x in inputs:
            if type(x) is kind and (x.tape is tape or not x.slot) and type(x.raw) in plain:
                data.append(x.raw)
                slots.append(x.slot)
                recorded = True
            elif type(x) in plain:
                data.append(x)
                slots.append(0)
            else:
                return apply(op, *inputs, **params)
        if not recorded:
            return forward(numpy, *data, **params)
        if tape.owner != get_ident():
            return apply(op, *inputs, **params)
        try:
            out = forward(numpy, *data, **params)
        except (ValueError, TypeError) as error:
            errors.explain(error, op, data)
            raise
        if not any(slots):
            return record(op, inputs, params, out) if type(out) not in plain else untracked(out)
        if not usual or out.dtype.kind not in "fc":
            return record_on(tape, op, inputs, params, out)
        if rules is not None and None in rules:
            slots = [slot if rule else 0 for slot, rule in zip(slots, rules, strict=True)]
        if alike:
            for value, slot in zip(data, slots, strict=True):
                if slot and not (
                    value.dtype is out.dtype and (value.shape == out.shape or not op.elementwise)
                ):
                    return record_on(tape, op, inputs, params, out)
        code = op.code(len(data))
        data.append(out)
        for i, amount in enumerate(op.saves(code, tuple(map(bool, slots)))):
            if amount == NOTHING:
                data[i] = None
            elif amount == SHAPE:
                data[i] = data[i].shape
        result = new(kind)
        result.raw = out
        result.tape = tape
        result.slot = slot = tick()
        tape.append((code, slot, *slots, params or None, *data))
        if op.steep:
            tape.steep = True
        if slot > tape.limit:
            tape.compact()
        if out.size > 64:
            tape.spend(out.nbytes)
        return result

    return function


def constant_function(op: Op) -> Callable[..., Any]:
    """The function of an elementwise operation without derivative: comparisons, `floor`."""
    compute = compute_of(op)

    def function(*inputs: Any, **params: Any) -> Any:
        data = []
        recorded = False
        for x in inputs:
            if type(x) is Array:
                data.append(x.raw)
                recorded = True
            elif type(x) in plain:
                data.append(x)
            else:
                return apply(op, *inputs, **params)
        if not recorded:
            return compute(*data, **params)
        try:
            out = compute(*data, **params)
        except (ValueError, TypeError):
            return apply(op, *inputs, **params)  # raises with more to say, or it is on a device
        result = Array()
        result.raw = out if type(out) is not bool else numpy.bool_(out)  # Python's, of 1j == x
        result.slot = 0
        result.tape = None
        return result

    return function


def structural_function(op: Op, kind: type[Array] = Array) -> Callable[..., Any]:
    """The function of an operation of one array with static parameters: a sum, a reshape.

    A face has its own with its class of arrays for `kind`.
    """
    code = op.code(1)
    compute = op.operator or partial(op.forward, numpy)
    reads_x, reads_out = op.reads[code][0]
    reads_out = reads_out != NOTHING
    steep = op.steep

    def function(x: Any, **params: Any) -> Any:
        if type(x) is not kind:
            return compute(x, **params) if type(x) in plain else apply(op, x, **params)
        tape = current()
        slot = x.slot
        data = x.raw
        if not slot and type(data) in plain:
            result = new(kind)
            result.raw = compute(data, **params)
            result.slot = 0
            result.tape = None
            return result
        if x.tape is not tape or tape.owner != get_ident() or type(data) not in plain:
            return apply(op, x, **params)
        out = compute(data, **params)
        result = new(kind)
        result.raw = out
        result.tape = tape
        result.slot = own = tick()
        tape.append(
            (
                code,
                own,
                slot,
                params,
                data if reads_x > SHAPE else data.shape if reads_x else None,
                out if reads_out else None,
            )
        )
        if steep:
            tape.steep = True
        if own > tape.limit:
            tape.compact()
        if out.size > 64 and out.base is None:
            tape.spend(out.nbytes)
        return result

    return function


def indexed_function(op: Op) -> Callable[..., Any]:
    """The function of an operation of one array, and at times of index arrays beside it."""
    alone = structural_function(op)
    general = general_function(op)

    def function(x: Any, *indices: Any, **params: Any) -> Any:
        return general(x, *indices, **params) if indices else alone(x, **params)

    return function
