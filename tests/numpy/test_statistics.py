"""Quantiles, covariances, counts and histograms of recorded arrays."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import tapegrad as tg
from tapegrad.errors import ConcretizationError
from tapegrad.numpy.quantiles import CONTINUOUS, DISCRETE

from .agreement import agree, gradient, latest, second

rng = np.random.default_rng(0)
X = rng.standard_normal((3, 5))
CUBE = rng.standard_normal((2, 3, 4))
V = np.array([0.7, -1.3, 2.1, -0.4, 0.9])
HOLES = X.copy()
HOLES[0, 1] = HOLES[2, 3] = HOLES[2, 0] = np.nan
NAN = np.nan


def test_median():
    for axis in (None, 0, -1, (0, 1)):
        agree(lambda x, axis=axis: np.median(x, axis=axis), X)
        agree(lambda x, axis=axis: np.median(x, axis=axis, keepdims=True), X)
    agree(lambda x: np.median(x, axis=(0, 2)), CUBE)
    agree(np.median, np.float64(2.0))
    np.testing.assert_array_equal(gradient(np.median, V), [1, 0, 0, 0, 0])
    np.testing.assert_array_equal(gradient(np.median, V[:4]), [0.5, 0, 0, 0.5])
    assert gradient(np.median, V.astype(np.float32)).dtype == np.float32


def test_median_of_nan_and_of_nothing():
    value, pull = tg.vjp(lambda x: np.median(x, axis=1), HOLES)
    np.testing.assert_array_equal(value, np.median(HOLES, axis=1))
    np.testing.assert_array_equal(pull(np.ones(3))[0][[0, 2]], np.zeros((2, 5)))
    with pytest.warns(RuntimeWarning, match="Mean of empty slice"), np.errstate(all="ignore"):
        assert gradient(np.median, np.zeros(0)).shape == (0,)


@pytest.mark.parametrize("method", [*DISCRETE, *CONTINUOUS])
def test_methods(method):
    q = np.array([0.0, 0.13, 0.5, 0.77, 1.0])
    call = partial(np.quantile, axis=1, method=method)
    for f in (np.quantile, np.nanquantile):
        agree(lambda x, f=f: f(x, q, axis=1, method=method), X)
        agree(lambda x, f=f: f(x, q[1], method=method), X)
    for n in (1, 2, 3, 4, 5, 8):
        for share in np.linspace(0, 1, 17):
            x = np.arange(n) ** 2.0
            value = tg.vjp(lambda x, s=share: np.quantile(x, s, method=method), x)[0]
            assert value == pytest.approx(np.quantile(x, share, method=method), abs=1e-12)
    lanes = tg.vmap(call, (None, 0))(X, q)
    np.testing.assert_allclose(lanes, [call(X, s) for s in q], rtol=1e-12)
    lanes = tg.vmap(call)(CUBE, np.array([0.3, 0.6]))
    np.testing.assert_allclose(lanes, [call(x, s) for x, s in zip(CUBE, (0.3, 0.6), strict=True)])


@pytest.mark.parametrize("name", ["quantile", "nanquantile", "percentile", "nanpercentile"])
def test_derivative_in_q(name):
    f = getattr(np, name)
    q = np.array([[0.13, 0.5 + 1e-3], [0.77, 0.4]]) * (100 if "percent" in name else 1)
    agree(lambda x, q: f(x, q), X, q)
    agree(lambda x, q: f(x, q, axis=(0, 2), keepdims=True), CUBE, q[0])
    agree(lambda q: f(V, q), q[0, 0])
    agree(lambda q: f(V, q, method="hazen"), q[0])
    slope = gradient(lambda q: np.quantile(np.array([0.0, 10.0, 40.0]), q), 0.75)
    assert slope == 60


@pytest.mark.parametrize("name", ["quantile", "percentile", "nanquantile", "nanpercentile"])
def test_arguments_of_quantiles(name):
    f = getattr(np, name)
    with pytest.raises(ValueError, match="must be in the range"):
        gradient(lambda x: f(x, 101), V)
    with pytest.raises(ValueError, match="'cubic' is not a valid method"):
        gradient(lambda x: f(x, 0.5, method="cubic"), V)
    with pytest.raises(TypeError, match="must be an array of real numbers"):
        gradient(lambda x: f(x, 0.5), V + 1j)
    with pytest.raises(ValueError, match="Only method 'inverted_cdf' supports weights"):
        gradient(lambda x: f(x, 0.5, weights=np.ones(5)), V)
    with pytest.raises(ValueError, match="Weights must be non-negative"):
        gradient(lambda x: f(x, 0.5, weights=-np.ones(5), method="inverted_cdf"), V)


@latest
@pytest.mark.parametrize("q", [0.3, np.float32(0.3), np.float64(0.3), np.array([0.3, 0.4])])
@pytest.mark.parametrize("method", ["linear", "lower", "midpoint"])
def test_precision_of_quantiles(q, method):
    x = V.astype(np.float32)
    value, pull = tg.vjp(lambda x: np.quantile(x, q, method=method), x)
    expected = np.quantile(x, q, method=method)
    assert value.dtype == expected.dtype
    np.testing.assert_allclose(value, expected, rtol=1e-6)
    assert pull(np.ones_like(value))[0].dtype == np.float32


def test_weighted_quantiles():
    w = np.array([0.0, 1.0, 2.0, 0.5, 1.5])
    q = np.array([0.0, 0.2, 0.5, 0.9, 1.0])
    agree(lambda x: np.quantile(x, q, axis=1, weights=w, method="inverted_cdf"), X)
    for f in (np.quantile, np.nanquantile):
        agree(lambda x, f=f: f(x, q, weights=w, method="inverted_cdf"), V)
        agree(lambda x, f=f: f(x, 0.3, weights=X * X, method="inverted_cdf"), X)
    value = tg.vjp(lambda x: np.nanquantile(x, q, axis=1, weights=w, method="inverted_cdf"), HOLES)[
        0
    ]
    for i, row in enumerate(HOLES):  # NumPy itself fails for weights along an axis
        expected = np.nanquantile(row, q, weights=w, method="inverted_cdf")
        np.testing.assert_array_equal(value[:, i], expected)
    nothing = pytest.raises(ValueError, match="Weights included NaN, inf or were all zero")
    with nothing, np.errstate(all="ignore"):
        gradient(lambda x: np.quantile(x, 0.5, weights=0 * w, method="inverted_cdf"), V)


@pytest.mark.parametrize("name", ["nanmedian", "nanquantile", "nanpercentile"])
def test_quantiles_that_leave_nan_out(name):
    f = getattr(np, name)
    args = {"nanmedian": (), "nanquantile": (0.3,), "nanpercentile": ([20, 60],)}[name]
    for axis in (None, 0, 1):

        def call(x, axis=axis):
            return f(x, *args, axis=axis)

        value, pull = tg.vjp(call, HOLES)
        np.testing.assert_allclose(value, call(HOLES), rtol=1e-14)
        (g,) = pull(np.ones_like(value))
        assert (g[np.isnan(HOLES)] == 0).all()
        t = rng.standard_normal(X.shape)
        difference = (call(HOLES + 1e-6 * t) - call(HOLES - 1e-6 * t)) / 2e-6
        np.testing.assert_allclose(np.sum(g * t), np.sum(difference), rtol=1e-6)
    agree(lambda x: f(x, *args, axis=1), X)
    with pytest.warns(RuntimeWarning, match="All-NaN slice encountered"):
        value, pull = tg.vjp(lambda x: f(x, *args, axis=1), np.array([[NAN, NAN], [1.0, 2.0]]))
    (g,) = pull(np.ones_like(value))
    np.testing.assert_array_equal(g[0], [0, 0])
    assert np.isfinite(g).all()


def test_second_order_of_a_quantile():
    x = np.array([1.0, 3.0, 2.0])
    along = second(lambda x: np.quantile(x, 0.25) ** 2, x, np.array([1.0, 0.0, 1.0]))
    np.testing.assert_allclose(along, [1.0, 0, 1.0])


def test_cov():
    agree(np.cov, X)
    agree(np.cov, V)
    agree(np.cov, V, V[::-1] ** 2)
    agree(lambda x, y: np.cov(x, y), V, X)
    agree(lambda x: np.cov(x, rowvar=False), X)
    agree(lambda x: np.cov(x, bias=True), X)
    agree(lambda x: np.cov(x, ddof=2), X)
    agree(lambda x: np.cov(x, fweights=[1, 2, 1, 3, 1]), X)
    agree(lambda x, w: np.cov(x, aweights=w), X, np.array([0.3, 1.2, 0.5, 0.9, 0.4]))
    agree(lambda x: np.cov(x, fweights=[1, 2, 1, 3, 1], aweights=V * V, ddof=0), X)
    agree(lambda x: np.cov(x, fweights=[1, 2, 1, 3, 1], aweights=V * V), X)
    agree(np.cov, X[:2] + 1j * X[1:])
    assert gradient(np.cov, X.astype(np.float32)).dtype == np.float32


def test_arguments_of_cov():
    for kwargs, error, message in (
        ({"ddof": 1.5}, ValueError, "ddof must be integer"),
        ({"fweights": [1.5] * 5}, TypeError, "fweights must be integer"),
        ({"fweights": [1, 2]}, RuntimeError, "incompatible numbers of samples and fweights"),
        ({"aweights": [-1] * 5}, ValueError, "aweights cannot be negative"),
        ({"aweights": [[1] * 5]}, RuntimeError, "multidimensional aweights"),
    ):
        with pytest.raises(error, match=message):
            gradient(lambda x, kwargs=kwargs: np.cov(x, **kwargs), X)
    with pytest.raises(ValueError, match="more than 2 dimensions"):
        gradient(np.cov, CUBE)
    with pytest.warns(RuntimeWarning, match="Degrees of freedom"), np.errstate(all="ignore"):
        assert np.isnan(tg.vjp(np.cov, X[:, :1])[0]).all()


def test_corrcoef():
    agree(np.corrcoef, X)
    agree(lambda x, y: np.corrcoef(x, y), V, V[::-1] ** 2)
    agree(lambda x: np.corrcoef(x, rowvar=False), X)
    agree(np.corrcoef, X[:2] + 1j * X[1:])
    diagonal = gradient(lambda x: np.diagonal(np.corrcoef(x)), X)
    np.testing.assert_allclose(diagonal, np.zeros_like(X), atol=1e-15)
    np.testing.assert_allclose(gradient(np.corrcoef, V), np.zeros(5), atol=1e-15)


def test_bincount():
    places = np.array([0, 2, 2, 5])
    agree(lambda w: np.bincount(places, w), V[:4])
    agree(lambda w: np.bincount(places, w, minlength=9), V[:4])
    np.testing.assert_array_equal(gradient(lambda x: x[:1] * np.bincount(places)[2], V)[:2], [2, 0])
    assert gradient(lambda w: np.bincount(places, w), V[:4].astype(np.float32)).dtype == np.float32
    with pytest.raises(ValueError, match="don't have the same length"):
        gradient(lambda w: np.bincount(places, w), V)
    with pytest.raises(ConcretizationError, match=r"the length of numpy\.bincount"):
        tg.vmap(np.bincount)(np.stack([places, places]))


def test_histogram_is_differentiable_in_its_weights_and_edges():
    bins = np.array([-2.0, -0.5, 0.5, 1.0, 3.0])
    agree(lambda w: np.histogram(V, bins, weights=w)[0], V * V)
    agree(lambda w: np.histogram(V, 4, weights=w, density=True), V * V)
    agree(lambda x: np.histogram(x, 4, density=True), V)
    agree(lambda x: np.histogram_bin_edges(x, 7), V)
    agree(lambda b: np.histogram(V, b, density=True)[0], bins, lanes=False)
    agree(lambda x: np.histogram_bin_edges(x, "sturges"), V, lanes=False)
    for kwargs in ({}, {"bins": 3, "range": (-1, 1)}, {"bins": bins}):
        value = tg.vmap(lambda x, kwargs=kwargs: np.histogram(x, **kwargs)[0])(X)
        np.testing.assert_array_equal(value, [np.histogram(x, **kwargs)[0] for x in X])
    edge = np.array([0.0, 1.0, 2.0, 2.0])
    value = tg.vmap(lambda x: np.histogram(x, [0, 1, 2])[0])(edge[None])
    np.testing.assert_array_equal(value, [[1, 3]])  # the last bin has its upper edge
    constant = np.full(3, 2.0)
    value, _ = tg.vjp(lambda x: np.histogram_bin_edges(x, 2), constant)
    np.testing.assert_array_equal(value, [1.5, 2, 2.5])


def test_arguments_of_histograms():
    for kwargs, message in (
        ({"bins": 0}, "must be positive"),
        ({"bins": [2.0, 1.0]}, "must increase monotonically"),
        ({"bins": [[1.0]]}, "must be 1d"),
        ({"range": (2, 1)}, "max must be larger than min"),
        ({"range": (0, np.inf)}, "supplied range of"),
        ({"weights": [1.0]}, "weights should have the same shape"),
    ):
        with pytest.raises(ValueError, match=message):
            tg.vjp(lambda x, kwargs=kwargs: np.histogram(x, **kwargs), V)
    with pytest.raises(ValueError, match="autodetected range of"):
        tg.vjp(lambda x: np.histogram(x, 3), np.array([NAN, 1.0]))
    with pytest.raises(ConcretizationError, match="the number of bins"):
        tg.vmap(lambda x: np.histogram(x, "auto")[0])(X)


def test_histograms_of_several_dimensions():
    x, y = X[0], X[1]
    agree(lambda w: np.histogram2d(x, y, 3, weights=w)[0], V * V)
    agree(lambda w: np.histogram2d(x, y, [2, 3], weights=w, density=True), V * V)
    agree(lambda x, y: np.histogram2d(x, y, 2, density=True), x, y)
    agree(lambda w: np.histogramdd(X.T, (2, [-2, 0, 2], 3), weights=w)[0], V * V)
    agree(lambda x: np.histogramdd(x, 2, density=True), X.T)
    for sample in (CUBE, CUBE * 2):
        value = tg.vmap(lambda s: np.histogramdd(s, 2, range=[(-1, 1)] * 4)[0])(sample)
        expected = [np.histogramdd(s, 2, range=[(-1, 1)] * 4)[0] for s in sample]
        np.testing.assert_array_equal(value, expected)
    with pytest.raises(ValueError, match="dimension of bins must be equal"):
        tg.vjp(lambda w: np.histogramdd(X.T, (2, 3), weights=w), V)
