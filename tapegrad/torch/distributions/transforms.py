"""Functions of random values, with their inverses and the logarithms of their volumes."""

from __future__ import annotations

import math
from typing import Any

from ..dtypes import finfo
from ..filling import arange, ones_like
from ..joining import cat
from ..size import Size
from . import constraints, errors
from .matrix_transforms import (
    CorrCholeskyTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
)
from .part_transforms import CatTransform, StackTransform
from .transform import (
    ComposeTransform,
    IndependentTransform,
    Transform,
    identity_transform,
)
from .utils import softplus, sum_rightmost

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "CatTransform",
    "ComposeTransform",
    "CorrCholeskyTransform",
    "CumulativeDistributionTransform",
    "ExpTransform",
    "IndependentTransform",
    "LowerCholeskyTransform",
    "PositiveDefiniteTransform",
    "PowerTransform",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "SoftplusTransform",
    "StackTransform",
    "StickBreakingTransform",
    "TanhTransform",
    "Transform",
    "identity_transform",
]


class Rising(Transform):
    """A rising function of numbers, which has no parameters."""

    bijective = True

    @property
    def sign(self) -> Any:
        return 1

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))


class ExpTransform(Rising):
    """The exponential."""

    codomain = constraints.positive

    def _call(self, x: Any) -> Any:
        return x.exp()

    def _inverse(self, y: Any) -> Any:
        return y.log()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return x


class SigmoidTransform(Rising):
    """The logistic function."""

    codomain = constraints.unit_interval

    def _call(self, x: Any) -> Any:
        info = finfo(x.dtype)
        return x.sigmoid().clamp(min=info.tiny, max=1 - info.eps)

    def _inverse(self, y: Any) -> Any:
        info = finfo(y.dtype)
        y = y.clamp(min=info.tiny, max=1 - info.eps)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return -softplus(-x) - softplus(x)


class TanhTransform(Rising):
    """The hyperbolic tangent. With a cache, values near the ends keep what they came from."""

    codomain = constraints.interval(-1.0, 1.0)

    def _call(self, x: Any) -> Any:
        return x.tanh()

    def _inverse(self, y: Any) -> Any:
        return y.atanh()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return 2 * (math.log(2) - x - softplus(-2 * x))


class SoftplusTransform(Rising):
    """``log(1 + exp(x))``."""

    codomain = constraints.positive

    def _call(self, x: Any) -> Any:
        return softplus(x)

    def _inverse(self, y: Any) -> Any:
        return (-(-y).expm1()).log() + y

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return -softplus(-x)


class PowerTransform(Transform):
    """Positive numbers to a power."""

    domain = constraints.positive
    codomain = constraints.positive
    bijective = True

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.exponent = exponent

    @property
    def sign(self) -> Any:
        return (
            self.exponent.sign() if hasattr(self.exponent, "sign") else (self.exponent > 0) * 2 - 1
        )

    def _call(self, x: Any) -> Any:
        return x**self.exponent

    def _inverse(self, y: Any) -> Any:
        return y ** (1 / self.exponent)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return (self.exponent * y / x).abs().log()


class AffineTransform(Transform):
    """``loc + scale * x``; the last `event_dim` axes make one value."""

    bijective = True

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.loc = loc
        self.scale = scale
        if event_dim:
            self.domain = self.codomain = constraints.independent(constraints.real, event_dim)

    @property
    def sign(self) -> Any:
        return self.scale.sign() if hasattr(self.scale, "sign") else (self.scale > 0) * 2 - 1

    def _call(self, x: Any) -> Any:
        return self.loc + self.scale * x

    def _inverse(self, y: Any) -> Any:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return sum_rightmost((ones_like(x) * self.scale).abs().log(), self.domain.event_dim)


class AbsTransform(Transform):
    """The absolute value, of which the positive number is taken for the inverse."""

    codomain = constraints.positive

    def _call(self, x: Any) -> Any:
        return x.abs()

    def _inverse(self, y: Any) -> Any:
        return y

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AbsTransform)

    def __hash__(self) -> int:
        return hash(AbsTransform)


class ReshapeTransform(Transform):
    """Values of one shape as values of another."""

    bijective = True

    def __init__(self, in_shape: Any, out_shape: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.in_shape = Size(in_shape)
        self.out_shape = Size(out_shape)
        if math.prod(in_shape) != math.prod(out_shape):
            raise errors.different_numel()
        self.domain = constraints.independent(constraints.real, len(self.in_shape))
        self.codomain = constraints.independent(constraints.real, len(self.out_shape))

    def _call(self, x: Any) -> Any:
        return x.reshape(self.forward_shape(x.shape))

    def _inverse(self, y: Any) -> Any:
        return y.reshape(self.inverse_shape(y.shape))

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return sum_rightmost(x * 0, len(self.in_shape))

    def forward_shape(self, shape: Any) -> Any:
        return Size((*shape[: len(shape) - len(self.in_shape)], *self.out_shape))

    def inverse_shape(self, shape: Any) -> Any:
        return Size((*shape[: len(shape) - len(self.out_shape)], *self.in_shape))


class SoftmaxTransform(Transform):
    """Vectors as the probabilities of which they are logits."""

    domain = constraints.real_vector
    codomain = constraints.simplex

    def _call(self, x: Any) -> Any:
        return x.softmax(-1)

    def _inverse(self, y: Any) -> Any:
        return y.log()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SoftmaxTransform)

    def __hash__(self) -> int:
        return hash(SoftmaxTransform)


class StickBreakingTransform(Transform):
    """Vectors as probabilities, one more: each takes a part of what the ones before have left."""

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = True

    def parts(self, x: Any) -> Any:
        """Each element moved so that zeros give equal probabilities."""
        n = x.shape[-1]
        return x - (n - arange(n, dtype=x.dtype, device=x.device)).log()

    def _call(self, x: Any) -> Any:
        z = self.parts(x).sigmoid().clamp(max=1 - finfo(x.dtype).eps)
        left = (1 - z).cumprod(-1)
        first = ones_like(left[..., :1])
        return cat([z, first], -1) * cat([first, left], -1)

    def _inverse(self, y: Any) -> Any:
        taken = y[..., :-1]
        left = (1 - taken.cumsum(-1)).clamp(min=finfo(y.dtype).tiny)
        n = taken.shape[-1]
        return taken.log() - left.log() + (n - arange(n, dtype=y.dtype, device=y.device)).log()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        z = self.parts(x)
        return (-z - softplus(-z) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape: Any) -> Any:
        return Size((*shape[:-1], shape[-1] + 1))

    def inverse_shape(self, shape: Any) -> Any:
        return Size((*shape[:-1], shape[-1] - 1))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StickBreakingTransform)

    def __hash__(self) -> int:
        return hash(StickBreakingTransform)


class CumulativeDistributionTransform(Rising):
    """The distribution function of a distribution of numbers.

    >>> import tapegrad.torch as torch
    >>> D = torch.distributions
    >>> CumulativeDistributionTransform(D.Normal(0.0, 1.0))(torch.tensor(0.0))
    tensor(0.5000)
    """

    codomain = constraints.unit_interval

    def __init__(self, distribution: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.distribution = distribution
        self.domain = distribution.support

    def _call(self, x: Any) -> Any:
        return self.distribution.cdf(x)

    def _inverse(self, y: Any) -> Any:
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return self.distribution.log_prob(x)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)
