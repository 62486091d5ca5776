"""Where values and parameters of distributions may lie. A constraint checks values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..creation import as_tensor
from ..dtypes import finfo
from ..joining import cat as joined
from ..joining import stack as stacked
from ..linalg import eigvalsh
from ..truth import isclose
from . import errors

__all__ = [
    "Constraint",
    "MixtureSameFamilyConstraint",
    "boolean",
    "cat",
    "corr_cholesky",
    "dependent",
    "dependent_property",
    "greater_than",
    "greater_than_eq",
    "half_open_interval",
    "independent",
    "integer_interval",
    "interval",
    "is_dependent",
    "less_than",
    "lower_cholesky",
    "lower_triangular",
    "multinomial",
    "nonnegative",
    "nonnegative_integer",
    "one_hot",
    "positive",
    "positive_definite",
    "positive_integer",
    "positive_semidefinite",
    "real",
    "real_vector",
    "simplex",
    "square",
    "stack",
    "symmetric",
    "unit_interval",
]


class Constraint:
    """A set of values. `event_dim` axes make one value; `check` says which of them lie in it."""

    is_discrete: Any = False
    event_dim: Any = 0

    def check(self, value: Any) -> Any:
        """For each value, whether it lies in the set."""
        raise errors.nothing_to_check(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class Boolean(Constraint):
    """Zeros and ones."""

    is_discrete = True

    def check(self, value: Any) -> Any:
        return (value == 0) | (value == 1)


class Real(Constraint):
    """Numbers that are not NaN."""

    def check(self, value: Any) -> Any:
        return value == value


class Bounded(Constraint):
    """Numbers between bounds, which may be numbers or tensors; None for no bound."""

    with_lower = with_upper = True

    def __init__(self, lower_bound: Any = None, upper_bound: Any = None) -> None:
        self.lower_bound = lower_bound
        self.upper_bound = upper_bound

    def check(self, value: Any) -> Any:
        low, high = self.lower_bound, self.upper_bound
        inside: Any = value % 1 == 0 if self.is_discrete else value == value
        if low is not None:
            inside = inside & ((value >= low) if self.with_lower else (value > low))
        if high is not None:
            inside = inside & ((value <= high) if self.with_upper else (value < high))
        return inside

    def __repr__(self) -> str:
        bounds = {"lower_bound": self.lower_bound, "upper_bound": self.upper_bound}
        shown = ", ".join(f"{side}={bound}" for side, bound in bounds.items() if bound is not None)
        return f"{type(self).__name__}({shown})"


class Interval(Bounded):
    """Numbers from one to another, both included."""


class HalfOpenInterval(Bounded):
    """Numbers from one to another, this excluded."""

    with_upper = False


class GreaterThan(Bounded):
    """Numbers above one."""

    with_lower = False

    def __init__(self, lower_bound: Any) -> None:
        super().__init__(lower_bound)


class GreaterThanEq(Bounded):
    """Numbers from one on."""

    def __init__(self, lower_bound: Any) -> None:
        super().__init__(lower_bound)


class LessThan(Bounded):
    """Numbers below one."""

    with_upper = False

    def __init__(self, upper_bound: Any) -> None:
        super().__init__(None, upper_bound)


class IntegerInterval(Bounded):
    """Whole numbers from one to another, both included."""

    is_discrete = True


class IntegerGreaterThan(GreaterThanEq):
    """Whole numbers from one on."""

    is_discrete = True


class Independent(Constraint):
    """Values of another constraint, several axes of which make one value."""

    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: int) -> None:
        self.base_constraint = base_constraint
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        self.is_discrete = base_constraint.is_discrete
        self.event_dim = base_constraint.event_dim + reinterpreted_batch_ndims

    def check(self, value: Any) -> Any:
        inside = self.base_constraint.check(value)
        count = self.reinterpreted_batch_ndims
        if inside.dim() < count:
            raise errors.too_few_axes(count + self.base_constraint.event_dim, value.dim())
        return inside.flatten(inside.dim() - count).all(-1) if count else inside

    def __repr__(self) -> str:
        own = f"{self.base_constraint!r}, {self.reinterpreted_batch_ndims}"
        return f"IndependentConstraint({own})"


class MixtureSameFamilyConstraint(Constraint):
    """Values that all components of a mixture may have."""

    def __init__(self, base_constraint: Constraint) -> None:
        self.base_constraint = base_constraint
        self.is_discrete = base_constraint.is_discrete
        self.event_dim = base_constraint.event_dim

    def check(self, value: Any) -> Any:
        if value.dim() < self.event_dim:
            raise errors.too_few_axes(self.event_dim, value.dim())
        inside = self.base_constraint.check(value.unsqueeze(-1 - self.event_dim))
        kept = inside.shape[: value.dim() - self.event_dim]
        return inside.reshape((*kept, -1)).all(-1)

    def __repr__(self) -> str:
        return f"MixtureSameFamilyConstraint({self.base_constraint!r})"


class Simplex(Constraint):
    """Vectors of positive numbers that sum to 1."""

    event_dim = 1

    def check(self, value: Any) -> Any:
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)


class OneHot(Constraint):
    """Vectors of zeros and a single one."""

    is_discrete = True
    event_dim = 1

    def check(self, value: Any) -> Any:
        return ((value == 0) | (value == 1)).all(-1) & (value.sum(-1) == 1)


class Multinomial(Constraint):
    """Vectors of counts that sum to a bound."""

    is_discrete = True
    event_dim = 1

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound

    def check(self, value: Any) -> Any:
        return (value >= 0).all(-1) & (value.sum(-1) <= self.upper_bound)


class Square(Constraint):
    """Square matrices."""

    event_dim = 2

    def check(self, value: Any) -> Any:
        square = value.shape[-1] == value.shape[-2]
        return as_tensor(square).expand(value.shape[:-2])


class LowerTriangular(Square):
    """Square matrices with zeros above the diagonal."""

    def check(self, value: Any) -> Any:
        return (value.tril() == value).flatten(-2).all(-1)


class LowerCholesky(LowerTriangular):
    """Lower triangular matrices with a positive diagonal."""

    def check(self, value: Any) -> Any:
        return super().check(value) & (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)


class CorrCholesky(LowerCholesky):
    """Those whose rows have length 1: factors of matrices of correlation."""

    def check(self, value: Any) -> Any:
        tolerance = finfo(value.dtype).eps * value.shape[-1] * 10
        lengths = value.detach().square().sum(-1).sqrt()
        return super().check(value) & ((lengths - 1).abs() <= tolerance).all(-1)


class Symmetric(Square):
    """Symmetric matrices."""

    def check(self, value: Any) -> Any:
        near = isclose(value, value.transpose(-2, -1), atol=1e-6)
        return super().check(value) & near.all(-2).all(-1)


class PositiveSemidefinite(Symmetric):
    """Symmetric matrices without negative eigenvalues."""

    def check(self, value: Any) -> Any:
        return super().check(value) & (eigvalsh(value.detach()) >= 0).all(-1)


class PositiveDefinite(Symmetric):
    """Symmetric matrices with positive eigenvalues."""

    def check(self, value: Any) -> Any:
        return super().check(value) & (eigvalsh(value.detach()) > 0).all(-1)


class Parts(Constraint):
    """Values whose parts along an axis have constraints of their own."""

    def __init__(
        self, cseq: Sequence[Constraint], dim: int = 0, lengths: Sequence[int] | None = None
    ) -> None:
        self.cseq = list(cseq)
        self.dim = dim
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        self.is_discrete = any(c.is_discrete for c in self.cseq)
        self.event_dim = max(c.event_dim for c in self.cseq)


class Cat(Parts):
    """Parts of given lengths, concatenated."""

    def check(self, value: Any) -> Any:
        parts = value.split(self.lengths, self.dim)
        return joined([c.check(v) for c, v in zip(self.cseq, parts, strict=True)], self.dim)


class Stack(Parts):
    """Parts side by side along an axis of their own."""

    def check(self, value: Any) -> Any:
        parts = zip(self.cseq, value.unbind(self.dim), strict=True)
        return stacked([c.check(v) for c, v in parts], self.dim)


class Dependent(Constraint):
    """A constraint that depends on the parameters of an instance."""

    def __init__(self, *, is_discrete: Any = None, event_dim: Any = None) -> None:
        self.is_discrete = is_discrete
        self.event_dim = event_dim

    def __call__(self) -> Dependent:
        return self


class DependentProperty(property, Dependent):
    """A property that gives an instance its constraint; of the class, it is a `Dependent`."""

    def __init__(
        self,
        fn: Callable[[Any], Any] | None = None,
        *,
        is_discrete: Any = None,
        event_dim: Any = None,
    ) -> None:
        property.__init__(self, fn)
        Dependent.__init__(self, is_discrete=is_discrete, event_dim=event_dim)

    def __call__(self, fn: Any = None) -> Any:
        return type(self)(fn, is_discrete=self.is_discrete, event_dim=self.event_dim)


def is_dependent(constraint: Any) -> bool:
    """Whether a constraint depends on the parameters of an instance."""
    return isinstance(constraint, Dependent)


boolean = Boolean()
cat = Cat
corr_cholesky = CorrCholesky()
dependent = Dependent()
dependent_property = DependentProperty
greater_than = GreaterThan
greater_than_eq = GreaterThanEq
half_open_interval = HalfOpenInterval
independent = Independent
integer_interval = IntegerInterval
interval = Interval
less_than = LessThan
lower_cholesky = LowerCholesky()
lower_triangular = LowerTriangular()
multinomial = Multinomial
nonnegative = GreaterThanEq(0.0)
nonnegative_integer = IntegerGreaterThan(0)
one_hot = OneHot()
positive = GreaterThan(0.0)
positive_definite = PositiveDefinite()
positive_integer = IntegerGreaterThan(1)
positive_semidefinite = PositiveSemidefinite()
real = Real()
real_vector = Independent(real, 1)
simplex = Simplex()
square = Square()
stack = Stack
symmetric = Symmetric()
unit_interval = Interval(0.0, 1.0)
