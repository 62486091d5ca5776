"""scipy.linalg: values and derivatives of what `tapegrad.scipy.linalg` gives, and its errors.

On plain arrays its functions are SciPy's own: so the checks compare with SciPy.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.linalg

import tapegrad as tg
import tapegrad.scipy.linalg as sl
from tapegrad.scipy.linalg.reasons import REASONS
from tests.numpy.program import check, difference

A = np.array([[3.0, -1.2, 0.7], [1.5, 4.0, -0.65], [0.2, -0.9, 5.0]])
B = np.array([0.3, -1.2, 0.7])
MANY = np.array([[0.3, 1.1], [-1.2, 0.4], [0.7, -2.0]])
TALL = np.array([[0.3, -1.2], [1.5, 0.4], [-0.6, 2.2]])
BAND = np.array([[0.0, 0.5, -0.3], [4.0, 3.0, 5.0], [1.0, -0.7, 0.0]])
CORNERS = np.array([[0.0, 1.0, 1.0], [1.0, 1.0, 1.0]])
HALF = np.array([[4.0, 3.0, 5.0], [1.0, -0.7, 0.0]])
STACK = np.stack([A[:2, :2], A[1:, 1:]])


def spd(x):
    return x @ np.swapaxes(x, -1, -2) + np.eye(x.shape[-2])


def small(x):
    return x / (1 + np.sum(x * x))


def even(vectors):
    return vectors * vectors


ON_SQUARE = {
    "cholesky": lambda x: sl.cholesky(spd(x)),
    "cholesky_lower": lambda x: sl.cholesky(spd(x), lower=True),
    "cho_factor": lambda x: np.triu(sl.cho_factor(spd(x))[0]),
    "cho_solve": lambda x: sl.cho_solve(sl.cho_factor(spd(x)), B),
    "cho_solve_lower": lambda x: sl.cho_solve(sl.cho_factor(spd(x), lower=True), MANY),
    "cho_solve_side": lambda x: sl.cho_solve(sl.cho_factor(spd(A)), x),
    "lu": lambda x: sl.lu(x)[1:],
    "lu_permuted": lambda x: sl.lu(x[::-1], permute_l=True),
    "lu_indices": lambda x: sl.lu(x[::-1], p_indices=True)[1:],
    "lu_wide": lambda x: sl.lu(x[:2])[1:],
    "lu_tall": lambda x: sl.lu(x[:, :2])[1:],
    "lu_factor": lambda x: sl.lu_factor(x)[0],
    "lu_solve": lambda x: sl.lu_solve(sl.lu_factor(x[::-1]), B),
    "lu_solve_transposed": lambda x: sl.lu_solve(sl.lu_factor(x[::-1]), MANY, trans=1),
    "lu_solve_side": lambda x: sl.lu_solve(sl.lu_factor(A), x, trans=2),
    "qr": sl.qr,
    "qr_economic": lambda x: sl.qr(x[:, :2], mode="economic"),
    "qr_r": lambda x: sl.qr(x, mode="r"),
    "qr_pivoting": lambda x: sl.qr(x, pivoting=True)[:2],
    "qr_pivots": lambda x: sl.qr(x, pivoting=True),
    "rq": sl.rq,
    "rq_wide": lambda x: sl.rq(x[:2]),
    "rq_tall": lambda x: sl.rq(x[:, :2], mode="economic"),
    "rq_r": lambda x: sl.rq(x[:2], mode="r"),
    "qr_multiply": lambda x: sl.qr_multiply(x, MANY.T),
    "qr_multiply_left": lambda x: sl.qr_multiply(x[:, :2], MANY[:2], mode="left"),
    "qr_multiply_wide": lambda x: sl.qr_multiply(x[:2], MANY[:2], mode="left", pivoting=True),
    "qr_multiply_vector": lambda x: sl.qr_multiply(x, x[0], conjugate=True)[0],
    "svd": lambda x: (sl.svd(x)[1], even(sl.svd(x)[0]), even(sl.svd(x)[2])),
    "svd_values": lambda x: sl.svd(x, compute_uv=False),
    "svdvals": sl.svdvals,
    "eigh": lambda x: (sl.eigh(x + x.T)[0], even(sl.eigh(x + x.T)[1])),
    "eigh_upper": lambda x: even(sl.eigh(x + x.T, lower=False)[1]),
    "eigh_values": lambda x: sl.eigh(x + x.T, eigvals_only=True, driver="ev"),
    "eigh_indices": lambda x: even(sl.eigh(x + x.T, subset_by_index=[1, 2])[1]),
    "eigvalsh": lambda x: sl.eigvalsh(x + x.T),
    "eigvalsh_general": lambda x: sl.eigvalsh(x + x.T, spd(A), subset_by_index=[0, 1]),
    "eigh_general": lambda x: (
        sl.eigh(x + x.T, spd(x))[0],
        even(sl.eigh(x + x.T, spd(x))[1]),
    ),
    "eigh_general_2": lambda x: even(sl.eigh(x + x.T, spd(A), type=2, lower=False)[1]),
    "eigh_general_3": lambda x: even(sl.eigh(x + x.T, spd(A), type=3)[1]),
    "eig": lambda x: abs(sl.eig(x)[0]) ** 2,
    "eig_vectors": lambda x: abs(sl.eig(x)[1]) ** 2,
    "eigvals": lambda x: abs(sl.eigvals(x)),
    "eig_general": lambda x: abs(sl.eig(x, spd(x))[0]) ** 2,
    "eig_general_vectors": lambda x: abs(sl.eig(x, small(x.T) + spd(A))[1]) ** 2,
    "eigvals_general": lambda x: abs(sl.eigvals(A, x + 9 * np.eye(3))),
    "polar": sl.polar,
    "polar_left": lambda x: sl.polar(x[:2] + x[1:], side="left"),
    "orthogonal_procrustes": lambda x: sl.orthogonal_procrustes(x, A),
    "expm": lambda x: sl.expm(small(x)),
    "expm_frechet": lambda x: sl.expm_frechet(small(x), A),
    "expm_frechet_along": lambda x: sl.expm_frechet(small(A), x, compute_expm=False),
    "sqrtm": lambda x: sl.sqrtm(spd(x)),
    "logm": lambda x: sl.logm(spd(x)),
    "fractional_matrix_power": lambda x: sl.fractional_matrix_power(spd(x), 0.3),
    "signm": lambda x: sl.signm(spd(x) * [1, -1, 1]),
    "cosm": lambda x: sl.cosm(small(x)),
    "sinm": lambda x: sl.sinm(small(x)),
    "tanm": lambda x: sl.tanm(small(x)),
    "coshm": lambda x: sl.coshm(small(x)),
    "sinhm": lambda x: sl.sinhm(small(x)),
    "tanhm": lambda x: sl.tanhm(small(x)),
    "solve": lambda x: sl.solve(x, B),
    "solve_transposed": lambda x: sl.solve(x, MANY, transposed=True),
    "solve_side": lambda x: sl.solve(A, x),
    "solve_sym": lambda x: sl.solve(x + x.T, B, assume_a="sym"),
    "solve_her": lambda x: sl.solve(x + x.T, B, assume_a="her", lower=True),
    "solve_pos": lambda x: sl.solve(spd(x), B, assume_a="pos"),
    "solve_diagonal": lambda x: sl.solve(np.diag(np.diag(x)), MANY, assume_a="diagonal"),
    "solve_tridiagonal": lambda x: sl.solve(
        np.triu(np.tril(x, 1), -1), MANY, assume_a="tridiagonal"
    ),
    "solve_upper": lambda x: sl.solve(np.triu(x), B, assume_a="upper triangular"),
    "solve_lower": lambda x: sl.solve(np.tril(x), B, assume_a="lower triangular"),
    "solve_triangular": lambda x: sl.solve_triangular(x, B),
    "solve_triangular_lower": lambda x: sl.solve_triangular(x, MANY, lower=True, trans="T"),
    "solve_triangular_unit": lambda x: sl.solve_triangular(x, x, unit_diagonal=True, trans=2),
    "solve_banded": lambda x: sl.solve_banded((1, 1), BAND, x),
    "solve_sylvester": lambda x: sl.solve_sylvester(spd(x), spd(x.T), x),
    "solve_continuous_lyapunov": lambda x: sl.solve_continuous_lyapunov(spd(x), x),
    "solve_discrete_lyapunov": lambda x: sl.solve_discrete_lyapunov(small(x), x),
    "solve_discrete_lyapunov_bilinear": lambda x: sl.solve_discrete_lyapunov(
        small(x), x, method="bilinear"
    ),
    "solve_continuous_are": lambda x: sl.solve_continuous_are(
        small(x) - np.eye(3), MANY, spd(x), spd(x[:2, :2])
    ),
    "solve_continuous_are_side": lambda x: sl.solve_continuous_are(A, x, spd(A), spd(x)),
    "solve_discrete_are": lambda x: sl.solve_discrete_are(
        small(x), MANY, spd(small(x)), spd(x[:2, :2])
    ),
    "solve_discrete_are_side": lambda x: sl.solve_discrete_are(A, x, spd(A), spd(x)),
    "solve_circulant_side": lambda x: sl.solve_circulant(B, x),
    "inv": sl.inv,
    "inv_pos": lambda x: sl.inv(spd(x), assume_a="pos"),
    "det": sl.det,
    "norm": sl.norm,
    "norm_nuc": lambda x: sl.norm(x, "nuc"),
    "pinv": sl.pinv,
    "pinvh": lambda x: sl.pinvh(x + x.T),
    "lstsq": lambda x: sl.lstsq(x[:, :2], MANY)[:2],
    "lstsq_vector": lambda x: sl.lstsq(x[:, :2], B)[:2],
    "block_diag": lambda x: sl.block_diag(x, [[1.0]], x[0], 2.0),
    "khatri_rao": lambda x: sl.khatri_rao(x, x[:2]),
}

ON_VECTOR = {
    "toeplitz": sl.toeplitz,
    "toeplitz_row": lambda x: sl.toeplitz(x, np.array([9.0, 1.0])),
    "hankel": sl.hankel,
    "hankel_row": lambda x: sl.hankel(x[:2], x),
    "circulant": sl.circulant,
    "convolution_matrix": lambda x: sl.convolution_matrix(x, 2),
    "convolution_matrix_same": lambda x: sl.convolution_matrix(x, 4, mode="same"),
    "convolution_matrix_valid": lambda x: sl.convolution_matrix(x, 5, mode="valid"),
    "companion": sl.companion,
    "leslie": lambda x: sl.leslie(x, x[:2]),
    "fiedler": sl.fiedler,
    "diagsvd": lambda x: sl.diagsvd(x, 3, 4),
    "solve_toeplitz": lambda x: sl.solve_toeplitz((x + 5.0 * (np.arange(3) == 0), B), x),
    "solve_toeplitz_symmetric": lambda x: sl.solve_toeplitz(x + 5.0 * (np.arange(3) == 0), MANY),
    "solve_circulant": lambda x: sl.solve_circulant(x + 5.0 * (np.arange(3) == 0), MANY),
    "solve_circulant_stack": lambda x: sl.solve_circulant(
        np.stack([x, x * x]) + 5.0 * (np.arange(3) == 0), x, outaxis=-1
    ),
    "solve_circulant_lstsq": lambda x: sl.solve_circulant(
        x - np.sum(x) / 3, x * x, singular="lstsq", tol=1e-10
    ),
    "matmul_toeplitz": lambda x: sl.matmul_toeplitz((x, B), MANY),
    "eigh_tridiagonal": lambda x: even(sl.eigh_tridiagonal(x, x[:2] + 1)[1]),
    "eigvalsh_tridiagonal": lambda x: sl.eigvalsh_tridiagonal(x, x[:2] + 1),
    "eigh_tridiagonal_indices": lambda x: even(
        sl.eigh_tridiagonal(x, x[:2] + 1, select="i", select_range=(1, 2))[1]
    ),
}

ON_BANDS = {
    "solve_banded": lambda x: sl.solve_banded((1, 1), x + 3 * BAND, B),
    "solveh_banded": lambda x: sl.solveh_banded(x[1::-1] * 0.1 + HALF[::-1], MANY),
    "solveh_banded_lower": lambda x: sl.solveh_banded(x[1:] * 0.1 + HALF, B, lower=True),
}

BAND_SUBSET = {"select": "i", "select_range": (0, 1)}
ON_BANDS |= {
    "cholesky_banded": lambda x: sl.cholesky_banded(
        x[1::-1] * CORNERS * 0.1 + HALF[::-1] * CORNERS
    ),
    "cholesky_banded_lower": lambda x: sl.cholesky_banded(
        (x[1:] * 0.1 + HALF) * CORNERS[::-1, ::-1], lower=True
    ),
    "cho_solve_banded": lambda x: sl.cho_solve_banded((x[:2] * 0.1 + HALF[::-1], False), MANY),
    "cho_solve_banded_lower": lambda x: sl.cho_solve_banded((x[1:] * 0.1 + HALF, True), B),
    "eig_banded": lambda x: (sl.eig_banded(x[:2])[0], even(sl.eig_banded(x[:2])[1])),
    "eig_banded_lower": lambda x: even(sl.eig_banded(x[1:], lower=True, **BAND_SUBSET)[1]),
    "eigvals_banded": lambda x: sl.eigvals_banded(x, **BAND_SUBSET),
}

ONE_LANE = {
    "orth": lambda x: even(sl.orth(x)),
    "null_space": lambda x: even(sl.null_space(x.T)),
    "subspace_angles": lambda x: sl.subspace_angles(x[:, :1], MANY),
    "subspace_angles_far": lambda x: sl.subspace_angles(MANY, np.array([[1, 2, 0.1]]).T + x[:, 1:]),
    "subspace_angles_many": lambda x: sl.subspace_angles(
        np.concatenate([x, MANY[::-1]]), np.concatenate([MANY, x * x])
    ),
}
"""What has a shape that depends on values."""


@pytest.mark.parametrize("name", ON_SQUARE)
def test_on_a_square_matrix(name):
    check(ON_SQUARE[name], A, exact=False)


@pytest.mark.parametrize("f", ON_VECTOR.values(), ids=ON_VECTOR)
def test_on_a_vector(f):
    check(f, B, exact=False)


@pytest.mark.parametrize("f", ON_BANDS.values(), ids=ON_BANDS)
def test_on_bands(f):
    check(f, BAND, exact=False)


@pytest.mark.parametrize("f", ONE_LANE.values(), ids=ONE_LANE)
def test_where_the_shape_depends_on_values(f):
    check(f, TALL, exact=False, lanes=False)
    with pytest.raises(tg.errors.ConcretizationError, match="differs between the lanes"):
        tg.vmap(f)(TALL[None])


STACKED = {
    "cholesky": lambda x: sl.cholesky(spd(x)),
    "cho_solve": lambda x: sl.cho_solve(sl.cho_factor(spd(x)), MANY[:2]),
    "lu": lambda x: sl.lu(x),
    "lu_solve": lambda x: sl.lu_solve(sl.lu_factor(x), MANY[:2]),
    "qr": sl.qr,
    "eigvalsh": lambda x: sl.eigvalsh(x + np.swapaxes(x, -1, -2)),
    "svdvals": sl.svdvals,
    "solve": lambda x: sl.solve(x, MANY[:2]),
    "solve_triangular": lambda x: sl.solve_triangular(x, MANY[:2]),
    "inv": sl.inv,
    "det": sl.det,
    "expm": sl.expm,
    "sqrtm": lambda x: sl.sqrtm(spd(x)),
    "logm": lambda x: sl.logm(spd(x)),
    "solve_sylvester": lambda x: sl.solve_sylvester(spd(x), spd(x), x),
    "schur": lambda x: sl.schur(spd(x))[0],
    "pinv": sl.pinv,
}


@pytest.mark.parametrize("f", STACKED.values(), ids=STACKED)
def test_stacks_are_loops(f):
    def flat(x):
        out = f(x)
        return out if isinstance(out, tuple) else (out,)

    out, pull = tg.vjp(flat, STACK)
    gs = tuple(np.cos(np.arange(o.size, dtype=float)).reshape(o.shape) for o in out)
    (g,) = pull(gs)
    for i, x in enumerate(STACK):
        one, pull_one = tg.vjp(flat, x)
        for a, b in zip(out, one, strict=True):
            np.testing.assert_allclose(a[i], b, atol=1e-13)
        np.testing.assert_allclose(g[i], pull_one(tuple(c[i] for c in gs))[0], atol=1e-12)


@pytest.mark.parametrize("output", ["real", "complex"])
def test_schur_of_real_eigenvalues(output):
    def f(x):
        t, z = sl.schur(spd(x / 4) @ np.diag([1.0, 2.0, 4.0]), output=output)
        return abs(t) ** 2, abs(z) ** 2

    check(f, A, exact=False, lanes=False)


def test_schur_of_complex_eigenvalues():
    x = np.array([[0.0, -2.0, 0.3], [2.0, 1.0, 0.1], [0.4, 0.5, 3.0]])

    def f(x):
        t, z = sl.schur(x, output="complex")
        return abs(t) ** 2, abs(z) ** 2

    check(f, x, exact=False, lanes=False)
    with pytest.raises(ValueError, match="real Schur decomposition of a traced matrix"):
        tg.grad(lambda x: sl.schur(x)[0][0, 0])(x)


def test_a_function_of_a_matrix():
    def f(x):
        return sl.funm(x + np.diag(B), lambda w: w * np.exp(w / 5))

    check(f, small(A), exact=False, lanes=False)
    np.testing.assert_allclose(
        tg.grad(lambda x: np.sum(sl.funm(x, np.exp) ** 2))(A),
        tg.grad(lambda x: np.sum(sl.expm(x) ** 2))(A),
        rtol=1e-10,
    )
    # in vmap the results are complex
    lanes = tg.vmap(lambda x: sl.funm(x, np.exp))(A[None])
    np.testing.assert_allclose(lanes[0], scipy.linalg.expm(A) + 0j, rtol=1e-12)


def complex_loss(f):
    """A real function of a complex matrix, and of its imaginary part."""

    def loss(y):
        out = f(A + 1j * y)
        return np.sum(np.real(out * np.conj(out)) * np.cos(np.arange(out.size)).reshape(out.shape))

    return loss


def spd_of(x):
    return x @ np.conj(x.T) + np.eye(len(x))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: sl.solve_continuous_are(x, MANY + 0j, spd_of(x), spd_of(x[:2, :2])),
        lambda x: sl.solve_discrete_are(x / 9, x[:, :2], spd_of(x), spd_of(x[:2, :2])),
        lambda x: sl.rq(x)[0],
        lambda x: sl.qr_multiply(x, MANY.T * 1j)[0],
        lambda x: sl.signm(x * [1, -1, 1]),
        lambda x: sl.eigvals(x, spd_of(x)),
        lambda x: sl.cholesky_banded(
            np.stack([np.diag(x) * 3, x[0] * CORNERS[0][::-1]]), lower=True
        ),
        lambda x: sl.cho_solve_banded((np.stack([x[0], np.diag(x)]), False), MANY),
        lambda x: sl.eigvals_banded(np.stack([x[0], np.diag(x)])),
        lambda x: sl.solve_circulant(np.diag(x), x[0]),
        lambda x: sl.funm(x, np.exp),
    ],
)
def test_of_complex_matrices(f):
    loss = complex_loss(f)
    y = np.sin(np.arange(9.0)).reshape(3, 3)
    value = f(A + 1j * y)  # SciPy's
    np.testing.assert_allclose(tg.vjp(f, A + 1j * y)[0], value, atol=1e-12)
    np.testing.assert_allclose(tg.grad(loss)(y), difference(loss, y), rtol=2e-6, atol=1e-7)


def test_eigenvalues_between_bounds():
    x = A + A.T
    low, high = 6.5, 9.0

    def f(x):
        values, vectors = sl.eigh(x, subset_by_value=[low, high])
        return values, vectors * vectors

    check(lambda y: f(y + y.T), A, exact=False, lanes=False)
    with pytest.raises(tg.errors.ConcretizationError, match="differs between the lanes"):
        tg.vmap(f)(x[None])


def test_ranks_come_beside_pseudo_inverses():
    deficient = np.outer(B, B)
    _, rank = sl.pinvh(deficient, return_rank=True)

    def f(x):
        inverse, found = sl.pinvh(x, return_rank=True)
        assert found.data == rank == 1
        return np.sum(inverse)

    assert np.isfinite(tg.grad(f)(deficient)).all()


def test_values_are_read_where_nothing_is_differentiated():
    def f(x):
        assert sl.issymmetric(x)
        assert sl.ishermitian(x)
        assert sl.bandwidth(x) == (2, 2)
        return np.sum(x)

    np.testing.assert_array_equal(tg.grad(f)(spd(A)), np.ones((3, 3)))


@pytest.mark.parametrize(
    ("f", "match"),
    [
        (
            lambda x: sl.hessenberg(x),
            r"scipy\.linalg\.hessenberg has no rule for traced arrays: it jumps where a column",
        ),
        (lambda x: sl.ldl(x), "ldl has no rule for traced arrays: its pivots jump"),
        (lambda x: sl.qr(x, mode="raw"), 'does not take mode="raw"'),
        (lambda x: sl.schur(x, sort="lhp"), "linalg.schur of traced arrays does not take sort="),
        (lambda x: sl.eig(x, left=True), "does not take left=True"),
        (
            lambda x: sl.solve_discrete_are(x, x, x, x, s=x),
            "solve_discrete_are of traced arrays does not take e= or s=",
        ),
        (lambda x: sl.funm(x, np.exp, disp=False), "does not take disp=False"),
        (lambda x: sl.eigvals(x, homogeneous_eigvals=True), "homogeneous_eigvals"),
        (lambda x: sl.pinv(x, atol=0.1), "linalg.pinv of traced arrays does not take atol="),
        (lambda x: sl.lstsq(x, B, lapack_driver="gelsy"), "gelsy"),
        (lambda x: sl.toeplitz(x), "linalg.toeplitz of traced arrays does not take stacks"),
        (lambda x: sl.block_diag(x[None]), "block_diag of traced arrays does not take stacks"),
        (lambda x: sl.orth(x[None]), "linalg.orth of traced arrays does not take stacks"),
        (
            lambda x: sl.solve_discrete_lyapunov(x[None], x[None]),
            "solve_discrete_lyapunov of traced arrays does not take stacks",
        ),
        (lambda x: sl.eigh_tridiagonal(x[0] * 1j, x[1, :2]), "Only real arrays"),
        (
            lambda x: sl.eigvalsh(STACK * x[0, 0], subset_by_value=[0, 1]),
            "subset_by_value of stacks",
        ),
    ],
)
def test_what_is_not_supported_says_so(f, match):
    with pytest.raises(TypeError, match=match):
        tg.vjp(f, A)


@pytest.mark.parametrize(
    ("f", "match"),
    [
        (lambda x: sl.cholesky(x * np.nan), "must not contain infs or NaNs"),
        (lambda x: sl.cholesky(x[:2]), "Expected a square matrix"),
        (lambda x: sl.qr(x, mode="half"), "Mode argument should be one of"),
        (lambda x: sl.schur(x, output="half"), "argument must be 'real', or 'complex'"),
        (lambda x: sl.polar(x, side="up"), "must be either 'right' or 'left'"),
        (lambda x: sl.orthogonal_procrustes(x, A[:2]), "shapes of A and B differ"),
        (lambda x: sl.eigh(x, A, type=4), "only accepts 1, 2, and 3"),
        (lambda x: sl.eigh(x, subset_by_index=[1, 7]), "indices are not valid"),
        (lambda x: sl.eigh(x, subset_by_index=[0, 1], subset_by_value=[0, 1]), "Either index or"),
        (lambda x: sl.solve_triangular(x, B, trans=3), "trans must be 0, 1 or 2"),
        (lambda x: sl.solve_triangular(x * (1 - np.eye(3)), B), "Singular matrix"),
        (lambda x: sl.solve(x, B, assume_a="nice"), "nice is not a recognized matrix structure"),
        (lambda x: sl.solve(x, B[:2]), "Incompatible dimensions"),
        (lambda x: sl.lu_solve(sl.lu_factor(x), B[:2]), "differ"),
        (lambda x: sl.solve_banded((2, 1), x, B), "invalid values for the number of lower"),
        (lambda x: sl.solve_toeplitz(x[0], B[:2]), "Incompatible dimensions"),
        (
            lambda x: sl.eigh_tridiagonal(x[0], x[1, :2], select="few"),
            "invalid argument for select",
        ),
        (lambda x: sl.rq(x, mode="half"), "Mode argument should be one of"),
        (lambda x: sl.qr_multiply(x, A, mode="up"), "can only be 'left' or 'right'"),
        (lambda x: sl.subspace_angles(x, A[:2]), "must have the same number of rows, got 3 and 2"),
        (lambda x: sl.solve_circulant(x[0], B[:2]), "are incompatible"),
        (lambda x: sl.solve_circulant(x[0] * 0, B), "near singular circulant matrix"),
        (lambda x: sl.solve_discrete_lyapunov(x, x, method="guess"), "Unknown solver guess"),
        (lambda x: sl.lstsq(x, B[:2]), "same number of rows"),
        (lambda x: sl.convolution_matrix(x[0], 0), "n must be a positive integer"),
        (lambda x: sl.convolution_matrix(x[0], 2, mode="half"), "'mode' argument must be one of"),
        (lambda x: sl.companion(x[0, :1]), "must be at least 2"),
        (lambda x: sl.leslie(x[0], x[0]), "length of s must be one less"),
        (lambda x: sl.khatri_rao(x, A[:, :2]), "number of columns for both arrays"),
        (lambda x: sl.diagsvd(x[0], 4, 5), "Length of s must be M or N"),
        (lambda x: sl.expm_frechet(x, A[:2, :2]), "to be the same shape"),
        (lambda x: sl.expm_frechet(x, A, method="guess"), "Unknown implementation guess"),
    ],
)
def test_what_cannot_be_says_so(f, match):
    with pytest.raises(ValueError, match=match):
        tg.vjp(f, A)


def test_every_public_name_is_here():
    assert set(scipy.linalg.__all__) <= set(dir(sl))
    assert sl.hadamard(2) is not None
    assert sl.LinAlgError is np.linalg.LinAlgError
    assert set(REASONS) <= set(scipy.linalg.__all__)
    assert not set(REASONS) & set(vars(sl))
    for name in ("_secret", "nonsense"):
        with pytest.raises(AttributeError, match=f"has no attribute '{name}'"):
            getattr(sl, name)


HALF_PRECISION = A.astype(np.float16)


@pytest.mark.filterwarnings("ignore:.*dtype=float16.* is deprecated in SciPy:DeprecationWarning")
@pytest.mark.parametrize(
    "f",
    [
        *[sl.qr, sl.svdvals, sl.pinv, sl.inv, sl.expm, sl.polar, sl.orth, sl.eigvals],
        lambda x: sl.solve(x, x[0]),
        lambda x: sl.lu_solve(sl.lu_factor(x), x[0]),
        lambda x: sl.eigvalsh_tridiagonal(x[0], x[1, :2]),
        sl.norm,
    ],
)
def test_half_precision_is_computed_in_single_as_scipy_does(f):
    def flat(x):
        out = f(x)
        return out if isinstance(out, tuple) else (out,)

    expected = flat(HALF_PRECISION)
    out, pull = tg.vjp(flat, HALF_PRECISION)
    for a, e in zip(out, expected, strict=True):
        np.testing.assert_allclose(a, e, rtol=2e-3, atol=1e-3)
        assert a.dtype == e.dtype
    assert pull(out)[0].dtype == np.float16


def test_the_diagonal_of_hermitian_bands_is_real():
    bands = np.array([[0.0, 0.5 + 1j, -0.3j], [4.0 + 1j, 3.0 - 2j, 5.0]])
    expected = sl.solveh_banded(bands, B)
    for ab, lower in ((bands, False), (np.array([bands[1], np.roll(bands[0].conj(), -1)]), True)):
        out, pull = tg.vjp(lambda ab, lower=lower: sl.solveh_banded(ab, B, lower=lower), ab)
        np.testing.assert_allclose(out, expected, rtol=1e-13)
        assert np.all(pull(out)[0][0 if lower else 1].imag == 0)


def test_reasons_are_in_the_documentation():
    text = (Path(__file__).parents[2] / "docs" / "linear-algebra.md").read_text()
    for name, reason in REASONS.items():
        assert f"| `{name}` | {reason} |" in text
