"""numpy.linalg's decompositions: values and derivatives of programs written with plain NumPy.

Eigenvectors and singular vectors are compared by what does not depend on their signs.
"""

from __future__ import annotations

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp

from .program import check

A = np.array([[3.0, -1.2, 0.7], [1.5, 4.0, -0.65], [0.2, -0.9, 5.0]])
TALL = np.array([[0.3, -1.2], [1.5, 0.4], [-0.6, 2.2]])
WIDE = TALL.T
SIDES = np.array([[1.0, 0.5], [-0.3, 2.0], [0.7, 0.1]])


def spd(x):
    return x @ np.swapaxes(x, -1, -2) + np.eye(x.shape[-2])


def even(vectors):
    """What does not change with the signs of the columns."""
    return vectors * vectors, np.cos(vectors[..., :1, :] * vectors)


ON_SQUARE = {
    "cholesky": lambda x: np.linalg.cholesky(spd(x)),
    "cholesky_upper": lambda x: np.linalg.cholesky(spd(x), upper=True),
    "eigh": lambda x: (np.linalg.eigh(x + x.T)[0], *even(np.linalg.eigh(x + x.T)[1])),
    "eigh_upper": lambda x: even(np.linalg.eigh(x + x.T, UPLO="U").eigenvectors),
    "eigvalsh": lambda x: np.linalg.eigvalsh(x + x.T, "u"),
    "eig": lambda x: np.linalg.eig(spd(x))[0].real,
    "eig_vectors": lambda x: even(
        np.linalg.eig(spd(x) @ np.diag([1.0, 2.0, 3.0])).eigenvectors.real
    ),
    "eigvals": lambda x: np.sort(np.linalg.eigvals(spd(x)).real),
    "svd": lambda x: (np.linalg.svd(x)[1], *even(np.linalg.svd(x)[0])),
    "svd_right": lambda x: even(np.linalg.svd(x).Vh.T),
    "svd_hermitian": lambda x: (
        np.linalg.svd(x + x.T, hermitian=True).S,
        *even(np.linalg.svd(x + x.T, hermitian=True).U),
    ),
    "svd_values": lambda x: np.linalg.svd(x, compute_uv=False),
    "svd_hermitian_values": lambda x: np.linalg.svd(x + x.T, compute_uv=False, hermitian=True),
    "qr": np.linalg.qr,
    "qr_r": lambda x: np.linalg.qr(x, mode="r"),
    "qr_complete": lambda x: tuple(np.linalg.qr(x, mode="complete")),
    "pinv": np.linalg.pinv,
    "pinv_hermitian": lambda x: np.linalg.pinv(x + x.T, hermitian=True),
    "lstsq": lambda x: np.linalg.lstsq(x, SIDES)[0],
    "lstsq_for": lambda x: np.linalg.lstsq(A, x[0])[0],
    "cond": np.linalg.cond,
    "cond_minus_2": lambda x: np.linalg.cond(x, -2),
    "norm_2": lambda x: np.linalg.norm(x, 2),
    "norm_minus_2": lambda x: np.linalg.norm(x, -2, keepdims=True),
    "norm_nuc": lambda x: np.linalg.norm(x, "nuc"),
    "svdvals": np.linalg.svdvals,
}

ON_TALL = {
    "svd_thin": lambda x: even(np.linalg.svd(x, full_matrices=False).U),
    "svd_full": lambda x: even(np.linalg.svd(x).U[:, :2]),
    "svd_rest": lambda x: np.linalg.svd(x).U[:, 2:] @ np.linalg.svd(x).U[:, 2:].T,
    "svd_rebuilt": lambda x: (lambda u, s, v: (u * s) @ v)(*np.linalg.svd(x, False)),
    "qr": lambda x: tuple(np.linalg.qr(x)),
    "qr_complete": lambda x: np.linalg.qr(x, "complete").Q[:, 2:] ** 2,
    "qr_complete_r": lambda x: np.linalg.qr(x, "complete").R,
    "pinv": lambda x: np.linalg.pinv(x, rtol=None),
    "lstsq": lambda x: np.linalg.lstsq(x, SIDES, rcond=None)[:2],
    "lstsq_vector": lambda x: np.linalg.lstsq(x, SIDES[:, 0]),
    "matrix_norm_nuc": lambda x: np.linalg.matrix_norm(x, ord="nuc"),
    "matrix_norm_2": lambda x: np.linalg.matrix_norm(x[None], ord=2, keepdims=True),
    "norm_axes": lambda x: np.linalg.norm(x[:, None], 2, axis=(2, 0)),
}

ON_WIDE = {
    "svd_thin": lambda x: even(np.linalg.svd(x, full_matrices=False).Vh.T),
    "svd_rest": lambda x: np.linalg.svd(x).Vh[2:].T @ np.linalg.svd(x).Vh[2:],
    "qr": lambda x: tuple(np.linalg.qr(x)),
    "pinv": np.linalg.pinv,
    "lstsq": lambda x: np.linalg.lstsq(x, SIDES[:2])[0],
    "lstsq_residuals": lambda x: np.linalg.lstsq(x, SIDES[:2])[1],
}


@pytest.mark.parametrize("f", ON_SQUARE.values(), ids=ON_SQUARE)
def test_on_a_square_matrix(f):
    # over lanes, eigenvalues are always complex
    check(f, A, exact=False, lanes=f not in map(ON_SQUARE.get, ("eig", "eig_vectors", "eigvals")))


@pytest.mark.parametrize("f", ON_TALL.values(), ids=ON_TALL)
def test_on_a_tall_matrix(f):
    check(f, TALL, exact=False)


@pytest.mark.parametrize("f", ON_WIDE.values(), ids=ON_WIDE)
def test_on_a_wide_matrix(f):
    check(f, WIDE, exact=False)


@pytest.mark.parametrize(
    ("f", "match"),
    [
        (lambda x: np.linalg.qr(x, "half"), "Unrecognized mode 'half'"),
        (lambda x: np.linalg.eigh(x, UPLO="R"), "UPLO argument must be 'L' or 'U'"),
        (lambda x: np.linalg.pinv(x, 1e-9, rtol=1e-9), "can't be both set"),
        (lambda x: np.linalg.matrix_rank(x, 1e-9, rtol=1e-9), "can't be both set"),
        (lambda x: np.linalg.lstsq(x[None], SIDES), "3-dimensional array given"),
        (lambda x: np.linalg.lstsq(x, SIDES[:2]), "Incompatible dimensions"),
    ],
)
def test_what_cannot_be_says_so(f, match):
    with pytest.raises(ValueError, match=match):
        tg.vjp(f, A)


def test_results_have_numpys_names():
    def names(x):
        parts = np.linalg.svd(x), np.linalg.eigh(x), np.linalg.eig(x), np.linalg.qr(x)
        assert [type(p).__name__ for p in parts] == [
            "SVDResult",
            "EighResult",
            "EigResult",
            "QRResult",
        ]
        return parts[0].S[0]

    tg.grad(names)(A)


def test_eigenvalues_are_real_or_complex_as_numpys():
    turning = np.array([[0.0, -2.0], [2.0, 1.0]])
    seen = []

    def values(x):
        seen.append(np.linalg.eigvals(x).dtype)
        return np.sum(abs(np.linalg.eigvals(x)))

    tg.grad(values)(A @ A.T)
    g = tg.grad(values)(turning)
    assert seen == [np.linalg.eigvals(A @ A.T).dtype, np.complex128]
    # both have the absolute value sqrt(det)
    np.testing.assert_allclose(g, np.linalg.inv(turning).T * 2, atol=1e-14)
    many = np.stack([turning, A[:2, :2] @ A[:2, :2].T])
    out = tg.vmap(np.linalg.eigvals)(many)
    assert out.dtype == np.complex128
    np.testing.assert_allclose(out, np.linalg.eigvals(many))


def test_the_rank_has_no_derivative():
    deficient = np.array([[1.0, 2.0], [2.0, 4.0]])
    for x, rank in ((A, 3), (deficient, 1), (np.zeros((2, 3)), 0), (A[0], 1), (0 * A[0], 0)):
        seen = []

        def ranked(x, seen=seen):
            seen.append(np.linalg.matrix_rank(x))
            return np.sum(x) * seen[0]

        np.testing.assert_array_equal(tg.grad(ranked)(x), np.full(x.shape, rank))
        assert seen[0].dtype == np.int64
    stack = np.stack([np.eye(2), deficient])
    np.testing.assert_array_equal(tg.vmap(np.linalg.matrix_rank)(stack), [2, 1])
    by_row = tg.vmap(lambda x: np.linalg.matrix_rank(x, hermitian=True), in_axes=0)(stack)
    np.testing.assert_array_equal(by_row, [2, 1])

    def tolerant(x):
        ranks = np.linalg.matrix_rank(x, tol=np.array([0.5, 9.0]))
        np.testing.assert_array_equal(ranks.data, np.linalg.matrix_rank(stack, [0.5, 9.0]))
        return np.sum(x)

    tg.grad(tolerant)(stack)

    def in_steps(x):  # one matrix, several tolerances
        ranks = np.linalg.matrix_rank(x, tol=np.array([0.5, 0.05, 0.005, 2.0]))
        np.testing.assert_array_equal(ranks.data, [1, 2, 3, 0])
        return np.sum(x)

    tg.grad(in_steps)(np.diag([1.0, 0.1, 0.01]))


def test_least_squares_of_a_deficient_matrix():
    x = np.array([[1.0, 2.0], [2.0, 4.0], [0.5, 1.0]])
    b = np.array([1.0, 0.0, 2.0])

    def f(x):
        solution, residuals, rank, values = np.linalg.lstsq(x, b)
        assert residuals.shape == (0,)
        assert rank.data == 1
        assert values.shape == (2,)
        return np.sum(solution**2)

    assert f_raw(x, b) == pytest.approx(tg.value_and_grad(f)(x)[0])
    # along changes that keep the rank
    direction = np.outer([1.0, -0.4, 0.2], [1.0, 2.0]) + np.outer([1.0, 2.0, 0.5], [0.3, -1.0])
    slope = np.sum(tg.grad(f)(x) * direction)
    assert tg.jvp(f, (x,), (direction,))[1] == pytest.approx(slope)
    moved = [rank_one(np.array([1.0, 2.0, 0.5]), np.array([1.0, 2.0]), h) for h in (1e-6, -1e-6)]
    np.testing.assert_allclose((f_raw(moved[0], b) - f_raw(moved[1], b)) / 2e-6, slope, rtol=1e-7)


def f_raw(x, b):
    return np.sum(np.linalg.lstsq(x, b)[0] ** 2)


def rank_one(u, v, h):
    return np.outer(u + h * np.array([1.0, -0.4, 0.2]), v + h * np.array([0.3, -1.0]))


def single_lstsq(x):
    return np.linalg.lstsq(x, SIDES.astype(np.float32))[0]


def test_single_precision_stays_single():
    x = A.astype(np.float32)
    for f in (ON_SQUARE["eigh"], ON_SQUARE["svd"], np.linalg.pinv, single_lstsq):
        out, pull = tg.vjp(f, x)
        outs = out if isinstance(out, tuple) else (out,)
        assert all(o.dtype == np.float32 for o in outs)
        assert pull(out)[0].dtype == np.float32


def test_integers_are_taken_as_numpy_takes_them():
    x = np.array([[2, 1], [1, 3]])
    for f in (np.linalg.eigvalsh, np.linalg.svdvals, np.linalg.pinv, np.linalg.cholesky):
        np.testing.assert_allclose(tg.vmap(f)(x[None])[0], f(x), rtol=1e-14)
        np.testing.assert_array_equal(getattr(tnp.linalg, f.__name__)(x), f(x))


def test_vectors_of_the_upper_triangle_are_numpys():
    recorded = tg.vjp(lambda x: tnp.linalg.eigh(x, UPLO="U").eigenvectors, A)[0]
    np.testing.assert_array_equal(recorded, np.linalg.eigh(A, UPLO="U").eigenvectors)
