"""The distributions of `tapegrad.scipy.stats`: values are SciPy's, derivatives are differences."""

import warnings
from functools import partial

import numpy as np
import pytest
import scipy.stats

import tapegrad as tg
import tapegrad.numpy as tnp
import tapegrad.scipy.stats as stats
from tapegrad.errors import ConcretizationError

CONTINUOUS = [
    ("norm", ()),
    ("truncnorm", (-1.0, 2.0)),
    ("truncnorm", (3.0, 9.0)),
    ("truncnorm", (-8.0, -5.0)),
    ("gennorm", (0.5,)),
    ("gennorm", (3.3,)),
    ("gamma", (0.3,)),
    ("gamma", (40.0,)),
    ("chi2", (5.0,)),
    ("beta", (0.4, 0.7)),
    ("beta", (50.0, 60.0)),
    ("t", (0.7,)),
    ("t", (50.0,)),
    ("expon", ()),
    ("pareto", (1.5,)),
    ("uniform", ()),
    ("laplace", ()),
    ("logistic", ()),
    ("gumbel_r", ()),
    ("gumbel_l", ()),
    ("cauchy", ()),
    ("wrapcauchy", (0.3,)),
    ("vonmises", (0.5,)),
    ("vonmises", (4.0,)),
    ("weibull_min", (1.7,)),
    ("weibull_max", (2.3,)),
    ("invweibull", (2.3,)),
    ("rayleigh", ()),
    ("lomax", (2.6,)),
    ("powerlaw", (1.7,)),
    ("gompertz", (0.8,)),
    ("genpareto", (0.3,)),
    ("genpareto", (-0.4,)),
    ("genextreme", (0.3,)),
    ("genextreme", (-0.4,)),
    ("lognorm", (0.8,)),
    ("johnsonsu", (0.5, 1.3)),
    ("johnsonsb", (0.5, 1.3)),
    ("fisk", (2.4,)),
    ("maxwell", ()),
    ("chi", (3.4,)),
    ("nakagami", (1.8,)),
    ("invgamma", (2.6,)),
    ("levy", ()),
    ("halfnorm", ()),
    ("halflogistic", ()),
    ("halfcauchy", ()),
    ("hypsecant", ()),
    ("triang", (0.3,)),
    ("loguniform", (0.2, 3.0)),
    ("betaprime", (2.3, 3.7)),
    ("f", (5.0, 9.0)),
]
DISCRETE = [  # with the number of parameters that are whole
    ("poisson", (0.5,), 0),
    ("poisson", (30.0,), 0),
    ("binom", (10.0, 0.3), 1),
    ("binom", (1000.0, 0.02), 1),
    ("bernoulli", (0.3,), 0),
    ("geom", (0.2,), 0),
    ("nbinom", (3.0, 0.4), 0),
    ("nbinom", (2.5, 0.9), 0),
    ("betabinom", (12.0, 0.7, 2.0), 1),
]
INACCURATE = ("betaprime", "f", "truncnorm", "vonmises")
"""Where SciPy's extreme quantiles are."""

DENSITIES = ("pdf", "logpdf", "cdf", "sf", "logcdf", "logsf")
MASSES = ("pmf", "logpmf", "cdf", "sf", "logcdf", "logsf")
LOC, SCALE = 0.4, 1.7
QUANTILES = [1e-3, 0.2, 0.6, 0.97]

continuous = pytest.mark.parametrize(("name", "shapes"), CONTINUOUS)
discrete = pytest.mark.parametrize(("name", "shapes", "whole"), DISCRETE)


def both(name, method, *args):
    with np.errstate(all="ignore"):
        with warnings.catch_warnings(action="ignore"):  # of a search that ends too early
            theirs = getattr(getattr(scipy.stats, name), method)(*args)
        return getattr(getattr(stats, name), method)(*args), theirs


def compare(ours, theirs, rtol, atol=0.0):
    """Equal, but for where SciPy's probability has underflowed and its logarithm is -inf."""
    known = ~np.isneginf(theirs) | np.isneginf(ours)
    np.testing.assert_allclose(ours[known], theirs[known], rtol=rtol, atol=atol)


def points(name, shapes):
    distribution = getattr(scipy.stats, name)
    return distribution.ppf([1e-4, 0.01, 0.2, 0.5, 0.8, 0.99, 0.9999], *shapes, LOC, SCALE)


@continuous
@pytest.mark.parametrize("method", DENSITIES)
def test_values(name, shapes, method):
    x = np.concatenate([points(name, shapes), [-1e3, 1e3, np.nan]])
    ours, theirs = both(name, method, x, *shapes, LOC, SCALE)
    if name == "vonmises":  # further out, SciPy's errors are absolute
        np.testing.assert_allclose(ours[2:6], theirs[2:6], rtol=1e-11)
    else:
        compare(ours, theirs, 1e-11)


@continuous
def test_quantiles(name, shapes):
    q = np.array([1e-100, 1e-10, *QUANTILES, 0.5, 0.0, 1.0, -1.0, 2.0, np.nan])
    distribution = getattr(stats, name)
    for method, inverse in (("ppf", "cdf"), ("isf", "sf")):
        ours, theirs = both(name, method, q, *shapes, LOC, SCALE)
        np.testing.assert_allclose(ours[6:], theirs[6:], rtol=1e-10, atol=1e-15)
        back = getattr(distribution, inverse)(ours[2:7], *shapes, LOC, SCALE)
        np.testing.assert_allclose(back, q[2:7], rtol=1e-9, atol=1e-10)
        if name not in INACCURATE:
            np.testing.assert_allclose(ours, theirs, rtol=1e-11, atol=1e-15)


def difference(f, args, index):
    h = 3e-5 * max(1e-3, abs(args[index]))

    def at(step):
        return float(f(*args[:index], args[index] + step, *args[index + 1 :]))

    return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)


def check_gradients(function, args, which, rtol=1e-6):
    gradients = tg.grad(function, argnums=tuple(which))(*args)
    for i, gradient in zip(which, gradients, strict=True):
        expected = difference(function, args, i)
        np.testing.assert_allclose(
            gradient, expected, rtol=rtol, atol=1e-9, err_msg=f"argument {i}"
        )


@continuous
@pytest.mark.parametrize("method", DENSITIES)
def test_gradients(name, shapes, method):
    distribution = getattr(stats, name)
    for q in (0.05, 0.35, 0.6, 0.97):
        x = float(distribution.ppf(q, *shapes, LOC, SCALE))
        if abs(x - LOC) > 2e-2 or "norm" in name or name in ("t", "logistic", "vonmises"):
            args = (x, *shapes, LOC, SCALE)
            check_gradients(getattr(distribution, method), args, range(len(args)), 1e-5)


@continuous
@pytest.mark.parametrize("method", ["ppf", "isf"])
def test_gradients_of_quantiles(name, shapes, method):
    for q in QUANTILES:
        args = (q, *shapes, LOC, SCALE)
        check_gradients(getattr(getattr(stats, name), method), args, range(len(args)), 1e-5)


def slope_in(function, index, *args):
    return tg.grad(function, argnums=index)(*args)


@continuous
def test_second_order_and_vmap(name, shapes):
    distribution = getattr(stats, name)
    x = distribution.ppf(np.array([0.2, 0.7]), *shapes)
    for method in ("logpdf", "logcdf", "logsf"):
        function = getattr(distribution, method)
        slopes = tg.grad(function, argnums=tuple(range(len(shapes) + 1)))
        mapped = tg.vmap(lambda v, slopes=slopes: slopes(v, *shapes))(x)
        for k, v in enumerate(x):
            np.testing.assert_allclose([m[k] for m in mapped], slopes(v, *shapes), rtol=1e-9)
        for i in range(len(shapes) + 1):
            first = partial(slope_in, function, i)
            check_gradients(first, (float(x[1]), *shapes), range(len(shapes) + 1), 1e-5)


@discrete
@pytest.mark.parametrize("method", MASSES)
def test_discrete_values(name, shapes, whole, method):
    k = np.array([-1.0, 0, 1, 2, 2.5, 7, 12, 30, 1e4, np.nan])
    ours, theirs = both(name, method, k, *shapes)
    # the last bit of a probability near 1 is much of its logarithm
    compare(ours, theirs, 5e-11, 1e-15 if "log" in method else 0.0)
    shifted, _ = both(name, method, k + 3, *shapes, 3)
    np.testing.assert_array_equal(shifted, ours)


@discrete
def test_discrete_quantiles(name, shapes, whole):
    for method in ("ppf", "isf"):
        ours, theirs = both(name, method, np.array([0.1, 0.5, 0.99, 2.0]), *shapes)
        np.testing.assert_array_equal(ours, theirs)
        assert tg.grad(getattr(getattr(stats, name), method))(0.3, *shapes) == 0
    out = tg.vmap(lambda q: getattr(stats, name).ppf(q, *shapes))(np.array([0.1, 0.5]))
    np.testing.assert_array_equal(out, getattr(scipy.stats, name).ppf([0.1, 0.5], *shapes))


@discrete
@pytest.mark.parametrize("method", MASSES)
def test_discrete_gradients(name, shapes, whole, method):
    for k in {"bernoulli": (0,), "geom": (1, 4)}.get(name, (0, 2, 9)):
        args = (k, *shapes)
        check_gradients(
            getattr(getattr(stats, name), method), args, range(1 + whole, len(args)), 1e-5
        )


def test_parameters_broadcast_and_integers_are_welcome():
    x, df = np.arange(1, 4), np.array([[2], [3]])
    ours, theirs = both("chi2", "logpdf", x, df)
    np.testing.assert_allclose(ours, theirs, rtol=1e-14)
    gradient = tg.grad(lambda scale: stats.norm.logpdf(x, scale=scale).sum())(2.0)
    np.testing.assert_allclose(gradient, np.sum(x**2) / 8 - 1.5)
    assert stats.norm.cdf([0, 0]).tolist() == [0.5, 0.5]


@pytest.mark.parametrize(("name", "shapes"), [("norm", ()), ("gamma", (2,)), ("t", (3,))])
def test_single_precision_stays(name, shapes):
    x = np.float32(0.7)
    for method in DENSITIES:
        value, gradient = tg.value_and_grad(getattr(getattr(stats, name), method))(x, *shapes)
        assert value.dtype == gradient.dtype == np.float32
        double = getattr(getattr(scipy.stats, name), method)(0.7, *shapes)
        np.testing.assert_allclose(value, double, rtol=2e-6)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("norm", (0.5, 0.0, -1.0)),
        ("gamma", (0.5, -1.0)),
        ("beta", (0.5, 1.0, 0.0)),
        ("truncnorm", (0.5, 1.0, 0.0)),
        ("wrapcauchy", (0.5, 1.5)),
        ("poisson", (1, -2.0)),
        ("binom", (1, 2.5, 0.5)),
    ],
)
def test_parameters_that_are_not_allowed_give_nan(name, args):
    for method in ("cdf", "logpmf" if hasattr(getattr(stats, name), "pmf") else "logpdf", "ppf"):
        ours, theirs = both(name, method, *args)
        assert np.isnan(ours)
        assert np.isnan(theirs)


def test_outside_of_the_support():
    x = np.array([-1.0, 0.5, 2.0])
    value, gradient = tg.value_and_grad(lambda x: stats.beta.pdf(x, 2.0, 3.0).sum())(x)
    np.testing.assert_allclose(value, 1.5)
    np.testing.assert_allclose(gradient, [0, -3, 0])
    gradient = tg.grad(lambda a: stats.gamma.cdf(x, a).sum())(2.0)
    assert np.isfinite(gradient)
    assert tg.grad(lambda x: stats.expon.logsf(x))(-1.0) == 0
    assert tg.vmap(stats.uniform.cdf)(x).tolist() == [0, 0.5, 1]


@pytest.mark.parametrize(
    ("name", "point", "gradient"),
    [
        ("norm", 0.0, 1 / np.sqrt(2 * np.pi)),
        ("gennorm", 0.0, 1 / np.sqrt(np.pi)),
        ("laplace", 0.0, 0.5),
        ("t", 0.0, 0.35355339059327373),
        ("wrapcauchy", np.pi, 3 / (2 * np.pi * 9) * 1.0),
    ],
)
def test_densities_are_slopes_at_the_middle(name, point, gradient):
    shapes = {"gennorm": (2.0,), "t": (2.0,), "wrapcauchy": (0.5,)}.get(name, ())
    distribution = getattr(stats, name)
    np.testing.assert_allclose(tg.grad(distribution.cdf)(point, *shapes), gradient, rtol=1e-12)
    np.testing.assert_allclose(distribution.pdf(point, *shapes), gradient, rtol=1e-12)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (stats.gumbel_r.logsf(800.0), -800.0),
        (stats.gumbel_l.logcdf(-800.0), -800.0),
        (stats.norm.logsf(60.0), scipy.stats.norm.logsf(60.0)),
        (stats.expon.logcdf(1e-300), np.log(1e-300)),
        (stats.pareto.logsf(1e200, 3.0), -600 * np.log(10)),
        (stats.laplace.logcdf(-900.0), -900 - np.log(2)),
        (stats.logistic.logsf(900.0), -900.0),
        (stats.geom.logsf(5000, 0.5), -5000 * np.log(2)),
        (stats.nbinom.logsf(3000, 1.0, 0.5), -3001 * np.log(2)),
        (stats.binom.logcdf(0, 5000.0, 0.5), -5000 * np.log(2)),
        (stats.betabinom.logcdf(0, 3.0, 1.0, 1.0), -np.log(4)),
        (stats.truncnorm.isf(1e-30, 3.0, 9.0), 9.0),
    ],
)
def test_far_tails(value, expected):
    np.testing.assert_allclose(value, expected, rtol=1e-13)


def test_arguments_are_checked():
    with pytest.raises(TypeError, match=r"gamma.logpdf lacks its parameter 'a'"):
        stats.gamma.logpdf(1.0)
    with pytest.raises(TypeError, match=r"norm.cdf has no parameter 'sigma'.*loc, scale"):
        stats.norm.cdf(1.0, sigma=2.0)
    with pytest.raises(TypeError, match=r"norm.cdf has no parameter 'loc', or got it twice"):
        stats.norm.cdf(1.0, 0.0, loc=2.0)
    with pytest.raises(
        TypeError, match=r"poisson.pmf takes the parameters mu, loc .* 3 were given"
    ):
        stats.poisson.pmf(1, 2, 3, 4)
    assert repr(stats.norm) == "<tapegrad.scipy.stats.norm>"


def test_other_names_are_scipys():
    assert stats.skellam is scipy.stats.skellam
    assert "kstest" in dir(stats)
    with pytest.raises(TypeError, match="theilslopes has no rule"):
        tg.grad(lambda x: stats.theilslopes(x)[0])(np.array([1.0, 2.0]))


def test_maximum_likelihood():
    data = scipy.stats.gamma.rvs(2.5, scale=1.3, size=400, random_state=0)

    def loss(p):
        return -tnp.sum(stats.gamma.logpdf(data, tnp.exp(p[0]), 0, tnp.exp(p[1])))

    p = np.log([data.mean() ** 2 / data.var(), data.var() / data.mean()])  # by moments
    for _ in range(10):
        p = p - np.linalg.solve(tg.hessian(loss)(p), tg.grad(loss)(p))
    shape, _, scale = scipy.stats.gamma.fit(data, floc=0)
    np.testing.assert_allclose(np.exp(p), [shape, scale], rtol=1e-4)


def test_data_dependent_statistics_raise_under_vmap():
    with pytest.raises(ConcretizationError, match="the mode"):
        tg.vmap(lambda x: stats.mode(x).mode)(np.ones((2, 3)))
    with pytest.raises(ConcretizationError, match="number of trials"):
        tg.vmap(lambda n: stats.betabinom.cdf(1, n, 1.0, 1.0))(np.ones(2))


def test_complex_arguments_are_refused():
    for name, shapes in (("norm", ()), ("truncnorm", (-1.0, 2.0)), ("logistic", ())):
        with pytest.raises(TypeError, match="a distribution takes real arguments"):
            tg.grad(lambda x, n=name, s=shapes: abs(getattr(stats, n).pdf(x, *s)))(0.3 + 0.1j)
    with pytest.raises(TypeError, match="complex128"):
        stats.norm.logpdf(0.3, 0.1j)


def test_half_precision_is_computed_in_single():
    x = np.float16([0.3, -0.7])
    cov = np.float16([[2.0, 0.3], [0.3, 1.0]])
    for call, inputs in (
        (stats.norm.logpdf, (x,)),
        (stats.multivariate_normal.logpdf, (x, x, cov)),
    ):
        out, pull = tg.vjp(call, *inputs)
        assert out.dtype == np.float32
        cotangents = pull(np.ones(out.shape, np.float32))
        assert all(c.dtype == np.float16 for c in cotangents)


SKEWED = [("skewnorm", (2.5,)), ("exponnorm", (1.5,)), ("invgauss", (0.7,))]


@pytest.mark.parametrize(("name", "shapes"), SKEWED)
def test_skewed_distributions_have_some_derivatives(name, shapes):
    x = points(name, shapes)
    methods = ("pdf", "logpdf") if name == "exponnorm" else DENSITIES
    for method in methods:
        ours, theirs = both(name, method, x, *shapes, LOC, SCALE)
        np.testing.assert_allclose(ours, theirs, rtol=1e-9)
        args = (float(x[3]), *shapes, LOC, SCALE)
        check_gradients(getattr(getattr(stats, name), method), args, range(len(args)), 1e-5)
    for method in {*DENSITIES, "ppf", "isf"}.difference(methods):
        function = getattr(getattr(stats, name), method)
        assert function(0.4, *shapes) == getattr(getattr(scipy.stats, name), method)(0.4, *shapes)
        with pytest.raises(TypeError, match=rf"scipy.stats.{name}.{method} has no rule"):
            tg.grad(function)(0.4, *shapes)


def test_shapes_where_a_formula_has_none():
    x = np.array([0.1, 0.4, 2.0])
    for name in ("genpareto", "genextreme"):
        for method in DENSITIES:
            ours, theirs = both(name, method, x, 0.0)
            np.testing.assert_allclose(ours, theirs, rtol=1e-13)
            check_gradients(getattr(getattr(stats, name), method), (0.4, 0.0), (0,))
    density = partial(stats.genpareto.logpdf, 0.4)
    assert tg.grad(density)(0.0) == pytest.approx(0.5 * 0.4**2 - 0.4)
    for c in (0.0, 1.0):
        for method in DENSITIES:
            ours, theirs = both("triang", method, np.array([-0.1, 0.2, 0.9, 1.1]), c)
            np.testing.assert_allclose(ours, theirs, rtol=1e-13)
        for q in (0.2, 0.9):
            np.testing.assert_allclose(*both("triang", "ppf", q, c), rtol=1e-13)
    at_edge = [stats.weibull_min.logpdf(0.0, c) for c in (0.5, 1.0, 2.0)]
    np.testing.assert_array_equal(at_edge, [np.inf, 0.0, -np.inf])


def test_distributions_with_their_parameters():
    x = np.array([0.3, 1.2])
    for frozen, theirs in (
        (stats.norm(0.1, scale=2.0), scipy.stats.norm(0.1, scale=2.0)),
        (stats.weibull_min(1.7), scipy.stats.weibull_min(1.7)),
        (stats.multivariate_normal(x, 2.0), scipy.stats.multivariate_normal(x, 2.0)),
    ):
        np.testing.assert_allclose(frozen.logpdf(x), theirs.logpdf(x))
        np.testing.assert_allclose(frozen.entropy(), theirs.entropy())
        drawn = [f.rvs(size=3, random_state=0) for f in (frozen, theirs)]
        np.testing.assert_array_equal(*drawn)
    assert stats.poisson(2.5).pmf(2) == pytest.approx(scipy.stats.poisson(2.5).pmf(2))
    assert stats.gamma(2.0).mean() == 2.0
    assert stats.gamma(2.0).args == (2.0,)
    check_gradients(lambda m, s: stats.norm(m, s).cdf(0.7), (0.2, 1.5), (0, 1))
    with pytest.raises(TypeError, match=r"scipy.stats.norm.mean has no rule"):
        tg.grad(lambda m: stats.norm(m).mean())(0.2)
    with pytest.raises(AttributeError, match="has no method 'density'"):
        _ = stats.norm(0.2).density
    with pytest.raises(AttributeError, match="__array__"):
        _ = stats.norm(0.2).__array__
