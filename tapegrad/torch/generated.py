"""The hot pointwise functions of tensors, generated from source templates.

As `core.generated`, with PyTorch's promotion: operands of one floating-point dtype, and Python's
numbers beside them, are computed and recorded here; everything else is left to `general`.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import get_ident
from typing import Any

from numpy import ndarray, ufunc

from ..backend import NAMELESS, broadcast_view
from ..core.generated import compiled, compute_of
from ..core.op import NOTHING, Op, table
from ..core.tape import Paused, current, tick
from .tensor import Tensor, new

UNARY = """
def function(input):
    if type(input) is not Tensor:
        return general(input)
    a = input.raw
    if a.dtype.char not in chars:
        return general(input)
    i = input.slot
    tape = current()
    out = compute(a)
    result = new(Tensor)
    result.raw = out
    if not i or type(tape) is Paused:
        result.slot = 0
        result.tape = None
        return result
    if input.tape is not tape or tape.owner != get_ident():
        return general(input)
    result.tape = tape
    result.slot = slot = tick()
    tape.append((code, slot, i, None, {a}, {out}))
    {steep}
    if slot > tape.limit:
        tape.compact()
    if type(out) is ndarray and out.size > 64:
        tape.spend(out.nbytes)
    return result
"""

BINARY = """
def function(input, other):
    i = j = 0
    if type(input) is Tensor:
        a = input.raw
        i = input.slot
        char = a.dtype.char
        if type(other) is Tensor:
            b = other.raw
            j = other.slot
            if a.dtype is not b.dtype:
                return general(input, other)
        elif type(other) is float or type(other) is int:
            b = other
        else:
            return general(input, other)
    elif type(other) is Tensor and (type(input) is float or type(input) is int):
        a = input
        b = other.raw
        j = other.slot
        char = b.dtype.char
    else:
        return general(input, other)
    if char not in chars and (char not in whole or type(input) is float or type(other) is float):
        return general(input, other)
    try:
        out = compute(a, b)
    except (ValueError, OverflowError):
        return general(input, other)  # raises the same with more to say
    tape = current()
    result = new(Tensor)
    result.raw = out
    if not (i or j) or type(tape) is Paused:
        result.slot = 0
        result.tape = None
        return result
    if tape.owner != get_ident():
        return general(input, other)
    if (i and input.tape is not tape) or (j and other.tape is not tape):
        return general(input, other)
    if type(out) is ndarray:
        shape = out.shape
        if i and a.shape != shape:
            i = stretched(tape, i, a, shape)
            {whole_a}
        if j and b.shape != shape:
            j = stretched(tape, j, b, shape)
            {whole_b}
        if out.size > 64:
            tape.spend(out.nbytes)
    result.tape = tape
    result.slot = slot = tick()
    tape.append((code, slot, i, j, None, {a}, {b}, {out}))
    {steep}
    if slot > tape.limit:
        tape.compact()
    return result
"""


COMPARISON = """
def function(input, other):
    if type(input) is Tensor:
        a = input.raw
        if type(other) is Tensor:
            b = other.raw
            if a.dtype is not b.dtype:
                return general(input, other)
        elif type(other) is int or (type(other) is float and a.dtype.char in "fd"):
            b = other
        else:
            return general(input, other)
        if a.dtype.char in chars:
            try:
                out = compute(a, b)
            except ValueError:
                return general(input, other)  # raises the same with more to say
            result = new(Tensor)
            result.raw = out
            result.slot = 0
            result.tape = None
            return result
    return general(input, other)
"""


def comparing(op: Op, general: Callable[..., Any]) -> Callable[..., Any]:
    """The function of a comparison of tensors; `general` knows all other cases."""
    names = {
        "Tensor": Tensor,
        "__name__": NAMELESS,
        "chars": "fdlihbB?",
        "compute": compute_of(op),
        "general": general,
        "new": new,
    }
    exec(compiled(COMPARISON), names)
    function: Any = names["function"]
    return function


ORDERED = {
    *("fmax", "fmin", "fmod", "gelu", "gelu_tanh", "maximum", "minimum", "mish", "relu"),
    "remainder",
}
"""Operations that PyTorch has for real numbers alone."""

WHOLE = {"add", "subtract", "multiply", "maximum", "minimum"}
"""Operations that are computed in every dtype of integers as in those of floating point."""


def computable(compute: Any, arity: int) -> str:
    """The floating-point dtypes, by NumPy's letters, that an operation is computed in."""
    if not isinstance(compute, ufunc):
        return "fdFD"
    return "".join(c for c in "fdFD" if any(t.startswith(c * arity) for t in compute.types))


BROADCAST_TO = table["broadcast_to"].code(1)


def stretched(tape: Any, slot: int, data: Any, shape: tuple[int, ...]) -> int:
    """The slot of the value in `slot` in a larger shape, recorded."""
    own = tick()
    tape.append((BROADCAST_TO, own, slot, {"to": shape}, data.shape, None))
    return own


def pointwise(op: Op, arity: int, general: Callable[..., Any]) -> Callable[..., Any]:
    """The function of an elementwise operation on tensors; `general` knows all other cases."""
    rows = op.reads[op.code(arity)]
    used = [
        [letter for letter, row in zip("ij", rows, strict=False) if row[k] != NOTHING]
        for k in range(arity + 1)
    ]
    saved = {}
    for name, by in zip((*"ab"[:arity], "out"), used, strict=True):
        if len(by) == arity:
            saved[name] = name
        else:
            saved[name] = f"{name} if {by[0]} else None" if by else "None"
    compute = compute_of(op)
    for name, by in zip("ab"[:arity] if arity > 1 else "", used, strict=False):
        saved[f"whole_{name}"] = f"{name} = broadcast_view({name}, shape)" if by else "pass"
    names = {
        "Paused": Paused,
        "Tensor": Tensor,
        "__name__": NAMELESS,
        "broadcast_view": broadcast_view,
        "chars": "fd" if op.name in ORDERED else computable(compute, arity),
        "code": op.code(arity),
        "compute": compute,
        "current": current,
        "general": general,
        "get_ident": get_ident,
        "ndarray": ndarray,
        "new": new,
        "stretched": stretched,
        "tick": tick,
        "whole": "lihbB" if op.name in WHOLE else "",
    }
    steep = "tape.steep = True" if op.steep else "pass"
    template = UNARY if arity == 1 else BINARY
    exec(compiled(template.format(**saved, steep=steep)), names)
    function: Any = names["function"]
    return function
