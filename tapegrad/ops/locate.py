"""Reductions without derivative: positions of extremes, truth values and counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..backend import function, on_device
from ..core.op import Op
from .define import Function, batch_axis, define
from .samples import Sample, normal
from .scan import batch_scan


def reduction(name: str, batch: Any, samples: Any, doc: str, forward: Any = None) -> Function:
    """A reduction that has no derivative, by default the namespace's function of the name."""
    return define(
        Op(
            name,
            forward=forward or (lambda xp, x, **params: function(xp, name)(x, **params)),
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


def _count(xp: Any, x: Any, *, axis: tuple[int, ...], keepdims: bool) -> Any:
    if on_device(x):
        return xp.sum(x != 0, axis=axis, keepdims=keepdims)
    return xp.count_nonzero(x, axis=axis, keepdims=keepdims)


count_nonzero = reduction(
    "count_nonzero",
    batch_axis,
    _truth_samples,
    "How many elements over the axes `axis` are not zero.",
    forward=_count,
)
