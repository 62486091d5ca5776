"""Random choices with given weights."""

from __future__ import annotations

import numpy

from ..backend import namespace, place_of
from . import errors
from .calls import attach
from .filling import made
from .random import Generator, draw, generator_at, numbers
from .refusals import lacking
from .tensor import Tensor

__all__ = ["multinomial"]


def multinomial(
    input: Tensor,
    num_samples: int,
    replacement: bool = False,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Indices drawn with the weights in each row of `input`."""
    lacking(errors.ONLY_FLOATS, "bool integer complex", input)
    given = numbers(input, "multinomial")
    xp, source = namespace(given), generator_at(place_of(given), generator)
    weights = given.astype(numpy.float64)
    if weights.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if num_samples <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not xp.isfinite(weights).all() or (weights < 0).any():
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    rows = xp.atleast_2d(weights)
    totals = rows.sum(axis=1)
    if not (totals > 0).all():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    count, classes = rows.shape
    if replacement:
        first = xp.arange(count).reshape(count, 1)
        bounds = rows.cumsum(axis=1) / totals.reshape(count, 1) + first  # one line of all rows
        at = draw(source, lambda g: g.random((count, num_samples))) + first
        places = xp.searchsorted(bounds.reshape(-1), at.reshape(-1), side="right")
        found = (places.reshape(count, num_samples) - classes * first).clip(0, classes - 1)
    else:
        if num_samples > classes:
            raise errors.too_many_samples()
        # the order of exponential times with these rates is a draw without replacement
        times = draw(source, lambda g: g.standard_exponential(rows.shape))
        with numpy.errstate(divide="ignore"):
            found = xp.argsort(times / rows, axis=1, kind="stable")[:, :num_samples]
    return made(found.astype(numpy.int64).reshape((*weights.shape[:-1], num_samples)), out=out)


attach("multinomial", globals())
