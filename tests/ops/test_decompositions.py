"""Decompositions where the generated samples do not reach: Hermitian and complex matrices by what
does not depend on phases, repeated and zero values, ill-conditioned matrices, every triangle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapegrad as tg
from tapegrad.core.op import Op
from tapegrad.ops import lapack
from tapegrad.ops.complex import abs as absolute
from tapegrad.ops.contract import matmul
from tapegrad.ops.eigen import eig, eigh
from tapegrad.ops.factorise import cholesky, lu, qr, row_order, take_rows
from tapegrad.ops.least_squares import pinv
from tapegrad.ops.linear import sum as total_of
from tapegrad.ops.matrices import adjoint, hermitian, rows, split_columns, split_rows
from tapegrad.ops.matrix_functions import expm_frechet
from tapegrad.ops.schur import schur
from tapegrad.ops.svd import svd
from tapegrad.ops.triangular import mirrored, solve_triangular

from . import check

rng = np.random.default_rng(5)
REAL = rng.standard_normal((3, 3))
COMPLEX = REAL + 1j * rng.standard_normal((3, 3))
TALL = rng.standard_normal((4, 2)) + 1j * rng.standard_normal((4, 2))


def operation(name: str, function: Callable[..., Any], outputs: int = 0) -> Op:
    """A function of one matrix that is checked as an operation."""
    made = Op(name, function, (lambda g, _out, _x: g,), None, outputs=outputs)
    made.function = function
    return made


def spd(x):
    return matmul(x, adjoint(x)) + np.eye(x.shape[-1], dtype=x.dtype)


def invariant(vectors):
    """The projections on the vectors, which do not depend on their phases."""
    first, rest = split_columns(vectors, 1)
    second, _ = split_columns(rest, 1)
    return matmul(first, adjoint(first)) + 2 * matmul(second, adjoint(second))


def of_eigh(x, lower=True):
    values, vectors = eigh(hermitian(x), lower=lower, driver="")
    return values, invariant(vectors)


def of_svd(x, full=False):
    u, s, vh = svd(x, full=full)
    return s, matmul(u * rows(s * s), vh) if not full else invariant(u), invariant(adjoint(vh))


def rest_of_svd(x):
    u, s, _ = svd(x, full=True)
    rest = split_columns(u, s.shape[-1])[1]
    return matmul(rest, adjoint(rest))


def rest_of_wide_svd(x):
    _, s, vh = svd(adjoint(x), full=True)
    rest = split_rows(vh, s.shape[-1])[1]
    return matmul(adjoint(rest), rest)


def rest_of_qr(x):
    rest = split_columns(qr(x, complete=True)[0], x.shape[-1])[1]
    return matmul(rest, adjoint(rest))


def of_eig(x):
    values, vectors = eig(x)
    return values, absolute(vectors)


def of_schur(x):
    t, z = schur(x)
    return absolute(t), invariant(z)


HERE = {
    "cholesky": (lambda x: cholesky(spd(x)), 0),
    "cholesky_of_hermitian": (
        lambda x: cholesky(hermitian(x) + 4 * np.eye(x.shape[-1], dtype=x.dtype)),
        0,
    ),
    "eigh": (of_eigh, 2),
    "eigh_upper": (lambda x: of_eigh(x, lower=False), 2),
    "eigh_driver": (lambda x: invariant(eigh(hermitian(x), lower=False, driver="evr")[1]), 0),
    "svd": (of_svd, 3),
    "svd_full": (lambda x: of_svd(x, full=True), 3),
    "qr": (lambda x: qr(x, complete=False), 2),
    "lu": (lambda x: lu(x)[0], 0),
    "pinv": (lambda x: pinv(x, rtol=1e-15), 0),
    "mirrored": (lambda x: mirrored(hermitian(x), lower=True, conjugates=True), 0),
}


@pytest.mark.parametrize("x", [REAL, COMPLEX, np.stack([REAL, REAL.T + 1])], ids=["d", "D", "2"])
@pytest.mark.parametrize("name", HERE)
def test_derivatives_and_lanes(name, x):
    function, outputs = HERE[name]
    op = operation(name, function, outputs)
    check.check_derivatives(op, (x,), {})
    check.check_batch(op, (x,), {})
    check.check_float32(op, (x,), {})


@pytest.mark.parametrize(
    ("function", "x", "outputs"),
    [
        (of_svd, TALL, 3),
        (lambda x: of_svd(adjoint(x)), TALL, 3),
        (rest_of_svd, TALL, 0),
        (rest_of_wide_svd, TALL, 0),
        (rest_of_svd, TALL.real, 0),
        (rest_of_wide_svd, TALL.real, 0),
        (rest_of_qr, TALL, 0),
        (lambda x: qr(x, complete=True)[1], TALL, 0),
        (of_eig, COMPLEX, 2),
        (of_schur, COMPLEX, 2),
        (lambda x: pinv(adjoint(x), rtol=1e-15), TALL, 0),
        (lambda x: lu(adjoint(x))[0], TALL, 0),
    ],
)
def test_of_complex_and_oblong_matrices(function, x, outputs):
    check.check_derivatives(operation("part", function, outputs), (x,), {})


def test_a_third_derivative_of_the_exponential():
    def f(h):
        return expm_frechet(REAL * h, REAL)[0, 1]

    third = tg.grad(tg.grad(f))(0.3)
    step = 1e-4
    expected = (f(0.3 + step) - 2 * f(0.3) + f(0.3 - step)) / step**2
    assert third == pytest.approx(expected, rel=1e-5)


# Repeated values


def rebuilt_by_eigh(x, weights):
    values, vectors = eigh(x, lower=True, driver="")
    return total_of(
        matmul(vectors * rows(values), adjoint(vectors)) * weights, axis=(0, 1), keepdims=False
    )


def rebuilt_by_svd(x, weights):
    u, s, vh = svd(x, full=False)
    return total_of(matmul(u * rows(s), vh) * weights, axis=(0, 1), keepdims=False)


def repeated(values):
    q = np.linalg.qr(REAL)[0]
    return q @ np.diag(values) @ q.T


@pytest.mark.parametrize("x", [np.eye(3), repeated([2.0, 2.0, 5.0]), np.zeros((3, 3))])
def test_eigenvalues_need_no_distance(x):
    def f(x):
        values, _ = eigh(x, lower=True, driver="")
        return total_of(values * values, axis=(0,), keepdims=False)

    np.testing.assert_allclose(tg.grad(f)(x), 2 * x, atol=1e-13)
    _, push = tg.jvp(f, (x,), (np.eye(3),))
    assert push == pytest.approx(2 * np.trace(x))


@pytest.mark.parametrize("x", [np.eye(3), repeated([2.0, 2.0, 5.0])])
def test_what_is_rebuilt_from_repeated_values_has_a_finite_gradient(x):
    # weights that commute with x do not mix what is equal: then the gradient is exact
    np.testing.assert_allclose(tg.grad(rebuilt_by_eigh)(x, x), x, atol=1e-12)
    np.testing.assert_allclose(tg.grad(rebuilt_by_svd)(x, x), x, atol=1e-12)
    weights = REAL + REAL.T
    assert np.abs(tg.grad(rebuilt_by_eigh)(x, weights)).max() < 10
    assert np.abs(tg.grad(rebuilt_by_svd)(x, weights)).max() < 10
    many = np.stack([x, REAL @ REAL.T])
    lanes = tg.vmap(tg.grad(rebuilt_by_eigh), in_axes=(0, None))(many, weights)
    np.testing.assert_allclose(lanes[0], tg.grad(rebuilt_by_eigh)(x, weights), atol=1e-12)
    np.testing.assert_allclose(lanes[1], weights, atol=1e-12)


def test_the_polar_factor_of_repeated_singular_values():
    def f(x):
        u, _, vh = svd(x, full=False)
        return matmul(u, vh)

    x = 2 * np.linalg.qr(REAL)[0]
    t = rng.standard_normal((3, 3))
    g = rng.standard_normal((3, 3))
    slope = tg.vjp(f, x)[1](g)[0]
    (change,) = check.difference(lambda x: [f(x)], [x], [t])
    assert np.sum(slope * t) == pytest.approx(np.sum(change * g))


def test_what_depends_on_the_choice_of_vectors_has_no_derivative():
    def f(x):
        return eigh(x, lower=True, driver="")[1][0, 1]

    with np.errstate(divide="ignore", invalid="ignore"):
        g = tg.grad(f)(np.eye(2))
    assert not np.isfinite(g).all()


def test_zero_singular_values():
    x = np.diag([3.0, 0.0, 0.0])
    np.testing.assert_allclose(tg.grad(rebuilt_by_svd)(x, x), x, atol=1e-13)
    tall = np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])
    np.testing.assert_allclose(tg.grad(rebuilt_by_svd)(tall, tall), tall, atol=1e-12)


def test_defective_eigenvalues_have_a_steep_slope():
    # those of [[1, 1], [h, 1]] are 1 + sqrt(h) and 1 - sqrt(h)
    g = tg.grad(lambda x: absolute(eig(x)[0])[0])(np.array([[1.0, 1.0], [0.0, 1.0]]))
    assert np.abs(g).max() > 1e10


def test_qr_of_dependent_columns_raises():
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        tg.grad(lambda x: qr(x, complete=False)[1][0, 0])(np.zeros((2, 2)))


# Triangles


def test_only_one_triangle_is_read():
    garbage = np.triu(np.full((3, 3), np.nan), 1)
    x = spd(REAL)
    np.testing.assert_array_equal(cholesky(np.tril(x) + garbage), cholesky(x))
    np.testing.assert_allclose(
        eigh(np.tril(x) + garbage, lower=True, driver="")[0], np.linalg.eigvalsh(x)
    )
    np.testing.assert_allclose(
        eigh(np.triu(x) + garbage.T, lower=False, driver="")[0], np.linalg.eigvalsh(x)
    )
    np.testing.assert_array_equal(
        mirrored(np.tril(x) + garbage, lower=True, conjugates=False), np.tril(x) + np.tril(x, -1).T
    )
    low = np.tril(x)
    out = solve_triangular(low + garbage, x, lower=True, transposed=False, unit=False)
    np.testing.assert_allclose(low @ out, x)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("unit", [False, True])
def test_systems_of_triangular_matrices(order, transposed, lower, unit, monkeypatch):
    a = np.asarray(COMPLEX + 3 * np.eye(3), order=order)
    part = (np.tril if lower else np.triu)(a)
    if unit:
        part = part - np.diag(np.diag(part)) + np.eye(3)
    b = np.asarray(TALL[:3], order=order)
    options = {"lower": lower, "transposed": transposed, "unit": unit}
    expected = np.linalg.solve(part.T if transposed else part, b)
    np.testing.assert_allclose(solve_triangular(a, b, **options), expected, rtol=1e-12)
    monkeypatch.setattr(lapack, "routine", lambda name, char: None)  # as without SciPy
    np.testing.assert_allclose(solve_triangular(a, b, **options), expected, rtol=1e-12)


def test_systems_of_mixed_and_empty_matrices():
    a, b = np.eye(2) * 2, np.ones((2, 1)) * 1j
    options = {"lower": True, "transposed": False, "unit": False}
    np.testing.assert_array_equal(solve_triangular(a, b, **options), b / 2)
    assert solve_triangular(np.zeros((0, 0)), np.zeros((0, 2)), **options).shape == (0, 2)
    assert solve_triangular(a, np.zeros((2, 0)), **options).shape == (2, 0)


# Orders


def test_lu_factors_with_pivots():
    packed, pivots, order = lu(COMPLEX)
    low, up = np.tril(packed, -1) + np.eye(3), np.triu(packed)
    np.testing.assert_allclose(low @ up, take_rows(COMPLEX, order))
    np.testing.assert_array_equal(row_order(pivots, rows=3), order)


# Accuracy


def test_ill_conditioned_matrices():
    q, p = np.linalg.qr(REAL)[0], np.linalg.qr(REAL.T + 1)[0]
    x = q @ np.diag([1.0, 1e-4, 1e-8]) @ p
    weights = rng.standard_normal((3, 3))
    # what is rebuilt is x: the gradient is known
    np.testing.assert_allclose(tg.grad(rebuilt_by_svd)(x, weights), weights, atol=1e-8)
    definite = q @ np.diag([1.0, 1e-4, 1e-8]) @ q.T

    def by_cholesky(x):
        factor = cholesky(x)
        return total_of(matmul(factor, adjoint(factor)) * weights, axis=(0, 1), keepdims=False)

    expected = (weights + weights.T) / 2
    np.testing.assert_allclose(tg.grad(by_cholesky)(definite), expected, atol=1e-7)
    np.testing.assert_allclose(tg.grad(rebuilt_by_eigh)(definite, weights), expected, atol=1e-8)


def test_empty_matrices():
    empty = np.zeros((0, 0))
    for function, count in (
        (lambda x: eigh(x, lower=True, driver=""), 2),
        (lambda x: svd(x, full=False), 3),
        (lambda x: qr(x, complete=False), 2),
        (lambda x: (cholesky(x),), 1),
    ):
        out, pull = tg.vjp(function, empty)
        assert len(out) == count
        assert pull(out)[0].shape == (0, 0)


# Ways of their own for plain arrays


@pytest.mark.parametrize("n", [1, 64, 65, 130])
def test_cholesky_by_blocks(n, monkeypatch):
    x = spd(rng.standard_normal((n, n)))
    _, pull = tg.vjp(cholesky, x)
    g = rng.standard_normal((n, n))  # what is above the diagonal does not count
    (whole,) = tg.vmap(lambda x: tg.vjp(cholesky, x)[1](g))(x[None])
    np.testing.assert_allclose(pull(g)[0], whole[0], atol=1e-10 * np.abs(whole).max())
    monkeypatch.setattr(lapack, "routine", lambda name, char: None)  # as without SciPy
    np.testing.assert_allclose(pull(g)[0], whole[0], atol=1e-10 * np.abs(whole).max())


def test_eigenvectors_of_plain_arrays():
    x = hermitian(rng.standard_normal((5, 5)))
    gs = rng.standard_normal(5), rng.standard_normal((5, 5))

    def pulled(x):
        return tg.vjp(lambda x: eigh(x, lower=True, driver=""), x)[1](gs)[0]

    np.testing.assert_allclose(pulled(x), tg.vmap(pulled)(x[None])[0], rtol=1e-12)
