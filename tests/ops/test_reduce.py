"""Edge values of the reductions."""

from __future__ import annotations

import numpy as np
import pytest

import tapegrad as tg
from tapegrad.ops.reduce import amax, logsumexp, mean, nanmax, prod, std, var

INF, NAN = np.inf, np.nan


def total(x):
    return logsumexp(x, axis=(0,), keepdims=False)


@pytest.mark.parametrize(
    ("x", "value", "gradient"),
    [
        ([0.0, 0.0], np.log(2), [0.5, 0.5]),
        ([1000.0, 1000.0], 1000 + np.log(2), [0.5, 0.5]),
        ([-1000.0, -1001.0], -1000 + np.log1p(np.exp(-1)), None),
        ([-INF, 1.0], 1.0, [0, 1]),
        ([-INF, -INF], -INF, [0, 0]),
        ([INF, 1.0, INF, -INF], INF, [0.5, 0, 0.5, 0]),
        ([3.0], 3.0, [1]),
        ([INF], INF, [1]),
        ([-INF], -INF, [0]),
    ],
)
def test_logsumexp(x, value, gradient):
    x = np.array(x)
    got, g = tg.value_and_grad(total)(x)
    assert got == pytest.approx(value, rel=1e-15)
    if gradient is None:
        gradient = np.exp(x - value)
    np.testing.assert_allclose(g, gradient, rtol=1e-12)
    lanes = tg.vmap(tg.grad(total))(np.stack([x, x]))
    np.testing.assert_allclose(lanes, [gradient, gradient], rtol=1e-12)
    tangent = tg.jvp(total, (x,), (np.ones_like(x),))[1]
    assert tangent == pytest.approx(np.sum(gradient), rel=1e-12)
    for i in range(len(x)):
        row = tg.grad(lambda x, i=i: tg.grad(total)(x)[i])(x)
        assert np.isfinite(row).all()


def test_logsumexp_second_order_where_some_are_infinite():
    x = np.array([0.0, -INF, 0.0])
    hessian = [tg.grad(lambda x, i=i: tg.grad(total)(x)[i])(x) for i in range(3)]
    np.testing.assert_allclose(hessian, [[0.25, 0, -0.25], [0, 0, 0], [-0.25, 0, 0.25]])


def test_logsumexp_in_lanes_of_which_one_is_infinite():
    x = np.array([[0.0, 0.0], [-INF, -INF], [INF, 0.0]])
    value, g = tg.vmap(tg.value_and_grad(total))(x)
    np.testing.assert_allclose(value, [np.log(2), -INF, INF])
    np.testing.assert_array_equal(g, [[0.5, 0.5], [0, 0], [1, 0]])
    _, pull = tg.vjp(lambda x: logsumexp(x, axis=(1,), keepdims=True), x)
    (g,) = pull(np.ones((3, 1)))
    np.testing.assert_array_equal(g, [[0.5, 0.5], [0, 0], [1, 0]])


def test_logsumexp_of_nan_is_nan():
    assert np.isnan(total(np.array([NAN, 1.0])))
    assert np.isnan(tg.grad(total)(np.array([NAN, 1.0]))).any()


def test_product_that_underflows_keeps_its_gradient():
    x = np.array([1e-200, 1e-200, 1e200])
    np.testing.assert_allclose(
        tg.grad(lambda x: prod(x, axis=(0,), keepdims=False))(x), [1, 1, 0], atol=1e-300
    )


def test_extremes_over_no_axes():
    x = np.array([1.0, 2.0])
    for f in (amax, prod, mean, nanmax):
        g = tg.grad(lambda x, f=f: np.sum(f(x, axis=(), keepdims=False)))(x)
        np.testing.assert_array_equal(g, [1, 1])


@pytest.mark.parametrize("op", [std, var])
def test_spread_of_tiny_deviations(op):
    x = 1 + np.array([0.0, 1e-9, 2e-9])
    g = tg.grad(lambda x: op(x, axis=(0,), keepdims=False, correction=0))(x)
    assert np.isfinite(g).all()
    assert g[0] < 0 < g[2]


def test_a_zero_cotangent_of_a_standard_deviation_stays_zero():
    x = np.array([[1.0, 1.0], [1.0, 3.0]])

    def f(x):
        s = std(x, axis=(1,), keepdims=False, correction=0)
        return np.sum(np.where(s > 0, np.log(np.where(s > 0, s, 1.0)), 0.0))

    np.testing.assert_allclose(tg.grad(f)(x), [[0, 0], [-0.5, 0.5]])
