"""Makers of pointwise functions that are one operation of the core each.

`unary`, `binary` and `comparison` make the public function, `torch.<name>(..., out=None)`, and
attach the method and its in-place form; the tensor's method is the fast function itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.op import Op, table
from . import errors
from .calls import NUMBERS, operand, promoted
from .generated import pointwise
from .inplace import in_place, store
from .tensor import Tensor, wrap

Function = Callable[..., Any]

fast: dict[str, Function] = {}
"""By name: the function of tensors and numbers alone."""


def general_unary(op: Op, to_float: bool, compute: Function | None = None) -> Function:
    """An operation of one argument on whatever is one; `compute` in place of it, if given."""
    compute = compute or op.function

    def general(x: Any) -> Any:
        array = operand(x)
        if array is NotImplemented or type(array) in NUMBERS:
            raise errors.not_tensor(op.name, "input", x)
        (array,) = promoted(array, to_float=to_float)
        return wrap(compute(array))

    return general


def general_binary(op: Op, to_float: bool, compute: Function | None = None) -> Function:
    """An operation of two arguments on whatever they are; NotImplemented for what is no operand.

    `compute`, if given, is used in place of the operation.
    """
    compute = compute or op.function

    def general(x: Any, y: Any) -> Any:
        x = operand(x)
        y = operand(y)
        if x is NotImplemented or y is NotImplemented:
            return NotImplemented
        return wrap(compute(*promoted(x, y, to_float=to_float)))

    return general


def unary(
    name: str,
    op: str | None = None,
    to_float: bool = True,
    operator: str | None = None,
    otherwise: Function | None = None,
) -> Function:
    """`torch.<name>(input, *, out=None)`; integers are taken as floats if `to_float`.

    `otherwise` is the function of arrays for all but the fast cases, by default the operation.
    """
    record = table[op or name]
    short = fast[name] = pointwise(record, 1, general_unary(record, to_float, otherwise))

    def function(input: Tensor, *, out: Tensor | None = None) -> Tensor:
        result = short(input)
        return result if out is None else store(out, result, name)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = record.doc or f"The {record.name} of each element."
    setattr(Tensor, name, short)
    setattr(Tensor, f"{name}_", in_place(short, f"{name}_"))
    if operator is not None:
        setattr(Tensor, f"__{operator}__", short)
    return function


def binary(
    name: str,
    op: str | None = None,
    to_float: bool = False,
    operator: str | None = None,
    otherwise: Function | None = None,
) -> Function:
    """`torch.<name>(input, other, *, out=None)`, and the operator of Python's.

    `otherwise` is the function of arrays for all but the fast cases, by default the operation.
    """
    record = table[op or name]
    short = pointwise(record, 2, general_binary(record, to_float, otherwise))
    if operator is not None:
        setattr(Tensor, f"__r{operator}__", lambda self, other: short(other, self))
        setattr(Tensor, f"__i{operator}__", in_place(short, f"{name}_"))
    return public(name, record, short, operator)


def comparison(name: str, op: str, operator: str | None = None) -> Function:
    """`torch.<name>(input, other, *, out=None)`, of an operation without derivative."""
    record = table[op]
    return public(name, record, general_binary(record, False), operator)


def public(name: str, record: Op, short: Function, operator: str | None) -> Function:
    """A function of two arguments with `out=`, attached as a method and an operator."""
    fast[name] = short

    def function(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
        result = short(input, other)
        if result is NotImplemented:
            raise errors.not_tensor(name, "other", other)
        return result if out is None else store(out, result, name)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = record.doc or f"{record.name} of two tensors, or of one and a number."
    setattr(Tensor, name, short)
    setattr(Tensor, f"{name}_", in_place(short, f"{name}_"))
    if operator is not None:
        setattr(Tensor, f"__{operator}__", short)
    return function
