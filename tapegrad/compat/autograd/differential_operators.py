"""autograd's differential operators, as calls of this package's transforms.

They take a function and the number of the argument to differentiate by (several: a tuple of them),
and differ from `tapegrad`'s namesakes in that: results of one element count as scalars, arrays of
integers as floating point, and a warning says where nothing depends on the argument.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from ... import numpy as np
from ...core.array import Array
from ...transforms.checkpoint import checkpoint
from ...transforms.grad import differentiator
from ...transforms.jacobian import jacobian as _jacobian
from ...transforms.products import vhp
from . import core, errors
from .core import floating, warn_if_independent
from .substitution import subval, subvals
from .vspaces import ArrayVSpace, vspace
from .wrap_util import unary_to_nary, wrap_nary_f

__all__ = [
    "checkpoint",
    "deriv",
    "elementwise_grad",
    "grad",
    "grad_and_aux",
    "grad_named",
    "hessian",
    "hessian_tensor_product",
    "hessian_vector_product",
    "holomorphic_grad",
    "jacobian",
    "make_ggnvp",
    "make_hvp",
    "make_jvp",
    "make_jvp_reversemode",
    "make_vjp",
    "multigrad_dict",
    "tensor_jacobian_product",
    "value_and_grad",
    "vector_jacobian_product",
]

Function = Callable[..., Any]
Argnum = int | Sequence[int]

make_vjp = unary_to_nary(core.make_vjp)
make_jvp = unary_to_nary(core.make_jvp)


def grad(fun: Function, argnum: Argnum = 0) -> Function:
    """
    Returns a function which computes the gradient of `fun` with respect to
    the positional argument `argnum`, or to several, as a tuple. The result
    of `fun` must be a real scalar, or an array of one element. The gradient
    is of the type of the argument."""
    gradient = differentiator("grad", scalar("grad", fun), positions(argnum), None, False, False)
    return _operator(grad, fun, argnum, gradient)


def value_and_grad(fun: Function, argnum: Argnum = 0) -> Function:
    """Returns a function that returns both value and gradient. Suitable for
    use in scipy.optimize."""
    both = scalar("value_and_grad", fun, with_value=True)
    run = differentiator("value_and_grad", both, positions(argnum), None, True, False)

    def split(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        (_, value), gradient = run(*args, **kwargs)
        return value, gradient

    return _operator(value_and_grad, fun, argnum, split)


def positions(argnum: Argnum) -> Argnum:
    """An argnum, or several as a tuple."""
    assert type(argnum) in (int, tuple, list), argnum
    return argnum if isinstance(argnum, int) else tuple(argnum)


def _operator(operator: Function, fun: Function, argnum: Argnum, run: Function) -> Function:
    """`run` with arguments of floating point, and with the name of an operator's result."""
    chosen = (argnum,) if isinstance(argnum, int) else argnum

    @wrap_nary_f(fun, operator, argnum)
    def nary_f(*args: Any, **kwargs: Any) -> Any:
        return run(*subvals(args, [(i, floating(args[i])) for i in chosen]), **kwargs)

    return nary_f


def scalar(name: str, fun: Function, with_value: bool = False) -> Function:
    """`fun` with its result, which must be of one element, as a scalar; and, perhaps, as it was."""

    @functools.wraps(fun, updated=())
    def run(*args: Any, **kwargs: Any) -> Any:
        y = fun(*args, **kwargs)
        simple = type(y) is Array and y.slot and y.shape == () and y.dtype.kind == "f"
        value = y if simple else single_element(name, y)
        return (value, y) if with_value else value

    return run


def single_element(name: str, y: Any) -> Any:
    """A result of one element as a scalar; checked."""
    space = vspace(y)
    if not isinstance(space, ArrayVSpace) or space.size != 1:
        raise errors.not_scalar(name, y)
    warn_if_independent(isinstance(y, Array) and bool(y.slot))
    return np.reshape(y, ()) if np.shape(y) else y


@unary_to_nary
def elementwise_grad(fun: Function, x: Any) -> Any:
    """
    Returns a function that computes the sum of each column of the Jacobian of
    `fun`, in one pass. If the Jacobian is diagonal, then this is its diagonal.
    """
    vjp, ans = core.make_vjp(fun, x)
    if vspace(ans).iscomplex:
        raise errors.complex_elementwise()
    return vjp(vspace(ans).ones())


@unary_to_nary
def deriv(fun: Function, x: Any) -> Any:
    """Returns a function that computes the derivative of `fun`, in forward mode."""
    return core.make_jvp(fun, x)(vspace(floating(x)).ones())[1]


@unary_to_nary
def jacobian(fun: Function, x: Any) -> Any:
    """
    Returns a function which computes the Jacobian of `fun` with respect to
    positional argument number `argnum`. If the input to `fun` has shape
    (in1, in2, ...) and the output has shape (out1, out2, ...), then the
    Jacobian has shape (out1, out2, ..., in1, in2, ...)."""
    return _jacobian(fun)(floating(x))


@unary_to_nary
def holomorphic_grad(fun: Function, x: Any) -> Any:
    """Returns a function that computes the derivative of a holomorphic function."""
    if not vspace(x).iscomplex:
        warnings.warn("Input to holomorphic_grad is not complex", stacklevel=3)
    return grad(lambda x: np.real(fun(x)))(x)


def grad_named(fun: Function, argname: str) -> Function:
    """Takes gradients with respect to a named argument, which is passed by position."""
    return grad(fun, list(inspect.signature(fun).parameters).index(argname))


@unary_to_nary
def hessian(fun: Function, x: Any) -> Any:
    """Returns a function that computes the exact Hessian."""
    return _jacobian(_jacobian(fun))(floating(x))


@unary_to_nary
def make_hvp(fun: Function, x: Any) -> Any:
    """Builds ``(hvp, gradient)`` at a point: `hvp(v)` is the Hessian times a vector, many times."""
    return core.make_vjp(grad(fun), x)


def hessian_tensor_product(fun: Function, argnum: int = 0) -> Function:
    """Builds a function of (*args, tensor) that returns the Hessian times a tensor, of the shape of
    the argument."""

    def product(*given: Any, **kwargs: Any) -> Any:
        *args, tensor = given

        def unary(x: Any) -> Any:
            return fun(*subval(args, argnum, x), **kwargs)

        return vhp(scalar("hessian_tensor_product", unary), floating(args[argnum]), tensor)

    return product


hessian_vector_product = hessian_tensor_product


def tensor_jacobian_product(fun: Function, argnum: int = 0) -> Function:
    """Builds a function of (*args, tensor) that returns the Jacobian, multiplied from the left by a
    tensor, over as many axes as this has."""

    def contracted(*given: Any, **kwargs: Any) -> Any:
        *args, tensor = given
        return np.tensordot(tensor, fun(*args, **kwargs), axes=np.ndim(tensor))

    return jacobian(contracted, argnum)


vector_jacobian_product = tensor_jacobian_product


@unary_to_nary
def make_jvp_reversemode(fun: Function, x: Any) -> Any:
    """Builds ``jvp(t)`` at a point from reverse mode alone: the pullback, transposed."""
    vjp, ans = core.make_vjp(fun, x)
    return core.make_vjp(vjp, vspace(ans).zeros())[0]


def _half_square(x: Any) -> Any:
    return 0.5 * np.sum(x**2, axis=-1)


def make_ggnvp(f: Function, g: Function = _half_square, f_argnum: int = 0) -> Function:
    """Builds, at a point, the product of a vector with the generalised Gauss-Newton matrix
    ``J.T @ H @ J``: J the Jacobian of `f`, H the Hessian of `g` at the result of `f`."""

    @unary_to_nary
    def _make_ggnvp(f: Function, x: Any) -> Function:
        pull, y = core.make_vjp(f, x)
        curve, _ = core.make_vjp(grad(g), y)
        push, _ = core.make_vjp(pull, vspace(y).zeros())
        return lambda v: pull(curve(push(v)))

    return _make_ggnvp(f, f_argnum)


@unary_to_nary
def grad_and_aux(fun: Function, x: Any) -> Any:
    """Builds a function that returns the gradient of the first output and the
    (unmodified) second output of a function that returns two outputs."""

    def pair(x: Any) -> tuple[Any, Any]:
        y, aux = fun(x)
        return scalar("grad_and_aux", lambda: y)(), aux

    return differentiator("grad_and_aux", pair, 0, None, True, False)(floating(x))


def multigrad_dict(fun: Function) -> Function:
    """Takes gradients with respect to all arguments simultaneously:
    returns a dict that maps each argument's name to its gradient."""
    signature = inspect.signature(fun)

    def of_dict(arguments: dict[str, Any]) -> Any:
        bound = inspect.BoundArguments(signature, OrderedDict(arguments))
        return fun(*bound.args, **bound.kwargs)

    def gradfun(*args: Any, **kwargs: Any) -> OrderedDict[str, Any]:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        gradients = grad(of_dict)(dict(bound.arguments))
        return OrderedDict((name, gradients[name]) for name in bound.arguments)

    return gradfun
