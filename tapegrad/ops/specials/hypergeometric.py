"""Hypergeometric functions, differentiated in their argument."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..define import Function
from ..samples import Sample, positive, uniform, unit
from .define import special, undifferentiable

PARAMETER = "no closed form is known, and no accurate expansion for all values"


def _parameters(name: str, names: str) -> list[Any]:
    """The rules of the parameters."""
    return [undifferentiable(name, parameter, PARAMETER) for parameter in names]


def _with(parameters: tuple[int, ...], *domains: Any) -> Any:
    """Samples of numbers of `domains` for whole parameters."""

    def samples(rng: Any) -> Iterator[Sample]:
        for domain in domains:
            for shape in ((), (4,)):
                yield (*parameters, domain(rng, shape)), {}

    return samples


hyp0f1: Function = special(
    "hyp0f1",
    *_parameters("hyp0f1", "v"),
    lambda g, _out, v, z: g * (hyp0f1(v + 1, z) / v),
    samples=_with((2,), positive, uniform(-9, -1)),
    doc="The confluent hypergeometric limit function 0F1.",
)
hyp1f1: Function = special(
    "hyp1f1",
    *_parameters("hyp1f1", "ab"),
    lambda g, _out, a, b, z: g * (hyp1f1(a + 1, b + 1, z) * (a / b)),
    samples=_with((1, 3), positive, uniform(-9, -1)),
    doc="The confluent hypergeometric function 1F1.",
)
hyp2f1: Function = special(
    "hyp2f1",
    *_parameters("hyp2f1", "abc"),
    lambda g, _out, a, b, c, z: g * (hyp2f1(a + 1, b + 1, c + 1, z) * (a * b / c)),
    samples=_with((1, 2, 4), unit, uniform(-5, -1)),
    doc="Gauss's hypergeometric function 2F1.",
)
hyperu: Function = special(
    "hyperu",
    *_parameters("hyperu", "ab"),
    lambda g, _out, a, b, x: g * (hyperu(a + 1, b + 1, x) * -a),
    samples=_with((1, 2), positive, uniform(3, 9)),
    doc="The confluent hypergeometric function U.",
)
