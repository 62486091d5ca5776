"""Integrals of functions and of samples: Leibniz' rule, and the rules for samples as SciPy's."""

import numpy as np
import pytest
import scipy.integrate
import scipy.special
from numpy.testing import assert_allclose

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.scipy.integrate import (
    cumulative_simpson,
    cumulative_trapezoid,
    fixed_quad,
    quad,
    romb,
    simpson,
    trapezoid,
)


def gauss(a, b, k):
    return quad(lambda x: tnp.exp(-k * x * x), a, b)[0]


def test_limits_and_parameters():
    a, b, k = 0.2, 1.3, 0.8
    got = tg.grad(gauss, (0, 1, 2))(a, b, k)
    assert_allclose(got[:2], [-np.exp(-k * a * a), np.exp(-k * b * b)], rtol=1e-14)
    h = 1e-4
    slope = (closed(a, b, k + h) - closed(a, b, k - h)) / (2 * h)
    assert_allclose(got[2], slope, rtol=1e-7)


def closed(a, b, k):
    root = np.sqrt(k)
    return np.sqrt(np.pi) / (2 * root) * (scipy.special.erf(root * b) - scipy.special.erf(root * a))


def test_second_derivatives_and_forward_mode():
    point = np.array([0.2, 1.3, 0.8])

    def f(p):
        return gauss(p[0], p[1], p[2])

    a, b, k = point
    hessian = tg.hessian(f)(point)
    assert_allclose(hessian, tg.jacrev(tg.grad(f))(point), rtol=1e-9, atol=1e-12)
    assert_allclose(hessian, tg.jacfwd(tg.jacfwd(f))(point), rtol=1e-9, atol=1e-12)
    assert_allclose(hessian[0, 0], 2 * k * a * np.exp(-k * a * a), rtol=1e-12)
    assert_allclose(hessian[1, 2], -b * b * np.exp(-k * b * b), rtol=1e-12)
    fourth = scipy.integrate.quad(lambda x: x**4 * np.exp(-k * x * x), a, b)[0]
    assert_allclose(hessian[2, 2], fourth, rtol=1e-9)
    assert_allclose(tg.jacfwd(f)(point), tg.grad(f)(point), rtol=1e-9)


def test_vmap():
    bs = np.array([0.5, 1.0, 1.5])
    assert_allclose(tg.vmap(tg.grad(lambda b: gauss(0.0, b, 1.0)))(bs), np.exp(-bs * bs))
    assert_allclose(tg.vmap(lambda k: gauss(0.0, 1.0, k))(bs), closed(0.0, 1.0, bs), rtol=1e-12)


def test_infinite_limits():
    def f(k, b):
        return quad(lambda x, k: tnp.exp(-k * x), 0.0, b, (k,))[0]

    assert_allclose(tg.grad(f, (0, 1))(2.0, np.inf), [-0.25, 0.0], rtol=1e-9)


def test_vector_parameters_and_closures():
    p = np.array([0.5, -1.0, 2.0])

    def f(p):
        return quad(lambda x: p[0] + p[1] * x + p[2] * x * x, 0.0, 2.0)[0]

    assert_allclose(tg.grad(f)(p), [2, 2, 8 / 3], rtol=1e-12)
    inside = tg.grad(lambda p: tg.checkpoint(f)(p))(p)
    assert_allclose(inside, [2, 2, 8 / 3], rtol=1e-12)


def test_weights_and_points():
    def f(k):
        return quad(lambda x: tnp.exp(-k * x), 0.0, 1.0, weight="cos", wvar=3.0)[0]

    expected = scipy.integrate.quad(lambda x: -x * np.exp(-0.5 * x), 0, 1, weight="cos", wvar=3)[0]
    assert_allclose(tg.grad(f)(0.5), expected, rtol=1e-9)
    kink = tg.grad(lambda k: quad(lambda x: k * tnp.abs(x - 0.3), 0.0, 1.0, points=[0.3])[0])
    assert_allclose(kink(2.0), (0.09 + 0.49) / 2, rtol=1e-12)
    with pytest.raises(tg.errors.NotDifferentiableError, match="with weight="):
        tg.grad(lambda b: quad(tnp.cos, 0.0, b, weight="cos", wvar=3.0)[0])(1.0)


def test_nested_integrals():
    def f(k):
        return quad(lambda x: quad(lambda y: k * x * y, 0.0, x)[0], 0.0, 1.0)[0]

    assert_allclose(tg.grad(f)(3.0), 1 / 8, rtol=1e-12)


def test_failures_raise():
    with pytest.raises(tg.errors.TapegradError, match=r"scipy.integrate.quad failed"):
        tg.grad(lambda k: quad(lambda x: k / x, 0.0, 1.0)[0])(1.0)
    table = []

    def hidden(k):
        table[:] = [k]
        return quad(lambda x: globals()["HIDDEN"][0] * x, 0.0, k)[0]

    globals()["HIDDEN"] = table
    with pytest.raises(TypeError, match="was not found in args"):
        tg.grad(hidden)(1.0)
    with pytest.raises(TypeError, match="complex_func"):
        tg.grad(lambda k: quad(lambda x: k * x, 0.0, 1.0, complex_func=True)[0])(1.0)


def test_plain_calls_are_scipys():
    assert quad(np.cos, 0, 1) == scipy.integrate.quad(np.cos, 0, 1)
    assert len(quad(np.cos, 0, 1, full_output=True)) == 3
    assert_allclose(tg.grad(lambda b: quad(np.cos, 0, b, full_output=True)[0])(1.0), np.cos(1.0))


def test_fixed_quad():
    def f(b, k):
        return fixed_quad(lambda x: x**3 * k, 0.0, b, n=4)[0]

    assert_allclose(tg.grad(f, (0, 1))(2.0, 3.0), [24.0, 4.0], rtol=1e-12)
    with pytest.raises(ValueError, match="finite"):
        tg.grad(lambda b: f(b, 1.0))(np.inf)


RNG = np.random.default_rng(0)
Y = RNG.normal(size=(3, 9))
X = np.cumsum(RNG.uniform(0.5, 1.5, size=9))
XS = np.cumsum(RNG.uniform(0.5, 1.5, size=(3, 9)), axis=1)
RULES = {
    "trapezoid": (trapezoid, scipy.integrate.trapezoid),
    "simpson": (simpson, scipy.integrate.simpson),
    "cumulative_trapezoid": (cumulative_trapezoid, scipy.integrate.cumulative_trapezoid),
    "cumulative_simpson": (cumulative_simpson, scipy.integrate.cumulative_simpson),
}
CASES = {
    "spacing": {"dx": 0.3},
    "points": {"x": X},
    "points of each": {"x": XS},
    "even": {"x": X[:8], "cut": 8},
    "three": {"x": X[:3], "cut": 3},
    "two": {"x": X[:2], "cut": 2},
    "even spacing": {"dx": 0.3, "cut": 6},
    "axis": {"x": X[:3], "axis": 0},
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("rule", RULES)
def test_samples(rule, case):
    ours, scipys = RULES[rule]
    options = dict(CASES[case])
    y = Y[:, : options.pop("cut", 9)]
    x = options.pop("x", None)
    named = {} if x is None else {"x": x}
    out, pullback = tg.vjp(lambda y: ours(y, **named, **options), y)
    expected = scipys(y, **named, **options)
    assert_allclose(out, expected, rtol=1e-12, atol=1e-14)
    assert_allclose(ours(y, **named, **options), expected, rtol=0)
    w = RNG.normal(size=expected.shape)
    (g,) = pullback(w)
    direction = RNG.normal(size=y.shape)  # the rules are linear in y
    assert_allclose(
        np.sum(g * direction), np.sum(w * scipys(direction, **named, **options)), rtol=1e-9
    )
    if x is not None:
        tg.check_grads(lambda x: tnp.sum(w * ours(y, x=x, **options)), (x,), order=1)
    options.pop("dx", None)
    tg.check_grads(lambda dx: tnp.sum(ours(y, dx=dx, **options)), (0.4,), order=1)


def test_romb_and_initial():
    y = Y[0]
    assert_allclose(tg.grad(romb)(y), [romb(e) for e in np.eye(9)], rtol=1e-12)
    assert_allclose(tg.grad(lambda dx: romb(y, dx=dx))(0.5), romb(y), rtol=1e-12)
    out = tg.vjp(lambda y: cumulative_trapezoid(y, initial=0), y)[0]
    assert_allclose(out, scipy.integrate.cumulative_trapezoid(y, initial=0))
    out = tg.vjp(lambda y: cumulative_simpson(y, dx=0.5, initial=2.0), y)[0]
    assert_allclose(out, scipy.integrate.cumulative_simpson(y, dx=0.5, initial=2.0))
    with pytest.raises(ValueError, match="initial"):
        tg.grad(lambda y: cumulative_trapezoid(y, initial=1.0).sum())(y)
    with pytest.raises(TypeError, match="show"):
        tg.grad(lambda y: romb(y, show=True))(y)
    with pytest.raises(ValueError, match="strictly increasing"):
        tg.grad(lambda y: cumulative_simpson(y, x=X[::-1]).sum())(y)


def test_points_that_coincide():
    x = np.array([0.0, 1.0, 1.0, 2.0, 3.0])
    y = np.array([1.0, 2.0, 2.0, 0.5, 1.0])
    out, pullback = tg.vjp(lambda y: simpson(y, x=x), y)
    assert_allclose(out, scipy.integrate.simpson(y, x=x))
    assert np.all(np.isfinite(pullback(1.0)[0]))


def test_other_functions_say_that_they_have_no_rule():
    from tapegrad.scipy import integrate

    assert integrate.RK45 is scipy.integrate.RK45
    with pytest.raises(TypeError, match="has no rule for traced arrays"):
        tg.grad(lambda b: integrate.newton_cotes(b)[1])(1.0)
