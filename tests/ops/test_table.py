"""The operation table, tested on its own samples."""

from __future__ import annotations

import pytest

from tapegrad.core.op import table

from . import check

CASES = list(check.base_cases())
PARAMETERS = [pytest.param(op, inputs, params, id=name) for name, op, inputs, params in CASES]

everywhere = pytest.mark.parametrize(("op", "inputs", "params"), PARAMETERS)


@everywhere
def test_derivatives(op, inputs, params):
    check.check_derivatives(op, inputs, params)


@everywhere
def test_batch_rule(op, inputs, params):
    check.check_batch(op, inputs, params)


@everywhere
def test_single_precision(op, inputs, params):
    check.check_float32(op, inputs, params)


def test_every_operation_has_samples():
    assert [name for name, op in table.items() if op.samples is None and name != "pick"] == []
