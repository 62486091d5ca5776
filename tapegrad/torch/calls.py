"""Between tensors and the core: what a function of this face does with arguments and results."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy
from numpy import generic, ndarray

from ..core.array import Array
from ..core.op import table
from .casting import casting
from .dtypes import common, defaults
from .inplace import in_place, store
from .tensor import Tensor, core, wrap

NUMBERS = (bool, int, float, complex)


def as_core(x: Any) -> Any:
    """An argument as the core takes it: a tensor, or those in a list, as the core's arrays."""
    if isinstance(x, Tensor):
        return core(x)
    if isinstance(x, list | tuple) and any(isinstance(y, Tensor | list | tuple) for y in x):
        return [as_core(y) for y in x]
    return x


def as_tensors(x: Any) -> Any:
    """A result, or those in a tuple or list, as tensors."""
    if isinstance(x, Array | ndarray | generic):
        return x if isinstance(x, Tensor) else wrap(x)
    if isinstance(x, tuple):
        values = map(as_tensors, x)
        return type(x)(*values) if hasattr(x, "_fields") else tuple(values)
    if isinstance(x, list):
        return [as_tensors(y) for y in x]
    return x


def on_arrays(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of tensors, from one of the core's arrays.

    The result has an argument `out`, a tensor (or a tuple of them) that takes the result.
    """

    @functools.wraps(function)
    def face(*args: Any, **kwargs: Any) -> Any:
        if casting.policy is not None:
            result = casting.policy(face, args, kwargs)
            if result is not NotImplemented:
                return result
        out = kwargs.pop("out", None)
        result = as_tensors(
            function(*map(as_core, args), **{name: as_core(x) for name, x in kwargs.items()})
        )
        return result if out is None else store(out, result, function.__name__)

    return face


def operand(x: Any) -> Any:
    """An operand of arithmetic: the core's array, raw data, or a Python number.

    NotImplemented for anything else.
    """
    if isinstance(x, Tensor):
        return core(x)
    if type(x) in NUMBERS or isinstance(x, Array | ndarray):
        return x
    if isinstance(x, generic):
        return x.item()
    return NotImplemented


def raw_of(x: Any) -> Any:
    """The raw data of an operand, or the Python number."""
    return x.raw if isinstance(x, Array) else x


def cast(x: Any, to: Any) -> Any:
    """An operand in a dtype of NumPy's; what this takes is recorded."""
    if type(x) in NUMBERS:
        return numpy.asarray(x).astype(to)[()]
    source = raw_of(x).dtype
    return x if source == to else table["astype"].function(x, to=to, source=source)


def promoted(*operands: Any, to_float: bool = False) -> list[Any]:
    """Operands in the dtype that they combine to; if `to_float`, integers as the default float."""
    d = common(*map(raw_of, operands))
    assert d is not None
    if to_float and d.category < 2:
        d = defaults.real
    return [cast(x, d.dtype) for x in operands]


def attach(names: str, functions: dict[str, Any], in_place_names: str = "") -> None:
    """Make functions methods of tensors, and give some of them an in-place method beside it.

    Both are given as names, separated by blanks.
    """
    for name in names.split():
        setattr(Tensor, name, functions[name])
    for name in in_place_names.split():
        setattr(Tensor, f"{name}_", in_place(functions[name], f"{name}_"))
