"""Gradients of ill-conditioned and nearly degenerate matrices, against exact ones.

Rational functions of a matrix have exact gradients in fractions. The bounds are what JAX and
PyTorch reach in double precision on these matrices, up to the chance of rounding: a small multiple
of the condition number (or of one over the gap) times the precision.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.scipy.linalg as sl

N = 5
STEEP = np.logspace(0, -8, N)  # condition number 1e8
CLOSE = np.array([1.0, 1 + 1e-9, 2.0, 3.0, 3 + 1e-9])


def exact(x):
    """A matrix of fractions."""
    return np.vectorize(Fraction, otypes=[object])(x)


def inverse(x):
    """The inverse of a matrix of fractions."""
    n = len(x)
    rows = np.concatenate([x, exact(np.eye(n))], axis=1)
    for k in range(n):
        pivot = next(i for i in range(k, n) if rows[i, k] != 0)
        rows[[k, pivot]] = rows[[pivot, k]]
        rows[k] = rows[k] / rows[k, k]
        for i in range(n):
            if i != k:
                rows[i] = rows[i] - rows[i, k] * rows[k]
    return rows[:, n:]


def determinant(x):
    if len(x) == 1:
        return x[0, 0]
    minors = (np.delete(x[1:], j, axis=1) for j in range(len(x)))
    return sum((-1) ** j * x[0, j] * determinant(m) for j, m in enumerate(minors))


def orthogonal(rng, n=N):
    return np.linalg.qr(rng.standard_normal((n, n)))[0]


def general(rng, values):
    return orthogonal(rng) @ np.diag(values) @ orthogonal(rng).T


def symmetric(rng, values):
    q = orthogonal(rng)
    x = q @ np.diag(values) @ q.T
    return (x + x.T) / 2


def error(gradient, expected):
    expected = np.asarray(expected, dtype=float)
    return np.max(np.abs(gradient - expected)) / np.max(np.abs(expected))


def typical(errors):
    """The geometric mean."""
    return np.exp(np.mean(np.log([max(e, 1e-17) for e in errors])))


def errors_of(make, f, gradient, values=STEEP):
    """Those of the gradient of `f(x, w, b)` for some matrices, weights and sides."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        x = make(rng, values)
        w, b = rng.standard_normal((N, N)), rng.standard_normal((x.shape[0], 1))
        yield error(
            tg.grad(lambda x, w=w, b=b: f(x, w, b))(x), gradient(exact(x), exact(w), exact(b))
        )


def of_solve(x, w, b):
    y = inverse(x)
    return -(y.T @ w[:, :1]) @ (y @ b).T


def of_inverse(x, w, _b):
    y = inverse(x).T
    return -y @ w @ y


def of_likelihood(x, _w, b):
    y = inverse(x)
    return y - y @ b @ b.T @ y


def of_least_squares(x, w, b):
    y = inverse(x.T @ x)
    solution = y @ (x.T @ b)
    left = b - x @ solution
    g = y @ w[:3, :1]
    return left @ g.T - x @ g @ solution.T


def likelihood(x, _w, b):
    factor = np.linalg.cholesky(x)
    left = sl.solve_triangular(factor, b, lower=True)
    return np.sum(left * left) + 2 * np.sum(np.log(np.diagonal(factor)))


def tall(rng, _values):
    return orthogonal(rng)[:, :3] @ np.diag([1, 1e-4, 1e-8]) @ orthogonal(rng, 3).T


@pytest.mark.parametrize(
    ("make", "f", "gradient", "bound"),
    [
        (general, lambda x, w, b: np.sum(w[:, :1] * np.linalg.solve(x, b)), of_solve, 4e-9),
        (general, lambda x, w, _b: np.sum(w * np.linalg.inv(x)), of_inverse, 4e-9),
        (
            general,
            lambda x, _w, _b: np.linalg.det(x),
            lambda x, _w, _b: determinant(x) * inverse(x).T,
            1e-10,
        ),
        (
            general,
            lambda x, _w, _b: np.linalg.slogdet(x)[1],
            lambda x, _w, _b: inverse(x).T,
            2e-9,
        ),
        (symmetric, likelihood, of_likelihood, 4e-9),
        (
            tall,
            lambda x, w, b: np.sum(w[:3, :1] * np.linalg.lstsq(x, b)[0]),
            of_least_squares,
            8e-9,
        ),
    ],
    ids=["solve", "inv", "det", "slogdet", "cholesky", "lstsq"],
)
def test_condition_number_1e8(make, f, gradient, bound):
    assert typical(errors_of(make, f, gradient)) < bound


def test_forward_mode_of_least_squares():
    errors = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        x, b, t = tall(rng, None), rng.standard_normal((N, 1)), rng.standard_normal((N, 3))
        _, push = tg.jvp(lambda x, b=b: np.linalg.lstsq(x, b)[0], (x,), (t,))
        units = np.eye(3, N)[:, :, None]  # of_least_squares reads the first three elements
        slopes = [of_least_squares(exact(x), exact(unit), exact(b)) for unit in units]
        errors.append(error(push[:, 0], [np.sum(exact(t) * slope) for slope in slopes]))
    assert typical(errors) < 8e-9


def rebuilt_by_eigh(x, w, _b):
    values, vectors = np.linalg.eigh(x)
    return np.sum(w * ((vectors * values**3) @ vectors.T))


def rebuilt_by_svd(x, w, _b):
    u, s, vh = np.linalg.svd(x)
    return np.sum(w * ((u * s**3) @ vh))


def of_cube(x, w, _b):
    g = w @ x.T @ x.T + x.T @ w @ x.T + x.T @ x.T @ w
    return (g + g.T) / 2


def of_svd_cube(x, w, _b):  # u s^3 v^T is x x^T x
    return w @ x.T @ x + x @ w.T @ x + x @ x.T @ w


@pytest.mark.parametrize(
    ("make", "f", "gradient", "values", "bound"),
    [
        (symmetric, rebuilt_by_eigh, of_cube, CLOSE, 4e-7),
        (symmetric, rebuilt_by_eigh, of_cube, STEEP, 1e-14),
        (general, rebuilt_by_svd, of_svd_cube, CLOSE, 4e-7),
        (general, rebuilt_by_svd, of_svd_cube, STEEP, 1e-14),
        (
            symmetric,
            lambda x, _w, _b: np.sum(np.linalg.eigvalsh(x) ** 3),
            lambda x, _w, _b: 3 * x @ x,
            CLOSE,
            1e-14,
        ),
        (
            general,
            lambda x, _w, _b: np.sum(np.linalg.svd(x, compute_uv=False) ** 2),
            lambda x, _w, _b: 2 * x,
            CLOSE,
            1e-14,
        ),
        (
            general,
            lambda x, _w, _b: np.sum(np.log(np.linalg.svd(x, compute_uv=False))),
            lambda x, _w, _b: inverse(x).T,
            STEEP,
            4e-9,
        ),
    ],
)
def test_values_that_are_close_or_small(make, f, gradient, values, bound):
    assert typical(errors_of(make, f, gradient, values)) < bound


def test_the_polar_factor_of_close_singular_values():
    rng = np.random.default_rng(3)
    x, w = general(rng, CLOSE), rng.standard_normal((N, N))
    u, s, vh = np.linalg.svd(x)
    along = u.T @ w @ vh.T
    expected = u @ ((along - along.T) / (s + s[:, None])) @ vh  # without a difference
    g = tg.grad(lambda x: np.sum(w * (lambda u, _, vh: u @ vh)(*np.linalg.svd(x))))(x)
    assert error(g, expected) < 4e-7


def test_close_eigenvectors_turn_by_one_over_their_gap():
    gap = 1e-9
    x = np.diag([1.0, 1 + gap, 3.0])

    def first(x):
        vectors = np.linalg.eigh(x)[1]
        return vectors[1, 0] / vectors[0, 0]

    g = tg.grad(first)(x)
    gap = x[1, 1] - x[0, 0]  # as it is stored
    assert g[0, 1] == pytest.approx(-0.5 / gap, rel=1e-6)
    assert g[1, 0] == g[0, 1]
    g[0, 1] = g[1, 0] = 0
    assert np.abs(g).max() < 1e-6
