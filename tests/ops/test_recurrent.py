"""Recurrent layers: large ones, whose steps are kernels, give what NumPy gives."""

import numpy as np
import pytest

import tapegrad as tg
from tapegrad.ops.native import native
from tapegrad.ops.recurrent import gru, lstm, rnn
from tapegrad.ops.recurrent.sequences import LARGE

LAYERS = {
    "lstm": (lambda *xs: lstm(*xs)[0], 4, 2, 1),
    "gru": (lambda *xs: gru(*xs)[0], 3, 1, 2),
    "rnn_tanh": (lambda *xs: rnn(*xs, activation="tanh"), 1, 1, 1),
    "rnn_relu": (lambda *xs: rnn(*xs, activation="relu"), 1, 1, 1),
}


def inputs_of(name, dtype):
    _, gates, states, biases = LAYERS[name]
    count, size, width, n = 40, 16, 5, 33
    rng = np.random.default_rng(0)
    shapes = [(count, size, width), *[(size, n)] * states, (gates * n, width), (gates * n, n)]
    shapes += [(gates * n,)] * biases
    return [(rng.standard_normal(shape) / shape[-1] ** 0.5).astype(dtype) for shape in shapes]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", LAYERS)
def test_kernels_do_the_steps(name, dtype):
    layer = LAYERS[name][0]
    inputs = inputs_of(name, dtype)
    assert LARGE < 3 * 40 * 16 * 33
    in_lanes = [x[None] for x in inputs]  # which no kernel takes
    value, pull = tg.vjp(layer, *inputs)
    expected, pull_in_lanes = tg.vjp(layer, *in_lanes)
    scale = 1e-5 if dtype == np.float32 else 1e-12
    np.testing.assert_allclose(value, expected[0], rtol=0, atol=scale)
    g = np.random.default_rng(1).standard_normal(value.shape).astype(dtype)
    for d, e in zip(pull(g), pull_in_lanes(g[None]), strict=True):
        assert d.dtype == dtype
        np.testing.assert_allclose(d, e[0], rtol=0, atol=10 * scale * abs(e).max())


@pytest.mark.parametrize("name", LAYERS)
def test_there_is_a_kernel(name):
    pytest.importorskip("llvmlite")
    count = {"lstm": 12, "gru": 9}.get(name, 3)
    arrays = [np.zeros((2, 3, 4)) for _ in range(count)]
    assert native("steps", name, arrays) is not None
    assert native("steps", name, [x.astype(np.int64) for x in arrays]) is None
    assert native("steps", name, [x.transpose(0, 2, 1) for x in arrays]) is None
