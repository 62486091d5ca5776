"""Transforms from real numbers to where a constraint wants them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import constraints, errors, transforms
from .constraints import Constraint

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]


class ConstraintRegistry:
    """``registry(constraint)`` gives a transform to where it wants values."""

    def __init__(self, name: str = "transform") -> None:
        self.name = name
        self._registry: dict[type, Callable[[Any], Any]] = {}

    def register(self, constraint: Any, factory: Any = None) -> Any:
        """Enter what gives the transform for constraints of a class; a decorator without it."""
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        kind = type(constraint) if isinstance(constraint, Constraint) else constraint
        self._registry[kind] = factory
        return factory

    def __call__(self, constraint: Any) -> Any:
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise errors.no_transform(constraint, self.name)
        return factory(constraint)


biject_to = ConstraintRegistry("biject_to")
transform_to = ConstraintRegistry("transform_to")


def above(constraint: Any) -> Any:
    """To numbers above a bound."""
    moved = transforms.AffineTransform(constraint.lower_bound, 1)
    return transforms.ComposeTransform([transforms.ExpTransform(), moved])


def below(constraint: Any) -> Any:
    """To numbers below a bound."""
    moved = transforms.AffineTransform(constraint.upper_bound, -1)
    return transforms.ComposeTransform([transforms.ExpTransform(), moved])


def between(constraint: Any) -> Any:
    """To numbers between two bounds."""
    low, high = constraint.lower_bound, constraint.upper_bound
    if isinstance(low, float | int) and isinstance(high, float | int) and (low, high) == (0, 1):
        return transforms.SigmoidTransform()
    moved = transforms.AffineTransform(low, high - low)
    return transforms.ComposeTransform([transforms.SigmoidTransform(), moved])


def independent(registry: ConstraintRegistry) -> Callable[[Any], Any]:
    """What gives the transform for several axes."""

    def made(constraint: Any) -> Any:
        base = registry(constraint.base_constraint)
        return transforms.IndependentTransform(base, constraint.reinterpreted_batch_ndims)

    return made


def parts(registry: ConstraintRegistry) -> Callable[[Any], Any]:
    """What gives the transform for parts of several lengths."""
    return lambda c: transforms.CatTransform([registry(p) for p in c.cseq], c.dim, c.lengths)


def layers(registry: ConstraintRegistry) -> Callable[[Any], Any]:
    """What gives the transform for parts side by side."""
    return lambda c: transforms.StackTransform([registry(p) for p in c.cseq], c.dim)


for _registry in (biject_to, transform_to):
    _registry.register(constraints.Real, lambda _: transforms.identity_transform)
    _registry.register(constraints.Independent, independent(_registry))
    _registry.register(constraints.GreaterThan, above)
    _registry.register(constraints.GreaterThanEq, above)
    _registry.register(constraints.LessThan, below)
    _registry.register(constraints.Interval, between)
    _registry.register(constraints.HalfOpenInterval, between)
    _registry.register(constraints.CorrCholesky, lambda _: transforms.CorrCholeskyTransform())
    _registry.register(constraints.Cat, parts(_registry))
    _registry.register(constraints.Stack, layers(_registry))
biject_to.register(constraints.Simplex, lambda _: transforms.StickBreakingTransform())
transform_to.register(constraints.Simplex, lambda _: transforms.SoftmaxTransform())
transform_to.register(constraints.LowerCholesky, lambda _: transforms.LowerCholeskyTransform())
for _kind in (constraints.PositiveDefinite, constraints.PositiveSemidefinite):
    transform_to.register(_kind, lambda _: transforms.PositiveDefiniteTransform())
