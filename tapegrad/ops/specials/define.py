"""Special functions as operations: SciPy (or CuPy) computes, the rules are given here."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

from ... import errors
from ...backend import as_data, namespace, on_device, plain
from ...backend import special as function_of
from ...core.array import Array, is_mapped
from ...core.op import Op, Rule
from ..blocks import in_blocks
from ..define import Function, define, elementwise
from ..linear import astype, cast, reshape, stop_gradient


def special(
    name: str,
    *rules: Rule | None,
    source: str | None = None,
    elsewhere: Callable[..., Any] | None = None,
    kernel: bool = False,
    **details: Any,
) -> Function:
    """The elementwise operation of a function of `scipy.special`, by default of the same name.

    `rules` and `details` are those of `elementwise`. All count as steep: most of these
    functions have poles. `elsewhere` is the forward on devices, whose library lacks the function.
    With `kernel`, machine code of the same name computes large arrays, where there is any.
    """
    source = source or name

    def forward(xp: Any, *inputs: Any) -> Any:
        if elsewhere is not None and xp is not numpy:
            return elsewhere(xp, *inputs)
        return function_of(xp, source)(*inputs)

    operator = operator_of(source, forward)
    return elementwise(
        name,
        *rules,
        forward=forward,
        operator=(lambda x: in_blocks(operator, x, kernel=name)) if kernel else operator,
        steep=True,
        **details,
    )


def operator_of(source: str, forward: Function) -> Function:
    """SciPy's function on NumPy data, else `forward` in the data's namespace."""
    compute = function_of(numpy, source)

    def operator(*inputs: Any) -> Any:
        for x in inputs:
            if type(x) not in plain:
                return forward(namespace(*inputs), *inputs)
        return compute(*inputs)

    return operator


def special_tuple(
    name: str, count: int, derivatives: Callable[..., tuple[Any, ...]], samples: Any, doc: str
) -> Function:
    """The operation of a function of `scipy.special` of one input and several results.

    `derivatives(out, x)` gives the derivative of each result.
    """

    def rule(g: Any, out: Any, x: Any) -> Any:
        total = None
        for cotangent, derivative in zip(g, derivatives(out, x), strict=True):
            if cotangent is not None:
                term = cotangent * derivative
                total = term if total is None else total + term
        return total

    return define(
        Op(
            name,
            forward=lambda xp, x: function_of(xp, name)(x),
            vjp=(rule,),
            jvp=lambda tangents, out, x: tuple(tangents[0] * d for d in derivatives(out, x)),
            batch=lambda function, _mapped, x: function(x),
            promote=True,
            steep=True,
            outputs=count,
            samples=samples,
            doc=doc,
        )
    )


def undifferentiable(function: str, argument: str, reason: str) -> Rule:
    """The rule of an input whose derivative is not known: it says so, rather than give zero."""

    def rule(_g: Any, _out: Any, *_inputs: Any) -> Any:
        raise errors.no_parameter_derivative(f"scipy.special.{function}", argument, reason)

    return rule


NO_DEGREE = "the function is differentiated in its last argument only, for a fixed degree"


def double(x: Any) -> Any:
    """`x` in double precision."""
    x = x if isinstance(x, Array) else as_data(x)
    if x.dtype.kind in "fc" and x.dtype.itemsize >= 8:
        return x
    return astype(x, to=numpy.dtype(float), source=x.dtype)


def constant(values: Any, like: Any) -> Any:
    """An ndarray where the data of `like` is."""
    return namespace(like.raw if isinstance(like, Array) else like).asarray(values)


def spread(x: Any) -> Any:
    """`x` with an axis of nodes at its end."""
    return reshape(x, to=(*x.shape, 1))


def precise(rule: Callable[..., Any]) -> Rule:
    """The rule that multiplies by a derivative given for two or three inputs.

    It is computed in double precision whatever the inputs are in.
    """

    def two(g: Any, _out: Any, x: Any, y: Any) -> Any:
        return cast(double(g) * rule(double(x), double(y)), g.dtype)

    def three(g: Any, _out: Any, x: Any, y: Any, z: Any) -> Any:
        return cast(double(g) * rule(double(x), double(y), double(z)), g.dtype)

    return two if rule.__code__.co_argcount == 2 else three


def precise_inverse(rule: Callable[..., Any]) -> Rule:
    """As `precise`, of an inverse: its derivative is given for the result and the parameters."""

    def two(g: Any, out: Any, x: Any, _p: Any) -> Any:
        return cast(double(g) * rule(double(out), double(x)), g.dtype)

    def three(g: Any, out: Any, x: Any, y: Any, _p: Any) -> Any:
        return cast(double(g) * rule(double(out), double(x), double(y)), g.dtype)

    return two if rule.__code__.co_argcount == 2 else three


def blockwise(function: Callable[..., Any], *arrays: Any) -> Any:
    """`function`, elementwise, on raw arrays a block at a time: it needs much memory an element."""
    size = max(x.size for x in arrays)
    if size <= BLOCK or any(isinstance(x, Array) for x in arrays):
        return function(*arrays)
    xp = namespace(*arrays)
    flat = [xp.ravel(x) for x in xp.broadcast_arrays(*arrays)]
    parts = [function(*(x[i : i + BLOCK] for x in flat)) for i in range(0, flat[0].size, BLOCK)]
    return xp.concatenate(parts).reshape(xp.broadcast_shapes(*(x.shape for x in arrays)))


BLOCK = 1 << 13


def anywhere(mask: Any) -> bool:
    """Whether `mask` may be true somewhere: what it guards need not be computed otherwise.

    Nothing is known of what is on a device, without waiting for it.
    """
    if isinstance(mask, Array):
        if is_mapped(mask):
            return True
        mask = mask.raw
    return on_device(mask) or bool(mask.any() if hasattr(mask, "any") else mask)


ORDER = 6
STEP = 0.12
WEIGHTS = [
    (-1) ** (k + 1)
    * math.factorial(ORDER) ** 2
    / (k * math.factorial(ORDER - k) * math.factorial(ORDER + k))
    for k in range(1, ORDER + 1)
]


def difference(function: Callable[[Any], Any], parameter: Any, scale: Any) -> Any:
    """The derivative of an analytic function in a parameter, by a central difference of order 12.

    `scale` is about the distance over which the function changes by a factor e. The step is an
    eighth of it, so that truncation is below 1e-15, and rounding costs a decimal digit of the
    function's accuracy. A derivative of this derivative costs another one.
    """
    h = stop_gradient(scale) * STEP
    total = None
    for k, weight in enumerate(WEIGHTS, 1):
        term = (function(parameter + k * h) - function(parameter - k * h)) * weight
        total = term if total is None else total + term
    return total / h
