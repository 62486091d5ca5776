"""`Distribution`: what all distributions have."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

from ..autograd import grad
from ..modes import enable_grad, no_grad
from ..size import Size
from ..tensor import Tensor
from . import errors
from .constraints import is_dependent
from .utils import holds

__all__ = ["Distribution", "ExponentialFamily"]


class Distribution:
    """A distribution, or a batch of them.

    `batch_shape` is the shape of the batch, `event_shape` that of one value. ``sample(shape)`` has
    the shape ``shape + batch_shape + event_shape``, and so has ``rsample(shape)``, which is
    differentiated with respect to the parameters. A parameter is an attribute of its name in
    `arg_constraints`, which says where it may lie.
    """

    has_rsample: bool = False
    has_enumerate_support: bool = False
    arg_constraints: ClassVar[Any] = {}
    support: Any = None
    _validate_args = __debug__

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Have parameters and values of distributions made from now on checked, or not."""
        if value not in (True, False):
            raise errors.undefined_default(value)
        Distribution._validate_args = value

    def __init__(
        self,
        batch_shape: Any = (),
        event_shape: Any = (),
        validate_args: bool | None = None,
    ) -> None:
        self._batch_shape = Size(batch_shape)
        self._event_shape = Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self.check_parameters()

    def check_parameters(self) -> None:
        """Raise if a parameter lies where it must not."""
        for name, constraint in self.arg_constraints.items():
            value = self.__dict__.get(name)
            if value is None or is_dependent(constraint):
                continue
            if not holds(constraint.check(value)):
                raise errors.invalid_parameter(name, value, self, constraint)

    @property
    def batch_shape(self) -> Size:
        """The shape of the batch of distributions."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of one value."""
        return self._event_shape

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """The same distribution with its parameters expanded to a larger batch."""
        new = type(self).__new__(type(self)) if _instance is None else _instance
        for name, constraint in self.arg_constraints.items():
            value = self.__dict__.get(name)
            if value is not None:
                own = value.shape[value.dim() - (constraint.event_dim or 0) :]
                new.__dict__[name] = value.expand((*batch_shape, *own))
        Distribution.__init__(new, batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @property
    def mean(self) -> Tensor:
        """The mean of the values."""
        raise errors.has_no(type(self).__name__, "mean")

    @property
    def mode(self) -> Tensor:
        """The likeliest value."""
        raise errors.has_no(type(self).__name__, "mode")

    @property
    def variance(self) -> Tensor:
        """The mean square distance of the values from their mean."""
        raise errors.has_no(type(self).__name__, "variance")

    @property
    def stddev(self) -> Any:
        """The square root of the variance."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Any = ()) -> Any:
        """Values at random, without derivatives."""
        with no_grad():
            return self.rsample(sample_shape)

    def sample_n(self, n: int) -> Any:
        """`n` values at random: an older name of ``sample((n,))``."""
        warnings.warn(errors.SAMPLE_N, UserWarning, stacklevel=2)
        return self.sample((n,))

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Values at random, differentiated with respect to the parameters."""
        raise errors.has_no(type(self).__name__, "rsample: it has no reparametrised samples")

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density, or of the probability, of values."""
        raise errors.has_no(type(self).__name__, "log_prob")

    def cdf(self, value: Any) -> Any:
        """The probability of values up to these."""
        raise errors.has_no(type(self).__name__, "cdf")

    def icdf(self, value: Any) -> Any:
        """The values up to which these probabilities go."""
        raise errors.has_no(type(self).__name__, "icdf")

    def enumerate_support(self, expand: bool = True) -> Any:
        """All values there are, along a new first axis; expanded over the batch if `expand`."""
        raise errors.has_no(type(self).__name__, "enumerate_support")

    def entropy(self) -> Any:
        """The entropy, in nats."""
        raise errors.has_no(type(self).__name__, "entropy")

    def perplexity(self) -> Any:
        """The exponential of the entropy."""
        return self.entropy().exp()

    def in_batch(self, matrix: Any) -> Any:
        """A matrix for each distribution of the batch."""
        return matrix.expand((*self.batch_shape, *matrix.shape[-2:]))

    def _extended_shape(self, sample_shape: Any = ()) -> Size:
        return Size((*sample_shape, *self.batch_shape, *self.event_shape))

    def _validate_sample(self, value: Any) -> None:
        """Raise if a value is none of this distribution's."""
        if not isinstance(value, Tensor):
            raise errors.value_no_tensor()
        shape, event = value.shape, self.event_shape
        if shape[len(shape) - len(event) :] != event:
            raise errors.event_of_wrong_shape(value, event)
        expected = self._extended_shape()
        for n, m in zip(reversed(shape), reversed(expected), strict=False):
            if n != m and n != 1 and m != 1:
                raise errors.value_of_wrong_shape("batch_shape+event_shape", value, expected)
        support = self.support
        if support is not None and not holds(support.check(value)):
            raise errors.outside_support(value, self, support)

    def check(self, value: Any) -> None:
        """Raise if a value is none of this distribution's, where values are to be checked."""
        if self._validate_args:
            self._validate_sample(value)

    def __repr__(self) -> str:
        shown = []
        for name in self.arg_constraints:
            value = self.__dict__.get(name)
            if value is not None:
                shown.append(f"{name}: {value if value.numel() == 1 else value.size()}")
        return f"{type(self).__name__}({', '.join(shown)})"


class ExponentialFamily(Distribution):
    """A distribution of an exponential family.

    A subclass that has the three names below has its entropy, and its divergence from another of
    its class, by the gradient of the normaliser.
    """

    @property
    def _natural_params(self) -> tuple[Any, ...]:
        """The natural parameters."""
        raise errors.has_no(type(self).__name__, "natural parameters")

    def _log_normalizer(self, *natural_params: Any) -> Any:
        """The logarithm of the normaliser, of natural parameters."""
        raise errors.has_no(type(self).__name__, "normaliser of natural parameters")

    @property
    def _mean_carrier_measure(self) -> Any:
        """The mean of the part of the log-density that has no parameters."""
        raise errors.has_no(type(self).__name__, "entropy in closed form")

    def entropy(self) -> Any:
        carried = self._mean_carrier_measure
        natural, area, slopes = self.normaliser()
        products = (x * g for x, g in zip(natural, slopes, strict=True))
        return area - carried - sum(self.over_events(p) for p in products)

    def over_events(self, value: Any) -> Any:
        """The sum over all axes but the batch's."""
        return value.reshape((*self.batch_shape, -1)).sum(-1)

    def normaliser(self) -> tuple[list[Any], Any, tuple[Any, ...]]:
        """The natural parameters, and the logarithm of the normaliser with its gradients."""
        with enable_grad():
            natural = [
                x if x.requires_grad else x.detach().requires_grad_() for x in self._natural_params
            ]
            area = self._log_normalizer(*natural)
            slopes = grad(area.sum(), natural, create_graph=True)
        return natural, area, slopes


def one_given(kind: str, **given: Any) -> tuple[str, Any]:
    """Which of several ways of giving one parameter was used, and what was given."""
    chosen = [(name, value) for name, value in given.items() if value is not None]
    if len(chosen) != 1:
        raise errors.one_of(kind, *given)
    return chosen[0]


def enumerated(values: Tensor, d: Distribution, expand: bool) -> Any:
    """Values of a support, along the first axis, in front of the axes of a batch."""
    shape = (len(values), *(1 for _ in d.batch_shape), *d.event_shape)
    values = values.reshape(shape)
    return values.expand((len(values), *d.batch_shape, *d.event_shape)) if expand else values
