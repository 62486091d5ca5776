"""Values and gradients are those that PyTorch 2.13 gave (`cases` says how they were recorded)."""

import json

import numpy as np
import pytest

import tapegrad.torch as torch

from .cases import CASES, RECORDED, outcome

EXPECTED = json.loads(RECORDED.read_text())


@pytest.mark.parametrize("name", CASES)
def test_value_and_gradients(name):
    for ours, theirs in zip(outcome(torch, name), EXPECTED[name], strict=True):
        assert ours.shape == tuple(theirs["shape"])
        expected = np.array(theirs["data"]).reshape(ours.shape)
        np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=1e-9)
