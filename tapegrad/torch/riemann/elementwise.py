"""The reciprocals of trigonometric and hyperbolic functions, and sums of several operands."""

from __future__ import annotations

import builtins
import functools
import operator
from typing import Any

from numpy import generic, ndarray

from ...core.op import table
from ...ops.selection import where
from ..calls import attach, in_single, on_arrays, promoted
from ..reductions import sum as total
from ..reductions import var
from ..tensor import Tensor

__all__ = ["cot", "coth", "csc", "csch", "isum", "sec", "sech", "sumall", "var2"]

LARGE = 20.0
"""From here on the smaller of two exponentials does not count beside the larger."""


def reciprocal_of(name: str) -> Any:
    """One over a function of the core."""

    def function(x: Any) -> Any:
        return table["reciprocal"].function(table[name].function(x))

    return function


def of_decay(function: Any) -> Any:
    """A function of real numbers that falls off as ``2 * exp(-abs(x))``, without an overflow."""

    def safe(x: Any) -> Any:
        if x.dtype.kind == "c":
            return function(x)
        size = table["abs"].function(x)
        near = where(size < LARGE, x, LARGE)
        far = table["exp"].function(-size) * 2
        return where(size < LARGE, function(near), where(x < 0, -far, far) if odd else far)

    odd = function is hyperbolic_cosecant
    return safe


def public(name: str, compute: Any, doc: str) -> Any:
    """`torch.<name>(input, *, out=None)`."""
    wide = in_single(compute)

    @on_arrays
    def function(input: Any) -> Any:
        return wide(*promoted(input, to_float=True))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


hyperbolic_cosecant = reciprocal_of("sinh")
cot = public("cot", reciprocal_of("tan"), "The cotangents: infinite at 0.")
coth = public("coth", reciprocal_of("tanh"), "The hyperbolic cotangents: infinite at 0.")
csc = public("csc", reciprocal_of("sin"), "The cosecants: infinite at 0.")
csch = public("csch", of_decay(hyperbolic_cosecant), "The hyperbolic cosecants: infinite at 0.")
sec = public("sec", reciprocal_of("cos"), "The secants.")
sech = public("sech", of_decay(reciprocal_of("cosh")), "The hyperbolic secants.")


def sumall(*args: Any) -> Any:
    """The sum of tensors, arrays and numbers that are given one by one."""
    if not args:
        raise ValueError("sumall() must have at least one argument")
    return functools.reduce(operator.add, args)


def isum(*args: Any, **kwargs: Any) -> Any:
    """`torch.sum` of one tensor, the sum of several operands, or Python's `sum` of what is listed.

    >>> import tapegrad.torch as torch
    >>> isum(torch.tensor([1.0, 2.0])), isum(1, 2, 3), isum([1, 2])
    (tensor(3.), 6, 3)
    """
    if len(args) == 1 and isinstance(args[0], Tensor):
        return total(args[0], **kwargs)
    operands = (Tensor, int, float, complex, ndarray, generic)
    if len(args) == 1 and isinstance(args[0], ndarray):
        return args[0].sum(**kwargs)
    if len(args) > 1 and all(isinstance(x, operands) for x in args):
        return sumall(*args)
    return builtins.sum(*args, **kwargs)


def var2(x: Tensor, dim: Any = None, unbiased: bool = True, keepdim: bool = False) -> Tensor:
    """The variance: `torch.var` with a flag for the correction."""
    result: Tensor = var(x, dim, correction=int(unbiased), keepdim=keepdim)
    return result


attach("cot coth csc csch sec sech", globals())
