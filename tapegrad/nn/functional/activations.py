"""Activations: functions of each element, and what makes a distribution of an axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from ...core.op import table
from ...ops.neural import activations as hot
from ...ops.selection import keep, where
from ...torch import relu as torch_relu
from ...torch import sigmoid as torch_sigmoid
from ...torch import split
from ...torch import tanh as torch_tanh
from ...torch.calls import cast, in_single, on_arrays, promoted, raw_of
from ...torch.generated import pointwise
from ...torch.inplace import in_place
from ...torch.pointwise import general_unary
from ...torch.reductions import wrapped
from ...torch.refusals import refuse, refusing
from ...torch.tensor import Tensor
from . import errors
from .arguments import tensor

__all__ = [
    "celu",
    "celu_",
    "elu",
    "elu_",
    "gelu",
    "glu",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hardtanh_",
    "leaky_relu",
    "leaky_relu_",
    "logsigmoid",
    "mish",
    "prelu",
    "relu",
    "relu6",
    "relu_",
    "selu",
    "selu_",
    "sigmoid",
    "silu",
    "softplus",
    "softshrink",
    "softsign",
    "tanh",
    "tanhshrink",
    "threshold",
    "threshold_",
]

Function = Callable[..., Any]


def optionally_in_place(function: Function) -> Function:
    """`function`, with an argument `inplace` that stores the result in the input."""
    name = function.__name__
    writing = in_place(function, f"{name}_")

    def public(input: Tensor, *args: Any, inplace: bool = False, **kwargs: Any) -> Tensor:
        return (writing if inplace else function)(input, *args, **kwargs)

    public.__name__ = public.__qualname__ = name
    public.__doc__ = function.__doc__
    vars(public).update(vars(function))
    return public


def quick(name: str, kernel: str, kinds: str = "bool integer complex") -> Function:
    """The activation that is one operation of one array, and which dtypes it refuses."""
    record = table[name]
    general = general_unary(record, to_float=False)
    refuse({name: general}, kernel, kinds, name)
    return pointwise(record, 1, general)


quick_silu = quick("silu", "silu_cpu", "bool integer")
quick_mish = quick("mish", "mish_cpu")
quick_gelu = quick("gelu", "GeluKernelImpl")
quick_gelu_tanh = quick("gelu_tanh", "GeluKernelImpl")


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """The elements that are positive, and 0 for the others; the derivative at 0 is 0."""
    return relu_(input) if inplace else torch_relu(input)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """``x * sigmoid(x)``."""
    return silu_in_place(input) if inplace else quick_silu(input)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """``x * tanh(softplus(x))``."""
    return mish_in_place(input) if inplace else quick_mish(input)


relu_ = in_place(torch_relu, "relu_")
silu_in_place = in_place(quick_silu, "silu_")
mish_in_place = in_place(quick_mish, "mish_")


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """``x * Phi(x)``, with the normal integral or (`approximate="tanh"`) a tanh in its place."""
    if approximate == "none":
        return quick_gelu(input)
    if approximate == "tanh":
        return quick_gelu_tanh(input)
    raise errors.bad_gelu()


def sigmoid(input: Tensor) -> Tensor:
    """``1 / (1 + exp(-x))``."""
    return torch_sigmoid(input)


def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent."""
    return torch_tanh(input)


@on_arrays
@in_single
def logsigmoid(input: Any) -> Any:
    """``log(sigmoid(x))``, without underflow."""
    return 0.0 - hot.softplus_of(-input)


@on_arrays
@in_single
def softplus(input: Any, beta: float = 1, threshold: float = 20) -> Any:
    """``log(1 + exp(beta * x)) / beta``; `x` where ``beta * x`` is above the threshold."""
    return hot.softplus(input, beta=float(beta), threshold=float(threshold))


@optionally_in_place
@on_arrays
@in_single
def leaky_relu(input: Any, negative_slope: float = 0.01) -> Any:
    """`x` where it is positive, else ``negative_slope * x``."""
    return hot.leaky_relu(input, slope=float(negative_slope))


@on_arrays
@in_single
def elu_of(input: Any, alpha: float, scale: float, inner: float) -> Any:
    """The exponential linear units."""
    return hot.elu(input, alpha=float(alpha), scale=float(scale), inner=float(inner))


@optionally_in_place
def elu(input: Tensor, alpha: float = 1.0) -> Tensor:
    """`x` where it is positive, else ``alpha * (exp(x) - 1)``."""
    return elu_of(input, alpha, 1.0, 1.0)


@optionally_in_place
def celu(input: Tensor, alpha: float = 1.0) -> Tensor:
    """`x` where it is positive, else ``alpha * (exp(x / alpha) - 1)``."""
    if not alpha:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return elu_of(input, alpha, 1.0, 1 / alpha)


SELU_ALPHA = 1.6732632423543772848170429916717
SELU_SCALE = 1.0507009873554804934193349852946


@optionally_in_place
def selu(input: Tensor) -> Tensor:
    """`elu` with the constants that keep mean 0 and variance 1 from layer to layer."""
    return elu_of(input, SELU_ALPHA, SELU_SCALE, 1.0)


def undefined(x: Any) -> Any:
    """NaN where `x` is, else 0: what has a value there, but no slope."""
    return where(x != x, x, x.dtype.type(0))


@optionally_in_place
@on_arrays
def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0) -> Any:
    """`x` between two bounds. The derivative on a bound is 0."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    low, high = (raw_of(cast(float(v), input.dtype)) for v in (min_val, max_val))
    x = raw_of(input)
    inside = keep(input, (x > low) & (x < high))
    return inside + raw_of(where(x <= low, low, where(x >= high, high, undefined(x))))


@optionally_in_place
def relu6(input: Tensor) -> Tensor:
    """`x` between 0 and 6."""
    return hardtanh(input, 0.0, 6.0)


@optionally_in_place
@on_arrays
@in_single
def hardsigmoid(input: Any) -> Any:
    """``x / 6 + 1/2`` between 0 and 1."""
    x = raw_of(input)
    inside = (x > -3) & (x < 3)
    line = keep(input * (1 / 6), inside)
    return line + undefined(x) + (0.5 * inside + (x >= 3)).astype(input.dtype)[()]


@optionally_in_place
@on_arrays
@in_single
def hardswish(input: Any) -> Any:
    """``x * hardsigmoid(x)``."""
    x = raw_of(input)
    line = keep(input + 3, (x > -3) & (x < 3) | (x != x))
    return input * (line + (6.0 * (x >= 3)).astype(input.dtype)[()]) * (1 / 6)


@on_arrays
def hardshrink(input: Any, lambd: float = 0.5) -> Any:
    """`x`, and 0 where it lies between `-lambd` and `lambd`."""
    x = raw_of(input)
    return keep(input, abs(x) > lambd) + undefined(x)


@on_arrays
def softshrink(input: Any, lambd: float = 0.5) -> Any:
    """`x` moved by `lambd` towards 0."""
    if lambd < 0:
        raise errors.negative_lambda(lambd)
    x = raw_of(input)
    shift = (x > lambd) * input.dtype.type(lambd) - (x < -lambd) * input.dtype.type(lambd)
    return keep(input, abs(x) > lambd) - shift + undefined(x)


@on_arrays
def tanhshrink(input: Any) -> Any:
    """``x - tanh(x)``."""
    if input.dtype.kind in "biu":
        input = cast(input, numpy.dtype(numpy.float32))
    return input - table["tanh"].function(input)


@on_arrays
def softsign(input: Any) -> Any:
    """``x / (1 + abs(x))``."""
    (input,) = promoted(input, to_float=True)
    return input * (1 / (table["abs"].function(input) + 1))  # so that it may be written into


@optionally_in_place
@on_arrays
def threshold(input: Any, threshold: float, value: float) -> Any:
    """`x` where it is above the threshold, else `value`."""
    above = ~(raw_of(input) <= threshold)
    return where(above, input, input.dtype.type(value))


@on_arrays
def prelu(input: Any, weight: Any) -> Any:
    """`x` where it is positive, else ``weight * x``, with a weight for all or one a channel."""
    if input.dtype != weight.dtype:
        raise errors.different_types("prelu: Type promoting not supported. Got", input, weight)
    if weight.ndim > 1:
        raise errors.prelu_weight(weight.ndim)
    if weight.size != 1:
        channels = input.shape[1] if input.ndim > 1 else 1
        if not input.ndim:
            raise RuntimeError("Not allow zero-dim input tensor.")
        if channels != weight.size:
            raise errors.prelu_channels(weight.size, channels)
        weight = table["reshape"].function(weight, to=(weight.size, *(1,) * max(input.ndim - 2, 0)))
    elif weight.ndim:
        weight = table["reshape"].function(weight, to=())
    positive = raw_of(input) > 0
    return where(positive, input, input * weight)


@refusing
def glu(input: Tensor, dim: int = -1) -> Tensor:
    """One half of an axis times the `sigmoid` of the other."""
    input = tensor(input)
    if not input.raw.ndim:
        raise RuntimeError("glu does not support 0-dimensional tensors")
    axis = wrapped(dim, input.raw.ndim)
    length = input.raw.shape[axis]
    if length % 2:
        raise errors.uneven_halves(axis, length)
    first, second = split(input, length // 2, axis) if length else (input, input)
    return first * torch_sigmoid(second)


elu_ = in_place(elu, "elu_")
celu_ = in_place(celu, "celu_")
selu_ = in_place(selu, "selu_")
hardtanh_ = in_place(hardtanh, "hardtanh_")
leaky_relu_ = in_place(leaky_relu, "leaky_relu_")
threshold_ = in_place(threshold, "threshold_")

refuse(globals(), "{name}_cpu", "bool integer complex", "prelu hardshrink")
refuse(globals(), "softshrink_check", "bool integer complex", "softshrink")
refuse(globals(), "log_sigmoid_cpu", "bool integer complex", "logsigmoid")
refuse(globals(), "softplus_cpu", "bool integer complex", "softplus")
refuse(globals(), "abs_cpu", "bool", "softsign")
refuse(
    globals(),
    "Subtraction, the `-` operator, with a bool tensor is not supported. If you are "
    "trying to invert a mask, use the `~` or `logical_not()` operator instead.",
    "bool",
    "tanhshrink",
)
refuse(globals(), "glu_cpu", "bool integer complex", "glu")
refuse(globals(), "{name}_cpu", "bool integer complex", "hardsigmoid hardswish leaky_relu")
refuse(globals(), "elu_cpu", "bool integer complex", "elu_of")
refuse(globals(), "threshold_cpu", "bool complex", "threshold")
refuse(globals(), "Bool inputs not supported for hardtanh", "bool", "hardtanh")
refuse(
    globals(),
    "NotImplementedError: clamp is not supported for complex types",
    "complex",
    "hardtanh",
)
