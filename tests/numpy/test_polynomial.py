"""Polynomials and interpolation: values and derivatives of programs written with plain NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp

from .program import check

P = np.array([0.5, -1.25, 0.75, 1.5])
Q = np.array([2.0, -0.5])
X = np.array([0.3, 1.3, -0.7, 2.1, -1.6, 0.9])
TABLE = np.array([0.0, 1.0, 2.5, 4.0])

ON_COEFFICIENTS = {
    "polyval": lambda p: np.polyval(p, X),
    "polyval_scalar": lambda p: np.polyval(p, 0.5),
    "polyval_at": lambda p: np.polyval(Q, p.reshape(2, 2)),
    "polyval_both": lambda p: np.polyval(p, p),
    "polyval_matrix": lambda p: np.polyval(p.reshape(2, 2), np.array([1.0, 3.0])),
    "polyadd": lambda p: np.polyadd(p, Q),
    "polyadd_scalar": lambda p: np.polyadd(p, 2.0),
    "polysub": lambda p: np.polysub(Q, p),
    "polymul": lambda p: np.polymul(p, Q),
    "polymul_itself": lambda p: np.polymul(p, p),
    "polydiv": lambda p: np.polydiv(p, Q),
    "polydiv_by": lambda p: np.polydiv(np.array([1.0, 2.0, 3.0]), p[:2]),
    "polydiv_by_longer": lambda p: np.polydiv(p[:2], P),
    "polydiv_by_constant": lambda p: np.polydiv(p, [2.0])[0],
    "polyder": np.polyder,
    "polyder_0": lambda p: np.polyder(p, 0),
    "polyder_2": lambda p: np.polyder(p, 2),
    "polyint": np.polyint,
    "polyint_2": lambda p: np.polyint(p, 2, k=3.0),
    "polyint_constants": lambda p: np.polyint(p, 2, k=p[:2]),
    "poly": np.poly,
    "poly_matrix": lambda p: np.poly(p.reshape(2, 2)),
    "roots": lambda p: np.roots(p[:3]).real,
    "vander": np.vander,
    "vander_2": lambda p: np.vander(p, 2),
    "vander_increasing": lambda p: np.vander(p, 3, increasing=True),
    "vander_1": lambda p: np.vander(p, 1) * p,
}

ON_PLACES = {
    "interp": lambda x: np.interp(x, TABLE, P),
    "interp_values": lambda x: np.interp([0.5, -1.0, 2.5, 9.0], TABLE, x[:4]),
    "interp_ends": lambda x: np.interp(x, TABLE, P, left=-7.0, right=9.0),
    "interp_period": lambda x: np.interp(x, TABLE, P, period=5.0),
    "interp_period_values": lambda x: np.interp([0.5, -1.0, 9.0], TABLE[::-1], x[:4], period=3.7),
    "interp_single": lambda x: np.interp(x, [1.0], x[:1]),
    "polyfit_x": lambda x: np.polyfit(x, X**2 + 1, 1),
    "polyfit_y": lambda x: np.polyfit(X, x, 2),
    "polyfit_columns": lambda x: np.polyfit(X[:3], x.reshape(3, 2), 1),
    "polyfit_weights": lambda x: np.polyfit(X, X**2 - 1, 1, w=x),
    "unwrap": lambda x: np.unwrap(3 * x),
    "unwrap_period": lambda x: np.unwrap(x.reshape(2, 3), axis=0, period=1.5),
    "unwrap_discont": lambda x: np.unwrap(3 * x, discont=5.0),
}


@pytest.mark.parametrize("f", ON_COEFFICIENTS.values(), ids=ON_COEFFICIENTS)
def test_coefficients(f):
    lanes = f not in (ON_COEFFICIENTS["roots"], ON_COEFFICIENTS["polydiv"])
    check(f, P, exact=False, lanes=lanes)


@pytest.mark.parametrize("f", ON_PLACES.values(), ids=ON_PLACES)
def test_places(f):
    check(f, X, exact=False, lanes=f is not ON_PLACES["polyfit_x"])


def test_the_places_of_the_table_have_derivatives():
    def f(table):
        return np.interp([0.5, 3.0], table, P)

    jacobian = tg.jacobian(f)(TABLE)
    for i in range(4):
        step = 1e-6 * np.eye(4)[i]
        np.testing.assert_allclose(
            jacobian[:, i], (f(TABLE + step) - f(TABLE - step)) / 2e-6, atol=1e-8
        )


def test_interp_at_the_places_of_the_table():
    x = np.array([0.0, 1.0, 4.0, 4.5, -1.0, np.nan])
    g = tg.grad(lambda x: np.sum(np.interp(x, TABLE, P)))(x)
    slopes = np.diff(P) / np.diff(TABLE)
    # right of a place; at the last, left of it; outside nothing moves
    np.testing.assert_allclose(g[:5], [slopes[0], slopes[1], slopes[2], 0.0, 0.0])
    value, _ = tg.vjp(lambda x: np.interp(x, TABLE, P), x)
    np.testing.assert_array_equal(value, np.interp(x, TABLE, P))


def test_interp_of_complex_values():
    out, pull = tg.vjp(lambda f: np.interp(0.25, TABLE, f), P + 1j * TABLE)
    assert out == np.interp(0.25, TABLE, P + 1j * TABLE)
    np.testing.assert_allclose(pull(np.complex128(1j))[0], [0.75j, 0.25j, 0.0, 0.0])


def test_roots_move_as_the_implicit_function_theorem_says():
    # x**2 - 3 x + 2 has the roots 2 and 1
    jacobian = tg.jacobian(np.roots)(np.array([1.0, -3.0, 2.0]))
    np.testing.assert_allclose(jacobian, [[-4.0, -2.0, -1.0], [1.0, 1.0, 1.0]])


def test_roots_of_complex_pairs_and_of_zeros():
    out, pull = tg.vjp(np.roots, np.array([0.0, 1.0, 2.0, 5.0, 0.0]))
    np.testing.assert_allclose(out, [-1 + 2j, -1 - 2j, 0.0])
    (g,) = pull(np.array([1.0 + 0j, 1.0, 0.0]))  # the sum of the roots is -p[2] / p[1]
    np.testing.assert_allclose(g, [0.0, 2.0, -1.0, 0.0, 0.0], atol=1e-14)
    for p in (np.zeros(3), np.array([0.0, 2.0])):
        assert tg.vjp(np.roots, p)[0].shape == (0,)
    assert tg.vjp(np.roots, np.array([2.0, 0.0]))[0].tolist() == [0.0]


def test_poly_inverts_roots():
    p = np.array([1.0, -6.0, 11.0, -6.0])
    jacobian = tg.jacobian(lambda p: np.poly(np.roots(p)))(p)
    np.testing.assert_allclose(jacobian[:, 1:], np.eye(4)[:, 1:], atol=1e-10)


def test_poly_of_conjugate_roots_is_real():
    out, _ = tg.vjp(np.poly, np.array([1 + 2j, 1 - 2j, 3.0]))
    np.testing.assert_array_equal(out, np.poly([1 + 2j, 1 - 2j, 3.0]))
    assert out.dtype == np.float64


def test_powers_at_zero():
    np.testing.assert_array_equal(
        tg.jvp(lambda x: np.vander(x, 3), (np.zeros(1),), (np.ones(1),))[1], [[0.0, 1.0, 0.0]]
    )
    assert tg.grad(lambda x: np.polyval([3.0, 2.0, 1.0], x))(0.0) == 2.0


def test_polynomials_of_leading_zeros_are_trimmed_as_in_numpy():
    a, b = np.array([0.0, 0.0, 1.0, 2.0]), np.array([0.0, 3.0])
    out, pull = tg.vjp(np.polymul, a, b)
    np.testing.assert_array_equal(out, np.polymul(a, b))
    np.testing.assert_array_equal(pull(np.array([1.0, 10.0]))[0], [0.0, 0.0, 3.0, 30.0])
    np.testing.assert_array_equal(tg.vjp(np.polymul, np.zeros(2), b)[0], [0.0])
    quotient, rest = tg.vjp(np.polydiv, np.array([1.0, 0.0, -1.0]), np.array([1.0, 1.0]))[0]
    np.testing.assert_array_equal(quotient, [1.0, -1.0])
    np.testing.assert_array_equal(rest, [0.0])


def test_polyfit_agrees_with_numpy_closely():
    x = np.linspace(-1, 1, 30)
    y = np.cos(3 * x)
    out, _ = tg.vjp(lambda x, y: np.polyfit(x, y, 5), x, y)
    np.testing.assert_allclose(out, np.polyfit(x, y, 5), rtol=1e-10)


def test_polyfit_warns_where_the_points_are_too_few():
    with pytest.warns(np.exceptions.RankWarning, match="poorly conditioned"):
        tg.vjp(lambda y: np.polyfit(np.ones(3), y, 2), np.ones(3))


def test_unwrap_of_integers_over_lanes():
    x = np.array([[0, 3, 6, 1], [5, 0, 5, 1]])
    np.testing.assert_array_equal(
        tg.vmap(lambda x: np.unwrap(x, period=4))(x), np.unwrap(x, period=4)
    )


def test_single_precision():
    x = X.astype(np.float32)
    for f in (lambda x: np.polyval(x, x[0]), lambda x: np.unwrap(x)[-1]):
        value, g = tg.value_and_grad(f)(x)
        assert value.dtype == g.dtype == np.float32
    assert tg.vjp(lambda x: np.interp(x, TABLE, P), x)[0].dtype == np.float64


def test_this_namespace_computes_on_plain_arrays():
    np.testing.assert_array_equal(tnp.polyval([1, 2], 3), 5)
    np.testing.assert_array_equal(tnp.interp([0.5], [0, 1], [0, 2]), [1.0])


@pytest.mark.parametrize(
    ("f", "kind", "match"),
    [
        (lambda x: np.interp(x, TABLE, P[:2]), ValueError, "not of the same length"),
        (lambda x: np.interp(x, [], []), ValueError, "sample points is empty"),
        (lambda x: np.interp(x, TABLE[None], P), ValueError, "must be 1-D sequences"),
        (lambda x: np.interp(x, TABLE, P, period=0), ValueError, "must be a non-zero value"),
        (lambda x: np.polyfit(X, x, 1, full=True), TypeError, "polyfit of traced arrays .* full="),
        (lambda x: np.polyfit(X, x, 1, cov=True), TypeError, "does not take cov="),
        (lambda x: np.polyfit(X, x, -1), ValueError, "expected deg >= 0"),
        (lambda x: np.polyfit(X[:2], x, 1), TypeError, "to have same length"),
        (lambda x: np.polyfit(x[None], X, 1), TypeError, "expected 1D vector for x"),
        (lambda x: np.polyfit(x[:0], X, 1), TypeError, "expected non-empty vector"),
        (lambda x: np.polyfit(X, x[0], 1), TypeError, "expected 1D or 2D array for y"),
        (lambda x: np.polyfit(X, X, 1, w=x[None]), TypeError, "1-d array for weights"),
        (lambda x: np.polyfit(X, X, 1, w=x[1:]), TypeError, "w and y to have the same length"),
        (lambda x: np.polyder(x, -1), ValueError, "Order of derivative must be positive"),
        (lambda x: np.polyint(x, -1), ValueError, "Order of integral must be positive"),
        (lambda x: np.polyint(x, 3, k=[1, 2]), ValueError, "k must be a scalar or a rank-1"),
        (lambda x: np.poly(x.reshape(2, 3)), ValueError, "must be 1d or non-empty square"),
        (lambda x: np.roots(x[None]), ValueError, "must be a rank-1 array"),
        (lambda x: np.vander(x[None]), ValueError, "one-dimensional"),
        (lambda x: np.polyval(x, np.poly1d([1, 2])), TypeError, "polyval with a poly1d as x"),
    ],
)
def test_errors(f, kind, match):
    with pytest.raises(kind, match=match):
        tg.vjp(f, X)


def test_a_remainder_keeps_what_rounding_leaves_as_numpys_does():
    u, v = np.float16([0.7, -1.3, 2.1, -0.4]), np.float16([1.6, 2.9])
    expected = np.polydiv(u, v)[1]
    assert expected.shape == (4,)
    np.testing.assert_array_equal(tg.vjp(np.polydiv, u, v)[0][1], expected)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int64])
def test_a_polynomial_of_roots_has_numpys_dtype(dtype):
    roots = np.array([[1, 2], [3, -1]], dtype)
    out = tg.vmap(np.poly)(roots)
    np.testing.assert_array_equal(out, [np.poly(row) for row in roots])
    assert out.dtype == np.poly(roots[0]).dtype
