"""Edge values of the scans."""

from __future__ import annotations

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.ops.scan import cumprod, cumsum, recurrence, shift


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 8, 33])
def test_recurrence_is_a_loop(n, reverse):
    rng = np.random.default_rng(n)
    a, b = rng.standard_normal((2, 3, n))
    out = recurrence(a, b, axis=1, reverse=reverse)
    expected = np.zeros_like(b)
    s = np.zeros(3)
    for k in range(n)[:: -1 if reverse else 1]:
        s = expected[:, k] = a[:, k] * s + b[:, k]
    np.testing.assert_allclose(out, expected, rtol=1e-12, atol=1e-12)


def test_recurrence_takes_the_wider_dtype():
    out = recurrence(np.ones(2, np.float32), np.ones(2), axis=0, reverse=False)
    assert out.dtype == np.float64


def test_shift():
    x = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(shift(x, axis=1, by=1, fill=9), [[9, 0, 1], [9, 3, 4]])
    np.testing.assert_array_equal(shift(x, axis=0, by=-1, fill=9), [[3, 4, 5], [9, 9, 9]])
    assert shift(x[:0], axis=0, by=1, fill=1).shape == (0, 3)


@pytest.mark.parametrize("reverse", [False, True])
def test_cumprod_gradient_is_the_sum_over_products_without_a_factor(reverse):
    x = np.array([2.0, 0.0, -1.0, 0.0, 3.0])
    order = range(5)[:: -1 if reverse else 1]
    expected = np.zeros(5)
    for n in range(1, 6):
        factors = list(order)[:n]
        for i in factors:
            expected[i] += np.prod([x[j] for j in factors if j != i])
    g = tg.grad(lambda x: np.sum(cumprod(x, axis=0, reverse=reverse)))(x)
    np.testing.assert_array_equal(g, expected)


def test_cumprod_of_infinite_elements_gives_no_nan_where_there_is_a_limit():
    g = tg.grad(lambda x: cumprod(x, axis=0, reverse=False)[1])(np.array([np.inf, 2.0]))
    np.testing.assert_array_equal(g, [2, np.inf])


def test_cumsum_from_the_end():
    x = np.array([1.0, 2.0, 4.0])
    np.testing.assert_array_equal(cumsum(x, axis=0, reverse=True), [7, 6, 4])
    g = tg.grad(lambda x: np.sum(cumsum(x, axis=0, reverse=True) * x))(x)
    np.testing.assert_array_equal(g, [8, 9, 11])


def test_second_derivatives_of_products_with_a_small_factor():
    x = np.array([1e-17, 2.0, 3.0])
    expected = [[0.0, 3.0, 2.0], [3.0, 0.0, 1e-17], [2.0, 1e-17, 0.0]]
    for product in (tnp.prod, lambda x: tnp.cumprod(x)[-1]):
        for outer in (tg.jacrev, tg.jacfwd):
            for inner in (tg.jacrev, tg.jacfwd):
                np.testing.assert_allclose(outer(inner(product))(x), expected, rtol=1e-15)
