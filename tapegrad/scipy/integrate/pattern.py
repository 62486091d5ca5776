"""The Jacobian of a right-hand side as a sparse matrix, where its pattern is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import scipy.sparse

from ...core.lanes import pull_lanes
from ...core.record import raw
from .field import RightHandSide


def sparse_jacobian(
    field: RightHandSide, params: Sequence[Any], pattern: Any
) -> Callable[[Any, Any], Any]:
    """The Jacobian in the state as a function of time and state.

    `pattern` has nonzeros where the Jacobian may have some. Rows without a common column are pulled
    together, as one sum.
    """
    pattern = scipy.sparse.csr_array(pattern)
    groups = row_groups(pattern)
    rows, columns = pattern.nonzero()
    seeds = numpy.zeros((groups.max(initial=0) + 1, len(groups)))
    seeds[groups, numpy.arange(len(groups))] = 1.0

    evaluate = field.evaluator(params)

    def jacobian(t: Any, y: Any) -> Any:
        evaluation = evaluate(t, y)
        cotangents = evaluation.seeds(seeds)
        if not cotangents:
            return scipy.sparse.csc_matrix(pattern.shape)
        pulled = pull_lanes(evaluation.walk, cotangents, len(seeds))[0]
        values = numpy.zeros(len(rows)) if pulled is None else raw(pulled)[groups[rows], columns]
        return scipy.sparse.csc_matrix((values, (rows, columns)), shape=pattern.shape)

    return jacobian


def row_groups(pattern: Any) -> Any:
    """A number for each row; rows that share a column have different ones. First fit."""
    neighbours = scipy.sparse.csr_array(abs(pattern) @ abs(pattern).T)
    groups = numpy.full(pattern.shape[0], -1)
    for row in range(pattern.shape[0]):
        near = neighbours.indices[neighbours.indptr[row] : neighbours.indptr[row + 1]]
        taken = set(groups[near].tolist())
        groups[row] = next(i for i in range(len(near) + 1) if i not in taken)
    return groups
