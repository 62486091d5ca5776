"""The special operations, tested on their own samples."""

from __future__ import annotations

import pytest

from tapegrad.ops import specials

from ..ops import check

MODULES = {f"tapegrad.ops.specials.{name}" for name in specials.__all__}
HERE = {
    value.op.name
    for name in specials.__all__
    for value in vars(getattr(specials, name)).values()
    if hasattr(value, "op")
}


def special_cases():
    return [
        pytest.param(op, inputs, params, id=name)
        for name, op, inputs, params in check.cases()
        if op.name in HERE and op.forward.__module__.startswith("tapegrad.ops.specials")
    ]


everywhere = pytest.mark.parametrize(("op", "inputs", "params"), special_cases())


@everywhere
def test_derivatives(op, inputs, params):
    check.check_derivatives(op, inputs, params)


@everywhere
def test_batch_rule(op, inputs, params):
    check.check_batch(op, inputs, params)
