"""Sample inputs, from which the tests of the operations are generated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

Sample = tuple[tuple[Any, ...], dict[str, Any]]
Domain = Callable[[Any, tuple[int, ...]], Any]
"""`domain(rng, shape)` draws an array (a scalar for the shape ()) inside a function's domain."""


def normal(rng: Any, shape: tuple[int, ...]) -> Any:
    return rng.standard_normal(shape)[()] if shape else rng.standard_normal(1)[0]


def uniform(low: float, high: float) -> Domain:
    """The domain of numbers between two bounds."""
    return lambda rng, shape: rng.uniform(low, high, shape or 1).reshape(shape)[()]


positive = uniform(0.3, 3.0)
unit = uniform(-0.9, 0.9)


def away_from_zero(rng: Any, shape: tuple[int, ...]) -> Any:
    x = normal(rng, shape)
    return x + 0.5 * (2 * (x > 0) - 1)


def complex_normal(rng: Any, shape: tuple[int, ...]) -> Any:
    return normal(rng, shape) + 1j * normal(rng, shape)


def one(*domains: Domain) -> Callable[[Any], Iterator[Sample]]:
    """Samples of an operation of one input: a scalar, a vector and a matrix of each domain."""

    def samples(rng: Any) -> Iterator[Sample]:
        for domain in domains:
            for shape in ((), (4,), (2, 3)):
                yield (domain(rng, shape),), {}

    return samples


def two(*pairs: tuple[Domain, Domain]) -> Callable[[Any], Iterator[Sample]]:
    """Samples of an operation of two inputs: equal shapes and shapes that broadcast."""

    def samples(rng: Any) -> Iterator[Sample]:
        for first, second in pairs:
            for a, b in (((), ()), ((4,), (4,)), ((2, 3), (3,)), ((2, 1), (1, 3)), ((3,), ())):
                yield (first(rng, a), second(rng, b)), {}

    return samples


def each(
    *samples: tuple[tuple[tuple[int, ...], ...], dict[str, Any]],
) -> Callable[[Any], Iterator[Sample]]:
    """Samples of normal numbers from shapes and parameters: `each((((2, 3),), {"axis": (0,)}))`."""

    def draw(rng: Any) -> Iterator[Sample]:
        for shapes, params in samples:
            yield tuple(normal(rng, shape) for shape in shapes), params

    return draw
