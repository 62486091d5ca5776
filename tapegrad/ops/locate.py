"""Reductions without derivative: positions of extremes, truth values and counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..core.op import Op
from .define import Function, batch_axis, define
from .samples import Sample, normal
from .scan import batch_scan


def _position_samples(rng: Any) -> Iterator[Sample]:
    yield (normal(rng, (4,)),), {"axis": 0, "keepdims": False}
    yield (normal(rng, (2, 3, 2)),), {"axis": 1, "keepdims": True}


def position(name: str, doc: str) -> Function:
    """A reduction along one axis to a position."""
    return define(
        Op(
            name,
            forward=lambda xp, x, *, axis, keepdims: getattr(xp, name)(
                x, axis=axis, keepdims=keepdims
            ),
            vjp=None,
            jvp=None,
            batch=batch_scan,
            samples=_position_samples,
            doc=doc,
        )
    )


argmax = position("argmax", "Where along `axis` the largest element is: of equal ones, the first.")
argmin = position("argmin", "Where along `axis` the smallest element is: of equal ones, the first.")


def _truth_samples(rng: Any) -> Iterator[Sample]:
    yield (rng.integers(0, 2, (4,)) > 0,), {"axis": (0,), "keepdims": False}
    yield (rng.integers(0, 2, (2, 3, 2)),), {"axis": (0, 2), "keepdims": True}


def truth(name: str, doc: str) -> Function:
    """A reduction of truth values."""
    return define(
        Op(
            name,
            forward=lambda xp, x, *, axis, keepdims: getattr(xp, name)(
                x, axis=axis, keepdims=keepdims
            ),
            vjp=None,
            jvp=None,
            batch=batch_axis,
            samples=_truth_samples,
            doc=doc,
        )
    )


all_true = truth("all", "Whether all elements over the axes `axis` are true.")
any_true = truth("any", "Whether any element over the axes `axis` is true.")
count_nonzero = truth("count_nonzero", "How many elements over the axes `axis` are not zero.")
