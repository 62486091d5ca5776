"""Reductions without derivative: positions of extremes, truth values and counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..core.op import Op
from .define import Function, batch_axis, define
from .samples import Sample, normal
from .scan import batch_scan


def reduction(name: str, batch: Any, samples: Any, doc: str) -> Function:
    """A reduction that has no derivative."""
    return define(
        Op(
            name,
            forward=lambda xp, x, *, axis, keepdims: getattr(xp, name)(
                x, axis=axis, keepdims=keepdims
            ),
            vjp=None,
            jvp=None,
            batch=batch,
            samples=samples,
            doc=doc,
        )
    )


def _position_samples(rng: Any) -> Iterator[Sample]:
    yield (normal(rng, (4,)),), {"axis": 0, "keepdims": False}
    yield (normal(rng, (2, 3, 2)),), {"axis": 1, "keepdims": True}


argmax = reduction(
    "argmax",
    batch_scan,
    _position_samples,
    "Where along `axis` the largest element is: of equal ones, the first.",
)
argmin = reduction(
    "argmin",
    batch_scan,
    _position_samples,
    "Where along `axis` the smallest element is: of equal ones, the first.",
)


def _truth_samples(rng: Any) -> Iterator[Sample]:
    yield (rng.integers(0, 2, (4,)) > 0,), {"axis": (0,), "keepdims": False}
    yield (rng.integers(0, 2, (2, 3, 2)),), {"axis": (0, 2), "keepdims": True}


all_true = reduction(
    "all", batch_axis, _truth_samples, "Whether all elements over the axes `axis` are true."
)
any_true = reduction(
    "any", batch_axis, _truth_samples, "Whether any element over the axes `axis` is true."
)
count_nonzero = reduction(
    "count_nonzero",
    batch_axis,
    _truth_samples,
    "How many elements over the axes `axis` are not zero.",
)
