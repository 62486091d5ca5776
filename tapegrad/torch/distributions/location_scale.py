"""What distributions share that are moved by a `loc` and stretched by a `scale`."""

from __future__ import annotations

from typing import Any, ClassVar

from . import constraints
from .distribution import Distribution
from .utils import broadcast_all, uniforms_like

__all__ = ["LocationScale"]


class LocationScale(Distribution):
    """A distribution of real numbers, symmetric around `loc` or with its mode there."""

    arg_constraints: ClassVar[Any] = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return self.loc

    @property
    def mode(self) -> Any:
        return self.loc

    def standard(self, value: Any) -> Any:
        """A value as one of a `loc` of 0 and a `scale` of 1."""
        return (value - self.loc) / self.scale

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.icdf(uniforms_like(self.loc, self._extended_shape(sample_shape)))
