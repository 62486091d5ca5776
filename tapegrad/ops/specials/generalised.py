"""The tail of the generalised normal distribution, regular at 0; quantiles of discrete ones."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

from ... import errors
from ...backend import on_device
from ...backend import special as function_of
from ..define import elementwise
from ..elementary import exp
from ..samples import Sample, normal, positive, two, uniform
from .define import precise
from .gamma import rgamma
from .incomplete import gamma_slope
from .information import xlogy


def _tail_slope(beta: Any, y: Any) -> Any:
    """The derivative of `gennorm_tail` in `beta`."""
    power = y**beta
    density = xlogy(y, y) * exp(-power) * rgamma(1 / beta)
    return gamma_slope(1 / beta, power) / beta / beta - density


gennorm_tail = elementwise(
    "gennorm_tail",
    precise(lambda beta, y: _tail_slope(beta, y)),
    precise(lambda beta, y: -beta * rgamma(1 / beta) * exp(-(y**beta))),
    forward=lambda xp, beta, y: function_of(xp, "gammaincc")(1 / beta, y**beta),
    steep=True,
    samples=two((positive, positive), (uniform(1, 3), uniform(0.05, 2))),
    doc="`gammaincc(1 / beta, y**beta)` for `y` not negative.",
)


def _quantile_samples(rng: Any) -> Iterator[Sample]:
    params = {"distribution": "poisson", "method": "ppf"}
    yield (uniform(0.1, 0.9)(rng, (4,)), positive(rng, (4,))), params
    yield (uniform(0.1, 0.9)(rng, ()), 5 + normal(rng, (2, 1))), params


def _quantile_forward(xp: Any, q: Any, *parameters: Any, distribution: str, method: str) -> Any:
    if any(map(on_device, (q, *parameters))):
        raise errors.not_on_device(f"scipy.stats.{distribution}.{method}", xp.__name__)
    return getattr(getattr(import_module("scipy.stats"), distribution), method)(q, *parameters)


discrete_quantile = elementwise(
    "discrete_quantile",
    forward=_quantile_forward,
    samples=_quantile_samples,
    doc="A quantile of one of SciPy's discrete distributions: a step function.",
)
