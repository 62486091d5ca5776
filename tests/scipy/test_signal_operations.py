"""The operations behind signals, images and their interpolation, on their own samples."""

from __future__ import annotations

import pytest

from tapegrad.ops import convolve_nd, extend, filter, frames, resample

from ..ops import check

OPERATIONS = {
    value.op.name
    for module in (convolve_nd, extend, filter, frames, resample)
    for value in vars(module).values()
    if hasattr(value, "op") and value.op.forward.__module__ == module.__name__
}

everywhere = pytest.mark.parametrize(
    ("op", "inputs", "params"),
    [
        pytest.param(op, inputs, params, id=name)
        for name, op, inputs, params in check.cases()
        if op.name in OPERATIONS
    ],
)


def test_all_of_them_are_here():
    assert sorted(OPERATIONS) == [
        *["convolve_nd_full", "convolve_nd_valid", "extend", "fold", "frames", "lagged"],
        *[
            "linear_filter",
            "linear_filter_from",
            "overlap_add",
            "sample",
            "spline_filter",
            "spread_samples",
        ],
    ]


@everywhere
def test_derivatives(op, inputs, params):
    check.check_derivatives(op, inputs, params)


@everywhere
def test_batch_rule(op, inputs, params):
    check.check_batch(op, inputs, params)


@everywhere
def test_single_precision(op, inputs, params):
    check.check_float32(op, inputs, params)
