"""Traced values, and what a function does as a graph of nodes.

A traced value has no node: `trace` makes the nodes after the function has run, from the entries of
its tape.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from ...backend import as_data, is_inexact
from ...core.array import Array, is_mapped
from ...core.op import codes
from ...core.program import instruction
from ...core.program import trace as program_of
from ...core.record import raw
from ...core.tape import ReplayTape
from . import errors
from .boxes import Box
from .primitives import notrace_primitive, primitive, register_notrace

__all__ = [
    "Box",
    "Node",
    "getval",
    "isbox",
    "notrace_primitive",
    "primitive",
    "register_notrace",
    "trace",
]

SAME = {"identity", "guard"}
"""Operations of transforms that give what they get: they have no node of their own."""

setattr(Array, *("_value", property(raw)))  # autograd's name of what a box holds


def isbox(x: Any) -> bool:
    """Whether a value is a traced one."""
    return isinstance(x, Box)


def getval(x: Any) -> Any:
    """The plain array or number that a traced value stands for; anything else as it is."""
    return x._value if isinstance(x, Box) else x


class Node:
    """A step of a function: base of what `trace` makes."""

    __slots__: tuple[str, ...] = ()

    def __init__(
        self,
        value: Any,
        fun: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        parent_argnums: tuple[int, ...],
        parents: tuple[Any, ...],
    ) -> None:
        """`value` is ``fun(*args, **kwargs)``; those `args` at `parent_argnums` are the values of
        the nodes `parents`."""

    def initialize_root(self, *args: Any, **kwargs: Any) -> None:
        """Make this the node of the function's argument."""

    @classmethod
    def new_root(cls, *args: Any, **kwargs: Any) -> Node:
        """The node of an argument, from which `trace` starts."""
        root = cls.__new__(cls)
        root.initialize_root(*args, **kwargs)
        return root


def trace(start_node: Any, fun: Callable[[Any], Any], x: Any) -> tuple[Any, Any]:
    """Run ``fun(x)``, and make a node of the kind of `start_node` for each of its operations.

    Gives the result and its node, or None for the node if nothing depends on `x`. The nodes are
    made in the order of the operations, when the function has run; also of those that the result
    does not depend on.
    """
    data = raw(x) if isinstance(x, Array) else as_data(x)
    if not is_inexact(getattr(data, "dtype", None)):
        raise errors.no_trace(x)
    tape = ReplayTape("trace")
    program = program_of(lambda x: [fun(x)], [data], [is_mapped(x)], tape)
    (output,) = program.outputs
    if type(output) is tuple:
        warnings.warn("Output seems independent of input.", stacklevel=2)
        return output[0], None
    nodes = {program.inputs[0]: start_node}
    values = {program.inputs[0]: data}
    for entry in tape:
        slot, value = entry[1], entry[-1]
        values[slot] = value
        slots = entry[2 : 2 + codes[entry[0]][1]]
        argnums = tuple(i for i, source in enumerate(slots) if source in nodes)
        if not argnums:
            continue
        op, args, kwargs = instruction(entry, values)
        parents = tuple(nodes[slots[i]] for i in argnums)
        if op.name in SAME:
            nodes[slot] = parents[0]
        else:
            node = type(start_node)(value, op.function, tuple(args), kwargs, argnums, parents)
            nodes[slot] = node
    return values[output], nodes[output]
