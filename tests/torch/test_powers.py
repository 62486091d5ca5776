"""Powers of integers, squares of truth values, sums of exponentials: values are PyTorch's."""

from __future__ import annotations

import numpy as np
import pytest

import tapegrad.torch as torch


def test_integers_to_negative_powers():
    base = torch.tensor([2, 3, 1, -1, -1, 0])
    exponent = torch.tensor([-1, -2, -3, -3, -2, 2])
    assert (base**exponent).tolist() == [0, 0, 1, -1, 1, 0]
    assert (2 ** torch.tensor([-1, 2])).tolist() == [0, 4]
    with pytest.raises(RuntimeError, match="Integers to negative integer powers"):
        torch.tensor([2]) ** -1


def test_square_of_truth_values_is_an_integer():
    assert torch.square(torch.tensor([True, False])).dtype is torch.int64


def test_logcumsumexp_loses_nothing():
    x = torch.tensor([-1000.0, 0, 1], dtype=torch.float64, requires_grad=True)
    y = torch.logcumsumexp(x, 0)
    np.testing.assert_allclose(y.detach(), [-1000, 0, 1.3132616875], rtol=1e-10)
    y.sum().backward()
    weight = np.exp([-1.3132616875, -0.3132616875])
    np.testing.assert_allclose(x.grad, [1, 1 + weight[0], weight[1]], rtol=1e-9)


def test_logcumsumexp_of_nothing_but_minus_infinity():
    x = torch.tensor([-np.inf, -np.inf, 0.0])
    assert torch.logcumsumexp(x, 0).tolist() == [-np.inf, -np.inf, 0]


def test_logarithms_of_complex_sums():
    x = torch.tensor([1 + 2j], dtype=torch.complex128)
    y = torch.tensor([1 - 1j], dtype=torch.complex128)
    np.testing.assert_allclose(torch.logaddexp(x, y), [-0.9556364734 + 0.5j], rtol=1e-9)
    whole = torch.logsumexp(torch.cat([x, y]), 0)
    np.testing.assert_allclose(whole, np.log(np.exp(1 + 2j) + np.exp(1 - 1j)), rtol=1e-12)
    far = torch.logsumexp(x + 5j, 0)
    np.testing.assert_allclose(far, 1 + (7 - 2 * np.pi) * 1j, rtol=1e-12)
