"""Combinations of elements, and how the rows of a sample vary together."""

from __future__ import annotations

import itertools
from typing import Any

import numpy

from ..numpy import statistics
from .calls import attach, cast, on_arrays, promoted, raw_of
from .filling import meshgrid
from .joining import stack
from .refusals import refuse
from .subscript import get
from .tensor import Tensor, wrap

__all__ = ["cartesian_prod", "combinations", "corrcoef", "cov"]


@on_arrays
def cov(input: Any, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Any:
    """The covariances of the rows."""
    if input.dtype.kind in "biu":
        (input,) = promoted(input, to_float=True)
    counts = None if fweights is None else raw_of(fweights)
    return cast(
        statistics.cov(input, ddof=correction, fweights=counts, aweights=aweights), input.dtype
    )


@on_arrays
def corrcoef(input: Any) -> Any:
    """The correlations of the rows."""
    if input.dtype.kind in "biu":
        (input,) = promoted(input, to_float=True)
    return cast(statistics.corrcoef(input), input.dtype)


def cartesian_prod(*tensors: Tensor) -> Tensor:
    """All combinations of elements of vectors, as rows."""
    if len(tensors) == 1:
        return tensors[0]
    grids = meshgrid(*tensors, indexing="ij")
    return stack([g.reshape(-1) for g in grids], dim=1)


def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """All choices of `r` elements of a vector, as rows."""
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = numpy.array([*choose(range(input.raw.size), r)], numpy.int64).reshape(-1, r)
    return get(input, wrap(rows))


attach("corrcoef cov", globals())

refuse(globals(), "cov(): bool dtype is not supported for input", "bool", "cov corrcoef")
