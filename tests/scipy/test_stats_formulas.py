"""Statistics that are formulas, and distributions of matrices: values are SciPy's."""

import numpy as np
import pytest
import scipy.stats

import tapegrad as tg
import tapegrad.numpy as tnp
import tapegrad.scipy.stats as stats

RNG = np.random.default_rng(5)
X = RNG.uniform(0.3, 2.0, (6, 3))
Y = RNG.uniform(0.3, 2.0, (6, 3))
SIGNED = X - 1.1
NORMAL = RNG.normal(size=(12, 2))

ONE = [
    *((name, X, {}) for name in ("gmean", "hmean", "gstd", "gzscore", "zscore", "variation")),
    *(
        (name, X, {"axis": None})
        for name in ("gmean", "hmean", "zscore", "skew", "circmean", "iqr")
    ),
    *(
        (name, X, {"axis": 1, "keepdims": True})
        for name in ("gmean", "skew", "kurtosis", "variation", "circvar", "entropy", "iqr")
    ),
    ("gmean", X, {"weights": Y}),
    ("hmean", X, {"weights": Y}),
    ("pmean", X, {"p": 2.5}),
    ("pmean", X, {"p": 0}),
    ("zscore", SIGNED, {"ddof": 1, "axis": 1}),
    ("skew", SIGNED, {}),
    ("skew", SIGNED, {"bias": False}),
    ("kurtosis", SIGNED, {}),
    ("kurtosis", NORMAL, {"bias": False, "fisher": False}),
    ("moment", SIGNED, {"order": 3}),
    ("moment", SIGNED, {"order": 1}),
    ("moment", SIGNED, {"order": [2, 4]}),
    ("moment", SIGNED, {"order": 2, "center": 0.3}),
    ("variation", X, {"ddof": 1}),
    ("entropy", X, {}),
    ("entropy", X, {"qk": Y, "base": 2}),
    ("circmean", SIGNED, {}),
    ("circmean", SIGNED, {"high": 3.0, "low": -1.0, "axis": 0}),
    ("circvar", X, {}),
    ("circstd", X, {"axis": 0}),
    ("circstd", X, {"normalize": True, "high": 4.0}),
    ("iqr", X, {"axis": 0, "scale": "normal"}),
    ("iqr", X, {"rng": (10, 60), "interpolation": "midpoint"}),
    ("median_abs_deviation", X, {}),
    ("median_abs_deviation", X, {"axis": None, "center": np.mean, "scale": "normal"}),
    ("boxcox", X[:, 0], {"lmbda": 0.4}),
    ("yeojohnson", SIGNED[:, 0], {"lmbda": 0.4}),
]
TWO = [
    ("zmap", (SIGNED, Y), {}),
    ("zmap", (SIGNED, Y), {"axis": None, "ddof": 1}),
    ("boxcox_llf", (0.7, X), {}),
    ("yeojohnson_llf", (0.7, SIGNED), {}),
    ("wasserstein_distance", (X[:, 0], Y[:4, 1]), {}),
    ("wasserstein_distance", (X[:, 0], Y[:4, 1]), {"u_weights": X[:, 1], "v_weights": Y[:4, 2]}),
    ("energy_distance", (X[:, 0], Y[:4, 1]), {"v_weights": Y[:4, 2]}),
]


def check(f, *args):
    """Values on recorded arrays are those on plain ones; slopes are those of differences."""
    floats = tuple(np.asarray(a, float)[()] for a in args)

    def weighted(*xs):
        out = f(*xs)
        return tnp.sum(out * np.cos(np.arange(tnp.size(out))).reshape(tnp.shape(out)))

    tg.check_grads(weighted, floats, order=2)


@pytest.mark.parametrize(("name", "x", "options"), ONE)
def test_statistics_of_one_sample(name, x, options):
    ours, theirs = getattr(stats, name), getattr(scipy.stats, name)
    recorded = tg.vjp(lambda v: ours(v, **options), x)[0]
    np.testing.assert_allclose(recorded, theirs(x, **options), rtol=1e-12, atol=1e-15)
    check(lambda v: ours(v, **options), x)


@pytest.mark.parametrize(("name", "args", "options"), TWO)
def test_statistics_of_two_samples(name, args, options):
    ours, theirs = getattr(stats, name), getattr(scipy.stats, name)
    recorded = tg.vjp(lambda *v: ours(*v, **options), *args)[0]
    np.testing.assert_allclose(recorded, theirs(*args, **options), rtol=1e-12)
    check(lambda *v: ours(*v, **options), *args)


@pytest.mark.parametrize("name", ["wasserstein_distance", "energy_distance"])
def test_weights_of_distances_have_derivatives(name):
    def distance(u, v):
        return getattr(stats, name)(X[:, 0], Y[:, 1], u, v)

    check(distance, X[:, 2], Y[:, 2])


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_correlation_and_regression(alternative):
    x, y = X[:, 0], Y[:, 1] + 0.3 * X[:, 0]
    for name, fields in (
        ("pearsonr", ("statistic", "pvalue")),
        ("linregress", ("slope", "intercept", "rvalue", "pvalue", "stderr", "intercept_stderr")),
    ):
        ours, theirs = getattr(stats, name), getattr(scipy.stats, name)
        expected = theirs(x, y, alternative=alternative)
        for field in fields:

            def value(x, y, ours=ours, field=field):
                return getattr(ours(x, y, alternative=alternative), field)

            out = tg.vjp(value, x, y)[0]
            np.testing.assert_allclose(out, getattr(expected, field), rtol=1e-11)
            check(value, x, y)
    with pytest.raises(ValueError, match="alternative is"):
        tg.grad(lambda x: stats.pearsonr(x, y, alternative="both").pvalue)(x)
    np.testing.assert_allclose(
        tg.vjp(lambda x: stats.pearsonr(x, Y, axis=0).statistic, X)[0],
        scipy.stats.pearsonr(X, Y, axis=0).statistic,
    )


def test_entropy_where_a_probability_is_zero():
    p, q = np.array([1.0, 0.0, 2.0]), np.array([1.0, 2.0, 1.0])
    for f, theirs in (
        (stats.entropy, scipy.stats.entropy(p)),
        (lambda p: stats.entropy(p, q), scipy.stats.entropy(p, q)),
    ):
        value, slope = tg.value_and_grad(f)(p)
        assert value == pytest.approx(theirs)
        assert np.isinf(slope[1])
        h = 1e-6 * np.eye(3)[2]
        assert slope[2] == pytest.approx((f(p + h) - f(p - h)) / 2e-6, rel=1e-6)


def test_what_is_not_supported_says_so():
    for f, match in (
        (lambda x: stats.zscore(x, nan_policy="omit"), "nan_policy='omit'"),
        (stats.boxcox, "maximising boxcox_llf"),
        (stats.yeojohnson, "maximising yeojohnson_llf"),
        (lambda x: stats.pearsonr(x, x, method=object()), "method="),
    ):
        with pytest.raises(TypeError, match=match):
            tg.vjp(f, X[:, 0])


def test_vmap_is_a_loop():
    for name in ("gmean", "skew", "kurtosis", "zscore", "entropy", "circstd"):
        f = getattr(stats, name)
        np.testing.assert_allclose(tg.vmap(f)(X), [f(x) for x in X], rtol=1e-12)


# Distributions of matrices

SCALE = np.array([[2.0, 0.3, 0.1], [0.3, 1.0, -0.2], [0.1, -0.2, 1.5]])
AT = np.array([[1.4, 0.2, -0.1], [0.2, 0.9, 0.1], [-0.1, 0.1, 0.7]])


@pytest.mark.parametrize("name", ["wishart", "invwishart"])
def test_distributions_of_matrices(name):
    ours, theirs = getattr(stats, name), getattr(scipy.stats, name)
    for x in (AT, np.stack([AT, SCALE], axis=2)):
        for method in ("logpdf", "pdf"):
            out = getattr(ours, method)(x, 4.5, SCALE)
            np.testing.assert_allclose(out, getattr(theirs, method)(x, 4.5, SCALE), rtol=1e-12)
    np.testing.assert_allclose(ours.logpdf(1.3, 2.5, 0.7), theirs.logpdf(1.3, 2.5, 0.7))

    def value(x, df, scale):
        return ours.logpdf(x + x.T, df, scale + scale.T)

    tg.check_grads(value, (AT / 2, 4.5, SCALE / 2), order=2)


def test_student_of_vectors():
    x, loc = RNG.normal(size=(4, 3)), RNG.normal(size=3)
    for shape in (SCALE, np.array([0.5, 2.0, 1.0]), 1.5):
        for at in (x, x[0]):
            for method in ("logpdf", "pdf"):
                args = at, loc, shape, 3.5
                theirs = getattr(scipy.stats.multivariate_t, method)(*args)
                np.testing.assert_allclose(
                    getattr(stats.multivariate_t, method)(*args), theirs, rtol=1e-12
                )

    def value(x, loc, shape, df):
        return tnp.sum(stats.multivariate_t.logpdf(x, loc, shape + shape.T, df))

    tg.check_grads(value, (x, loc, SCALE / 2, 3.5), order=2)
