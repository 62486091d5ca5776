"""What transforms of random values are, and how they are put together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..size import Size
from ..tensor import Tensor
from . import constraints, errors
from .utils import sum_rightmost

__all__ = [
    "ComposeTransform",
    "IndependentTransform",
    "Transform",
    "identity_transform",
]


class Transform:
    """A function from `domain` to `codomain`, called on tensors.

    `_call` and `_inverse` are the function and its inverse, which a bijection has;
    `log_abs_det_jacobian(x, y)` is the logarithm of the volume that it stretches. With
    ``cache_size=1``, the inverse of the last result is what this was computed from, exactly.
    """

    domain: Any = constraints.real
    codomain: Any = constraints.real
    bijective: bool = False

    def __init__(self, cache_size: int = 0) -> None:
        if cache_size not in (0, 1):
            raise errors.bad_cache(cache_size)
        self._cache_size = cache_size
        self.last: tuple[Any, Any] = None, None

    def __call__(self, x: Tensor) -> Any:
        if self._cache_size and x is self.last[0]:
            return self.last[1]
        y = self._call(x)
        if self._cache_size:
            self.last = x, y
        return y

    def back(self, y: Tensor) -> Any:
        """What `y` was computed from."""
        if self._cache_size and y is self.last[1]:
            return self.last[0]
        x = self._inverse(y)
        if self._cache_size:
            self.last = x, y
        return x

    def _call(self, x: Any) -> Any:
        raise errors.has_no(type(self).__name__, "_call")

    def _inverse(self, y: Any) -> Any:
        raise errors.not_invertible(self)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """The logarithm of the absolute determinant of the derivative, at `x`, where it is `y`."""
        raise errors.has_no(type(self).__name__, "log_abs_det_jacobian")

    @property
    def event_dim(self) -> int:
        """How many axes make one value, before and after."""
        if self.domain.event_dim != self.codomain.event_dim:
            raise errors.two_event_dims()
        return int(self.domain.event_dim)

    @property
    def inv(self) -> Transform:
        """The inverse."""
        return Inverse(self)

    @property
    def sign(self) -> Any:
        """Whether it rises (1) or falls (-1)."""
        raise errors.has_no(type(self).__name__, "sign")

    def with_cache(self, cache_size: int = 1) -> Any:
        """The same transform, with a cache or without."""
        if cache_size == self._cache_size:
            return self
        new = object.__new__(type(self))
        new.__dict__.update(self.__dict__)
        Transform.__init__(new, cache_size)
        return new

    def forward_shape(self, shape: Any) -> Any:
        """The shape of the result, of an argument's."""
        return Size(shape)

    def inverse_shape(self, shape: Any) -> Any:
        """The shape of the argument, of a result's."""
        return Size(shape)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class Inverse(Transform):
    """The inverse of a transform."""

    def __init__(self, transform: Transform) -> None:
        super().__init__(transform._cache_size)
        self.transform = transform
        self.domain = transform.codomain
        self.codomain = transform.domain
        self.bijective = transform.bijective

    @property
    def sign(self) -> Any:
        return self.transform.sign

    @property
    def inv(self) -> Transform:
        return self.transform

    def with_cache(self, cache_size: int = 1) -> Any:
        return self.transform.with_cache(cache_size).inv

    def __call__(self, x: Tensor) -> Any:
        return self.transform.back(x)

    def back(self, y: Tensor) -> Any:
        return self.transform(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return -self.transform.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape: Any) -> Any:
        return self.transform.inverse_shape(shape)

    def inverse_shape(self, shape: Any) -> Any:
        return self.transform.forward_shape(shape)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Inverse) and self.transform == other.transform

    def __hash__(self) -> int:
        return hash((Inverse, self.transform))

    def __repr__(self) -> str:
        return f"Inverse({self.transform!r})"


def widened(constraint: Any, parts: Sequence[Transform]) -> Any:
    """A constraint of the last result of transforms, with the axes that one value of all takes."""
    axes = parts[0].domain.event_dim
    for part in parts:
        axes += part.codomain.event_dim - part.domain.event_dim
        axes = max(axes, part.codomain.event_dim)
    missing = axes - constraint.event_dim
    return constraints.independent(constraint, missing) if missing else constraint


class ComposeTransform(Transform):
    """Several transforms, one after the other."""

    def __init__(self, parts: Sequence[Transform], cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.parts = [p.with_cache(cache_size) for p in parts] if cache_size else list(parts)
        self.bijective = all(p.bijective for p in parts)
        if parts:
            self.domain = widened(parts[0].domain, [p.inv for p in reversed(parts)])
            self.codomain = widened(parts[-1].codomain, parts)

    @property
    def sign(self) -> Any:
        return math.prod(p.sign for p in self.parts)

    @property
    def inv(self) -> Transform:
        return ComposeTransform([p.inv for p in reversed(self.parts)])

    def with_cache(self, cache_size: int = 1) -> Any:
        return ComposeTransform(self.parts, cache_size) if cache_size != self._cache_size else self

    def __call__(self, x: Tensor) -> Any:
        for part in self.parts:
            x = part(x)
        return x

    def back(self, y: Tensor) -> Any:
        for part in reversed(self.parts):
            y = part.back(y)
        return y

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        values = [x]
        for part in self.parts[:-1]:
            values.append(part(values[-1]))
        values.append(y)
        total: Any = 0
        axes = self.domain.event_dim
        for part, a, b in zip(self.parts, values, values[1:], strict=False):
            own = part.log_abs_det_jacobian(a, b)
            total = total + sum_rightmost(own, axes - part.domain.event_dim)
            axes += part.codomain.event_dim - part.domain.event_dim
        return total if self.parts else x * 0

    def forward_shape(self, shape: Any) -> Any:
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def inverse_shape(self, shape: Any) -> Any:
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return shape

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    def __hash__(self) -> int:
        return hash(tuple(self.parts))

    def __repr__(self) -> str:
        inner = ",\n    ".join(map(repr, self.parts))
        return f"ComposeTransform(\n    {inner}\n)"


identity_transform = ComposeTransform([])


class IndependentTransform(Transform):
    """A transform several axes of which make one value."""

    def __init__(
        self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size: int = 0
    ) -> None:
        super().__init__(cache_size)
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        n = reinterpreted_batch_ndims
        self.domain = constraints.independent(base_transform.domain, n)
        self.codomain = constraints.independent(base_transform.codomain, n)
        self.bijective = base_transform.bijective

    @property
    def sign(self) -> Any:
        return self.base_transform.sign

    def _call(self, x: Any) -> Any:
        return self.base_transform(x)

    def _inverse(self, y: Any) -> Any:
        return self.base_transform.back(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        own = self.base_transform.log_abs_det_jacobian(x, y)
        return sum_rightmost(own, self.reinterpreted_batch_ndims)

    def forward_shape(self, shape: Any) -> Any:
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape: Any) -> Any:
        return self.base_transform.inverse_shape(shape)

    def __repr__(self) -> str:
        own = f"{self.base_transform!r}, {self.reinterpreted_batch_ndims}"
        return f"IndependentTransform({own})"
