"""The operations behind sparse matrices, on their own samples."""

from __future__ import annotations

import numpy as np
import pytest

from tapegrad.ops import sparse, sparse_eigen

from ...ops import check

OPERATIONS = {f.op for f in (sparse.sparse_matmul, sparse.sparse_solve, sparse_eigen.sparse_eigsh)}

everywhere = pytest.mark.parametrize(
    ("op", "inputs", "params"),
    [
        pytest.param(op, inputs, params, id=name)
        for name, op, inputs, params in check.cases()
        if op in OPERATIONS
    ],
)


@everywhere
def test_derivatives(op, inputs, params):
    check.check_derivatives(op, inputs, params)


@everywhere
def test_batch_rule(op, inputs, params):
    check.check_batch(op, inputs, params)


@everywhere
def test_single_precision(op, inputs, params):
    check.check_float32(op, inputs, params)


def test_structures():
    own = sparse.example((3, 4))
    assert own == sparse.example((3, 4)) != sparse.example((4, 4))
    assert hash(own) == hash(sparse.example((3, 4)))
    assert own != "own"
    assert repr(own) == "<6 places in (3, 4)>"
    turned, order = own.turned
    assert turned.turned[0] is own
    data = np.arange(6.0)
    np.testing.assert_array_equal(
        turned.matrix(data[order]).toarray(), own.matrix(data).toarray().T
    )
    np.testing.assert_array_equal(
        own.repeated(2).matrix(np.tile(data, 2)).toarray(),
        np.kron(np.eye(2), own.matrix(data).toarray()),
    )
