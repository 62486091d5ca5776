"""Initial values of parameters, written in place and not recorded.

Fans: of a weight (out, in, *kernel), `fan_in` is the number of inputs that one output adds up, and
`fan_out` the number of outputs that one input goes into.
"""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy

from ..core.modes import no_grad
from ..torch.creation import from_numpy

__all__ = [
    "calculate_gain",
    "constant_",
    "dirac_",
    "eye_",
    "kaiming_normal_",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "orthogonal_",
    "sparse_",
    "trunc_normal_",
    "uniform_",
    "xavier_normal_",
    "xavier_uniform_",
    "zeros_",
]

Filler = Callable[..., Any]


def unrecorded(function: Filler) -> Filler:
    """A function that runs without recording."""

    @functools.wraps(function)
    def filler(*args: Any, **kwargs: Any) -> Any:
        with no_grad():
            return function(*args, **kwargs)

    return filler


GAINS = {
    "linear": 1.0,
    "conv1d": 1.0,
    "conv2d": 1.0,
    "conv3d": 1.0,
    "conv_transpose1d": 1.0,
    "conv_transpose2d": 1.0,
    "conv_transpose3d": 1.0,
    "sigmoid": 1.0,
    "tanh": 5.0 / 3,
    "relu": math.sqrt(2.0),
    "selu": 3.0 / 4,
}


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """By what to widen a distribution so that variance survives a nonlinearity.

    `param` is the negative slope of ``"leaky_relu"``, 0.01 if not given.

    >>> calculate_gain("tanh")
    1.6666666666666667
    """
    if nonlinearity in GAINS:
        return GAINS[nonlinearity]
    if nonlinearity == "leaky_relu":
        if param is None:
            param = 0.01
        elif isinstance(param, bool) or not isinstance(param, int | float):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + param**2))
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


@unrecorded
def uniform_(tensor: Any, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Any:
    """Draw from the uniform distribution between `a` and `b`."""
    return tensor.uniform_(a, b, generator=generator)


@unrecorded
def normal_(tensor: Any, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Any:
    """Draw from the normal distribution."""
    return tensor.normal_(mean, std, generator=generator)


@unrecorded
def trunc_normal_(
    tensor: Any,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Any = None,
) -> Any:
    """Draw from the normal distribution between `a` and `b`, by the inverse of its distribution."""
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of "
            "values may be incorrect.",
            stacklevel=3,
        )
    low, high = (math.erf((bound - mean) / std / math.sqrt(2.0)) for bound in (a, b))
    tensor.uniform_(low, high, generator=generator)
    tensor.erfinv_()
    tensor.mul_(std * math.sqrt(2.0)).add_(mean)
    return tensor.clamp_(min=a, max=b)


@unrecorded
def constant_(tensor: Any, val: float) -> Any:
    """Fill with a number."""
    return tensor.fill_(val)


def ones_(tensor: Any) -> Any:
    """Fill with ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Any) -> Any:
    """Fill with zeros."""
    return constant_(tensor, 0.0)


@unrecorded
def eye_(tensor: Any) -> Any:
    """Fill a matrix with the identity."""
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    return tensor.copy_(from_numpy(numpy.eye(*tensor.raw.shape)))


@unrecorded
def dirac_(tensor: Any, groups: int = 1) -> Any:
    """Fill the weight of a convolution so that it gives back as many channels as it can."""
    if tensor.ndimension() not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    out, channels, *kernel = tensor.raw.shape
    if out % groups:
        raise ValueError("dim 0 must be divisible by groups")
    each = out // groups
    centre = tuple(n // 2 for n in kernel)
    values = numpy.zeros(tensor.raw.shape)
    for group in range(groups):
        for i in range(min(each, channels)):
            values[(group * each + i, i, *centre)] = 1
    return tensor.copy_(from_numpy(values))


def _calculate_fan_in_and_fan_out(tensor: Any) -> tuple[int, int]:
    if tensor.dim() < 2:
        raise ValueError(
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions"
        )
    out, channels, *kernel = tensor.raw.shape
    size = math.prod(kernel)
    return channels * size, out * size


def _calculate_correct_fan(tensor: Any, mode: str) -> int:
    modes = ["fan_in", "fan_out"]
    mode = mode.lower()
    if mode not in modes:
        raise ValueError(f"Mode {mode} not supported, please use one of {modes}")
    return _calculate_fan_in_and_fan_out(tensor)[modes.index(mode)]


def xavier_uniform_(tensor: Any, gain: float = 1.0, generator: Any = None) -> Any:
    """Draw uniformly with variance 2 gain^2 / (fan_in + fan_out) (Glorot and Bengio, 2010)."""
    bound = math.sqrt(3.0) * gain * math.sqrt(2.0 / sum(_calculate_fan_in_and_fan_out(tensor)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Any, gain: float = 1.0, generator: Any = None) -> Any:
    """Draw normally with variance 2 gain^2 / (fan_in + fan_out) (Glorot and Bengio, 2010)."""
    std = gain * math.sqrt(2.0 / sum(_calculate_fan_in_and_fan_out(tensor)))
    return normal_(tensor, 0.0, std, generator)


def _kaiming_std(tensor: Any, a: float, mode: str, nonlinearity: str) -> float | None:
    if 0 in tensor.raw.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
        return None
    fan = _calculate_correct_fan(tensor, mode)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def kaiming_uniform_(
    tensor: Any,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Any:
    """Draw uniformly with variance gain^2 / fan (He et al., 2015); `a` is a leaky ReLU's slope."""
    std = _kaiming_std(tensor, a, mode, nonlinearity)
    if std is None:
        return tensor
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Any,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Any:
    """Draw normally with variance gain^2 / fan (He et al., 2015); `a` is a leaky ReLU's slope."""
    std = _kaiming_std(tensor, a, mode, nonlinearity)
    return tensor if std is None else normal_(tensor, 0.0, std, generator)


@unrecorded
def orthogonal_(tensor: Any, gain: float = 1, generator: Any = None) -> Any:
    """Fill with an orthogonal matrix (Saxe et al., 2013), axes after the first taken together."""
    if tensor.ndimension() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if not tensor.numel():
        return tensor
    rows = tensor.raw.shape[0]
    columns = tensor.numel() // rows
    drawn = tensor.new_empty((rows, columns)).normal_(0, 1, generator=generator).raw
    q, r = numpy.linalg.qr(drawn.T if rows < columns else drawn)
    q = q * numpy.sign(numpy.diagonal(r))  # so that the distribution is uniform
    q = q.T if rows < columns else q
    return tensor.copy_(from_numpy(numpy.ascontiguousarray(q).reshape(tensor.raw.shape))).mul_(gain)


@unrecorded
def sparse_(tensor: Any, sparsity: float, std: float = 0.01, generator: Any = None) -> Any:
    """Draw a matrix normally, with the share `sparsity` of each column zero (Martens, 2010)."""
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.raw.shape
    count = math.ceil(sparsity * rows)
    tensor.normal_(0, std, generator=generator)
    for column in range(columns):
        order = tensor.new_empty(rows).uniform_(generator=generator).raw.argsort()
        tensor[order[:count], column] = 0
    return tensor


def _renamed(function: Filler) -> Filler:
    """The function by its older name, which warns."""
    new = function.__name__
    old = new.removesuffix("_")

    def deprecated(*args: Any, **kwargs: Any) -> Any:
        warnings.warn(
            f"`nn.init.{old}` is now deprecated in favor of `nn.init.{new}`.",
            FutureWarning,
            stacklevel=2,
        )
        return function(*args, **kwargs)

    deprecated.__name__ = deprecated.__qualname__ = old
    deprecated.__doc__ = f"The older name of `{new}`."
    return deprecated


uniform = _renamed(uniform_)
normal = _renamed(normal_)
constant = _renamed(constant_)
eye = _renamed(eye_)
dirac = _renamed(dirac_)
xavier_uniform = _renamed(xavier_uniform_)
xavier_normal = _renamed(xavier_normal_)
kaiming_uniform = _renamed(kaiming_uniform_)
kaiming_normal = _renamed(kaiming_normal_)
orthogonal = _renamed(orthogonal_)
sparse = _renamed(sparse_)
