"""Activations as modules."""

from __future__ import annotations

import warnings
from typing import Any

from ...core.modes import no_grad
from .. import errors, functional
from .attention import MultiheadAttention as MultiheadAttention
from .module import Module
from .utils import learned

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "SELU",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "PReLU",
    "RReLU",
    "ReLU",
    "ReLU6",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
]


class InPlace(Module):
    """An activation that may overwrite its input."""

    inplace: bool

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def extra_repr(self) -> str:
        return listed(inplace=self.inplace)


def listed(*first: str, inplace: bool = False) -> str:
    """Settings one after the other, with `inplace` at the end if it is set."""
    return ", ".join([*first, *(["inplace=True"] if inplace else [])])


class Threshold(InPlace):
    """`functional.threshold`: x where it is above `threshold`, else `value`."""

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.threshold = threshold
        self.value = value

    def forward(self, input: Any) -> Any:
        return functional.threshold(input, self.threshold, self.value, inplace=self.inplace)

    def extra_repr(self) -> str:
        return listed(f"threshold={self.threshold}", f"value={self.value}", inplace=self.inplace)


class ReLU(InPlace):
    """`functional.relu`: the larger of x and 0."""

    def forward(self, input: Any) -> Any:
        return functional.relu(input, inplace=self.inplace)


class RReLU(InPlace):
    """`functional.rrelu`: a leaky ReLU whose slope is drawn between two bounds in training."""

    def __init__(
        self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False
    ) -> None:
        super().__init__(inplace)
        self.lower = lower
        self.upper = upper

    def forward(self, input: Any) -> Any:
        return functional.rrelu(input, self.lower, self.upper, self.training, inplace=self.inplace)

    def extra_repr(self) -> str:
        return listed(f"lower={self.lower}", f"upper={self.upper}", inplace=self.inplace)


class Hardtanh(InPlace):
    """`functional.hardtanh`: x, held between two bounds."""

    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None:
        super().__init__(inplace)
        for name, value in (("min_val", min_value), ("max_val", max_value)):
            if value is not None:
                warnings.warn(errors.renamed_bound(name), FutureWarning, stacklevel=2)
        min_val = min_val if min_value is None else min_value
        max_val = max_val if max_value is None else max_value
        if max_val <= min_val:
            raise AssertionError(f"max_val ({max_val}) must be greater than min_val ({min_val})")
        self.min_val = min_val
        self.max_val = max_val

    def forward(self, input: Any) -> Any:
        return functional.hardtanh(input, self.min_val, self.max_val, inplace=self.inplace)

    def extra_repr(self) -> str:
        return listed(f"min_val={self.min_val}", f"max_val={self.max_val}", inplace=self.inplace)


class ReLU6(Hardtanh):
    """`functional.relu6`: x, held between 0 and 6."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        return listed(inplace=self.inplace)


class Sigmoid(Module):
    """The logistic function."""

    def forward(self, input: Any) -> Any:
        return functional.sigmoid(input)


class Hardsigmoid(InPlace):
    """`functional.hardsigmoid`: x / 6 + 1/2, held between 0 and 1."""

    def forward(self, input: Any) -> Any:
        return functional.hardsigmoid(input, inplace=self.inplace)

    def extra_repr(self) -> str:
        return ""


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, input: Any) -> Any:
        return functional.tanh(input)


class SiLU(InPlace):
    """`functional.silu`: x times its logistic function."""

    def forward(self, input: Any) -> Any:
        return functional.silu(input, inplace=self.inplace)


class Mish(InPlace):
    """`functional.mish`: x times the hyperbolic tangent of its softplus."""

    def forward(self, input: Any) -> Any:
        return functional.mish(input, inplace=self.inplace)


class Hardswish(InPlace):
    """`functional.hardswish`: x times its `hardsigmoid`."""

    def forward(self, input: Any) -> Any:
        return functional.hardswish(input, inplace=self.inplace)

    def extra_repr(self) -> str:
        return ""


class ELU(InPlace):
    """`functional.elu`: x where it is positive, else alpha (exp(x) - 1)."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.alpha = alpha

    def forward(self, input: Any) -> Any:
        return functional.elu(input, self.alpha, inplace=self.inplace)

    def extra_repr(self) -> str:
        return listed(f"alpha={self.alpha}", inplace=self.inplace)


class CELU(ELU):
    """`functional.celu`: as ELU, but smooth for every alpha."""

    def forward(self, input: Any) -> Any:
        return functional.celu(input, self.alpha, inplace=self.inplace)


class SELU(InPlace):
    """`functional.selu`: the ELU that keeps mean 0 and variance 1."""

    def forward(self, input: Any) -> Any:
        return functional.selu(input, inplace=self.inplace)


class GLU(Module):
    """`functional.glu`: the first half of an axis times the logistic function of the second."""

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Any) -> Any:
        return functional.glu(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class GELU(Module):
    """`functional.gelu`: x times the normal distribution function, or `approximate="tanh"`."""

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Any) -> Any:
        return functional.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class Hardshrink(Module):
    """`functional.hardshrink`: x, and zero where its magnitude is at most `lambd`."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Any) -> Any:
        return functional.hardshrink(input, self.lambd)

    def extra_repr(self) -> str:
        return str(self.lambd)


class Softshrink(Hardshrink):
    """`functional.softshrink`: x, nearer to zero by `lambd`."""

    def forward(self, input: Any) -> Any:
        return functional.softshrink(input, self.lambd)


class LeakyReLU(InPlace):
    """`functional.leaky_relu`: x, times `negative_slope` where it is negative."""

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.negative_slope = negative_slope

    def forward(self, input: Any) -> Any:
        return functional.leaky_relu(input, self.negative_slope, inplace=self.inplace)

    def extra_repr(self) -> str:
        return listed(f"negative_slope={self.negative_slope}", inplace=self.inplace)


class LogSigmoid(Module):
    """The logarithm of the logistic function."""

    def forward(self, input: Any) -> Any:
        return functional.logsigmoid(input)


class Softplus(Module):
    """`functional.softplus`: log(1 + exp(beta x)) / beta; x itself beyond the threshold."""

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Any) -> Any:
        return functional.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        return f"beta={self.beta}, threshold={self.threshold}"


class PReLU(Module):
    """`functional.prelu`: a leaky ReLU that learns its slope, or one for each channel."""

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = learned(num_parameters, device, dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the slopes to what they begin with."""
        with no_grad():
            self.weight.fill_(self.init)

    def forward(self, input: Any) -> Any:
        return functional.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class Softsign(Module):
    """`functional.softsign`: x / (1 + abs(x))."""

    def forward(self, input: Any) -> Any:
        return functional.softsign(input)


class Tanhshrink(Module):
    """`functional.tanhshrink`: x - tanh(x)."""

    def forward(self, input: Any) -> Any:
        return functional.tanhshrink(input)


class Softmin(Module):
    """`functional.softmin`: the softmax of -x along an axis."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Any) -> Any:
        return functional.softmin(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmax(Softmin):
    """`functional.softmax`: exponentials along an axis that add up to 1."""

    def forward(self, input: Any) -> Any:
        return functional.softmax(input, self.dim)


class LogSoftmax(Softmin):
    """`functional.log_softmax`: the logarithm of the softmax along an axis."""

    def forward(self, input: Any) -> Any:
        return functional.log_softmax(input, self.dim)


class Softmax2d(Module):
    """The softmax over the channels at each place of an image, (N, C, H, W) or (C, H, W)."""

    def forward(self, input: Any) -> Any:
        if input.dim() not in (3, 4):
            raise ValueError(
                f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead"
            )
        return functional.softmax(input, -3)
