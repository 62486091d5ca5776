"""The von Mises distribution, of angles."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..calls import on_arrays
from ..random import draw, values
from ..special import i0e, i1e
from . import constraints
from .distribution import Distribution
from .utils import broadcast_all

__all__ = ["VonMises"]


@on_arrays
def angles(loc: Any, concentration: Any, shape: Any) -> Any:
    """Random angles from -pi to pi, drawn in double precision."""
    what = "a von Mises distribution"
    mean, narrow = (values(x, what).astype("float64") for x in (loc, concentration))
    return draw(None, lambda g: g.vonmises(mean, narrow, shape)).astype(loc.dtype)


class VonMises(Distribution):
    """The von Mises distribution of angles around `loc`, in radians.

    Its mean and its variance are those of directions. Values count up to multiples of two pi.
    """

    arg_constraints: ClassVar[Any] = {
        "loc": constraints.real,
        "concentration": constraints.positive,
    }
    support = constraints.real

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return self.loc

    @property
    def mode(self) -> Any:
        return self.loc

    @property
    def variance(self) -> Any:
        return 1 - i1e(self.concentration) / i0e(self.concentration)

    def sample(self, sample_shape: Any = ()) -> Any:
        return angles(self.loc, self.concentration, self._extended_shape(sample_shape))

    def log_prob(self, value: Any) -> Any:
        self.check(value)
        k = self.concentration
        below = k * ((value - self.loc).cos() - 1)  # the greatest density is at the mean
        return below - math.log(2 * math.pi) - i0e(k).log()
