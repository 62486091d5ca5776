"""Layers give PyTorch's values, gradients and representations."""

import json

import pytest

import tapegrad.torch as torch

from .recorded import FILE, cases, measured

RECORDED = json.loads(FILE.read_text())
CASES = cases(torch)


@pytest.mark.parametrize("name", RECORDED)
def test_layer(name):
    found = measured(*CASES[name])
    expected = RECORDED[name]
    assert found["repr"] == expected["repr"]
    for what in ("outputs", "gradients"):
        assert len(found[what]) == len(expected[what])
        for (shape, *values), (right_shape, *right) in zip(
            found[what], expected[what], strict=True
        ):
            assert shape == right_shape
            assert values == pytest.approx(right, rel=1e-9, abs=1e-9)
