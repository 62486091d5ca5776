"""Splines in FITPACK's form, of least squares, and with a penalty on their curvature."""

import numpy as np
import pytest
import scipy.interpolate as original

import tapegrad as tg
from tapegrad.scipy import interpolate

RNG = np.random.default_rng(0)
X = np.sort(RNG.uniform(0, 5, 12))
Y = np.sin(X) + 0.1 * RNG.standard_normal(12)
W = RNG.uniform(0.5, 2, 12)
ROWS = RNG.standard_normal((3, 12))
AT = np.array([0.2, 1.3, 2.7, 4.4, 5.5, -0.3])
T, C, K = original.splrep(X, Y)
INNER = [1.5, 3.1]
KNOTS = np.r_[[X[0]] * 4, INNER, [X[-1]] * 4]


def differences(f, args, i):
    """The gradient of a sum of `f` in an argument, by central differences."""
    x = np.asarray(args[i])
    out = np.empty(x.shape)
    for place in np.ndindex(*x.shape):
        step = np.zeros(x.shape)
        step[place] = 1e-5
        high, low = (np.sum(f(*args[:i], x + s, *args[i + 1 :])) for s in (step, -step))
        out[place] = (high - low) / 2e-5
    return out


def check(function, *args):
    """Values are SciPy's, and gradients those of finite differences, in both modes."""

    def ours(*args):
        return function(interpolate, *args)

    value, pullback = tg.vjp(ours, *args)
    np.testing.assert_allclose(value, function(original, *args), rtol=1e-9, atol=1e-10)
    for i, g in enumerate(pullback(np.ones_like(value))):
        expected = differences(lambda *a: function(original, *a), args, i)
        scale = max(1, np.abs(expected).max())
        np.testing.assert_allclose(g, expected, rtol=1e-5, atol=1e-5 * scale, err_msg=str(i))
    tangents = [RNG.standard_normal(np.shape(a)) for a in args]
    _, pushed = tg.jvp(ours, args, tuple(tangents))
    pulled = sum(
        np.sum(t * g) for t, g in zip(tangents, pullback(np.ones_like(value)), strict=True)
    )
    assert np.sum(pushed) == pytest.approx(pulled)


@pytest.mark.parametrize("ext", [0, 1, 3])
@pytest.mark.parametrize("der", [0, 1, 3])
def test_splev(der, ext):
    check(lambda m, at, c: m.splev(at, (T, c, K), der, ext), AT, C)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (lambda m, y: m.splev(AT, m.splrep(X, y)), (Y,)),
        (lambda m, y: m.splev(AT, m.splrep(X, y, k=2)), (Y,)),
        (lambda m, y: m.splev(AT, m.splrep(X, y, t=INNER)), (Y,)),
        (lambda m, a, b, c: m.splint(a, b, (T, c, K)), (np.float64(0.7), np.float64(7.0), C)),
        (lambda m, c: m.splder((T, c, K))[1], (C,)),
        (lambda m, c: m.splantider((T, c, K))[1], (C,)),
        (lambda m, c: m.splev(AT, m.splantider((T, c, K), 2)), (C,)),
        (lambda m, y: m.make_splrep(X, y)(AT), (Y,)),
        (lambda m, y, w: m.make_lsq_spline(X, y, KNOTS, 3, w)(AT), (Y, W)),
        (lambda m, y: m.make_lsq_spline(X, y, KNOTS, axis=1)(AT), (ROWS,)),
        (
            lambda m, x, y, w, lam: m.make_smoothing_spline(x, y, w, lam)(AT),
            (X, Y, W, np.float64(0.3)),
        ),
        (lambda m, y: m.make_smoothing_spline(X, y, lam=0.1, axis=1)(AT), (ROWS,)),
    ],
)
def test_splines(function, args):
    check(function, *args)


def test_nodes_and_knots_of_least_squares():
    args = X[1:-1], np.array(INNER)

    def f(x, inner):
        knots = np.concatenate([KNOTS[:4], inner, KNOTS[-4:]])
        return np.sum(interpolate.make_lsq_spline(x, Y[1:-1], knots)(AT[:4]))

    for place in (0, 1):
        expected = differences(f, args, place)
        np.testing.assert_allclose(tg.grad(f, place)(*args), expected, rtol=1e-5, atol=1e-7)


def test_curves_and_splines_as_objects():
    tck, _ = original.splprep([X, Y], s=0)
    curve = original.splev(0.4, tck)
    assert interpolate.splev(0.4, tck) == curve
    speed = tg.jacobian(lambda u: np.stack(interpolate.splev(u, tck)))(0.4)
    np.testing.assert_allclose(speed, np.stack(original.splev(0.4, tck, 1)), rtol=1e-9)
    area = tg.grad(lambda u: interpolate.splint(0.0, u, tck)[1])(0.4)
    assert area == pytest.approx(float(curve[1]))
    spline = interpolate.make_interp_spline(X, Y)
    assert interpolate.splev(2.0, spline) == pytest.approx(float(original.splev(2.0, (T, C, K))))
    assert interpolate.splder(spline)(2.0) == pytest.approx(tg.grad(spline)(2.0))
    theirs = original.make_interp_spline(X, Y)
    assert tg.grad(lambda x: interpolate.splev(x, theirs))(2.0) == pytest.approx(
        tg.grad(spline)(2.0)
    )


@pytest.mark.parametrize(
    "make",
    [
        lambda: interpolate.make_splrep(X, Y, s=0.3),
        lambda: interpolate.make_smoothing_spline(X, Y),
        lambda: interpolate.make_smoothing_spline(X, Y, lam=0.2),
        lambda: interpolate.make_lsq_spline(X, Y, KNOTS),
    ],
)
def test_splines_of_plain_data_are_differentiable_where_they_are_evaluated(make):
    spline = make()
    assert type(spline) is interpolate.BSpline
    slope = (spline(2.0 + 1e-6) - spline(2.0 - 1e-6)) / 2e-6
    assert tg.grad(spline)(2.0) == pytest.approx(slope)


def test_a_strong_penalty_gives_a_straight_line():
    line = np.polyfit(X, Y, 1)
    weights = tg.grad(lambda y: interpolate.make_smoothing_spline(X, y, lam=1e12)(7.0))(Y)
    assert weights @ Y == pytest.approx(np.polyval(line, 7.0), rel=1e-6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda y: interpolate.splrep(X, y, s=0.5), "splrep has no rule.*give knots t"),
        (lambda y: interpolate.splrep(X, y, w=W), "splrep has no rule.*give knots t"),
        (lambda y: interpolate.splrep(X, y, per=1), "see make_interp_spline"),
        (lambda y: interpolate.make_splrep(X, y, s=0.5), "make_splrep has no rule.*give knots t"),
        (lambda y: interpolate.make_smoothing_spline(X, y), "cross-validation chooses it"),
        (lambda c: interpolate.splint(0, 1, (T, c, K), 1), "full_output=1"),
    ],
)
def test_what_chooses_by_a_search_raises(call, message):
    with pytest.raises(TypeError, match=message):
        tg.vjp(call, C if "full_output" in message else Y)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda y: interpolate.make_smoothing_spline(X, y[1:], lam=1.0), "should be 1D"),
        (lambda y: interpolate.make_smoothing_spline(X[::-1], y, lam=1.0), "ascending"),
        (lambda y: interpolate.make_smoothing_spline(X, y, -W, 1.0), "Invalid vector of weights"),
        (lambda y: interpolate.make_smoothing_spline(X[:4], y[:4], lam=1.0), "at least 5"),
        (lambda y: interpolate.make_smoothing_spline(X, y, lam=-1.0), "non-negative"),
        (lambda y: interpolate.make_lsq_spline(X[:3], y[:3], KNOTS), "Need more x points"),
        (lambda y: interpolate.make_lsq_spline(X, y[1:], KNOTS), "incompatible"),
        (lambda y: interpolate.make_lsq_spline(X, y, KNOTS, w=W[1:]), "incompatible"),
        (lambda y: interpolate.make_lsq_spline(X[::-1], y, KNOTS), "non-decreasing"),
        (lambda y: interpolate.make_lsq_spline(X + 1, y, KNOTS), "Out of bounds"),
        (lambda y: interpolate.splev(9.0, (T, y, K), ext=2), "Invalid input data"),
        (lambda y: interpolate.splev(2.0, (T, y, K), ext=4), "not in"),
        (lambda y: interpolate.splev(2.0, (T, y, K), der=4), "must hold"),
        (lambda y: interpolate.splev(2.0, interpolate.BSpline(T, [C, C], K, axis=1)), "c.ndim > 1"),
    ],
)
def test_errors_are_scipys(call, message):
    with pytest.raises(ValueError, match=message):
        tg.vjp(call, Y)
