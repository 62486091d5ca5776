"""The special operations, tested on their own samples."""

from __future__ import annotations

import numpy as np
import pytest

import tapegrad as tg
from tapegrad.ops import specials

from ..ops import check

OPERATIONS = {
    value.op
    for name in specials.__all__
    for value in vars(getattr(specials, name)).values()
    if hasattr(value, "op") and value.op.forward.__module__.startswith("tapegrad.ops.specials")
}
CASES = [
    pytest.param(op, inputs, params, id=name)
    for name, op, inputs, params in check.cases()
    if op in OPERATIONS
]

everywhere = pytest.mark.parametrize(("op", "inputs", "params"), CASES)


def test_every_operation_has_samples_and_a_description():
    assert len(OPERATIONS) > 120
    for op in OPERATIONS:
        assert op.samples is not None, op.name
        assert op.doc, op.name


@everywhere
def test_derivatives(op, inputs, params):
    check.check_derivatives(op, inputs, params)


@everywhere
def test_batch_rule(op, inputs, params):
    check.check_batch(op, inputs, params)


@everywhere
def test_single_precision(op, inputs, params):
    """Cotangents are single where inputs are, also where SciPy's result is double."""
    narrow = {"d": np.float32, "D": np.complex64}
    single = tuple(
        x.astype(narrow[x.dtype.char]) if check.inexact(x) and x.dtype.char in narrow else x
        for x in inputs
    )
    chosen = check.active(op, single)
    if not chosen:
        return
    xs = [single[i] for i in chosen]
    exact = [inputs[i] for i in chosen]
    out, pullback = tg.vjp(check.function_of(op, single, params, chosen), *xs)
    gs = tuple(np.ones(y.shape, y.dtype)[()] for y in out)
    expected = tg.vjp(check.function_of(op, inputs, params, chosen), *exact)[1](
        tuple(np.ones(y.shape, np.result_type(y.dtype, float))[()] for y in out)
    )
    for x, c, e in zip(xs, pullback(gs), expected, strict=True):
        assert c.dtype == x.dtype
        np.testing.assert_allclose(c, e, rtol=2e-3, atol=2e-3 * np.max(np.abs(e), initial=1e-3))
