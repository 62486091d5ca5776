"""What elementwise operations are in LLVM: a few instructions on vectors, or a vector function.

Arithmetic is IEEE's, operation by operation, as NumPy's is; nothing is contracted.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

import numpy

from ..graph import Node
from .host import Host
from .text import Function, Kind

Body = Callable[[Function, Kind, list[str]], str]
"""Gives the result for operands of a kind: of that kind, or of truth values for comparisons."""

NATIVE_FLOATS = (4, 8)


def native_dtype(dtype: Any) -> bool:
    """Whether elements of a dtype can be in vectors."""
    return (
        dtype is not None
        and ((dtype.kind == "f" and dtype.itemsize in NATIVE_FLOATS) or dtype.kind in "biu")
        and dtype.isnative
    )


def native(node: Node) -> bool:
    """Whether an elementwise operation has a body for its dtypes."""
    if not native_dtype(node.dtype) or not all(native_dtype(x.dtype) for x in node.inputs):
        return False
    if any(x.op == "number" for x in node.inputs):
        return False
    if node.op in ("copy", "cast"):
        return node.op == "copy" or castable(node.inputs[0].dtype, node.dtype)
    if node.params:
        return False
    if node.op == "where":
        return node.inputs[0].dtype.kind == "b" and all(
            x.dtype == node.dtype for x in node.inputs[1:]
        )
    dtypes = {x.dtype for x in node.inputs}
    if len(dtypes) != 1:
        return False
    (dtype,) = dtypes
    result = numpy.dtype(bool) if node.op in COMPARISONS else dtype
    if node.dtype != result:
        return False
    return node.op in table_of(dtype.kind) or (dtype.kind == "f" and is_function(node))


def is_function(node: Node) -> bool:
    """Whether there is a vector function of the name of an operation."""
    return vector_function(node.op) == len(node.inputs)


@functools.cache
def vector_function(name: str) -> int:
    from .mathematics import known

    return known(name)


@functools.cache
def twin(name: str) -> tuple[str, int] | None:
    """The function that gives an operation's result beside another one, and its number there."""
    from .mathematics.registry import TWINS

    return TWINS.get(name)


def castable(source: Any, to: Any) -> bool:
    """Whether a conversion is defined for all values that NumPy defines it for."""
    return not (source.kind == "f" and to.kind in "iu")


Shared = dict[tuple[str, ...], str]
"""What is there already, by its function's name and operands, where that gives two results."""


def emit(
    function: Function,
    host: Host,
    node: Node,
    width: int,
    places: list[list[str]],
    shared: Shared,
) -> list[str]:
    """An elementwise node in some places: for the operands in each, of so many elements, a result.

    `shared` is what has been computed there, which is looked up and added to.
    """
    kind = Kind(node.inputs[-1].dtype, width)
    if is_function(node) and node.op not in table_of(kind.dtype.kind):
        results = []
        for i in range(0, len(places), 2):
            results += functions(function, host, node.op, kind, places[i : i + 2], shared)
        return together(function, host, kind, results)
    return [simple(function, node, kind, args) for args in places]


def simple(function: Function, node: Node, kind: Kind, args: list[str]) -> str:
    """An operation of a few instructions."""
    if node.op == "copy":
        return args[0]
    if node.op == "cast":
        return cast(function, kind, Kind(node.dtype, kind.width), args[0])
    if node.op == "where":
        mask, x, y = args
        return function.let(f"select {kind.mask} {mask}, {kind.text} {x}, {kind.text} {y}")
    return table_of(kind.dtype.kind)[node.op](function, kind, args)


def functions(
    function: Function, host: Host, op: str, kind: Kind, places: list[list[str]], shared: Shared
) -> list[str]:
    """A vector function in one place or in two.

    In two, its operands are of twice the length, which LLVM takes apart again, instruction by
    instruction: so the next one never waits for the last, and branches are taken for both at once.
    """
    wide = Kind(kind.dtype, kind.width * len(places))
    args = places[0]
    if len(places) == 2:
        args = [function.joined(kind, x, y) for x, y in zip(*places, strict=True)]
    pairing = twin(op)
    if pairing is None:
        result = called(function, host, op, wide.text, wide, args)
    else:
        name, number = pairing
        both, key = f"{{ {wide.text}, {wide.text} }}", (name, *(x for (x,) in places))
        if key not in shared:
            shared[key] = called(function, host, name, both, wide, args)
        result = function.let(f"extractvalue {both} {shared[key]}, {number}")
    return [result] if len(places) == 1 else function.halves(wide, result)


def together(function: Function, host: Host, kind: Kind, values: list[str]) -> list[str]:
    """The same vectors, of which none is used before all are there.

    LLVM would take what is computed in turns one after the other again, for fewer registers; and a
    processor that looks ahead only so far would wait. (Said for whole registers of AVX-512 alone.)
    """
    if len(values) == 1 or not host.avx512 or kind.width * kind.dtype.itemsize < 64:
        return values
    types = ", ".join([kind.text] * len(values))
    constraints = ",".join(["=v"] * len(values) + [str(i) for i in range(len(values))])
    given = ", ".join(f"{kind.text} {x}" for x in values)
    several = function.let(f'call {{ {types} }} asm "", "{constraints}"({given})')
    return [function.let(f"extractvalue {{ {types} }} {several}, {i}") for i in range(len(values))]


def called(
    function: Function, host: Host, name: str, result: str, kind: Kind, args: list[str]
) -> str:
    """Call a vector function."""
    function.needs.update(definitions(name, kind, host))
    given = ", ".join(f"{kind.text} {x}" for x in args)
    return function.let(f"call {result} @tapegrad.{name}.{kind.suffix}({given})")


@functools.cache
def definitions(name: str, kind: Kind, host: Host) -> dict[str, str]:
    """The text of a vector function and of all that it needs, by name."""
    from llvmlite import ir

    from .mathematics.registry import definition

    module = ir.Module()
    scalar = ir.FloatType() if kind.element == "float" else ir.DoubleType()
    type = scalar if kind.width == 1 else ir.VectorType(scalar, kind.width)
    definition(module, host, name, (type,) * (vector_function(name) or 1))
    found: dict[str, str] = {}
    for part in re.findall(r"^(?:define [^{]*\{.*?^\}|(?:declare|@)[^\n]*)", str(module), FLAGS):
        match = re.search(r'@"?([^"(= ]+)', part)
        assert match is not None
        found[match.group(1)] = re.sub(r", !prof !\d+", "", part)  # metadata has numbers of its own
    return found


FLAGS = re.MULTILINE | re.DOTALL


def instruction(name: str) -> Body:
    def body(function: Function, kind: Kind, args: list[str]) -> str:
        return function.let(f"{name} {kind.text} {', '.join(args)}")

    return body


def arithmetic(name: str) -> Body:
    """Floating point arithmetic, with the flags of the function."""

    def body(function: Function, kind: Kind, args: list[str]) -> str:
        return function.let(f"{name} {function.flags} {kind.text} {', '.join(args)}")

    return body


def intrinsic(name: str) -> Body:
    def body(function: Function, kind: Kind, args: list[str]) -> str:
        return function.call(
            kind.text, f"llvm.{name}.{kind.suffix}", *((kind.text, x) for x in args)
        )

    return body


def float_extreme(predicate: str) -> Body:
    """The larger or smaller, NaN where one is."""

    def body(function: Function, kind: Kind, args: list[str]) -> str:
        x, y = args
        wins = function.let(f"fcmp {predicate} {kind.text} {x}, {y}")
        # one instruction, which gives the second one where one is NaN
        z = function.let(f"select {kind.mask} {wins}, {kind.text} {x}, {kind.text} {y}")
        nan = function.let(f"fcmp uno {kind.text} {x}, {x}")
        return function.let(f"select {kind.mask} {nan}, {kind.text} {x}, {kind.text} {z}")

    return body


def integer_extreme(predicate: str) -> Body:
    def body(function: Function, kind: Kind, args: list[str]) -> str:
        x, y = args
        wins = function.let(f"icmp {predicate} {kind.text} {x}, {y}")
        return function.let(f"select {kind.mask} {wins}, {kind.text} {x}, {kind.text} {y}")

    return body


def float_sign(function: Function, kind: Kind, args: list[str]) -> str:
    """-1, 0 or 1; NaN for NaN."""
    (x,) = args
    zero, one, minus = kind.constant(0), kind.constant(1), kind.constant(-1)
    above = function.let(f"fcmp ogt {kind.text} {x}, {zero}")
    below = function.let(f"fcmp olt {kind.text} {x}, {zero}")
    nan = function.let(f"fcmp uno {kind.text} {x}, {x}")
    y = function.let(f"select {kind.mask} {below}, {kind.text} {minus}, {kind.text} {zero}")
    y = function.let(f"select {kind.mask} {above}, {kind.text} {one}, {kind.text} {y}")
    return function.let(f"select {kind.mask} {nan}, {kind.text} {x}, {kind.text} {y}")


def integer_negative(function: Function, kind: Kind, args: list[str]) -> str:
    return function.let(f"sub {kind.text} {kind.constant(0)}, {args[0]}")


def integer_invert(function: Function, kind: Kind, args: list[str]) -> str:
    ones = kind.constant(-1) if kind.dtype.kind != "b" else kind.constant(True)
    return function.let(f"xor {kind.text} {args[0]}, {ones}")


def integer_absolute(function: Function, kind: Kind, args: list[str]) -> str:
    (x,) = args
    negated = integer_negative(function, kind, args)
    below = function.let(f"icmp slt {kind.text} {x}, {kind.constant(0)}")
    return function.let(f"select {kind.mask} {below}, {kind.text} {negated}, {kind.text} {x}")


def cast(function: Function, source: Kind, to: Kind, x: str) -> str:
    """A conversion as NumPy makes it."""
    a, b = source.dtype, to.dtype
    if a == b:
        return x
    if b.kind == "b":
        zero = source.constant(0)
        test = "fcmp une" if a.kind == "f" else "icmp ne"
        return function.let(f"{test} {source.text} {x}, {zero}")
    if b.kind == "f":
        if a.kind == "f":
            name = "fpext" if a.itemsize < b.itemsize else "fptrunc"
        else:
            name = "sitofp" if a.kind == "i" else "uitofp"
        return function.let(f"{name} {source.text} {x} to {to.text}")
    if a.kind == "b":
        return function.let(f"zext {source.text} {x} to {to.text}")
    if a.itemsize == b.itemsize:
        return x
    if a.itemsize > b.itemsize:
        return function.let(f"trunc {source.text} {x} to {to.text}")
    return function.let(f"{'sext' if a.kind == 'i' else 'zext'} {source.text} {x} to {to.text}")


COMPARISONS = {
    "equal": ("oeq", "eq", "eq"),
    "not_equal": ("une", "ne", "ne"),
    "less": ("olt", "slt", "ult"),
    "less_equal": ("ole", "sle", "ule"),
    "greater": ("ogt", "sgt", "ugt"),
    "greater_equal": ("oge", "sge", "uge"),
}

FLOATS: dict[str, Body] = {
    "add": arithmetic("fadd"),
    "subtract": arithmetic("fsub"),
    "multiply": arithmetic("fmul"),
    "divide": instruction("fdiv"),
    "negative": instruction("fneg"),
    "sqrt": intrinsic("sqrt"),
    "abs": intrinsic("fabs"),
    "floor": intrinsic("floor"),
    "ceil": intrinsic("ceil"),
    "trunc": intrinsic("trunc"),
    "rint": intrinsic("rint"),
    "copysign": intrinsic("copysign"),
    "maximum": float_extreme("ogt"),
    "minimum": float_extreme("olt"),
    "sign": float_sign,
    **{name: instruction(f"fcmp {p}") for name, (p, _, _) in COMPARISONS.items()},
}

BITS: dict[str, Body] = {
    "bitwise_and": instruction("and"),
    "bitwise_or": instruction("or"),
    "bitwise_xor": instruction("xor"),
    "bitwise_invert": integer_invert,
}

SIGNED: dict[str, Body] = {
    "add": instruction("add"),
    "subtract": instruction("sub"),
    "multiply": instruction("mul"),
    "negative": integer_negative,
    "abs": integer_absolute,
    "maximum": integer_extreme("sgt"),
    "minimum": integer_extreme("slt"),
    **BITS,
    **{name: instruction(f"icmp {p}") for name, (_, p, _) in COMPARISONS.items()},
}

UNSIGNED: dict[str, Body] = {
    **SIGNED,
    "maximum": integer_extreme("ugt"),
    "minimum": integer_extreme("ult"),
    **{name: instruction(f"icmp {p}") for name, (_, _, p) in COMPARISONS.items()},
}
del UNSIGNED["abs"]

TRUTHS: dict[str, Body] = {
    **BITS,
    "logical_and": instruction("and"),
    "logical_or": instruction("or"),
    "logical_xor": instruction("xor"),
    "logical_not": integer_invert,
    "equal": instruction("icmp eq"),
    "not_equal": instruction("icmp ne"),
}


def table_of(kind: str) -> dict[str, Body]:
    return {"f": FLOATS, "i": SIGNED, "u": UNSIGNED, "b": TRUTHS}[kind]


def identity_of(op: str, dtype: Any) -> Any:
    """What a reduction begins with."""
    if op == "sum":
        return 0
    if op == "prod":
        return 1
    if dtype.kind == "f":
        return -numpy.inf if op == "max" else numpy.inf
    if dtype.kind == "b":
        return op == "min"
    bounds = numpy.iinfo(dtype)
    return bounds.min if op == "max" else bounds.max


COMBINING = {"sum": "add", "prod": "multiply", "max": "maximum", "min": "minimum"}
"""By reduction: the operation that two parts are combined with."""


def combine(function: Function, op: str, kind: Kind, x: str, y: str) -> str:
    return table_of(kind.dtype.kind)[COMBINING[op]](function, kind, [x, y])


def reducible(node: Node) -> bool:
    """Whether loops can make a reduction."""
    if not (native_dtype(node.dtype) and native_dtype(node.inputs[0].dtype)):
        return False
    if node.dtype.kind == "b" or node.inputs[0].size == 0 or node.inputs[0].op == "number":
        return False
    same = node.inputs[0].dtype == node.dtype
    return node.op in COMBINING and (
        same or (node.op in ("sum", "prod") and castable(node.inputs[0].dtype, node.dtype))
    )
