"""Transforms of the parts of a tensor, each by its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..joining import cat, stack
from . import constraints, errors
from .transform import Transform
from .utils import sum_rightmost

__all__ = ["CatTransform", "StackTransform"]


class OfParts(Transform):
    """A transform that takes a tensor apart along an axis, and puts the results together."""

    def __init__(
        self, tseq: Sequence[Transform], dim: int, lengths: list[int], cache_size: int
    ) -> None:
        if not all(isinstance(t, Transform) for t in tseq):
            raise errors.no_transform_parts()
        super().__init__(cache_size)
        self.transforms = [t.with_cache(cache_size) for t in tseq] if cache_size else list(tseq)
        self.dim = dim
        self.lengths = lengths
        self.bijective = all(t.bijective for t in self.transforms)

    def parts(self, x: Any) -> Any:
        """The parts of a tensor."""
        raise errors.has_no(type(self).__name__, "parts")

    def together(self, parts: list[Any]) -> Any:
        """A tensor of its parts."""
        raise errors.has_no(type(self).__name__, "parts")

    def checked(self, x: Any) -> Any:
        """The parts of a tensor, which raises if it has too many or too few."""
        wanted = sum(self.lengths)
        if x.shape[self.dim] != wanted:
            raise errors.parts_of_length(self.dim, x.shape[self.dim], wanted)
        return zip(self.transforms, self.parts(x), strict=True)

    def with_cache(self, cache_size: int = 1) -> Any:
        if cache_size == self._cache_size:
            return self
        new = super().with_cache(cache_size)
        new.transforms = [t.with_cache(cache_size) for t in self.transforms]
        return new

    def _call(self, x: Any) -> Any:
        return self.together([t(part) for t, part in self.checked(x)])

    def _inverse(self, y: Any) -> Any:
        return self.together([t.back(part) for t, part in self.checked(y)])

    def stretched(self, x: Any, y: Any) -> list[Any]:
        """The logarithm of the volume that each part's transform stretches."""
        pairs = zip(self.checked(x), self.checked(y), strict=True)
        return [t.log_abs_det_jacobian(a, b) for (t, a), (_, b) in pairs]


class CatTransform(OfParts):
    """Parts of given lengths along an axis, each by its own transform.

    >>> import tapegrad.torch as torch
    >>> from tapegrad.torch.distributions.transforms import ExpTransform, identity_transform
    >>> t = CatTransform([ExpTransform(), identity_transform], lengths=[1, 2])
    >>> t(torch.zeros(3))
    tensor([1., 0., 0.])
    """

    def __init__(
        self,
        tseq: Sequence[Transform],
        dim: int = 0,
        lengths: Sequence[int] | None = None,
        cache_size: int = 0,
    ) -> None:
        own = [1] * len(tseq) if lengths is None else list(lengths)
        if len(own) != len(tseq):
            raise errors.lengths_of_parts(len(own), len(tseq))
        super().__init__(tseq, dim, own, cache_size)
        self.domain = constraints.cat([t.domain for t in self.transforms], dim, own)
        self.codomain = constraints.cat([t.codomain for t in self.transforms], dim, own)

    @property
    def event_dim(self) -> int:
        return max(t.event_dim for t in self.transforms)

    @property
    def length(self) -> int:
        """The length of the axis."""
        return sum(self.lengths)

    def parts(self, x: Any) -> Any:
        return x.split(self.lengths, self.dim)

    def together(self, parts: list[Any]) -> Any:
        return cat(parts, self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        axes = self.event_dim
        volumes = [
            sum_rightmost(v, axes - t.event_dim)
            for v, t in zip(self.stretched(x, y), self.transforms, strict=True)
        ]
        dim = self.dim - x.dim() if self.dim >= 0 else self.dim
        return cat(volumes, dim + axes) if dim + axes < 0 else sum(volumes)


class StackTransform(OfParts):
    """What lies at each place along an axis, each by its own transform."""

    def __init__(self, tseq: Sequence[Transform], dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(tseq, dim, [1] * len(tseq), cache_size)
        self.domain = constraints.stack([t.domain for t in self.transforms], dim)
        self.codomain = constraints.stack([t.codomain for t in self.transforms], dim)

    def parts(self, x: Any) -> Any:
        return x.unbind(self.dim)

    def together(self, parts: list[Any]) -> Any:
        return stack(parts, self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return stack(self.stretched(x, y), self.dim)
