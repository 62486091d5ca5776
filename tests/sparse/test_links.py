"""The structure that is derived for each operation, against its derivative."""

import numpy as np
import pytest

import tapegrad as tg
from tapegrad.ops import convolve_nd, extend, filter, frames, resample
from tapegrad.sparse import sparsity

from ..ops import check

OF_SCIPY = convolve_nd, extend, filter, frames, resample  # which fill the table when imported

CASES = [
    pytest.param(op, inputs, params, i, id=f"{name}-{i}")
    for name, op, inputs, params in check.cases()
    for i in check.active(op, inputs)
]


def jacobian_of(op, inputs, params, index):
    """The matrix of the real derivatives, with a row for each result."""
    x = inputs[index]

    def function(x):
        filled = (*inputs[:index], x, *inputs[index + 1 :])
        out = op.function(*filled, **params)
        return [o for o in (out if op.outputs else (out,)) if o.dtype.kind in "fc"]

    def value(x):
        return np.concatenate([np.ravel(o) for o in function(x)] or [np.zeros(0)])

    pushed = [
        np.concatenate([np.ravel(t) for t in tg.jvp(function, (x,), (unit,))[1]] or [np.zeros(0)])
        for unit in np.eye(x.size, dtype=x.dtype).reshape(x.size, *x.shape)
    ]
    matrix = np.stack(pushed, axis=1) if pushed else np.zeros((value(x).size, 0))
    return function, matrix


@pytest.mark.parametrize(("op", "inputs", "params", "index"), CASES)
def test_pattern_covers_the_derivative(op, inputs, params, index):
    function, matrix = jacobian_of(op, inputs, params, index)
    pattern = sparsity(function, inputs[index])
    assert pattern.shape == matrix.shape
    assert not matrix[~pattern.matrix().toarray()].any()


EXACT = [
    *["add", "divide", "exp", "identity", "astype", "abs"],
    *["reshape", "permute_dims", "broadcast_to", "roll", "diagonal", "embed_diagonal"],
    *["getitem", "scatter_add", "setitem", "take_along", "put_along", "concat", "stack"],
    *["sum", "mean", "logsumexp", "matmul", "einsum"],
    *["convolve_full", "convolve_valid", "convolve_nd_full", "convolve_nd_valid"],
    *["inv"],
]
"""Operations of which the exact structure is known, on samples where no derivative is zero."""


@pytest.mark.parametrize(
    ("op", "inputs", "params", "index"), [c for c in CASES if c.values[0].name in EXACT]
)
def test_pattern_is_exact(op, inputs, params, index):
    rng = np.random.default_rng(3)
    drawn = tuple(
        x * rng.uniform(0.9, 1.1, np.shape(x)) if i != index and check.inexact(x) else x
        for i, x in enumerate(inputs)
    )
    function, matrix = jacobian_of(op, drawn, params, index)
    found = sparsity(function, inputs[index]).matrix().toarray()
    np.testing.assert_array_equal(found, matrix != 0)
