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
from .tape import local, tick


WEAK = {float, int, bool}
"""Numbers that leave a floating-point array's dtype and shape as they are."""


def compute_of(op: Op) -> Callable[..., Any]:
    """The operation's forward on NumPy data (and whatever answers NumPy's ufuncs), unprefixed."""
    if op.operator is not None:
        return op.operator
    forward = op.forward
    return lambda *inputs: forward(namespace(*inputs), *inputs)


def elementwise_function(op: Op, arity: int) -> Callable[..., Any]:
    """The function of an elementwise operation of one or two inputs, or of any other number."""
    if op.vjp is None:
        return general_function(op)
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


def unary_function(op: Op) -> Callable[..., Any]:
    code = op.code(1)
    compute = compute_of(op)
    (reads_x, reads_out) = op.reads[code][0]
    reads_x, reads_out = reads_x != NOTHING, reads_out != NOTHING

    def function(x: Any) -> Any:
        if type(x) is not Array:
            return compute(x) if type(x) in plain else apply(op, x)
        data = x.data
        out = compute(data)
        slot = x.slot
        result = Array()
        result.data = out
        if not slot:
            result.slot = 0
            result.tape = None
            return result
        tape = local.tape
        if x.tape is not tape:
            return record(op, (x,), {}, out)
        result.tape = tape
        result.slot = new = tick()
        tape.append(
            (code, new, slot, None, data if reads_x else None, out if reads_out else None)
        )
        if new > tape.limit:
            tape.compact()
        if type(out) is ndarray and out.size > 64:
            tape.spend(out.nbytes)
        return result

    return function


def binary_function(op: Op) -> Callable[..., Any]:
    code = op.code(2)
    compute = compute_of(op)
    (x_for_x, y_for_x, out_for_x), (x_for_y, y_for_y, out_for_y) = (
        [amount != NOTHING for amount in row] for row in op.reads[code]
    )

    def function(x: Any, y: Any) -> Any:
        if type(x) is Array:
            a = x.data
            i = x.slot
            if type(y) is Array:
                b = y.data
                j = y.slot
            elif type(y) in plain:
                b = y
                j = 0
            else:
                return apply(op, x, y)
        elif type(y) is Array and type(x) in plain:
            a = x
            i = 0
            b = y.data
            j = y.slot
        elif type(x) in plain and type(y) in plain:
            return compute(x, y)
        else:
            return apply(op, x, y)
        try:
            out = compute(a, b)
        except ValueError:
            return apply(op, x, y)  # raises the same with more to say
        result = Array()
        result.data = out
        if not (i or j):
            result.slot = 0
            result.tape = None
            return result
        tape = local.tape
        if (i and x.tape is not tape) or (j and y.tape is not tape):
            return record(op, (x, y), {}, out)
        if type(out) is ndarray:
            # with a number that is no array, the result is as the array; so it is with its equal
            if (
                type(b) not in WEAK
                and type(a) not in WEAK
                and not (type(a) is type(b) and a.shape == b.shape and a.dtype is b.dtype)
            ):
                shape = out.shape
                dtype = out.dtype
                if (i and (a.shape != shape or a.dtype is not dtype)) or (
                    j and (b.shape != shape or b.dtype is not dtype)
                ):
                    return record(op, (x, y), {}, out)
            if out.size > 64:
                tape.spend(out.nbytes)
        elif (i and type(a) is not type(out)) or (j and type(b) is not type(out)):
            return record(op, (x, y), {}, out)
        result.tape = tape
        result.slot = new = tick()
        tape.append(
            (
                code,
                new,
                i,
                j,
                None,
                a if (i and x_for_x) or (j and x_for_y) else None,
                b if (i and y_for_x) or (j and y_for_y) else None,
                out if (i and out_for_x) or (j and out_for_y) else None,
            )
        )
        if new > tape.limit:
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
        tape = local.tape
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
