"""`tapegrad.scipy.interpolate` against `scipy.interpolate`, with derivatives in all arguments."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.interpolate

import tapegrad as tg
from tapegrad.errors import ConcretizationError
from tapegrad.scipy import interpolate
from tests.numpy.agreement import agree

RNG = np.random.default_rng(0)
X = np.array([0.0, 0.7, 1.1, 2.0, 3.1, 3.5, 4.6])
Y = RNG.standard_normal(7)
Y2 = RNG.standard_normal((2, 7, 3))
Q = np.array([[0.3, 0.71, 2.5], [4.2, -0.4, 5.1]])
INSIDE = np.array([[0.3, 0.71, 2.5], [4.2, 0.05, 3.37]])


def same(call, *inputs, lanes=False, order=2):
    """What `call(module, *inputs)` gives is what it gives with SciPy, and has derivatives."""
    expected = call(scipy.interpolate, *inputs)
    value = call(interpolate, *inputs)
    assert np.shape(value) == np.shape(expected)
    assert value.dtype == expected.dtype
    np.testing.assert_allclose(value, expected, rtol=1e-9, atol=1e-11)
    agree(lambda *xs: call(interpolate, *xs), *inputs, lanes=lanes, order=order)


def mapped(call, *inputs):
    """Evaluation at points is the same under vmap as in a loop."""
    agree(lambda *xs: call(interpolate, *xs), *inputs, order=0)


END = [
    "not-a-knot",
    "natural",
    "clamped",
    ((1, 0.3), (2, -0.4)),
    ((2, 0.1), "not-a-knot"),
]


@pytest.mark.parametrize("bc", END)
@pytest.mark.parametrize("n", [2, 3, 4, 7])
def test_cubic_spline(n, bc):
    same(lambda m, x, y, q: m.CubicSpline(x, y, bc_type=bc)(q), X[:n], Y[:n], Q)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 7])
def test_periodic_cubic_spline(n):
    def call(m, x, y, q):
        y = np.concatenate([y, y[:1]])
        return m.CubicSpline(x, y, bc_type="periodic")(q)

    same(call, X[:n], Y[: n - 1], Q)


def test_cubic_spline_along_an_axis():
    same(lambda m, x, y, q: m.CubicSpline(x, y, axis=1)(q), X, Y2, Q)
    same(lambda m, y, q: m.CubicSpline(X, y, axis=1, bc_type="natural")(q), Y2, np.float64(0.9))
    same(lambda m, y, q: m.CubicSpline(X, y)(q), Y + 1j * Y[::-1], Q)


def test_the_derivative_at_an_end_has_a_derivative():
    def call(m, y, a, b, q):
        return m.CubicSpline(X, y, bc_type=((1, a), (2, b)))(q)

    same(call, Y, np.float64(0.3), np.float64(-0.2), Q)


@pytest.mark.parametrize("nu", [0, 1, 2, 3, 4])
def test_derivatives_of_a_spline(nu):
    same(lambda m, y, q: m.CubicSpline(X, y)(q, nu), Y, Q)
    same(lambda m, y, q: m.CubicSpline(X, y).derivative(nu)(q), Y, Q)


def test_the_derivative_by_the_point_is_the_spline_s():
    spline = interpolate.CubicSpline(X, Y)
    points = Q.ravel()
    np.testing.assert_allclose([tg.grad(spline)(q) for q in points], spline(points, 1))
    np.testing.assert_allclose([tg.grad(tg.grad(spline))(q) for q in points], spline(points, 2))
    np.testing.assert_allclose(tg.vmap(tg.grad(spline))(points), spline(points, 1))


@pytest.mark.parametrize("nu", [1, 2])
def test_antiderivatives(nu):
    same(lambda m, x, y, q: m.CubicSpline(x, y).antiderivative(nu)(q), X, Y, Q)
    same(lambda m, y, q: m.CubicSpline(X, y, axis=1).antiderivative(nu)(q), Y2, Q)


@pytest.mark.parametrize("extrapolate", [True, "periodic"])
@pytest.mark.parametrize("ends", [(0.2, 3.3), (3.0, 0.5), (-1.3, 11.7), (4.0, 4.9)])
def test_integrals(ends, extrapolate):
    a, b = map(np.float64, ends)
    same(lambda m, y, a, b: m.CubicSpline(X, y).integrate(a, b, extrapolate), Y, a, b)


@pytest.mark.parametrize("extrapolate", [None, False, True, "periodic"])
def test_outside_of_the_nodes(extrapolate):
    for make in (
        lambda m, y: m.CubicSpline(X, y, extrapolate=extrapolate),
        lambda m, y: m.PchipInterpolator(X, y, extrapolate=extrapolate),
        lambda m, y: m.Akima1DInterpolator(X, y, extrapolate=extrapolate),
    ):
        expected = make(scipy.interpolate, Y)(Q)
        np.testing.assert_allclose(make(interpolate, Y)(Q), expected, rtol=1e-9)
        np.testing.assert_allclose(tg.vjp(lambda y, f=make: f(interpolate, y)(Q), Y)[0], expected)


def test_points_that_are_missing_stay_so():
    q = np.array([0.3, np.nan, 9.0])
    value, pull = tg.vjp(interpolate.Akima1DInterpolator(X, Y), q)
    assert np.isfinite(value).tolist() == [True, False, False]
    assert np.isfinite(pull(np.array([1.0, 0.0, 0.0]))[0][0])


def test_piecewise_polynomials():
    c = RNG.standard_normal((3, 2, 4))
    breaks = np.array([0.0, 1.3, 2.0])
    same(lambda m, c, x, q: m.PPoly(c, x)(q), c, breaks, Q)
    same(lambda m, c, x, q: m.PPoly(c, x)(q), c, breaks[::-1].copy(), Q)
    same(lambda m, c, q: m.PPoly(c, np.arange(4.0), axis=1)(q), RNG.standard_normal((2, 4, 3)), Q)
    ours = interpolate.PPoly(c[:, :, 0], breaks)
    theirs = scipy.interpolate.PPoly(c[:, :, 0], breaks)
    np.testing.assert_allclose(ours.roots(), theirs.roots())
    np.testing.assert_allclose(ours.solve(0.4), theirs.solve(0.4))
    with pytest.raises(TypeError, match=r"PPoly\.solve"):
        tg.vjp(lambda c: interpolate.PPoly(c, breaks).roots(), c[:, :, 0])


@pytest.mark.parametrize("n", [2, 3, 7])
def test_pchip(n):
    same(lambda m, x, y, q: m.PchipInterpolator(x, y)(q), X[:n], Y[:n], Q)
    same(lambda m, x, y, q: m.PchipInterpolator(x, y, axis=1)(q), X, np.cumsum(Y2**2, axis=1), Q)
    same(lambda m, y, q: m.pchip_interpolate(X, y, q, der=1), Y, Q)


def test_pchip_at_a_flat_place_has_slope_zero():
    y = np.array([0.0, 1.0, 1.0, 2.0])
    f = interpolate.PchipInterpolator(np.arange(4.0), y)
    assert [float(tg.grad(f)(q)) for q in (1.0, 1.5, 2.0)] == [0.0, 0.0, 0.0]
    jacobian = tg.jacobian(lambda y: interpolate.PchipInterpolator(np.arange(4.0), y)(1.5))(y)
    np.testing.assert_allclose(jacobian, [0.0, 0.5, 0.5, 0.0])


@pytest.mark.parametrize("method", ["akima", "makima"])
@pytest.mark.parametrize("n", [2, 3, 5, 7])
def test_akima(n, method):
    def call(m, x, y, q):
        return m.Akima1DInterpolator(x, y, method=method, extrapolate=True)(q)

    same(call, X[:n], Y[:n], Q)
    same(lambda m, y, q: m.Akima1DInterpolator(X, y, axis=1, method=method)(q), Y2, INSIDE)


def test_akima_where_slopes_are_equal():
    y = np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0])
    same(lambda m, q: m.Akima1DInterpolator(X, y)(q), INSIDE)
    value, pull = tg.vjp(lambda y: interpolate.Akima1DInterpolator(X, y)(INSIDE), y)
    assert np.isfinite(pull(np.ones_like(value))[0]).all()


def test_hermite():
    slopes = RNG.standard_normal(7)
    same(lambda m, x, y, d, q: m.CubicHermiteSpline(x, y, d)(q), X, Y, slopes, Q)
    d = RNG.standard_normal(Y2.shape)
    same(lambda m, y, d, q: m.CubicHermiteSpline(X, y, d, axis=1)(q), Y2, d, Q)


T = np.array([-0.5, -0.2, 0.0, 0.0, 0.9, 1.7, 2.9, 3.3, 4.6, 4.8, 5.0, 5.5])


@pytest.mark.parametrize("k", [0, 1, 2, 3, 4, 5])
def test_b_splines(k):
    c = RNG.standard_normal(len(T) - k - 1)
    t = np.sort(RNG.uniform(0, 5, len(T)))
    same(lambda m, t, c, q: m.BSpline(t, c, k)(q), t, c, Q)
    same(lambda m, c, q: m.BSpline(T, c, k)(q), np.stack([c, c**2], axis=1), Q)
    same(lambda m, c, q: m.BSpline(T, c, k, axis=1)(q), np.stack([c, c**2]), Q)
    for nu in range(k + 2):
        same(lambda m, c, q, nu=nu: m.BSpline(t, c, k)(q, nu), c, Q)


def test_operations_on_b_splines():
    c = RNG.standard_normal(len(T) - 4)
    same(lambda m, c, q: m.BSpline(T, c, 3).derivative(2)(q), c, Q)
    same(lambda m, c, q: m.BSpline(T, c, 3).antiderivative(2)(q), c, Q)
    same(lambda m, t, q: m.BSpline.basis_element(t)(q), T[4:9], Q)
    for extrapolate in (True, False, "periodic"):
        for a, b in ((0.3, 3.1), (3.0, 1.0), (-0.1, 9.3)):
            a, b = np.float64(a), np.float64(b)
            same(
                lambda m, c, a, b, e=extrapolate: np.reshape(
                    m.BSpline(T, c, 3).integrate(a, b, e), ()
                )[()],
                c,
                a,
                b,
            )
    theirs = scipy.interpolate.BSpline(T, c, 3)(Q, extrapolate=False)
    np.testing.assert_allclose(interpolate.BSpline(T, c, 3)(Q, extrapolate=False), theirs)
    theirs = scipy.interpolate.BSpline(T, c, 3, extrapolate="periodic")(Q)
    np.testing.assert_allclose(interpolate.BSpline(T, c, 3, extrapolate="periodic")(Q), theirs)
    assert interpolate.BSpline(T, c, 3).tck[2] == 3
    repeated = np.array([0.0, 0, 0, 1, 1, 1, 2, 2, 2])
    spline = interpolate.BSpline(repeated, np.ones(6), 2)
    with pytest.raises(ValueError, match="repeated knots"):
        spline.derivative(2)


@pytest.mark.parametrize("k", [0, 1, 2, 3, 4, 5])
def test_interpolating_splines(k):
    same(lambda m, x, y, q: m.make_interp_spline(x, y, k)(q), X, Y, Q)
    same(lambda m, y, q: m.make_interp_spline(X, y, k, axis=1)(q), Y2, Q)


@pytest.mark.parametrize(
    "bc", ["natural", "clamped", ([(1, 0.3)], [(2, -0.4)]), ([(1, 0.3), (2, 0.1)], None)]
)
def test_interpolating_splines_with_conditions(bc):
    same(lambda m, x, y, q: m.make_interp_spline(x, y, bc_type=bc)(q), X, Y, Q)


def test_interpolating_splines_with_given_knots():
    def call(m, inner, y, q):
        t = np.concatenate([np.full(4, 0.0), inner, np.full(4, 4.6)])
        return m.make_interp_spline(X, y, t=t)(q)

    same(call, np.array([1.2, 2.2, 3.0]), Y, INSIDE)


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_periodic_interpolating_splines(k):
    def call(m, x, y, q):
        return m.make_interp_spline(x, np.concatenate([y, y[:1]]), k, bc_type="periodic")(q)

    same(call, X, Y[:-1], Q)


@pytest.mark.parametrize(
    "kind",
    [
        "linear",
        "nearest",
        "nearest-up",
        "previous",
        "next",
        "zero",
        "slinear",
        "quadratic",
        "cubic",
    ],
)
def test_interp1d(kind):
    same(lambda m, x, y, q: m.interp1d(x, y, kind)(q), X, Y, INSIDE)
    same(lambda m, y, q: m.interp1d(X, y, kind, axis=1)(q), Y2, INSIDE)
    same(lambda m, y: m.interp1d(X[::-1], y, kind)(INSIDE), Y)
    fill = (np.float64(-1.0), np.float64(-2.0))
    same(
        lambda m, y, a, b: m.interp1d(X, y, kind, fill_value=(a, b), bounds_error=False)(Q),
        Y,
        *fill,
    )


@pytest.mark.parametrize("kind", ["linear", "nearest", "cubic"])
def test_interp1d_beyond_the_nodes(kind):
    same(lambda m, y, q: m.interp1d(X, y, kind, fill_value="extrapolate")(q), Y, Q)
    mapped(lambda m, y, q: m.interp1d(X, y, kind, fill_value="extrapolate")(q), Y, Q)


@pytest.mark.parametrize("kind", ["previous", "next"])
def test_interp1d_of_steps_beyond_the_nodes(kind):
    theirs = scipy.interpolate.interp1d(X, Y, kind, fill_value="extrapolate")(Q)
    ours = interpolate.interp1d(X, Y, kind, fill_value="extrapolate")(Q)
    np.testing.assert_array_equal(ours, theirs)


def test_interp1d_at_the_nodes():
    for kind in ("linear", "nearest", "nearest-up", "previous", "next", "cubic", "zero"):
        theirs = scipy.interpolate.interp1d(X, Y, kind)(X)
        np.testing.assert_allclose(interpolate.interp1d(X, Y, kind)(X), theirs, rtol=1e-12)


def test_errors_of_interp1d():
    with pytest.raises(ValueError, match="below the interpolation range's minimum"):
        tg.grad(lambda q: interpolate.interp1d(X, Y)(q))(-1.0)
    with pytest.raises(ValueError, match="above the interpolation range's maximum"):
        interpolate.interp1d(X, Y)(9.0)
    with pytest.raises(ConcretizationError, match="bounds_error=False leaves out"):
        tg.vmap(interpolate.interp1d(X, Y))(Q)
    with pytest.raises(ValueError, match="is unsupported"):
        interpolate.interp1d(X, Y, "none")
    with pytest.raises(ValueError, match="equal in length"):
        interpolate.interp1d(X, Y[1:])
    with pytest.raises(ValueError, match="at least 4 entries"):
        interpolate.interp1d(X[:3], Y[:3], "cubic")


GRID = (np.array([0.0, 1.0, 1.5, 2.5]), np.array([-1.0, 0.0, 2.0]))
V = RNG.standard_normal((4, 3))
P = np.array([[0.3, -0.2], [2.1, 1.7], [1.2, 0.4]])
FAR = np.array([[0.3, -0.2], [3.1, 1.7], [1.2, -1.4]])


@pytest.mark.parametrize("method", ["linear", "nearest", "slinear"])
def test_grids(method):
    def call(m, a, b, v, p):
        return m.RegularGridInterpolator((a, b), v, method)(p)

    same(call, *GRID, V, P)
    same(lambda m, v, p: m.RegularGridInterpolator(GRID, v, method)(p), np.stack([V, V**2], -1), P)
    same(lambda m, v: m.RegularGridInterpolator((GRID[0][::-1], GRID[1]), v, method)(P), V)
    far = {"bounds_error": False, "fill_value": None}
    same(lambda m, v, p: m.RegularGridInterpolator(GRID, v, method, **far)(p), V, FAR)
    mapped(lambda m, v, p: m.RegularGridInterpolator(GRID, v, method, **far)(p), V, FAR)
    filled = {"bounds_error": False, "fill_value": 0.5}
    same(lambda m, v, p: m.RegularGridInterpolator(GRID, v, method, **filled)(p), V, FAR)
    same(lambda m, v, a, b: m.interpn(GRID, v, (a, b), method), V, P[:, 0], P[:, 1])


@pytest.mark.parametrize("method", ["cubic", "quintic"])
def test_grids_of_splines(method):
    grid = np.linspace(0, 3, 7) ** 1.2, np.arange(6.0)
    v = RNG.standard_normal((7, 6))
    p = np.array([[0.3, 0.2], [2.1, 1.7], [1.2, 4.4]])

    def theirs(nu):
        return scipy.interpolate.RegularGridInterpolator(grid, v, method)(p, nu=nu)

    def ours(v, p, nu=None):
        return interpolate.RegularGridInterpolator(grid, v, method)(p, nu=nu)

    for nu in (None, (1, 0), (1, 2)):
        np.testing.assert_allclose(ours(v, p, nu), theirs(nu), rtol=1e-4, atol=1e-4)
    agree(ours, v, p, lanes=False)
    slopes = tg.vjp(lambda p: ours(v, p), p)[1](np.ones(3))[0]
    np.testing.assert_allclose(slopes[:, 0], ours(v, p, (1, 0)))


def test_grids_with_missing_points_and_single_lines():
    p = P.copy()
    p[1, 0] = np.nan
    far = {"bounds_error": False, "fill_value": None}
    for method in ("linear", "nearest"):
        theirs = scipy.interpolate.RegularGridInterpolator(GRID, V, method, **far)(p)
        ours = interpolate.RegularGridInterpolator(GRID, V, method, **far)(p)
        np.testing.assert_allclose(ours, theirs)
        np.testing.assert_allclose(
            tg.vjp(interpolate.RegularGridInterpolator(GRID, V, method, **far), p)[0], theirs
        )
    single = (np.array([0.0]), GRID[1])
    at = np.array([[0.0, 0.3]])
    theirs = scipy.interpolate.RegularGridInterpolator(single, V[:1])(at)
    np.testing.assert_allclose(interpolate.RegularGridInterpolator(single, V[:1])(at), theirs)


def test_errors_of_grids():
    with pytest.raises(ValueError, match="out of bounds in dimension 0"):
        interpolate.RegularGridInterpolator(GRID, V)(FAR)
    with pytest.raises(TypeError, match="the method 'pchip'"):
        interpolate.RegularGridInterpolator(GRID, V, "pchip")
    with pytest.raises(ValueError, match="points and 3 values on dimension 1"):
        interpolate.RegularGridInterpolator((GRID[0], GRID[0]), V)
    with pytest.raises(ValueError, match="strictly ascending or descending"):
        interpolate.RegularGridInterpolator((GRID[0] * 0, GRID[1]), V)
    with pytest.raises(ValueError, match="have dimension 1"):
        interpolate.RegularGridInterpolator(GRID, V)(P[:, :1])


def test_errors_of_splines():
    with pytest.raises(ValueError, match="strictly increasing"):
        tg.vjp(lambda y: interpolate.CubicSpline(X[::-1], y)(0.5), Y)
    with pytest.raises(ValueError, match="must contain only finite"):
        interpolate.CubicSpline(X, Y * np.nan)
    with pytest.raises(ValueError, match="must be identical"):
        interpolate.CubicSpline(X, Y, bc_type="periodic")
    with pytest.raises(ValueError, match="not allowed"):
        interpolate.CubicSpline(X, Y, bc_type="none")
    with pytest.raises(ValueError, match="only works with real values"):
        interpolate.PchipInterpolator(X, Y + 1j)
    with pytest.raises(ValueError, match="number of derivatives"):
        interpolate.make_interp_spline(X, Y, bc_type=([(1, 0.0)], None))
    with pytest.raises(ValueError, match="Need at least 8 knots"):
        interpolate.BSpline(T[:6], Y, 3)


def test_splines_of_other_libraries_are_not_traced():
    with pytest.raises(TypeError, match="off the tape"):
        tg.grad(scipy.interpolate.CubicSpline(X, Y))(0.5)
    with pytest.raises(TypeError, match="splprep"):
        tg.vjp(lambda y: interpolate.splprep([X, y]), Y)


def test_nodes_may_be_mapped():
    shifted = X + np.array([[0.0], [0.1], [0.2]])

    def call(x):
        return interpolate.CubicSpline(x, Y)(1.3)

    np.testing.assert_allclose(tg.vmap(call)(shifted), [call(x) for x in shifted])
    expected = [tg.grad(call)(x) for x in shifted]
    np.testing.assert_allclose(tg.vmap(tg.grad(call))(shifted), expected, rtol=1e-9)
