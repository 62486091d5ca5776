"""Running sums and products, differences and numerical gradients of recorded arrays."""

from __future__ import annotations

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp

from .agreement import agree, gradient, second

X = np.random.default_rng(0).standard_normal((3, 5))
V = np.array([0.7, -1.3, 2.1, -0.4, 0.9])
Z = V[:3] + 1j * V[2:]
NAN = np.nan


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "nancumsum", "nancumprod"])
def test_axes(name):
    f = getattr(np, name)
    for axis in (None, 0, -1):
        agree(lambda x, axis=axis: f(x, axis=axis), X)
    agree(f, Z)
    agree(f, np.float64(2.0))
    with pytest.raises(np.exceptions.AxisError, match="out of bounds"):
        gradient(lambda x: f(x, axis=2), X)


@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
def test_standard_names(name):
    f = getattr(np, name)
    agree(f, V)
    agree(lambda x: f(x, axis=1, include_initial=True), X)
    agree(lambda x: f(x, axis=-2), X)
    with pytest.raises(ValueError, match="more than one dimension"):
        gradient(f, X)


def test_dtypes():
    x = V.astype(np.float32)
    for f in (np.cumsum, np.cumprod):
        value, pull = tg.vjp(f, x)
        assert value.dtype == np.float32
        assert pull(value)[0].dtype == np.float32
        value, pull = tg.vjp(lambda x, f=f: f(x, dtype=np.float64), x)
        assert value.dtype == np.float64
        assert pull(value)[0].dtype == np.float32


def test_cumprod_with_zeros_to_second_order():
    x = np.array([2.0, 0.0, 3.0, 0.0])
    # y = (a, ab, abc, abcd): the sum of their gradients at b = d = 0
    np.testing.assert_array_equal(gradient(np.cumprod, x), [1, 2 + 6, 0, 0])
    a, b, c, d = x
    hessian = np.array(
        [
            [0, 1 + c + c * d, b + b * d, b * c],
            [1 + c + c * d, 0, a + a * d, a * c],
            [b + b * d, a + a * d, 0, a * b],
            [b * c, a * c, a * b, 0],
        ]
    )
    for i, e in enumerate(np.eye(4)):
        np.testing.assert_array_equal(second(np.cumprod, x, e), hessian[i])
    rows = [tg.grad(lambda x, i=i: gradient(np.cumprod, x)[i])(x) for i in range(4)]
    np.testing.assert_array_equal(rows, hessian)
    y = np.array([1.0, 2.0, 3.0, 4.0])
    lanes = tg.vmap(lambda x: gradient(np.cumprod, x))(np.stack([x, y]))
    np.testing.assert_allclose(lanes, [[1, 8, 0, 0], gradient(np.cumprod, y)])


def test_cumprod_of_many_with_a_zero():
    x = np.random.default_rng(1).uniform(0.5, 1.5, 37)
    x[20] = 0.0
    agree(np.cumprod, x)
    agree(lambda x: np.cumprod(x, axis=0), np.stack([x, x[::-1]], axis=1))


def test_infinities_and_nan():
    x = np.array([1.0, NAN, 3.0])
    np.testing.assert_array_equal(gradient(np.nancumsum, x), [3, 0, 1])
    np.testing.assert_array_equal(gradient(np.nancumprod, x), [5, 0, 1])


def test_empty():
    for f in (np.cumsum, np.cumprod):
        assert gradient(f, np.zeros(0)).shape == (0,)
        assert gradient(lambda x, f=f: f(x, axis=1), np.zeros((2, 0))).shape == (2, 0)


def test_out():
    def f(x):
        target = tnp.zeros(5)
        np.cumsum(x, out=target)
        return target**2

    agree(lambda x: np.cumsum(x) ** 2, V)
    np.testing.assert_allclose(gradient(f, V), gradient(lambda x: np.cumsum(x) ** 2, V))


def test_running_extremes():
    from tapegrad.ops import scan

    x = np.array([1.0, 3.0, 2.0, 3.0, 5.0, 4.0])
    np.testing.assert_array_equal(scan.cummax(x, axis=0), np.maximum.accumulate(x))
    np.testing.assert_array_equal(scan.cummin(-x, axis=0), np.minimum.accumulate(-x))
    g = gradient(lambda x: scan.cummax(x, axis=0), x)
    np.testing.assert_array_equal(g, [1, 2, 0, 1, 2, 0])
    y = np.array([1.0, NAN, 2.0])
    np.testing.assert_array_equal(scan.cummax(y, axis=0), [1, NAN, NAN])
    np.testing.assert_array_equal(gradient(lambda x: scan.cummax(x, axis=0), y), [1, 2, 0])
    agree(lambda x: np.maximum.accumulate(x, axis=1), X)


def test_diff():
    agree(np.diff, V)
    agree(lambda x: np.diff(x, n=2, axis=0), X)
    agree(lambda x, a, b: np.diff(x, prepend=a, append=b), X, np.float64(0.3), X[:, :2])
    agree(lambda x: np.diff(x, n=0), V)
    value = tg.vmap(lambda x: np.diff(x > 0))(X)
    np.testing.assert_array_equal(value, np.diff(X > 0))
    with pytest.raises(ValueError, match="order must be non-negative"):
        gradient(lambda x: np.diff(x, n=-1), V)
    with pytest.raises(ValueError, match="at least one dimensional"):
        gradient(np.diff, 1.0)


def test_ediff1d():
    agree(np.ediff1d, X)
    agree(lambda x, a, b: np.ediff1d(x, to_end=a, to_begin=b), V, V[:2], np.float64(3.0))
    with pytest.raises(TypeError, match="`to_begin` must be compatible"):
        gradient(lambda x: np.ediff1d(x, to_begin=[1j]), V)


def test_trapezoid():
    agree(np.trapezoid, X)
    agree(lambda y, dx: np.trapezoid(y, dx=dx, axis=0), X, np.float64(0.3))
    agree(lambda y, x: np.trapezoid(y, x), X, np.sort(V))
    agree(lambda y, x: np.trapezoid(y, x, axis=0), X, np.array([0.1, 0.4, 0.9]))
    agree(lambda y, x: np.trapezoid(y, x, axis=0), X, np.sort(X, axis=0))


@pytest.mark.parametrize("order", [1, 2])
def test_gradient(order):
    grid = np.array([0.0, 0.4, 0.9, 2.0, 2.3])
    agree(lambda f: np.gradient(f, edge_order=order), V)
    agree(lambda f, h: np.gradient(f, h, edge_order=order), V, np.float64(0.3))
    agree(lambda f, x: np.gradient(f, x, edge_order=order), V, grid)
    agree(lambda f: np.gradient(f, edge_order=order), X)
    agree(lambda f, x: np.gradient(f, 0.3, x, edge_order=order), X, grid)
    agree(lambda f, x: np.gradient(f, x, axis=1, edge_order=order), X, grid)
    agree(lambda f: np.gradient(f, np.arange(5), axis=-1, edge_order=order), X)


def test_gradient_keeps_precision_and_checks_arguments():
    g = gradient(np.gradient, V.astype(np.float32))
    assert g.dtype == np.float32
    even = np.linspace(0, 1, 5)
    np.testing.assert_allclose(
        gradient(lambda x: np.gradient(V, x), even).sum(), 0, atol=1e-10
    )  # moving all coordinates changes nothing
    for args, kwargs, error, message in (
        ((X, 1.0, 1.0, 1.0), {}, TypeError, "invalid number of arguments"),
        ((X, V[:2]), {"axis": 1}, ValueError, "must match the length"),
        ((X, X), {"axis": 1}, ValueError, "either scalars or 1d"),
        ((X,), {"edge_order": 3}, ValueError, "greater than 2 not supported"),
        ((V[:1],), {}, ValueError, "too small to calculate a numerical gradient"),
    ):
        with pytest.raises(error, match=message):
            tg.vjp(lambda f, a=args, k=kwargs: np.gradient(f, *a[1:], **k), args[0])
