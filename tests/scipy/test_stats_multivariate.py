"""The normal distribution of vectors where its covariance is singular; what SciPy's can beside."""

import numpy as np
import pytest
import scipy.stats

import tapegrad as tg
from tapegrad.scipy.stats import dirichlet, multivariate_normal, norm

x = np.array([0.5, -1.0, 2.0])
mean = np.array([0.1, 0.2, 2.0])
singular = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 0.0]])
regular = singular + np.diag([0.0, 0.0, 1.5])


def along(x):
    """`x` moved in the space of the singular covariance alone."""
    return x * np.array([1.0, 1.0, 0.0]) + mean * np.array([0.0, 0.0, 1.0])


def test_density_within_the_space_of_a_singular_covariance():
    expected = scipy.stats.multivariate_normal.logpdf(x, mean, singular, allow_singular=True)
    plane = scipy.stats.multivariate_normal.logpdf(x[:2], mean[:2], singular[:2, :2])
    assert expected == pytest.approx(plane, rel=1e-14)

    def logpdf(x, mean, cov):
        return multivariate_normal.logpdf(x, mean, cov, allow_singular=True)

    value, pulled = tg.value_and_grad(logpdf, (0, 1))(x, mean, singular)
    assert value == pytest.approx(expected, rel=1e-14)
    slope = -np.linalg.solve(singular[:2, :2], (x - mean)[:2])
    np.testing.assert_allclose(pulled[0], [*slope, 0.0], rtol=1e-13)
    np.testing.assert_allclose(pulled[1], [*-slope, 0.0], rtol=1e-13)
    scale = tg.grad(lambda s: logpdf(x, mean, s * singular))(1.0)
    square = (x - mean)[:2] @ -slope
    assert scale == pytest.approx(0.5 * square - 1.0, rel=1e-13)
    assert logpdf(x + 1.0, mean, singular) == -np.inf
    with pytest.raises(ValueError, match="positive semidefinite"):
        logpdf(x, mean, -regular)


def test_a_regular_covariance_may_be_allowed_to_be_singular():
    def logpdf(cov, allowed):
        return multivariate_normal.logpdf(x, mean, cov, allow_singular=allowed)

    np.testing.assert_allclose(
        tg.grad(logpdf)(regular, True), tg.grad(logpdf)(regular, False), rtol=1e-13
    )
    assert logpdf(2.0, True) == pytest.approx(logpdf(2.0, False), rel=1e-14)
    assert logpdf(np.diag(regular), True) == pytest.approx(logpdf(np.diag(regular), False))


@pytest.mark.parametrize("cov", [regular, singular, np.diag(regular)])
def test_entropy(cov):
    expected = scipy.stats.multivariate_normal.entropy(mean, cov)
    value = tg.vjp(lambda cov: multivariate_normal.entropy(mean, cov), cov)[0]
    assert value == pytest.approx(expected, rel=1e-14)
    gradient = tg.grad(lambda s: multivariate_normal.entropy(mean, s * cov))(2.0)
    assert gradient == pytest.approx(
        np.linalg.matrix_rank(np.atleast_2d(cov)) / 4 if cov.ndim > 1 else 0.75
    )


def test_other_methods_are_scipys():
    drawn = norm.rvs(2.0, size=3, random_state=0)
    assert drawn.tolist() == scipy.stats.norm.rvs(2.0, size=3, random_state=0).tolist()
    assert dirichlet.mean([1.0, 3.0]).tolist() == [0.25, 0.75]
    with pytest.raises(TypeError, match="has no rule for traced arrays"):
        tg.grad(lambda m: norm.mean(m))(1.0)
    assert not hasattr(norm, "no_such_method")
