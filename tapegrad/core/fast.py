"""The functions that users and rules call, specialised for the common case.

Each `..._function` makes the Python function of one operation. The common case is an `Array` on
this thread's current tape, beside `Array`s, ndarrays and numbers of the same shape and dtype; it
appends its entry here, in as few steps as there are. Raw inputs are computed on directly, without
a wrapper: so one text of a rule serves first and higher derivatives. Everything else goes to
`record.apply`, which knows all cases.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy
from numpy import ndarray

from ..backend import namespace, plain
from .array import Array
from .op import NOTHING, SHAPE, Op
from .record import apply, record
from .tape import current, tick


WEAK = {float, int, bool}
"""Numbers that leave a floating-point array's dtype and shape as they are."""


def compute_of(op: Op) -> Callable[..., Any]:
    """The operation's forward on NumPy data (and whatever answers NumPy's ufuncs), unprefixed."""
    if op.operator is not None:
        return op.operator
    forward = op.forward
    return lambda *inputs, **params: forward(namespace(*inputs), *inputs, **params)


def elementwise_function(op: Op, arity: int) -> Callable[..., Any]:
    """The function of an elementwise operation of one or two inputs, or of any other number."""
    if op.vjp is None:
        return constant_function(op)
    if arity == 1:
        return unary_function(op)
    if arity == 2 and op.differentiable(0) and op.differentiable(1):
        return binary_function(op)
    return general_function(op)


def general_function(op: Op) -> Callable[..., Any]:
    """The function of an operation of any kind, with no special case but raw inputs."""
    forward = op.forward

    def function(*inputs: Any, **params: Any) -> Any:
        for x in inputs:
            if type(x) not in plain:
                return apply(op, *inputs, **params)
        return forward(numpy, *inputs, **params)

    return function


def constant_function(op: Op) -> Callable[..., Any]:
    """The function of an elementwise operation without derivative: comparisons, `floor`."""
    compute = compute_of(op)

    def function(*inputs: Any, **params: Any) -> Any:
        data = []
        recorded = False
        for x in inputs:
            if type(x) is Array:
                data.append(x.data)
                recorded = True
            elif type(x) in plain:
                data.append(x)
            else:
                return apply(op, *inputs, **params)
        if not recorded:
            return compute(*data, **params)
        try:
            out = compute(*data, **params)
        except ValueError:
            return apply(op, *inputs, **params)  # raises the same with more to say
        result = Array()
        result.data = out
        result.slot = 0
        result.tape = None
        return result

    return function


def unary_function(op: Op) -> Callable[..., Any]:
    code = op.code(1)
    compute = compute_of(op)
    (reads_x, reads_out) = op.reads[code][0]
    reads_x, reads_out = reads_x != NOTHING, reads_out != NOTHING

    def function(x: Any) -> Any:
        tape = current()
        if type(x) is not Array or x.tape is not tape:
            return compute(x) if type(x) in plain else apply(op, x)
        data = x.data
        out = compute(data)
        result = Array()
        result.data = out
        result.tape = tape
        result.slot = slot = tick()
        tape.append(
            (code, slot, x.slot, None, data if reads_x else None, out if reads_out else None)
        )
        if slot > tape.limit:
            tape.compact()
        if type(out) is ndarray and out.size > 64:
            tape.spend(out.nbytes)
        return result

    return function


def binary_function(op: Op) -> Callable[..., Any]:
    code = op.code(2)
    compute = compute_of(op)
    (a_for_x, b_for_x, out_for_x), (a_for_y, b_for_y, out_for_y) = (
        [amount != NOTHING for amount in row] for row in op.reads[code]
    )
    a_ever, b_ever, out_ever = a_for_x or a_for_y, b_for_x or b_for_y, out_for_x or out_for_y

    def function(x: Any, y: Any) -> Any:
        tape = current()
        if type(x) is Array and x.tape is tape:
            a = x.data
            if type(y) in plain:  # the commonest case of all, in the fewest steps
                try:
                    out = compute(a, y)
                except ValueError:
                    return apply(op, x, y)  # raises the same with more to say
                if type(out) is not type(a):
                    return record(op, (x, y), {}, out)
                if type(out) is ndarray:
                    if type(y) not in WEAK and (a.shape != out.shape or a.dtype is not out.dtype):
                        return record(op, (x, y), {}, out)
                    if out.size > 64:
                        tape.spend(out.nbytes)
                result = Array()
                result.data = out
                result.tape = tape
                result.slot = slot = tick()
                tape.append(
                    (
                        code,
                        slot,
                        x.slot,
                        0,
                        None,
                        a if a_for_x else None,
                        y if b_for_x else None,
                        out if out_for_x else None,
                    )
                )
                if slot > tape.limit:
                    tape.compact()
                return result
            if type(y) is not Array or y.tape is not tape:
                return apply(op, x, y)
            b = y.data
            i = x.slot
            save_a, save_b, save_out = a_ever, b_ever, out_ever
        elif type(y) is Array and y.tape is tape and type(x) in plain:
            a = x
            b = y.data
            i = 0
            save_a, save_b, save_out = a_for_y, b_for_y, out_for_y
        elif type(x) in plain and type(y) in plain:
            return compute(x, y)
        else:
            return apply(op, x, y)
        try:
            out = compute(a, b)
        except ValueError:
            return apply(op, x, y)  # raises the same with more to say
        if type(out) is not ndarray:
            if type(b) is not type(out) or (i and type(a) is not type(out)):
                return record(op, (x, y), {}, out)
        else:
            # with a number that is no array, the result is as the array; so it is with its equal
            if type(a) not in WEAK and not (
                type(a) is type(b) and a.shape == b.shape and a.dtype is b.dtype
            ):
                shape = out.shape
                dtype = out.dtype
                if b.shape != shape or b.dtype is not dtype:
                    return record(op, (x, y), {}, out)
                if i and (a.shape != shape or a.dtype is not dtype):
                    return record(op, (x, y), {}, out)
            if out.size > 64:
                tape.spend(out.nbytes)
        result = Array()
        result.data = out
        result.tape = tape
        result.slot = slot = tick()
        tape.append(
            (
                code,
                slot,
                i,
                y.slot,
                None,
                a if save_a else None,
                b if save_b else None,
                out if save_out else None,
            )
        )
        if slot > tape.limit:
            tape.compact()
        return result

    return function


def structural_function(op: Op) -> Callable[..., Any]:
    """The function of an operation of one array with static parameters: a sum, a reshape."""
    code = op.code(1)
    compute = op.operator or partial(op.forward, numpy)
    reads_x, reads_out = op.reads[code][0]
    reads_out = reads_out != NOTHING

    def function(x: Any, **params: Any) -> Any:
        if type(x) is not Array:
            return compute(x, **params) if type(x) in plain else apply(op, x, **params)
        tape = current()
        slot = x.slot
        data = x.data
        if not slot or x.tape is not tape or type(data) not in plain:
            return apply(op, x, **params)
        out = compute(data, **params)
        result = Array()
        result.data = out
        result.tape = tape
        result.slot = new = tick()
        tape.append(
            (
                code,
                new,
                slot,
                params,
                data if reads_x > SHAPE else data.shape if reads_x else None,
                out if reads_out else None,
            )
        )
        if new > tape.limit:
            tape.compact()
        if out.size > 64 and out.base is None:
            tape.spend(out.nbytes)
        return result

    return function
