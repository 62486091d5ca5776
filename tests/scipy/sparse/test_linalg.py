"""Sparse linear systems and eigenvalues, against dense ones."""

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg

import tapegrad as tg
import tapegrad.numpy as tnp
import tapegrad.scipy.sparse.linalg as linalg
from tapegrad.scipy.names import own

N = 8
RNG = np.random.default_rng(0)
GENERAL = (
    scipy.sparse.random_array((N, N), density=0.25, rng=1) + 3 * scipy.sparse.eye_array(N)
).tocsc()
SYMMETRIC = (GENERAL + GENERAL.T).tocsr()
B, W = RNG.standard_normal(N), RNG.standard_normal(N)
JACOBI = scipy.sparse.diags_array(1 / GENERAL.diagonal())

SOLVERS = {
    "spsolve": (lambda A, b: linalg.spsolve(A, b), GENERAL),
    "spsolve with an order": (lambda A, b: linalg.spsolve(A, b, permc_spec="NATURAL"), GENERAL),
    "splu": (lambda A, b: linalg.splu(A).solve(b), GENERAL),
    "splu of the transpose": (lambda A, b: linalg.splu(A.T).solve(b, "T"), GENERAL),
    "splu, conjugate": (lambda A, b: linalg.splu(A.T).solve(b, "H"), GENERAL),
    "factorized": (lambda A, b: linalg.factorized(A)(b), GENERAL),
    "cg": (lambda A, b: linalg.cg(A, b, rtol=1e-14)[0], SYMMETRIC),
    "minres": (lambda A, b: linalg.minres(A, b, rtol=1e-15)[0], SYMMETRIC),
    "gmres": (lambda A, b: linalg.gmres(A, b, rtol=1e-14)[0], GENERAL),
    "gmres with M": (lambda A, b: linalg.gmres(A, b, rtol=1e-14, M=JACOBI)[0], GENERAL),
    "bicgstab": (lambda A, b: linalg.bicgstab(A, b, rtol=1e-14)[0], GENERAL),
    "bicg": (lambda A, b: linalg.bicg(A, b, rtol=1e-14)[0], GENERAL),
    "cgs": (lambda A, b: linalg.cgs(A, b, rtol=1e-14)[0], GENERAL),
    "lgmres": (lambda A, b: linalg.lgmres(A, b, rtol=1e-14)[0], GENERAL),
    "tfqmr": (lambda A, b: linalg.tfqmr(A, b, rtol=1e-14)[0], GENERAL),
}


@pytest.mark.parametrize("name", SOLVERS)
def test_systems(name):
    solve, A = SOLVERS[name]

    def loss(solve, A, b):
        return tnp.sum(W * tnp.sin(solve(A, b)))

    dense = A.toarray()
    expected = tg.grad(lambda A, b: loss(tnp.linalg.solve, A, b), (0, 1))(dense, B)
    gradient, gradient_b = tg.grad(lambda A, b: loss(solve, A, b), (0, 1))(A, B)
    np.testing.assert_allclose(gradient.toarray(), expected[0] * (dense != 0), atol=1e-11)
    np.testing.assert_allclose(gradient_b, expected[1], atol=1e-11)
    constant = tg.grad(lambda b: loss(solve, A, b))(B)
    np.testing.assert_allclose(constant, expected[1], atol=1e-11)
    second = tg.hessian(lambda s: loss(solve, A * s, B * s * s))(1.5)
    exact = tg.hessian(lambda s: loss(tnp.linalg.solve, dense * s, B * s * s))(1.5)
    np.testing.assert_allclose(second, exact, atol=1e-10)
    np.testing.assert_allclose(solve(A, B), np.linalg.solve(dense, B), atol=1e-12)


def test_several_right_sides():
    bs = RNG.standard_normal((N, 3))
    inverse = np.linalg.inv(GENERAL.toarray())
    out, pullback = tg.vjp(lambda b: linalg.spsolve(GENERAL, b), bs)
    np.testing.assert_allclose(out, inverse @ bs)
    np.testing.assert_allclose(pullback(bs)[0], inverse.T @ bs)
    out = tg.vmap(lambda b: linalg.spsolve(GENERAL, b))(bs.T)
    np.testing.assert_allclose(out, (inverse @ bs).T)
    out = tg.vmap(lambda s: linalg.spsolve(GENERAL * s, B))(np.array([1.0, 2.0]))
    np.testing.assert_allclose(out, [inverse @ B, inverse @ B / 2])
    column = tg.jacobian(lambda b: linalg.spsolve(GENERAL, b))(B[:, None])
    np.testing.assert_allclose(column[..., 0], inverse)
    sparse_side = scipy.sparse.csc_array(bs)
    gradient = tg.grad(lambda A: linalg.spsolve(A, sparse_side).sum())(GENERAL)
    expected = tg.grad(lambda A: tnp.linalg.solve(A, bs).sum())(GENERAL.toarray())
    np.testing.assert_allclose(gradient.toarray(), expected * (GENERAL.toarray() != 0))


def test_one_factorisation_serves_all_derivatives(monkeypatch):
    count = []
    original = scipy.sparse.linalg.splu
    monkeypatch.setattr(
        scipy.sparse.linalg, "splu", lambda *args, **kwargs: count.append(1) or original(*args)
    )
    tg.grad(lambda A: linalg.spsolve(A, B).sum())(GENERAL)
    assert len(count) == 1
    factors = linalg.splu(GENERAL)
    tg.jacobian(lambda b: factors.solve(factors.solve(b)))(B)
    assert len(count) == 2
    assert factors.L.shape == (N, N)


def test_operators():
    operator = scipy.sparse.linalg.aslinearoperator(GENERAL)
    gradient = tg.grad(lambda b: W @ linalg.gmres(operator, b, rtol=1e-14)[0])(B)
    np.testing.assert_allclose(gradient, np.linalg.solve(GENERAL.toarray().T, W), atol=1e-12)
    seen = []
    linalg.cg(SYMMETRIC, B)
    tg.grad(lambda b: linalg.cg(SYMMETRIC, b, x0=W, callback=seen.append)[0].sum())(B)
    assert 0 < len(seen) <= N + 1  # the adjoint system does not call


def test_complex_systems():
    A = (GENERAL + 0.5j * GENERAL.T).tocsc()
    dense = A.toarray()
    for solve in (
        linalg.spsolve,
        lambda A, b: linalg.gmres(A, b, rtol=1e-14)[0],
        lambda A, b: linalg.splu(A.conj().T).solve(b, "H"),
    ):
        gradient, gradient_b = tg.grad(
            lambda A, b, solve=solve: tnp.sum(tnp.abs(solve(A, b)) ** 2), (0, 1)
        )(A, B + 0j)
        expected, expected_b = tg.grad(
            lambda A, b: tnp.sum(tnp.abs(tnp.linalg.solve(A, b)) ** 2), (0, 1)
        )(dense, B + 0j)
        np.testing.assert_allclose(gradient.toarray(), expected * (dense != 0), atol=1e-12)
        np.testing.assert_allclose(gradient_b, expected_b, atol=1e-12)
    gradient = tg.grad(lambda b: tnp.real(tnp.sum(linalg.spsolve(A, b))))(B)
    np.testing.assert_allclose(gradient, np.linalg.solve(dense.T, np.ones(N)).real)


@pytest.mark.parametrize("options", [{"which": "LA"}, {"which": "SA"}, {"sigma": 0.1}])
def test_eigenvalues(options):
    dense = SYMMETRIC.toarray()
    values, vectors = np.linalg.eigh(dense)
    found, _ = scipy.sparse.linalg.eigsh(SYMMETRIC, k=2, **options)
    chosen = [int(np.argmin(abs(values - w))) for w in found]

    def loss(values, vectors):
        return tnp.sum(tnp.array([1.0, 2.0]) * values) + W @ tnp.sum(vectors**2 * [3.0, 1.0], 1)

    def sparse(A):
        return loss(*linalg.eigsh(A, k=2, **options))

    def exact(A):
        values, vectors = tnp.linalg.eigh(A)
        return loss(values[chosen], vectors[:, chosen])

    expected = tg.grad(exact)(dense)
    expected = (expected + expected.T) / 2
    gradient = tg.grad(sparse)(SYMMETRIC).toarray()
    np.testing.assert_allclose(gradient, expected * (dense != 0), atol=1e-10)
    second = tg.grad(tg.grad(lambda s: sparse(SYMMETRIC + SYMMETRIC.power(2) * s)))(0.1)
    exact_second = tg.grad(tg.grad(lambda s: exact(dense + dense**2 * s)))(0.1)
    np.testing.assert_allclose(second, exact_second, rtol=1e-8)
    alone = tg.grad(lambda A: linalg.eigsh(A, k=1, return_eigenvectors=False, **options).sum())(
        SYMMETRIC
    )
    v = vectors[
        :,
        [
            int(
                np.argmin(
                    abs(
                        values
                        - scipy.sparse.linalg.eigsh(
                            SYMMETRIC, k=1, return_eigenvectors=False, **options
                        )[0]
                    )
                )
            )
        ],
    ]
    np.testing.assert_allclose(alone.toarray(), (v @ v.T) * (dense != 0), atol=1e-11)


def test_failures_raise():
    with pytest.raises(np.linalg.LinAlgError, match="cg did not converge after 1 iterations"):
        tg.grad(lambda b: linalg.cg(SYMMETRIC, b, maxiter=1)[0].sum())(B)
    with pytest.raises(RuntimeError, match="exactly singular"):
        tg.grad(lambda b: linalg.spsolve(scipy.sparse.csr_array((N, N)), b).sum())(B)
    with pytest.raises(ValueError, match="does not go with shape"):
        tg.grad(lambda b: linalg.spsolve(GENERAL, b).sum())(B[:3])
    with pytest.raises(ValueError, match="needs a square matrix"):
        tg.grad(lambda A: linalg.splu(A).solve(B).sum())(GENERAL[:, :3])
    with pytest.raises(TypeError, match="does not take M"):
        tg.grad(lambda A: linalg.eigsh(A, k=1, M=SYMMETRIC)[0].sum())(SYMMETRIC)
    with pytest.raises(TypeError, match="complex"):
        tg.grad(lambda A: tnp.real(linalg.eigsh(A, k=1)[0].sum()))(SYMMETRIC * (1 + 0j))


def test_equal_eigenvalues():
    A = scipy.sparse.kron(scipy.sparse.eye_array(2), SYMMETRIC).tocsr()
    largest = tg.grad(lambda A: linalg.eigsh(A, k=2, which="LA")[0].sum())(A)
    np.testing.assert_allclose(largest.trace(), 2.0)
    with pytest.raises(ArithmeticError, match="apart, so that their eigenvectors"):
        tg.grad(lambda A: (linalg.eigsh(A, k=2, which="LA")[1][0] ** 2).sum())(A)


def test_plain_arguments_go_to_scipy():
    x = linalg.spsolve(GENERAL, B)
    assert type(x) is np.ndarray
    np.testing.assert_array_equal(x, scipy.sparse.linalg.spsolve(GENERAL, B))
    assert linalg.cg(SYMMETRIC, B, maxiter=1)[1] == 1
    assert linalg.norm is not None
    assert "eigsh" in dir(linalg)


def test_the_module_is_this_packages_own_however_it_is_imported():
    # what `from tapegrad.scipy.sparse import linalg` asks for first
    assert own(scipy.sparse, "tapegrad.scipy.sparse", "linalg") is linalg
    assert own(scipy.sparse, "tapegrad.scipy.sparse", "csgraph") is scipy.sparse.csgraph
