"""Distributions of several variables, kernel estimates, and statistics of samples."""

import numpy as np
import pytest
import scipy.stats

import tapegrad as tg
import tapegrad.numpy as tnp
import tapegrad.scipy.stats as stats

RNG = np.random.default_rng(0)
COV = np.array([[2.0, 0.3], [0.3, 1.0]])


def check(function, *args):
    """Reverse, forward and second order, against differences."""
    tg.check_grads(function, args, order=2)


@pytest.mark.parametrize(
    ("x", "mean", "cov"),
    [
        (RNG.normal(size=(3, 2)), np.array([0.1, -0.4]), COV),
        (RNG.normal(size=2), None, COV),
        (RNG.normal(size=2), np.array([0.1, -0.4]), np.array([0.5, 2.0])),
        (RNG.normal(size=2), np.array([0.1, -0.4]), 1.5),
        (0.3, 0.1, 2.0),
        (RNG.normal(size=3), 0.1, 2.0),
    ],
)
def test_multivariate_normal(x, mean, cov):
    for method in ("logpdf", "pdf"):
        ours = getattr(stats.multivariate_normal, method)
        theirs = getattr(scipy.stats.multivariate_normal, method)(x, mean, cov)
        np.testing.assert_allclose(ours(x, mean, cov), theirs, rtol=1e-13)
    floats = [np.asarray(v, float)[()] for v in (x, 0.0 if mean is None else mean)]
    check(lambda x, mean: tnp.sum(stats.multivariate_normal.logpdf(x, mean, cov)), *floats)
    if np.ndim(cov) == 2:
        check(lambda c: tnp.sum(stats.multivariate_normal.logpdf(x, mean, c + c.T)), cov / 2)


def test_dirichlet():
    alpha = np.array([0.4, 5.0, 2.0])
    x = np.array([[0.2, 0.1], [0.5, 0.7], [0.3, 0.2]])
    for points in (x, x[:2], x[:, 0]):
        ours = stats.dirichlet.logpdf(points, alpha)
        np.testing.assert_allclose(ours, scipy.stats.dirichlet.logpdf(points, alpha), rtol=1e-13)
    np.testing.assert_allclose(
        stats.dirichlet.pdf(x, alpha), scipy.stats.dirichlet.pdf(x, alpha), rtol=1e-13
    )
    check(lambda a: tnp.sum(stats.dirichlet.logpdf(x, a)), alpha)
    gradient = tg.grad(lambda y: tnp.sum(stats.dirichlet.logpdf(y, alpha)))(x[:2])
    np.testing.assert_allclose(gradient, (alpha[:2, None] - 1) / x[:2] - (alpha[2] - 1) / x[2])
    assert stats.dirichlet.logpdf(np.array([0.5, 0.9, -0.4]), alpha) == -np.inf
    assert np.isnan(stats.dirichlet.logpdf(x[:, 0], np.array([1.0, -1.0, 1.0])))


def test_multinomial():
    p = np.array([0.2, 0.5, 0.3])
    for x in ([1, 3, 2], [0, 0, 6], [1, 1, 1]):
        ours = stats.multinomial.logpmf(x, 6, p)
        np.testing.assert_allclose(ours, scipy.stats.multinomial.logpmf(x, 6, p), rtol=1e-13)
    np.testing.assert_allclose(
        stats.multinomial.pmf([1, 3, 2], 6, p), scipy.stats.multinomial.pmf([1, 3, 2], 6, p)
    )
    gradient = tg.grad(lambda p: stats.multinomial.logpmf([1, 3, 2], 6, p))(p)
    np.testing.assert_allclose(gradient, np.array([1, 3, 2]) / p)


@pytest.mark.parametrize("method", [None, "silverman", 0.4, lambda kde: kde.n**-0.3])
@pytest.mark.parametrize("d", [1, 2])
def test_kernel_estimate(method, d):
    data, weights = RNG.normal(size=(d, 7)), RNG.uniform(0.5, 1, 7)
    points = RNG.normal(size=(d, 3))
    ours = stats.gaussian_kde(data, method, weights)
    theirs = scipy.stats.gaussian_kde(data, method, weights)
    np.testing.assert_allclose(ours.pdf(points), theirs.pdf(points), rtol=1e-12)
    np.testing.assert_allclose(ours(points), theirs(points), rtol=1e-12)
    np.testing.assert_allclose(ours.logpdf(points), theirs.logpdf(points), rtol=1e-12)
    np.testing.assert_allclose(ours.covariance, theirs.covariance, rtol=1e-12)
    np.testing.assert_allclose(ours.inv_cov, theirs.inv_cov, rtol=1e-12)
    mean, cov = np.zeros(d), np.eye(d)
    np.testing.assert_allclose(
        ours.integrate_gaussian(mean, cov), theirs.integrate_gaussian(mean, cov), rtol=1e-12
    )
    np.testing.assert_allclose(ours.integrate_kde(ours), theirs.integrate_kde(theirs), rtol=1e-12)
    if d == 1:
        np.testing.assert_allclose(
            ours.integrate_box_1d(-1, 0.5), theirs.integrate_box_1d(-1, 0.5), rtol=1e-12
        )

    def total(data, weights, points):
        return tnp.sum(stats.gaussian_kde(data, method, weights).logpdf(points))

    check(total, data, weights, points)


def test_kernel_estimate_checks_its_arguments():
    with pytest.raises(ValueError, match="more than one observation"):
        stats.gaussian_kde([1.0])
    with pytest.raises(ValueError, match="one weight for each of its 2"):
        stats.gaussian_kde([1.0, 2.0], weights=[1.0])
    with pytest.raises(ValueError, match="not 'wide'"):
        stats.gaussian_kde([1.0, 2.0], "wide")
    kde = stats.gaussian_kde(RNG.normal(size=(2, 5)))
    with pytest.raises(ValueError, match="points have dimension 3"):
        kde.pdf(np.ones((3, 4)))
    with pytest.raises(ValueError, match="one dimension"):
        kde.integrate_box_1d(0, 1)
    assert kde.pdf([0.0, 0.0]).shape == (1,)


def test_mode():
    x = np.array([1.0, 3.0, 3.0, 2.0])
    value, gradient = tg.value_and_grad(lambda x: stats.mode(x).mode)(x)
    assert value == 3
    assert gradient.tolist() == [0, 0.5, 0.5, 0]
    assert stats.mode(x) == scipy.stats.mode(x)
    rows = np.array([[1.0, 2.0], [1.0, 3.0]])
    result = tg.jvp(lambda r: stats.mode(r, axis=1, keepdims=True).mode, (rows,), (rows,))
    np.testing.assert_array_equal(result[0], scipy.stats.mode(rows, axis=1, keepdims=True).mode)


def test_ranks():
    x = np.array([0.3, 0.1, 0.3])
    assert tg.grad(lambda x: tnp.sum(stats.rankdata(x) * x))(x).tolist() == [2.5, 1, 2.5]
    assert stats.rankdata(x, method="min").tolist() == [2, 1, 2]


def test_standard_error():
    x = RNG.normal(size=(4, 3))
    for axis in (0, 1, None):
        ours = tg.vjp(lambda x, axis=axis: stats.sem(x, axis=axis), x)[0]
        np.testing.assert_allclose(ours, scipy.stats.sem(x, axis=axis), rtol=1e-14)
    check(lambda x: tnp.sum(stats.sem(x)), x)
    with pytest.raises(TypeError, match="nan_policy"):
        tg.grad(lambda x: stats.sem(x, axis=None, nan_policy="omit"))(x)


def test_statistics_keep_single_precision():
    x = np.float32([1.0, 2.0, 2.0, 5.0])
    for call in (stats.sem, lambda x: stats.mode(x).mode):
        value, gradient = tg.value_and_grad(call)(x)
        np.testing.assert_allclose(value, call(x), rtol=1e-6)
        assert value.dtype == gradient.dtype == np.float32
