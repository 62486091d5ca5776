"""Activations of infinite, undefined and large elements, as PyTorch has them."""

import math

import numpy as np
import pytest

import tapegrad.torch as torch

F = torch.nn.functional
INF, NAN = math.inf, math.nan
X = [-INF, -1e30, -700.0, -3.0, 3.0, 700.0, 1e30, INF, NAN]

VALUES = {
    "celu": [-1, -1, -1, math.expm1(-3), 3, 700, 1e30, INF, NAN],
    "elu": [-1, -1, -1, math.expm1(-3), 3, 700, 1e30, INF, NAN],
    "hardshrink": [-INF, -1e30, -700, -3, 3, 700, 1e30, INF, NAN],
    "hardsigmoid": [0, 0, 0, 0, 1, 1, 1, 1, NAN],
    "hardswish": [NAN, 0, 0, 0, 3, 700, 1e30, INF, NAN],
    "hardtanh": [-1, -1, -1, -1, 1, 1, 1, 1, NAN],
    "leaky_relu": [-INF, -1e28, -7, -0.03, 3, 700, 1e30, INF, NAN],
    "logsigmoid": [-INF, -1e30, -700, -3.048587352, -0.048587352, 0, 0, 0, NAN],
    "relu6": [0, 0, 0, 0, 3, 6, 6, 6, NAN],
    "softplus": [0, 0, 0, 0.048587352, 3.048587352, 700, 1e30, INF, NAN],
    "softshrink": [-INF, -1e30, -699.5, -2.5, 2.5, 699.5, 1e30, INF, NAN],
}


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_values(name, dtype):
    for times in (1, 9000):
        y = getattr(F, name)(torch.tensor(X * times, dtype=dtype))
        np.testing.assert_allclose(y[: len(X)], VALUES[name], rtol=1e-6, atol=1e-30)


@pytest.mark.parametrize(
    "name", ["hardshrink", "hardsigmoid", "hardtanh", "relu6", "softshrink", "hardswish"]
)
def test_undefined_elements_have_no_slope_where_it_is_piecewise(name):
    x = torch.tensor([NAN, -INF, INF], requires_grad=True)
    getattr(F, name)(x).sum().backward()
    slopes = {"hardshrink": [0, 1, 1], "softshrink": [0, 1, 1], "hardswish": [NAN, 0, 1]}
    np.testing.assert_array_equal(x.grad, slopes.get(name, [0, 0, 0]))


@pytest.mark.parametrize("times", [1, 9000])
def test_gelu_far_below_zero_is_zero(times):
    y = F.gelu(torch.tensor([-1e30, -3e38, -20.0, 1e30, -INF, INF] * times))
    np.testing.assert_array_equal(y[:6], np.float32([0, 0, 0, 1e30, NAN, INF]))


def test_options_at_their_edges():
    x = torch.tensor([-INF, -1.0, 2.0, INF], dtype=torch.float64)
    np.testing.assert_array_equal(F.leaky_relu(x, 0.0), [NAN, 0, 2, INF])
    x = torch.tensor([-50.0, -1.0, 2.0], dtype=torch.float64)
    expected = [-2 * math.expm1(25), -2 * math.expm1(0.5), 2]
    np.testing.assert_allclose(F.celu(x, -2.0), expected, rtol=1e-14)
