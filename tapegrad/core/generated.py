"""The functions of elementwise operations of one and two inputs, generated from source templates.

These run for every product and sum of a program, and what they do beside computing is felt. The
templates are the functions one would write by hand for one operation, with what its rules read
filled in. A function gets its code when it is first called, since to compile all takes longer than
to import the rest of this package.
"""

from __future__ import annotations

import builtins
import functools
import linecache
from collections.abc import Callable
from threading import get_ident
from types import CodeType, FunctionType
from typing import Any

from numpy import ndarray

from ..backend import broadcast_view, namespace, plain, scalars
from .array import Array
from .op import NOTHING, Op, table
from .record import apply, record
from .tape import current, tick

WEAK = {float, int, bool}
"""Numbers that leave a floating-point array's dtype and shape as they are."""

UNARY = """
def function(x):
    tape = current()
    if type(x) is not Array or x.tape is not tape:
        return compute(x) if type(x) in plain else apply(op, x)
    a = x.raw
    try:
        out = compute(a)
    except TypeError:  # NumPy's function does not take arrays of a device
        return apply(op, x)
    if tape.owner != get_ident():
        return record(op, (x,), {{}}, out)
    result = Array()
    result.raw = out
    result.tape = tape
    result.slot = slot = tick()
    tape.append((code, slot, x.slot, None, {a_for_x}, {out_for_x}))
    {steep}
    if slot > tape.limit:
        tape.compact()
    if type(out) is ndarray and out.size > 64:
        tape.budget -= out.nbytes
        if tape.budget < 0:
            tape.compact()
    return result
"""

BINARY = """
def function(x, y):
    tape = current()
    try:
        if type(x) is Array and x.tape is tape:
            a = x.raw
            if type(y) in plain:  # the commonest case of all
                b = y
                out = compute(a, b)
                if tape.owner != get_ident():
                    return record(op, (x, y), {{}}, out)
                if type(out) is ndarray:
                    if type(b) not in WEAK:  # with a number, the result is as the array
                        if a.dtype is not out.dtype:
                            return record(op, (x, y), {{}}, out)
                        if a.shape != out.shape:
                            x = broadcast(x, out)
                            a = x.raw
                    if out.size > 64:
                        tape.budget -= out.nbytes
                        if tape.budget < 0:
                            tape.compact()
                elif type(out) is not type(a) or type(out) not in scalars:
                    return record(op, (x, y), {{}}, out)
                result = Array()
                result.raw = out
                result.tape = tape
                result.slot = slot = tick()
                tape.append((code, slot, x.slot, 0, None, {a_for_x}, {b_for_x}, {out_for_x}))
                {steep}
                if slot > tape.limit:
                    tape.compact()
                return result
            if type(y) is Array and y.tape is tape:
                b = y.raw
                out = compute(a, b)
                if tape.owner != get_ident():
                    return record(op, (x, y), {{}}, out)
                if type(out) is ndarray:
                    if a.dtype is not b.dtype:
                        return record(op, (x, y), {{}}, out)
                    if a.shape != b.shape:
                        x = broadcast(x, out)
                        y = broadcast(y, out)
                        a = x.raw
                        b = y.raw
                    if out.size > 64:
                        tape.budget -= out.nbytes
                        if tape.budget < 0:
                            tape.compact()
                elif type(a) is not type(b) or type(a) not in scalars:
                    return record(op, (x, y), {{}}, out)
                result = Array()
                result.raw = out
                result.tape = tape
                result.slot = slot = tick()
                tape.append((code, slot, x.slot, y.slot, None, {a_ever}, {b_ever}, {out_ever}))
                {steep}
                if slot > tape.limit:
                    tape.compact()
                return result
        elif type(y) is Array and y.tape is tape and type(x) in plain:
            a = x
            b = y.raw
            out = compute(a, b)
            if tape.owner != get_ident():
                return record(op, (x, y), {{}}, out)
            if type(out) is ndarray:
                if type(a) not in WEAK:
                    if b.dtype is not out.dtype:
                        return record(op, (x, y), {{}}, out)
                    if b.shape != out.shape:
                        y = broadcast(y, out)
                        b = y.raw
                if out.size > 64:
                    tape.budget -= out.nbytes
                    if tape.budget < 0:
                        tape.compact()
            elif type(out) is not type(b) or type(out) not in scalars:
                return record(op, (x, y), {{}}, out)
            result = Array()
            result.raw = out
            result.tape = tape
            result.slot = slot = tick()
            tape.append((code, slot, 0, y.slot, None, {a_for_y}, {b_for_y}, {out_for_y}))
            {steep}
            if slot > tape.limit:
                tape.compact()
            return result
        elif type(x) in plain and type(y) in plain:
            return compute(x, y)
        if type(x) is type(y) is Array and (x.tape is tape or y.tape is tape):
            if not y.slot:  # a constant, such as np.eye gives inside of a transform
                return function(x, y.raw)
            if not x.slot:
                return function(x.raw, y)
    except (ValueError, TypeError):
        pass  # shapes that do not fit, which is said again by what says which; or a device's arrays
    return apply(op, x, y)
"""

STUBS = {
    arity: f"""
def function({inputs}):
    complete()
    return function({inputs})
"""
    for arity, inputs in ((1, "x"), (2, "x, y"))
}
"""What stands for a template's function until it is called."""


def unary_function(op: Op) -> Callable[..., Any]:
    """The function of an elementwise operation of one input."""
    (row,) = op.reads[op.code(1)]
    return generate(UNARY, op, 1, {"a_for_x": row[0], "out_for_x": row[1]})


def binary_function(op: Op) -> Callable[..., Any]:
    """The function of an elementwise operation of two inputs that both have a derivative."""
    reads = {
        f"{value}_for_{of}": amount
        for of, row in zip("xy", op.reads[op.code(2)], strict=True)
        for value, amount in zip(("a", "b", "out"), row, strict=True)
    }
    for value in ("a", "b", "out"):
        reads[f"{value}_ever"] = max(reads[f"{value}_for_x"], reads[f"{value}_for_y"])
    return generate(BINARY, op, 2, reads)


def generate(template: str, op: Op, arity: int, reads: dict[str, int]) -> Callable[..., Any]:
    """The function of a template; `reads` says of what stands in its entries if it is saved."""
    saved = {
        name: "None" if amount == NOTHING else name.partition("_")[0]
        for name, amount in reads.items()
    }
    names = {
        "__builtins__": builtins,  # which Python 3.13 looks for here when NumPy warns
        "Array": Array,
        "WEAK": WEAK,
        "apply": apply,
        "broadcast": broadcast,
        "code": op.code(arity),
        "compute": compute_of(op),
        "current": current,
        "get_ident": get_ident,
        "ndarray": ndarray,
        "op": op,
        "plain": plain,
        "record": record,
        "scalars": scalars,
        "tick": tick,
    }
    source = template.format(**saved, steep="tape.steep = True" if op.steep else "pass")

    def complete() -> None:
        function.__code__ = body(source)

    names["complete"] = complete
    function = names["function"] = FunctionType(body(STUBS[arity]), names)
    return function


def body(source: str) -> CodeType:
    """The code of the only function of a filled template."""
    (code,) = [c for c in compiled(source).co_consts if isinstance(c, CodeType)]
    return code


def broadcast(x: Array, out: Any) -> Array:
    """`x`, which is tracked on the current tape, in the shape of a result: recorded."""
    a = x.raw
    to = out.shape
    if a.shape == to:
        return x
    tape = x.tape
    if type(x) is not Array or tape is None or type(a) not in plain:
        broadcast_to = table["broadcast_to"].function
        return broadcast_to(x, to=to)
    result = Array()
    result.raw = broadcast_view(a, to)
    result.tape = tape
    result.slot = slot = tick()
    tape.append((table["broadcast_to"].code(1), slot, x.slot, {"to": to}, a.shape, None))
    return result


@functools.cache
def compiled(source: str) -> Any:
    """The code of a filled template, which tracebacks can show. There are few different ones."""
    file = f"{__file__}: template {compiled.cache_info().currsize}"  # inside the package
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    return compile(source, file, "exec")


def compute_of(op: Op) -> Callable[..., Any]:
    """The operation's forward on NumPy data (and whatever answers NumPy's ufuncs), unprefixed."""
    if op.operator is not None:
        return op.operator
    forward = op.forward
    return lambda *inputs, **params: forward(namespace(*inputs), *inputs, **params)
