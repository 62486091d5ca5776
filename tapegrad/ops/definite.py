"""Which matrices are positive definite."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy

from ..backend import namespace
from ..core.op import Op
from .define import Function, define
from .lapack import on_host
from .samples import Sample


def is_definite(x: Any) -> bool:
    """Whether one Hermitian matrix has a Cholesky factor."""
    try:
        numpy.linalg.cholesky(x)
    except numpy.linalg.LinAlgError:
        return False
    return True


def _order(x: Any) -> int:
    """Of one matrix the order of the first leading minor that is not positive definite, or 0."""
    low, high = 0, x.shape[-1]
    if is_definite(x):
        return 0
    while high - low > 1:  # leading minors of a definite matrix are definite: bisect
        middle = (low + high) // 2
        low, high = (middle, high) if is_definite(x[:middle, :middle]) else (low, middle)
    return high


@on_host
def _orders(x: Any) -> Any:
    orders = numpy.zeros(x.shape[:-2], dtype=numpy.int32)
    for i in numpy.ndindex(orders.shape):
        orders[i] = _order(x[i])
    return orders[()]


def _samples(rng: Any) -> Iterator[Sample]:
    xp = namespace()
    yield (xp.asarray([[2.0, 1.0], [1.0, 2.0]]),), {}
    yield (xp.asarray([[[2.0, 0.0], [3.0, 2.0]], [[-1.0, 0.0], [0.0, 1.0]]]),), {}


indefinite_order: Function = define(
    Op(
        "indefinite_order",
        forward=_orders,
        vjp=None,
        jvp=None,
        batch=lambda function, _mapped, x: function(x),
        samples=_samples,
        doc="Of Hermitian matrices, whose lower triangle is read, the order of the first leading "
        "minor that is not positive definite; 0 where all are. As LAPACK's potrf reports it.",
    )
)
