"""How an operation is defined: one call makes the record, numbers it and gives its function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..backend import function as function_of
from ..backend import numpy_function
from ..core.fast import (
    elementwise_function,
    general_function,
    indexed_function,
    structural_function,
)
from ..core.op import Op, Rule, table

Function = Callable[..., Any]


def define(op: Op, structural: bool = False) -> Function:
    """Enter `op` in the table, and give the function that applies it.

    `structural` says that it takes one array and static parameters only; or, if it has one rule for
    any number of inputs, that index arrays may follow the one.
    """
    if op.name in table:
        raise ValueError(f"the operation {op.name!r} is defined twice")
    table[op.name] = op
    if op.elementwise:
        arity = len(op.vjp) if isinstance(op.vjp, tuple) else 0
        function = elementwise_function(op, arity)
    elif structural:
        function = structural_function(op) if isinstance(op.vjp, tuple) else indexed_function(op)
    else:
        function = general_function(op)
    function.__name__ = function.__qualname__ = op.name
    function.__doc__ = op.doc or None
    vars(function)["op"] = op
    op.function = function
    return function


def elementwise(
    name: str,
    *rules: Rule | None,
    forward: Callable[..., Any] | None = None,
    operator: Callable[..., Any] | None = None,
    jvp: Any = "elementwise",
    regular: bool = False,
    steep: bool = False,
    samples: Callable[..., Any] | None = None,
    doc: str = "",
) -> Function:
    """An operation that works element by element, with a rule for each input.

    The rule of an input gives its cotangent from that of the result, and read forwards its share of
    the result's tangent. Without `forward`, the namespace's function of the same name is meant.
    """
    return define(
        Op(
            name,
            forward=forward or (lambda xp, *inputs: function_of(xp, name)(*inputs)),
            vjp=rules or None,
            jvp=jvp if rules else None,
            elementwise=True,
            regular=regular,
            steep=steep,
            operator=operator or (numpy_function(name) if forward is None else None),
            samples=samples,
            doc=doc,
        )
    )


def batch_axis(
    function: Function, mapped: tuple[bool, ...], x: Any, *, axis: tuple[int, ...], **params: Any
) -> Any:
    """The batch rule of an operation of one array whose `axis` is a tuple of axes."""
    return function(x, axis=tuple(a + 1 for a in axis), **params)


def size_of(shape: tuple[int, ...]) -> int:
    """The number of elements of an array of a shape."""
    size = 1
    for n in shape:
        size *= n
    return size


def looped(function: Function, mapped: tuple[bool, ...], *inputs: Any, **params: Any) -> Any:
    """The batch rule that runs lane by lane: slow, right for every operation of one result."""
    (size,) = {x.shape[0] for x, has in zip(inputs, mapped, strict=True) if has}
    index, stack = table["getitem"].function, table["stack"].function
    results = [
        function(
            *(index(x, key=(i,)) if has else x for x, has in zip(inputs, mapped, strict=True)),
            **params,
        )
        for i in range(size)
    ]
    return stack(*results, axis=0)
