"""Sorting, searching and sets of recorded arrays."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.errors import ConcretizationError

from .agreement import agree, gradient

X = np.random.default_rng(0).standard_normal((3, 5))
V = np.array([0.7, -1.3, 2.1, -0.4, 0.9])
T = np.array([2.0, 1.0, 2.0, 3.0, 1.0])  # with repetitions
W = np.array([10.0, 1.0, 100.0])
NAN = np.nan


def test_sort():
    for axis in (-1, 0, None):
        agree(lambda x, axis=axis: np.sort(x, axis=axis), X)
    agree(lambda x: np.sort(x, kind="stable"), V)
    agree(np.sort_complex, V + 1j * V[::-1])
    agree(np.sort_complex, V)
    with pytest.raises(ValueError, match="no fields"):
        gradient(lambda x: np.sort(x, order="a"), V)
    with pytest.raises(np.exceptions.AxisError, match="out of bounds"):
        gradient(np.sort, 1.0)


def test_equal_elements_keep_their_order():
    weights = np.arange(5.0)
    for kwargs in ({"kind": "stable"}, {"stable": True}, {"kind": "mergesort"}):
        g = gradient(lambda x, kwargs=kwargs: np.sort(x, **kwargs) * weights, T)
        np.testing.assert_array_equal(g, [2, 0, 3, 4, 1])
    g = gradient(lambda x: np.sort(x) * weights, T)
    np.testing.assert_array_equal(np.sort(g), weights)  # each gets one
    with pytest.raises(ValueError, match="can't be provided at the same time"):
        gradient(lambda x: np.sort(x, kind="stable", stable=True), T)
    with pytest.raises(ValueError, match="sort kind must be one of"):
        gradient(lambda x: np.sort(x, kind="bubble"), T)


def test_nan_sorts_to_the_end():
    x = np.array([NAN, 2.0, 1.0])
    value, pull = tg.vjp(np.sort, x)
    np.testing.assert_array_equal(value, [1, 2, NAN])
    np.testing.assert_array_equal(pull(W)[0], [100, 1, 10])


def test_sort_in_place():
    def f(x):
        y = x * 1.0
        y.sort()
        return y * np.arange(5)

    np.testing.assert_array_equal(gradient(f, V), gradient(lambda x: np.sort(x) * np.arange(5), V))


def test_partition():
    for kth in (2, -1, (1, 3)):
        value, pull = tg.vjp(lambda x, kth=kth: np.partition(x, kth, axis=1), X)
        np.testing.assert_array_equal(value[:, kth], np.sort(X)[:, kth])
        np.testing.assert_array_equal(pull(value)[0], X)  # a permutation
        lanes = tg.vmap(lambda x, kth=kth: np.partition(x, kth))(X)
        np.testing.assert_array_equal(lanes[:, kth], np.sort(X)[:, kth])
    with pytest.raises(ValueError, match=r"kth\(=7\) out of bounds \(5\)"):
        gradient(lambda x: np.partition(x, 7), V)
    with pytest.raises(TypeError, match="must be integer"):
        gradient(lambda x: np.partition(x, 1.5), V)


def test_positions_in_vmap():
    for f in (np.argsort, lambda x: np.argsort(x, axis=None), lambda x: np.argpartition(x, 2)):
        np.testing.assert_array_equal(tg.vmap(f)(X), [f(row) for row in X])
    keys = np.array([[1, 0, 1, 0], [2, 2, 1, 1]])
    other = np.array([3, 1, 2, 0])
    lanes = tg.vmap(lambda k: np.lexsort((other, k)))(keys)
    np.testing.assert_array_equal(lanes, [np.lexsort((other, k)) for k in keys])


def test_searchsorted():
    bins = np.array([-1.0, 0.0, 1.0])
    shifted = np.stack([bins, bins + 0.5, bins * 2])
    for side in ("left", "right"):
        f = partial(np.searchsorted, side=side)
        np.testing.assert_array_equal(tg.vmap(f, (None, 0))(bins, X), f(bins, X))
        np.testing.assert_array_equal(tg.vmap(f)(shifted, X), list(map(f, shifted, X)))
        np.testing.assert_array_equal(tg.vmap(f, (0, None))(shifted, V), [f(b, V) for b in shifted])
    sorter = np.array([2, 0, 1])
    shuffled = np.array([0.0, 1.0, -1.0])
    np.testing.assert_array_equal(
        tg.vmap(lambda v: np.searchsorted(shuffled, v, sorter=sorter))(X),
        np.searchsorted(bins, X),
    )


def test_digitize():
    bins = np.array([-1.0, 0.0, 1.0])
    for b in (bins, bins[::-1]):
        for right in (False, True):
            f = partial(np.digitize, bins=b, right=right)
            np.testing.assert_array_equal(tg.vmap(f)(X), f(X))
    with pytest.raises(ValueError, match="monotonically"):
        gradient(lambda x: x * np.digitize(x, [0, 2, 1]), V)


def test_a_search_has_no_derivative_but_its_use_has():
    table = np.array([1.0, 10.0, 100.0])
    g = gradient(lambda t: t[np.searchsorted(np.array([0.0, 1.0]), V)], table)
    np.testing.assert_array_equal(g, [2, 2, 1])
    g = gradient(lambda x: x[np.argsort(x)] * np.arange(5), V)
    np.testing.assert_array_equal(g, np.argsort(np.argsort(V)))


def test_positions_that_depend_on_values():
    def f(x):
        (i,) = np.nonzero(x > 0)
        assert np.flatnonzero(x > 0).shape == i.shape
        assert np.argwhere(x > 0).shape == (3, 1)
        return x[i] ** 2

    np.testing.assert_allclose(gradient(f, V), 2 * V * (V > 0))
    for f in (np.nonzero, np.flatnonzero, np.argwhere):
        with pytest.raises(ConcretizationError, match="differs between the lanes"):
            tg.vmap(f)(X)


SETS = {
    "unique": lambda x: np.unique(x),
    "unique_values": lambda x: np.unique_values(x),
    "unique_counts": lambda x: np.unique_counts(x).values,
    "unique_inverse": lambda x: np.unique_inverse(x).values,
    "unique_all": lambda x: np.unique_all(x).values,
}


@pytest.mark.parametrize("name", SETS)
def test_unique_gives_its_cotangent_to_the_first_occurrence(name):
    f = SETS[name]
    agree(f, V, lanes=False)
    value, pull = tg.vjp(f, T)
    np.testing.assert_array_equal(value, [1, 2, 3])
    np.testing.assert_array_equal(pull(W)[0], [1, 10, 0, 100, 0])
    with pytest.raises(ConcretizationError, match="differs between the lanes"):
        tg.vmap(f)(X)


def test_what_unique_returns_beside_the_values():
    for kwargs in (
        {"return_index": True},
        {"return_inverse": True, "return_counts": True},
        {"return_index": True, "axis": 0},
    ):
        x = np.array([[1.0, 2.0], [0.0, 1.0], [1.0, 2.0]])
        seen = []

        def f(x, kwargs=kwargs, seen=seen):
            seen.append(np.unique(x, **kwargs))
            return seen[-1][0]

        g = gradient(f, x)
        for got, expected in zip(seen[0], np.unique(x, **kwargs), strict=True):
            np.testing.assert_array_equal(got.data, expected)
        if "axis" in kwargs:
            np.testing.assert_array_equal(g, [[1, 1], [1, 1], [0, 0]])
    assert type(tnp.unique_all(tnp.asarray(T))) is type(np.unique_all(T))


def test_nan_in_sets():
    x = np.array([NAN, 1.0, NAN])
    np.testing.assert_array_equal(gradient(np.unique, x), [1, 1, 0])
    np.testing.assert_array_equal(gradient(np.unique_values, x), [1, 1, 1])


def test_union_and_its_like():
    a, b = np.array([3.0, 1.0, 1.0, 5.0]), np.array([5.0, 2.0, 2.0])
    for f in (np.union1d, np.intersect1d, np.setdiff1d, np.setxor1d):
        value, pull = tg.vjp(f, a, b)
        np.testing.assert_array_equal(value, f(a, b))
        numbers = np.arange(1.0, len(value) + 1)
        expected = [np.zeros(4), np.zeros(3)]
        for v, n in zip(value, numbers, strict=True):
            source = 0 if v in a else 1
            expected[source][list((a, b)[source]).index(v)] = n
        for got, right in zip(pull(numbers), expected, strict=True):
            np.testing.assert_array_equal(got, right)
        with pytest.raises(ConcretizationError, match="differs between the lanes"):
            tg.vmap(f)(X, X)
    c, d = np.array([3.0, 1.0]), np.array([5.0, 3.0, np.inf])
    for f in (np.intersect1d, np.setdiff1d, np.setxor1d):
        value, _ = tg.vjp(lambda x, y, f=f: f(x, y, assume_unique=True), c, d)
        np.testing.assert_array_equal(value, f(c, d, assume_unique=True))
    infinite = np.array([np.inf, 1.0])
    np.testing.assert_array_equal(tg.vjp(np.setxor1d, infinite, d)[0], np.setxor1d(infinite, d))
    assert tg.vjp(np.setxor1d, c[:0], d[:0])[0].shape == (0,)


def test_indices_of_an_intersection():
    def f(x):
        common, i, j = np.intersect1d(x, [2.0, 3.0], return_indices=True)
        np.testing.assert_array_equal(i.data, [0, 3])
        np.testing.assert_array_equal(j.data, [0, 1])
        return common

    np.testing.assert_array_equal(gradient(f, T), [1, 0, 0, 1, 0])


def test_isin():
    x = np.array([[1, 2, 3], [4, 5, 6]])
    for invert in (False, True):
        f = partial(np.isin, invert=invert)
        np.testing.assert_array_equal(tg.vmap(f, (0, None))(x, [2, 5]), f(x, [2, 5]))
        np.testing.assert_array_equal(tg.vmap(f)(x, x[:, :1]), [f(r, r[:1]) for r in x])
    np.testing.assert_array_equal(gradient(lambda x: x * np.isin(x, [2.0]), T), [1, 0, 1, 0, 0])
