"""Gradients of functions of matrices of condition number 1e8, against 40-digit arithmetic.

Each row has the kind of matrix, the function, the same with mpmath, and the error that JAX 0.10
makes in double precision, as the geometric mean over the seeds; for functions without derivative in
JAX, the condition number times the precision. The bound is that, up to the chance of rounding.
"""

from __future__ import annotations

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.scipy.linalg as sl

from .test_ill_conditioned import error, orthogonal, typical

mpmath = pytest.importorskip("mpmath", reason="right values come from mpmath")
mp = mpmath.mp.clone()
mp.dps = 40

N = 3
SEEDS = range(3)
STEEP = np.logspace(0, -8, N)
SIDES = np.random.default_rng(9).standard_normal((N, 2))
SMALL = 1e-7 * np.random.default_rng(5).standard_normal((N, N))
CHANCE = 4


# Matrices


def general(rng):
    return orthogonal(rng, N) @ np.diag(STEEP) @ orthogonal(rng, N).T


def definite(rng):
    q = orthogonal(rng, N)
    x = q @ np.diag(STEEP) @ q.T
    return (x + x.T) / 2


def lower(rng):
    return np.linalg.cholesky(definite(rng))


def tall(rng):
    return orthogonal(rng, N + 1)[:, :N] @ np.diag(STEEP) @ orthogonal(rng, N).T


def slanted(rng):
    """With eigenvectors of condition number 1e4."""
    v = orthogonal(rng, N) @ np.diag([1, 1e-2, 1e-4]) @ orthogonal(rng, N).T
    return v @ np.diag([1.0, 2.0, 3.0]) @ np.linalg.inv(v)


# The functions again, with many digits


def exact(x):
    return mp.matrix(np.atleast_2d(x).tolist())


def mean(x):
    return (x + x.T) / 2


def singular_values(x):
    return list(mp.svd_r(x, compute_uv=False))


def frobenius(x):
    return mp.sqrt(sum(v * v for v in x))


def largest_column(x):
    return max(sum(abs(x[i, j]) for i in range(x.rows)) for j in range(x.cols))


def by_eigenvalues(function):
    """The function of a symmetric matrix."""

    def apply(x):
        values, vectors = mp.eigsy(mean(x))
        return vectors * mp.diag(list(map(function, values))) * vectors.T

    return apply


def pseudoinverse(x):
    return (x.T * x) ** -1 * x.T


def orthogonalised(x):
    """Q and R with a diagonal of R that is negative, as LAPACK's mostly is."""
    q, r = mp.qr(x, mode="skinny")
    signs = mp.diag([-mp.sign(r[i, i]) for i in range(r.rows)])
    return q * signs, signs * r


def eliminated(x):
    """L and U, with partial pivoting."""
    left, right = mp.eye(N), x.copy()
    for k in range(N):
        pivot = max(range(k, N), key=lambda i: abs(right[i, k]))
        for j in range(N):
            right[k, j], right[pivot, j] = right[pivot, j], right[k, j]
            if j < k:
                left[k, j], left[pivot, j] = left[pivot, j], left[k, j]
        for i in range(k + 1, N):
            left[i, k] = right[i, k] / right[k, k]
            for j in range(N):
                right[i, j] -= left[i, k] * right[k, j]
    return left, right


def sylvester(x):
    whole = mp.matrix(N * N)
    for i in range(N):
        for j in range(N):
            for k in range(N):
                whole[i * N + j, k * N + j] += x[i, k]
                whole[i * N + j, i * N + k] += float(SMALL[k, j])
    y = mp.lu_solve(whole, mp.matrix([float(i == j) for i in range(N) for j in range(N)]))
    return list(y)


def lower_part(x):
    return mp.matrix([[x[i, j] if i >= j else 0 for j in range(N)] for i in range(N)])


def polar(x):
    u, _, vh = mp.svd_r(x)
    return u * vh


def squares(x):
    return mp.matrix([[v * v for v in row] for row in x.tolist()])


L = np.linalg
FUNCTIONS = {
    "solve": (general, lambda x: L.solve(x, SIDES), lambda x: x**-1 * exact(SIDES), 8.2e-10),
    "inv": (general, L.inv, lambda x: x**-1, 8.2e-10),
    "tensorinv": (general, lambda x: L.tensorinv(x, ind=1), lambda x: x**-1, 8.2e-10),
    "det": (general, L.det, mp.det, 8.7e-14),
    "slogdet": (general, lambda x: L.slogdet(x)[1], lambda x: mp.log(abs(mp.det(x))), 4.1e-10),
    "lstsq": (tall, lambda x: L.lstsq(x, np.eye(N + 1))[0], pseudoinverse, 5.9e-9),
    "pinv": (tall, L.pinv, pseudoinverse, 1.2e-8),
    "pinv of square": (general, L.pinv, lambda x: x**-1, 1.9e-8),
    "cholesky": (definite, lambda x: L.cholesky(mean(x)), lambda x: mp.cholesky(mean(x)), 4.4e-11),
    "q": (general, lambda x: positive(*L.qr(x))[0], lambda x: orthogonalised(x)[0], 1.6e-12),
    "r": (general, lambda x: positive(*L.qr(x))[1], lambda x: orthogonalised(x)[1], 6.2e-13),
    "q of tall": (tall, lambda x: positive(*L.qr(x))[0], lambda x: orthogonalised(x)[0], 6.4e-9),
    "r of tall": (tall, lambda x: positive(*L.qr(x))[1], lambda x: orthogonalised(x)[1], 5.9e-10),
    "svdvals": (general, lambda x: L.svd(x, compute_uv=False), singular_values, 6.3e-13),
    "eigvalsh": (
        definite,
        lambda x: L.eigvalsh(mean(x)),
        lambda x: list(mp.eigsy(mean(x), eigvals_only=True)),
        7.7e-14,
    ),
    "eigh": (
        definite,
        lambda x: L.eigh(mean(x))[1] ** 2,
        lambda x: squares(mp.eigsy(mean(x))[1]),
        1.5e-12,
    ),
    "eigvals": (
        slanted,
        lambda x: np.sort(L.eigvals(x).real),
        lambda x: sorted(map(mp.re, mp.eig(x, left=False, right=False))),
        1.1e-10,
    ),
    "norm 2": (general, lambda x: L.norm(x, 2), lambda x: max(singular_values(x)), 2.1e-16),
    "norm -2": (general, lambda x: L.norm(x, -2), lambda x: min(singular_values(x)), 7.3e-13),
    "norm nuc": (general, lambda x: L.norm(x, "nuc"), lambda x: sum(singular_values(x)), 6.2e-13),
    "norm fro": (general, L.norm, frobenius, 6.5e-17),
    "norm 1": (general, lambda x: L.norm(x, 1), largest_column, 1.0e-17),
    "cond": (
        general,
        L.cond,
        lambda x: max(singular_values(x)) / min(singular_values(x)),
        7.0e-9,
    ),
    "cond fro": (
        general,
        lambda x: L.cond(x, "fro"),
        lambda x: frobenius(x) * frobenius(x**-1),
        8.2e-10,
    ),
    "matrix_power": (definite, lambda x: L.matrix_power(x, -3), lambda x: x**-3, 1.4e-10),
    "expm": (slanted, sl.expm, mp.expm, 2.8e-11),
    "expm of steep": (general, sl.expm, mp.expm, 2.7e-16),
    "solve_triangular": (
        lower,
        lambda x: sl.solve_triangular(x, SIDES, lower=True),
        lambda x: lower_part(x) ** -1 * exact(SIDES),
        6.2e-16,
    ),
    "cho_solve": (
        definite,
        lambda x: sl.cho_solve(sl.cho_factor(mean(x)), SIDES),
        lambda x: mean(x) ** -1 * exact(SIDES),
        1.9e-10,
    ),
    "solve pos": (
        definite,
        lambda x: sl.solve(mean(x), SIDES, assume_a="pos"),
        lambda x: mean(x) ** -1 * exact(SIDES),
        1.9e-10,
    ),
    "lu_solve": (
        general,
        lambda x: sl.lu_solve(sl.lu_factor(x), SIDES),
        lambda x: x**-1 * exact(SIDES),
        8.2e-10,
    ),
    "lu, l": (general, lambda x: sl.lu(x)[1], lambda x: eliminated(x)[0], 9.7e-14),
    "lu, u": (general, lambda x: sl.lu(x)[2], lambda x: eliminated(x)[1], 4.8e-14),
    "sqrtm": (definite, lambda x: sl.sqrtm(mean(x)), by_eigenvalues(mp.sqrt), 1e-8),
    "logm": (definite, lambda x: sl.logm(mean(x)), by_eigenvalues(mp.log), 1e-8),
    "fractional_matrix_power": (
        definite,
        lambda x: sl.fractional_matrix_power(mean(x), 0.25),
        by_eigenvalues(lambda v: v ** mp.mpf(0.25)),
        1e-8,
    ),
    "polar": (general, lambda x: sl.polar(x)[0], polar, 1e-8),
    "solve_sylvester": (
        general,
        lambda x: sl.solve_sylvester(x, SMALL, np.eye(N)),
        sylvester,
        1e-8,
    ),
}


def positive(q, r):
    """Q and R with signs as `orthogonalised` gives them."""
    signs = -np.sign(np.diagonal(tg.stop_gradient(r)))
    return q * signs, signs[:, None] * r


def right_gradient(function, x, w):
    """By central differences of many digits."""
    step = mp.mpf(10) ** -16
    gradient = np.empty(x.shape)
    for place in np.ndindex(*x.shape):
        ends = []
        for sign in (1, -1):
            moved = exact(x)
            moved[place] += sign * step
            y = function(moved)
            flat = list(y) if isinstance(y, mp.matrix | list) else [y]
            ends.append(sum(float(a) * b for a, b in zip(np.ravel(w), flat, strict=True)))
        gradient[place] = mp.re(ends[0] - ends[1]) / (2 * step)
    return gradient


SLOW = {"eigvals", "expm", "expm of steep", "fractional_matrix_power", "logm", "sqrtm"}
"""What takes mpmath seconds."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in FUNCTIONS],
)
def test_condition_number_1e8(name):
    make, function, with_many_digits, bound = FUNCTIONS[name]
    errors = []
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        x = make(rng)
        w = rng.standard_normal(np.shape(function(x)))
        gradient = tg.grad(lambda x, w=w: np.sum(w * function(x)))(x)
        errors.append(error(gradient, right_gradient(with_many_digits, x, w)))
    assert typical(errors) < CHANCE * bound
