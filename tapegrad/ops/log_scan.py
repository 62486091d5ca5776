"""The running sum of exponentials, kept as a logarithm."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy

from ..backend import is_complex
from ..core.op import Op
from .define import Function, define
from .elementary import exp
from .linear import in_single
from .samples import Sample, complex_normal, normal
from .scan import batch_scan, recurrence, shift
from .selection import where


def log_sum(xp: Any, x: Any, y: Any) -> Any:
    """``log(exp(x) + exp(y))`` of raw arrays; complex ones by what adds to the larger one."""
    if not is_complex(x.dtype):
        return xp.logaddexp(x, y)
    less = xp.real(x) < xp.real(y)
    top, other = xp.where(less, y, x), xp.where(less, x, y)
    far = xp.real(top) == -numpy.inf  # both: exponentials are zero
    gap = xp.where(far, 0, other - xp.where(far, 0, top))
    return xp.where(far, top, top + xp.log1p(xp.exp(gap)))


@in_single
def _forward(xp: Any, x: Any, *, axis: int) -> Any:
    if xp is numpy and not is_complex(x.dtype):
        return numpy.logaddexp.accumulate(x, axis=axis)
    rows = xp.moveaxis(x, axis, 0)
    out = xp.empty_like(rows)
    for k, row in enumerate(rows):
        out[k, ...] = row if k == 0 else log_sum(xp, out[k - 1], row)
    return xp.moveaxis(out, 0, axis)


def ratio(x: Any, y: Any) -> Any:
    """``exp(x - y)``; 1 where both are the same infinity."""
    return exp(where(x == y, 0, x - y))


def _rule(g: Any, out: Any, x: Any, *, axis: int) -> Any:
    after = ratio(out, shift(out, axis=axis, by=-1, fill=numpy.inf))
    return recurrence(after, g, axis=axis, reverse=True) * ratio(x, out)


def _jvp(tangents: tuple[Any, ...], out: Any, x: Any, *, axis: int) -> Any:
    before = ratio(shift(out, axis=axis, by=1, fill=-numpy.inf), out)
    return recurrence(before, tangents[0] * ratio(x, out), axis=axis, reverse=False)


def _samples(rng: Any) -> Iterator[Sample]:
    yield (normal(rng, (5,)),), {"axis": 0}
    yield (normal(rng, (2, 3)),), {"axis": 1}
    yield (complex_normal(rng, (3, 2)),), {"axis": 0}


logcumsumexp: Function = define(
    Op(
        "logcumsumexp",
        forward=_forward,
        vjp=(_rule,),
        jvp=_jvp,
        batch=batch_scan,
        steep=True,
        samples=_samples,
        doc="The logarithms of the running sums of exponentials along `axis`. Each step adds to "
        "the one before, so that no element is lost beside a larger one that comes later.",
    )
)
