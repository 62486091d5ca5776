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

FORMULAS: dict[str, Formula] = {}
"""By the name of the operation, a function of Values of one type that gives one of that type."""


def formula(function: Formula) -> Formula:
    """Put a function into the table, under its own name (less a trailing underscore)."""
    FORMULAS[function.__name__.rstrip("_")] = function
    return function


@functools.cache
def known(name: str) -> int:
    """How many arguments the vector function of a name takes; 0 if there is none."""
    return len(inspect.signature(FORMULAS[name]).parameters) if name in FORMULAS else 0


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
    function = ir.Function(module, ir.FunctionType(types[0], types), full)
    function.linkage = "internal"
    function.attributes.add("alwaysinline")
    builder = ir.IRBuilder(function.append_basic_block())
    arguments = [Value(builder, host, argument) for argument in function.args]
    builder.ret(FORMULAS[name](*arguments).ir)
    return function


def suffix(type: ir.Type) -> str:
    """A type as names have it: f32, v8f64."""
    width = f"v{type.count}" if isinstance(type, ir.VectorType) else ""
    return f"{width}f{FORMATS[element_of(type)].bits}"
