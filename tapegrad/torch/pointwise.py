"""Makers of pointwise functions that are one operation of the core each.

`unary`, `binary` and `comparison` make the public function, `torch.<name>(..., out=None)`, and
attach the method and its in-place form; the tensor's method is the fast function itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
from numpy import generic, ndarray

from ..backend import numpy_function, plain
from ..core.op import Op, table
from . import errors
from .calls import HALVES, NUMBERS, in_single, meet, operand, promoted, silent
from .device import Devices
from .dtypes import common, defaults
from .generated import comparing, pointwise
from .inplace import in_place, quick_in_place, store
from .refusals import Refused
from .refusals import check as refuse
from .tensor import Tensor, constant, wrap

Function = Callable[..., Any]

fast: dict[str, Function] = {}
"""By name: the function of tensors and numbers alone."""


def general_unary(op: Op, to_float: bool, compute: Function | None = None) -> Function:
    """An operation of one argument on whatever is one; `compute` in place of it, if given."""
    compute = in_single(compute or op.function)
    refused: Refused = {}

    def general(input: Any) -> Any:
        array = operand(input)
        if array is NotImplemented or type(array) in NUMBERS:
            raise errors.not_tensor(op.name, "input", input)
        if refused:
            refuse(refused, (array,))
        (array,) = promoted(array, to_float=to_float)
        return wrap(compute(array))

    vars(general)["refused"] = refused
    return silent(general)


def general_binary(
    op: Op, to_float: bool, compute: Function | None = None, check: Function | None = None
) -> Function:
    """An operation of two arguments on whatever they are; NotImplemented for what is no operand.

    `compute`, if given, is used in place of the operation; `check` raises for some operands.
    """
    function = compute or op.function
    in_wide = in_single(function)
    refused: Refused = {}

    def general(input: Any, other: Any) -> Any:
        if type(input) is Tensor and not input.slot and compute is None:
            a = input.raw
            b = other.raw if type(other) is Tensor and not other.slot else other
            d = of_pair(a, b, to_float) if type(a) in plain and type(b) in plain else None
            if d is not None:
                if refused:
                    refuse(refused, (a, b))
                if check is not None:
                    check(a, b)
                check_sizes(a, b)
                return constant(function(in_dtype(a, d), in_dtype(b, d)))
        x = operand(input)
        y = operand(other)
        if x is NotImplemented or y is NotImplemented:
            return NotImplemented
        if Devices.used:
            meet([x, y])
        if check is not None:
            check(x, y)
        check_sizes(x, y)
        if refused:
            refuse(refused, (x, y))
        return wrap(in_wide(*promoted(x, y, to_float=to_float)))

    vars(general)["refused"] = refused
    return silent(general)


def check_sizes(x: Any, y: Any) -> None:
    """Raise if the shapes of two operands don't broadcast."""
    a, b = getattr(x, "shape", ()), getattr(y, "shape", ())
    if a and b and a != b:
        for n, m in zip(reversed(a), reversed(b), strict=False):
            if n != m and n != 1 and m != 1:
                raise errors.sizes_differ(a, b)


def of_pair(a: Any, b: Any, to_float: bool) -> Any:
    """NumPy's dtype of an operation on raw operands; None if it is not of a usual precision."""
    kind_a, kind_b = (
        (x.dtype, bool(x.shape)) if isinstance(x, ndarray | generic) else type(x) for x in (a, b)
    )
    key = kind_a, kind_b, to_float, defaults.real
    found = pairs.get(key, pairs)
    if found is pairs:
        d: Any = common(a, b)
        if to_float and d.category < 2:
            d = defaults.real
        found = pairs[key] = None if d.dtype in HALVES else d.dtype
    return found


pairs: dict[Any, Any] = {}
"""What `of_pair` found, by the dtypes of operands and whether they have axes."""


def in_dtype(x: Any, d: Any) -> Any:
    """A raw operand in a dtype of NumPy's."""
    if isinstance(x, ndarray | generic):
        return x if x.dtype is d else x.astype(d)
    return numpy.asarray(x).astype(d)[()]


def strict(name: str, function: Function) -> Function:
    """A function of two operands that raises where it would give NotImplemented, as a method."""

    def method(input: Any, other: Any) -> Any:
        result = function(input, other)
        if result is NotImplemented:
            raise errors.not_tensor(name, "other", other)
        return result

    return method


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
    general = general_unary(record, to_float, otherwise)
    short = fast[name] = pointwise(record, 1, general)

    def function(input: Tensor, *, out: Tensor | None = None) -> Tensor:
        result = short(input)
        return result if out is None else store(out, result, name)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = record.doc or f"The {record.name} of each element."
    vars(function).update(vars(general))
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
    check: Function | None = None,
) -> Function:
    """`torch.<name>(input, other, *, out=None)`, and the operator of Python's.

    `otherwise` is the function of arrays for all but the fast cases, by default the operation;
    `check` raises for some operands.
    """
    record = table[op or name]
    general = general_binary(record, to_float, otherwise, check)
    method = pointwise(record, 2, strict(name, general))
    if operator is not None:
        short = pointwise(record, 2, general)
        setattr(Tensor, f"__{operator}__", short)
        setattr(Tensor, f"__r{operator}__", lambda self, other: short(other, self))
        setattr(Tensor, f"__i{operator}__", changing(name, record, short))
    return public(name, record, method, general)


def changing(name: str, record: Op, function: Function) -> Function:
    """The in-place method of a function of two arguments."""
    method = in_place(function, f"{name}_")
    if record.name not in ARITHMETIC:
        return method
    return quick_in_place(numpy_function(record.name), method, f"{name}_")


ARITHMETIC = {"add", "divide", "maximum", "minimum", "multiply", "subtract"}
"""Operations that are NumPy's ufuncs of the same name."""


def comparison(
    name: str, op: str, operator: str | None = None, check: Function | None = None
) -> Function:
    """`torch.<name>(input, other, *, out=None)`, of an operation without derivative."""
    record = table[op]
    general = general_binary(record, False, check=check)
    if operator is not None:
        setattr(Tensor, f"__{operator}__", comparing(record, general))
    return public(name, record, comparing(record, strict(name, general)), general)


def public(name: str, record: Op, method: Function, general: Function) -> Function:
    """A function of two arguments with `out=`, attached as a method."""
    fast[name] = method

    def function(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
        result = method(input, other)
        return result if out is None else store(out, result, name)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = record.doc or f"{record.name} of two tensors, or of one and a number."
    vars(function).update(vars(general))
    setattr(Tensor, name, method)
    setattr(Tensor, f"{name}_", changing(name, record, method))
    return function
