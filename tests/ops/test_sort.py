"""Edge values of sorting and of what takes elements by their positions."""

from __future__ import annotations

import numpy as np

import tapegrad as tg
from tapegrad.ops.sort import argsort, put_along, sort, take_along


def test_repeated_positions_add_up():
    x = np.array([[1.0, 2.0, 3.0]])
    positions = np.array([[2, 2, 0, 2]])
    g = tg.grad(lambda x: np.sum(take_along(x, positions, axis=1) * [1.0, 10.0, 100.0, 1000.0]))(x)
    np.testing.assert_array_equal(g, [[100, 0, 1011]])


def test_put_along_transposes_take_along():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((3, 4, 2))
    positions = rng.integers(0, 4, (3, 5, 2))
    g = rng.standard_normal((3, 5, 2))
    left = np.sum(take_along(x, positions, axis=1) * g)
    right = np.sum(x * put_along(g, positions, axis=1, once=False, to=x.shape))
    np.testing.assert_allclose(left, right)


def test_sorting_is_stable():
    x = np.array([1.0, 0.0, 1.0, 0.0, -0.0])
    np.testing.assert_array_equal(argsort(x, axis=0, stable=True), [1, 3, 4, 0, 2])


def test_empty():
    x = np.zeros((2, 0))
    assert tg.grad(lambda x: np.sum(sort(x, axis=1)))(x).shape == (2, 0)


def test_second_order():
    x = np.array([3.0, 1.0, 2.0])
    weights = np.array([1.0, 10.0, 100.0])

    def f(x):
        return np.sum(weights * sort(x, axis=0) ** 2)

    hessian = [tg.grad(lambda x, i=i: tg.grad(f)(x)[i])(x) for i in range(3)]
    np.testing.assert_array_equal(hessian, np.diag([200.0, 2.0, 20.0]))
