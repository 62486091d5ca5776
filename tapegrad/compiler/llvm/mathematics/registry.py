"""The table of vector functions, and how a call of one gets into the code."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable

from llvmlite import ir

from .. import errors
from ..host import Host
from ..vector import FORMATS, Value, element_of

Formula = Callable[..., Value]
Pairing = Callable[[Value], tuple[Value, Value]]

FORMULAS: dict[str, Formula] = {}
"""By the name of the operation, a function of Values of one type that gives one of that type."""

COMPOSITES: dict[str, Formula] = {}
"""As FORMULAS, for functions that are right beside their largest value, as NumPy's code for them is
here, and not to the last places everywhere."""

TWINS: dict[str, tuple[str, int]] = {}
"""By the name of the operation, the function that gives it and another one, and its number."""

PAIRINGS: dict[str, Pairing] = {}
"""Functions that give two results at little more than the cost of one."""


def twins(*names: str) -> Callable[[Pairing], Pairing]:
    """Put a function into the table that gives the results of two."""

    def decorator(function: Pairing) -> Pairing:
        PAIRINGS[function.__name__] = function
        for i, name in enumerate(names):
            TWINS[name] = function.__name__, i
        return function

    return decorator


def formula(function: Formula) -> Formula:
    """Put a function into the table, under its own name (less a trailing underscore)."""
    FORMULAS[function.__name__.rstrip("_")] = function
    return function


def composite(function: Formula) -> Formula:
    """Put a function into the table of composites, under its own name."""
    COMPOSITES[function.__name__] = function
    return function


def formula_of(name: str) -> Formula | None:
    """The vector function of a name, if there is one."""
    return FORMULAS.get(name) or COMPOSITES.get(name)


@functools.cache
def known(name: str) -> int:
    """How many arguments the vector function of a name takes; 0 if there is none."""
    found = formula_of(name)
    return len(inspect.signature(found).parameters) if found else 0


def emit(builder: ir.IRBuilder, host: Host, name: str, *values: ir.Value) -> ir.Value:
    """Call the function `name` on floats, doubles, or vectors of them, all of one type.

    The module gets one definition for each name and type, which LLVM inlines at every call.
    """
    types = tuple(value.type for value in values)
    if known(name) != len(values) or len(set(types)) > 1 or element_of(types[0]) not in FORMATS:
        raise errors.no_emitter(name, types)
    return builder.call(definition(builder.module, host, name, types), values)


def definition(module: ir.Module, host: Host, name: str, types: tuple[ir.Type, ...]) -> ir.Function:
    """The function of this name and type in a module, defined there if it is not."""
    full = f"tapegrad.{name}.{suffix(types[0])}"
    if full in module.globals:
        return module.globals[full]
    pairing, single = PAIRINGS.get(name), formula_of(name)
    result = types[0] if pairing is None else ir.LiteralStructType([types[0], types[0]])
    function = ir.Function(module, ir.FunctionType(result, types), full)
    function.linkage = "internal"
    function.attributes.add("alwaysinline")
    builder = ir.IRBuilder(function.append_basic_block())
    arguments = [Value(builder, host, argument) for argument in function.args]
    if pairing is None:
        assert single is not None
        builder.ret(single(*arguments).ir)
        return function
    both = ir.Constant(result, ir.Undefined)
    for i, part in enumerate(pairing(*arguments)):
        both = builder.insert_value(both, part.ir, i)
    builder.ret(both)
    return function


def suffix(type: ir.Type) -> str:
    """A type as names have it: f32, v8f64."""
    width = f"v{type.count}" if isinstance(type, ir.VectorType) else ""
    return f"{width}f{FORMATS[element_of(type)].bits}"
