"""The operations of neural networks, tested on their own samples."""

from __future__ import annotations

import numpy as np
import pytest

from tapegrad.ops import neural
from tapegrad.ops.neural import convolution

from . import check

OPERATIONS = {
    value.op
    for name in neural.__all__
    for value in vars(getattr(neural, name)).values()
    if hasattr(value, "op") and value.op.forward.__module__.startswith("tapegrad.ops.neural")
}
CASES = [
    pytest.param(op, inputs, params, id=name)
    for name, op, inputs, params in check.cases()
    if op in OPERATIONS
]

everywhere = pytest.mark.parametrize(("op", "inputs", "params"), CASES)


def test_every_operation_has_samples_and_a_description():
    for op in OPERATIONS:
        assert op.samples is not None, op.name
        assert op.doc.endswith("."), op.name


@everywhere
def test_derivatives(op, inputs, params):
    check.check_derivatives(op, inputs, params)


@everywhere
def test_batch_rule(op, inputs, params):
    check.check_batch(op, inputs, params)


@everywhere
def test_single_precision(op, inputs, params):
    check.check_float32(op, inputs, params)


@pytest.mark.parametrize(
    ("op", "inputs", "params"),
    [case for case in CASES if case.values[0].name.startswith("convolve")],
)
def test_places_side_by_side_give_what_single_images_do(monkeypatch, op, inputs, params):
    found = []
    for few in (0, 10**9):
        monkeypatch.setattr(convolution, "FEW", few)
        found.append(op.forward(np, *inputs, **params))
    np.testing.assert_allclose(found[0], found[1], rtol=1e-12, atol=1e-12)
