"""Methods that fill a tensor with random numbers: `uniform_`, `normal_` and so on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from ..backend import on_device, place_of
from ..core.array import Array
from . import errors
from .inplace import check_may_change, write
from .random import draw, generator_at, normals, numbers, uniforms
from .refusals import Refused, check, refuse
from .tensor import Tensor


def filler(name: str, sample: Callable[..., Any]) -> Callable[..., Tensor]:
    """The method that fills a tensor with random numbers, in place."""
    refused: Refused = {}

    def method(self: Tensor, *args: Any, generator: Any = None, **kwargs: Any) -> Tensor:
        check_may_change(self)
        check(refused, (self,))
        source = generator_at(place_of(self.raw), generator)
        raw = sample(self.raw.shape, self.raw.dtype, source, *args, **kwargs)
        if not (isinstance(raw, Array) or on_device(raw)):
            raw = numpy.asarray(raw)
        return write(self, raw.astype(self.raw.dtype), name)

    method.__name__ = name
    vars(method)["refused"] = refused
    return method


def uniform_(shape: Any, d: Any, generator: Any, a: float = 0.0, b: float = 1.0) -> Any:
    """Numbers spread evenly from `a` to `b`."""
    if a > b:
        raise errors.limits_exchanged("uniform_", a, b)
    return uniforms(shape, d, generator) * (b - a) + a


def normal_(shape: Any, d: Any, generator: Any, mean: float = 0.0, std: float = 1.0) -> Any:
    """Normal numbers."""
    if std < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std}")
    return normals(shape, d, generator) * std + mean


def bernoulli_(shape: Any, d: Any, generator: Any, p: Any = 0.5) -> Any:
    """Ones and zeros."""
    return draw(generator, lambda g: g.random(shape)) < numbers(p, "bernoulli_")


def exponential_(shape: Any, d: Any, generator: Any, lambd: float = 1.0) -> Any:
    """Numbers of an exponential distribution."""
    if lambd <= 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd}")
    return draw(generator, lambda g: g.standard_exponential(shape)) / lambd


def cauchy_(shape: Any, d: Any, generator: Any, median: float = 0.0, sigma: float = 1.0) -> Any:
    """Numbers of a Cauchy distribution."""
    if sigma <= 0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma}")
    return draw(generator, lambda g: g.standard_cauchy(shape)) * sigma + median


def log_normal_(shape: Any, d: Any, generator: Any, mean: float = 1.0, std: float = 2.0) -> Any:
    """Numbers whose logarithms are normal."""
    if std <= 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std}")
    return draw(generator, lambda g: g.lognormal(mean, std, shape))


def geometric_(shape: Any, d: Any, generator: Any, p: float) -> Any:
    """How many trials it takes to the first success."""
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p}")
    return draw(generator, lambda g: g.geometric(p, shape))


def random_(shape: Any, d: Any, generator: Any, low: int = 0, to: int | None = None) -> Any:
    """Integers from `low` on, less than `to`: by default, as many as the dtype holds exactly."""
    if to is None:
        largest = (
            2
            if d.kind == "b"
            else 1
            << (numpy.finfo(d).nmant + 1 if d.kind == "f" else 8 * d.itemsize - (d.kind == "i"))
        )
        low, to = (0, low) if low else (0, min(largest, (1 << 63) - 1))
    if low >= to:
        raise errors.empty_range(low, to)
    return draw(generator, lambda g: g.integers(low, to, shape))


for _sample in (
    uniform_,
    normal_,
    bernoulli_,
    exponential_,
    cauchy_,
    log_normal_,
    geometric_,
    random_,
):
    setattr(Tensor, _sample.__name__, filler(_sample.__name__, _sample))

METHODS = vars(Tensor)
LAW = (
    "{} distribution is a continuous probability distribution. dtype must be a floating point but "
)

refuse(METHODS, "check_uniform_bounds", "bool integer", "uniform_")
refuse(METHODS, "normal_kernel_cpu", "bool integer", "normal_")
refuse(METHODS, "log_normal_cpu", "bool integer complex", "log_normal_")
refuse(METHODS, "geometric_cpu", "bool complex", "geometric_")
refuse(
    METHODS,
    LAW.format("Exponential") + "you specified {kind}",
    "bool integer complex",
    "exponential_",
)
refuse(METHODS, LAW.format("Cauchy") + "you specified {native}", "bool integer complex", "cauchy_")
