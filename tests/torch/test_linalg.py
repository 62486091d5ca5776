"""`torch.linalg`: values recorded from PyTorch 2.13, derivatives against differences, errors."""

from __future__ import annotations

import numpy as np
import pytest

import tapegrad.torch as torch
from tapegrad.errors import NotDifferentiableError

linalg = torch.linalg
DOUBLE = torch.float64


def tensor(data, dtype=DOUBLE):
    return torch.tensor(data, dtype=dtype)


def near(actual, expected, tolerance=1e-9):
    np.testing.assert_allclose(np.asarray(actual.detach()), expected, rtol=tolerance, atol=1e-9)


DEFINITE = [[4.0, 1, 2], [1, 3, 0], [2, 0, 5]]
TALL = [[1.0, 2], [3, 4], [5, 7]]
SINGULAR = [[1.0, 2], [2, 4]]


def check_gradient(function, *arrays):
    """The gradient of a sum of weighted results, against central differences."""
    rng = np.random.default_rng(0)
    weights = {}

    def value(*xs):
        results = function(*xs)
        results = results if isinstance(results, tuple) else (results,)
        total = 0.0
        for i, r in enumerate(results):
            w = weights.setdefault(i, torch.tensor(rng.normal(size=tuple(r.shape))))
            total = total + (r * w).sum()
        return total

    leaves = [torch.tensor(x, dtype=DOUBLE, requires_grad=True) for x in arrays]
    value(*leaves).backward()
    for k, x in enumerate(arrays):
        x = np.asarray(x, float)
        for i in np.ndindex(x.shape):
            ends = []
            for step in (1e-6, -1e-6):
                moved = x.copy()
                moved[i] += step
                inputs = [*arrays[:k], moved, *arrays[k + 1 :]]
                ends.append(value(*(tensor(z) for z in inputs)).item())
            slope = (ends[0] - ends[1]) / 2e-6
            assert leaves[k].grad[i].item() == pytest.approx(slope, rel=1e-5, abs=1e-6)


# Factors


def test_cholesky_and_its_symmetric_gradient():
    a = tensor(DEFINITE).requires_grad_()
    factor = linalg.cholesky(a)
    near(factor, [[2, 0, 0], [0.5, 1.6583123952, 0], [1, -0.3015113446, 1.9771421064]])
    (factor * torch.arange(9, dtype=DOUBLE).reshape(3, 3)).sum().backward()
    near(
        a.grad,
        [
            [0.2914271874, -0.9033766922, -0.1311660287],
            [-0.9033766922, 1.6566671608, 2.4784198039],
            [-0.1311660287, 2.4784198039, 2.0231221554],
        ],
    )
    near(linalg.cholesky(a, upper=True), np.linalg.cholesky(np.array(DEFINITE)).T)


def test_what_is_not_definite_is_named():
    bad = tensor([[1.0, 2], [2, 1]])
    with pytest.raises(linalg.LinAlgError, match="leading minor of order 2 is not positive"):
        linalg.cholesky(bad)
    stack = torch.stack([torch.eye(2, dtype=DOUBLE), bad])
    with pytest.raises(RuntimeError, match=r"\(Batch element 1\): The factorization"):
        linalg.cholesky(stack)
    factor, info = linalg.cholesky_ex(stack)
    assert info.tolist() == [0, 2]
    assert info.dtype is torch.int32
    assert factor[0].tolist() == [[1, 0], [0, 1]]
    assert torch.isnan(factor[1]).all()
    with pytest.raises(linalg.LinAlgError, match=r"linalg\.cholesky_ex"):
        linalg.cholesky_ex(stack, check_errors=True)


def test_qr_modes():
    a = tensor(TALL)
    for mode, shape in (("reduced", (3, 2)), ("complete", (3, 3))):
        q, r = linalg.qr(a, mode)
        assert q.shape == shape
        near(q @ r, TALL)
    assert linalg.qr(a, "r").Q.shape == (0,)
    wide = linalg.qr(a.mT)
    near(wide.Q @ wide.R, np.array(TALL).T)
    with pytest.raises(RuntimeError, match="unrecognized mode 'full'"):
        linalg.qr(a, "full")


def test_lu_and_what_is_solved_by_it():
    a = tensor([[1.0, 2], [3, 4]])
    packed, pivots = linalg.lu_factor(a)
    near(packed, [[3, 4], [1 / 3, 2 / 3]])
    assert pivots.tolist() == [2, 2]
    assert pivots.dtype is torch.int32
    p, lower, upper = linalg.lu(a)
    near(p @ lower @ upper, a)
    assert torch.lu_unpack(packed, pivots, unpack_data=False).L.shape == (0,)
    b = tensor([[5.0], [6]])
    for left, turned in ((True, False), (True, True), (False, False), (False, True)):
        side = b if left else b.mT
        x = linalg.lu_solve(packed, pivots, side, left=left, adjoint=turned)
        m = a.mT if turned else a
        near(m @ x if left else x @ m, side)
    near(torch.lu_solve(b, packed, pivots), linalg.solve(a, b))
    with pytest.raises(RuntimeError, match=r"U\[2,2\] is zero and using it on lu_solve"):
        linalg.lu_factor(tensor(SINGULAR))
    assert linalg.lu_factor_ex(tensor(SINGULAR)).info.item() == 2
    with pytest.raises(RuntimeError, match="LU without pivoting is not implemented on the CPU"):
        linalg.lu(a, pivot=False)


def test_ldl_factors_solve_and_have_no_derivative():
    a = tensor([[0.0, 1, 2], [1, 0, 3], [2, 3, 0]])
    packed, pivots = linalg.ldl_factor(a)
    near(packed, [[0, 0, 0], [2, 0, 0], [1.5, 0.5, -3]])
    assert pivots.tolist() == [-3, -3, 3]
    b = tensor([[1.0], [2], [3]]).requires_grad_()
    x = linalg.ldl_solve(packed, pivots, b)
    near(a @ x, [[1], [2], [3]])
    x.sum().backward()
    near(b.grad[:, 0], np.linalg.solve(np.asarray(a), np.ones(3)))
    tracked = a.clone().requires_grad_()
    with pytest.raises(NotDifferentiableError, match=r"linalg\.ldl_factor has no derivative"):
        linalg.ldl_factor(tracked).LD.sum().backward()
    with pytest.raises(linalg.LinAlgError, match="diagonal block 1 of D is zero"):
        linalg.ldl_factor(torch.zeros(2, 2))
    assert linalg.ldl_factor_ex(torch.zeros(2, 2)).info.item() == 1


def test_reflectors_are_those_of_lapack():
    b = [[1.0, 2], [3, 4], [5, 6]]
    a, tau = torch.geqrf(tensor(b))
    expected = [[-5.9160797831, -7.4373574416], [0.4337717456, 0.8280786712]]
    near(a[:2], expected)
    near(a[2], [0.7229529093, 0.8926238280])
    near(tau, [1.1690308509, 1.1131040012])
    q = linalg.householder_product(a, tau)
    near(q @ a[:2].triu(), b)
    other = tensor([[1.0], [2], [3]])
    whole = torch.ormqr(a, tau, torch.eye(3, dtype=DOUBLE))
    near(torch.ormqr(a, tau, other), whole @ other)
    near(torch.ormqr(a, tau, other, transpose=True), whole.mT @ other)
    near(torch.ormqr(a, tau, other.mT, left=False), other.mT @ whole)
    check_gradient(torch.geqrf, b)
    with pytest.raises(RuntimeError, match=r"input.shape\[-2\] must be greater than or equal"):
        linalg.householder_product(tensor(b).mT, tau)


# Systems


def test_solve_takes_vectors_and_matrices_on_both_sides():
    a = tensor(DEFINITE)
    b = tensor([1.0, 2, 3])
    near(a @ linalg.solve(a, b), b)
    rows = tensor([[1.0, 2, 3], [4, 5, 6]])
    near(linalg.solve(a, rows, left=False) @ a, rows)
    stack = torch.stack([a, 2 * a])
    assert linalg.solve(stack, torch.ones(2, 3, dtype=DOUBLE)).shape == (2, 3)
    check_gradient(linalg.solve, DEFINITE, [1.0, 2, 3])
    with pytest.raises(RuntimeError, match="Vector broadcasting of the left hand side"):
        linalg.solve(a, b, left=False)
    with pytest.raises(RuntimeError, match=r"AX = B \(3x3 and 2x3\)"):
        linalg.solve(a, rows)
    with pytest.raises(RuntimeError, match="same dtype, but found A of type Double"):
        linalg.solve(a, rows.mT.float())


def test_singular_matrices_are_named_or_reported():
    a = tensor(SINGULAR)
    eye = torch.eye(2, dtype=DOUBLE)
    with pytest.raises(linalg.LinAlgError, match="diagonal element 2 is zero, the inversion"):
        linalg.inv(a)
    with pytest.raises(linalg.LinAlgError, match="the input matrix is singular"):
        linalg.solve(a, eye)
    inverse, info = linalg.inv_ex(torch.stack([eye, a]))
    assert info.tolist() == [0, 2]
    near(inverse[0], np.eye(2))
    assert torch.isnan(inverse[1]).all()
    result, info = linalg.solve_ex(a, eye)
    assert info.item() == 2
    assert torch.isnan(result).all()
    with pytest.raises(linalg.LinAlgError, match=r"torch\.linalg\.solve_ex"):
        linalg.solve_ex(a, eye, check_errors=True)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: linalg.inv(torch.ones(2)), "linalg.inv: The input tensor A must have at least 2"),
        (lambda: linalg.inv(torch.ones(2, 3)), "batches of square matrices, but they are 2 by 3"),
        (lambda: linalg.inv(torch.eye(2, dtype=torch.int64)), "floating point or complex .* Long"),
        (lambda: linalg.eigh(torch.eye(2), UPLO="x"), "UPLO argument to be 'L' or 'U', but got x"),
        (lambda: linalg.svd(torch.eye(2), driver="gesvd"), "only supported on CUDA inputs"),
        (lambda: linalg.lstsq(torch.eye(2), torch.eye(2), driver="x"), "gels, gelsy, gelsd"),
        (lambda: linalg.lstsq(torch.eye(2), torch.ones(3, 1)), r"input.size\(-2\) should match"),
        (lambda: linalg.lstsq(torch.ones(3, 2), torch.ones(3, 1), driver="gels"), "full rank"),
        (lambda: linalg.vector_norm(torch.ones(0), float("inf")), "inf norm on an empty tensor"),
        (lambda: linalg.matrix_norm(torch.eye(2), 7), "Order 7 not supported"),
        (lambda: linalg.matrix_norm(torch.eye(2), dim=(0, 0)), "dims must be different"),
        (lambda: linalg.norm(torch.ones(2, 2, 2), 2), "input must be 1D or 2D. Got 3D"),
        (lambda: linalg.norm(torch.ones(2, 2, 2), 2, (0, 1, 2)), "must be of length 1 or 2"),
        (
            lambda: linalg.vector_norm(tensor([1.0]), dtype=torch.float32),
            r"\(Double\) should be convertible without narrowing",
        ),
        (
            lambda: linalg.vector_norm(tensor([1.0]), dtype=torch.complex64),
            "should be real for real inputs",
        ),
        (lambda: linalg.multi_dot([torch.eye(2)]), "expected at least 2 tensors but got 1"),
        (lambda: linalg.multi_dot([torch.eye(2), torch.eye(3)]), r"tensors 0 and 1 with shapes"),
        (lambda: linalg.multi_dot([torch.eye(2), torch.ones(2, 2, 2)]), "must be 2D|2D but got 3D"),
        (lambda: linalg.tensorinv(torch.ones(2, 3)), r"prod\(self.shape\[ind:\]\)"),
        (lambda: linalg.tensorinv(torch.ones(2, 3), 0), "strictly positive integer for 'ind'"),
        (lambda: linalg.cross(torch.eye(2), torch.eye(2)), "must have length 3. Got 2 and 2"),
        (lambda: linalg.vander(torch.tensor(2.0)), "N must be greater than 1"),
        (lambda: linalg.pinv(torch.ones(2)), r"linalg.pinv\(Float\{\[2\]\}\)"),
        (lambda: torch.solve(torch.eye(2), torch.eye(2)), r"Use torch.linalg.solve\(A, B\)"),
        (lambda: torch.cholesky_solve(torch.ones(3, 1), torch.eye(2)), "Incompatible matrix sizes"),
        (lambda: torch.cdist(torch.ones(2, 3), torch.ones(2, 2)), "same number of columns"),
        (lambda: torch.cdist(torch.eye(2), torch.eye(2), -1), "non-negative p values"),
        (lambda: torch.norm(torch.eye(2), "x"), "'fro' and 'nuc', found x"),
        (lambda: torch.norm(torch.eye(2), "nuc", dim=0), "dim must be two"),
        (lambda: torch.renorm(torch.ones(2), 2, 0, 1.0), "at least 2 dimensions"),
    ],
)
def test_errors_have_pytorchs_words(call, message):
    with pytest.raises((RuntimeError, ValueError), match=message):
        call()


def test_triangular_solve_reads_one_triangle():
    a = tensor(DEFINITE)
    b = tensor([[1.0], [2], [3]])
    near(a.triu() @ linalg.solve_triangular(a, b, upper=True), b)
    near(linalg.solve_triangular(a, b.mT, upper=False, left=False) @ a.tril(), b.mT)
    unit = a.tril(-1) + torch.eye(3, dtype=DOUBLE)
    near(unit @ linalg.solve_triangular(a, b, upper=False, unitriangular=True), b)
    x, copy = torch.triangular_solve(b, a, transpose=True)
    near(a.triu().mT @ x, b)
    assert copy is not a
    near(copy, a)


def test_least_squares_gives_what_each_driver_gives():
    a, b = tensor(TALL), tensor([[1.0], [0], [2]])
    full = linalg.lstsq(a, b, driver="gelsd")
    near(full.solution, [[-1.7857142857], [1.5]])
    near(full.residuals, [0.6428571429])
    assert full.rank.item() == 2
    near(full.singular_values, [10.1914282571, 0.3671376859])
    quick = linalg.lstsq(a, b)
    assert quick.residuals.shape == quick.singular_values.shape == (0,)
    assert linalg.lstsq(a, b, driver="gels").rank.shape == (0,)
    assert linalg.lstsq(a, b[:, 0]).solution.shape == (2,)
    check_gradient(lambda x, y: linalg.lstsq(x, y).solution, TALL, [[1.0], [0], [2]])


def test_tensors_solve_as_matrices():
    rng = np.random.default_rng(0)
    a, b = tensor(rng.normal(size=(2, 3, 6))), tensor(rng.normal(size=(2, 3)))
    near(torch.tensordot(a, linalg.tensorsolve(a, b), dims=1), b)
    moved = a.permute(0, 2, 1)
    near(linalg.tensorsolve(moved, b, dims=(1,)), linalg.tensorsolve(a, b))
    square = a.reshape(2, 3, 3, 2)
    assert linalg.tensorinv(square).shape == (3, 2, 2, 3)


# Determinants and spectra


def test_determinants():
    a = tensor([[1.0, 2], [3, 4]]).requires_grad_()
    sign, size = linalg.slogdet(a)
    assert sign.item() == -1
    near(size, np.log(2))
    assert torch.isnan(torch.logdet(a))
    assert torch.logdet(torch.zeros(2, 2)).item() == -np.inf
    linalg.det(a).backward()
    near(a.grad, [[4, -3], [-2, 1]])


def test_eigenvalues_are_complex_and_those_of_symmetric_ones_are_real():
    turn = tensor([[0.0, 1], [-1, 0]])
    assert sorted(linalg.eigvals(turn).imag.tolist()) == [-1, 1]
    assert linalg.eig(tensor([[2.0]])).eigenvalues.dtype is torch.complex128
    values, vectors = linalg.eigh(tensor(DEFINITE))
    near(vectors @ torch.diag(values) @ vectors.mT, DEFINITE)
    near(linalg.eigvalsh(tensor(DEFINITE).triu(), UPLO="U"), values)


def test_singular_values():
    a = tensor(TALL)
    u, s, vh = linalg.svd(a, full_matrices=False)
    near(u @ torch.diag(s) @ vh, TALL)
    near(linalg.svdvals(a), s)
    older = torch.svd(a)
    near(older.U @ torch.diag(older.S) @ older.V.mT, TALL)
    assert not torch.svd(a, compute_uv=False).U.any()
    assert linalg.svd(a).U.shape == (3, 3)


@pytest.mark.parametrize("function", [linalg.svd, linalg.svdvals, linalg.eig, linalg.eigvals])
def test_what_is_not_finite_has_no_spectrum(function):
    with pytest.raises(linalg.LinAlgError, match="The algorithm failed to converge because the"):
        function(torch.full((2, 2), torch.nan))


def test_tolerances_of_rank_and_pseudo_inverse():
    a = tensor(TALL)
    assert linalg.matrix_rank(tensor(SINGULAR)).item() == 1
    assert linalg.matrix_rank(a, atol=1.0).item() == 1
    assert linalg.matrix_rank(torch.stack([a, a]), atol=tensor([1.0, 0.1])).tolist() == [1, 2]
    near(
        linalg.pinv(a, atol=1.0),
        [[0.0123320432, 0.0279001426, 0.0480162356], [0.0173316071, 0.0392112077, 0.0674826151]],
    )
    both = linalg.pinv(torch.stack([a, a]), atol=tensor([1.0, 0.1]))
    near(both[0], linalg.pinv(a, atol=1.0))
    near(both[1], np.linalg.pinv(np.array(TALL)))
    near(linalg.pinv(tensor(DEFINITE).tril(), hermitian=True), np.linalg.inv(np.array(DEFINITE)))


def test_low_rank():
    rng = np.random.default_rng(0)
    a = tensor(rng.normal(size=(6, 2)) @ rng.normal(size=(2, 5)))
    u, s, v = torch.svd_lowrank(a, q=2)
    near(u @ torch.diag(s) @ v.mT, a)
    assert torch.pca_lowrank(a, q=2)[2].shape == (5, 2)
    near(torch.pca_lowrank(a, q=2)[1], linalg.svdvals(a - a.mean(0))[:2])
    with pytest.raises(ValueError, match=r"q\(=9\) must be non-negative integer"):
        torch.pca_lowrank(a, q=9)
    values, vectors = torch.lobpcg(tensor(DEFINITE), k=2)
    near(tensor(DEFINITE) @ vectors, vectors * values)
    assert values[0] > values[1]
    scale = torch.diag(tensor([1.0, 2, 3]))
    values, vectors = torch.lobpcg(tensor(DEFINITE), B=scale, largest=False)
    near(tensor(DEFINITE) @ vectors, scale @ vectors * values)


# Norms and products


def test_norms():
    a = tensor(TALL)
    near(linalg.cond(a), 27.7591449946)
    near(linalg.matrix_norm(a, "nuc"), 10.5585659430)
    near(linalg.vector_norm(a, 3), 8.2816354988)
    near(linalg.norm(a), np.linalg.norm(TALL))
    near(linalg.norm(a, 1, dim=1), [3, 7, 12])
    near(torch.norm(a, p=1), 22)
    near(torch.nuclear_norm(a), 10.5585659430)
    assert linalg.cond(tensor(SINGULAR), 1).item() == np.inf
    assert linalg.vector_norm(a, 0, dim=0).tolist() == [3, 3]
    assert linalg.vector_norm(torch.tensor(-2.0)).item() == 2


@pytest.mark.parametrize("order", [0, 0.5, 1, 2, 3, -1, float("inf"), -float("inf")])
def test_gradient_of_a_norm_at_zero_is_zero(order):
    x = torch.zeros(2, requires_grad=True)
    linalg.vector_norm(x, order).backward()
    assert x.grad.tolist() == [0, 0]


def test_ties_of_the_largest_share_its_gradient():
    x = torch.tensor([3.0, 3.0], requires_grad=True)
    linalg.vector_norm(x, float("inf")).backward()
    assert x.grad.tolist() == [0.5, 0.5]


def test_products_and_powers():
    a = tensor([[0.0, 1], [-1, 0]])
    near(linalg.matrix_exp(a), [[0.5403023059, 0.8414709848], [-0.8414709848, 0.5403023059]])
    near(linalg.matrix_power(a, 5), a)
    near(linalg.matrix_power(a, -1), -a)
    near(linalg.matrix_power(a, 0), np.eye(2))
    assert linalg.matrix_power(torch.tensor([[1, 1], [0, 1]]), 3).tolist() == [[1, 3], [0, 1]]
    near(linalg.multi_dot([tensor([1.0, 2]), a, a, tensor([3.0, 4])]), -11)
    x = tensor([1 + 1j, 2.0], torch.complex128)
    assert linalg.vecdot(x, x).item() == 6
    near(linalg.cross(tensor([1.0, 0, 0]), tensor([0.0, 1, 0])), [0, 0, 1])
    assert linalg.vander(torch.tensor([2, 3])).tolist() == [[1, 2], [1, 3]]
    assert torch.vander(torch.tensor([2, 3]), 3).tolist() == [[4, 2, 1], [9, 3, 1]]


def test_diagonal_is_a_view():
    a = torch.zeros(2, 2)
    linalg.diagonal(a).fill_(1.0)
    assert a.tolist() == [[1, 0], [0, 1]]


def test_distances():
    a = tensor(TALL)
    expected = [[0, 2.8284271247], [2.8284271247, 0], [6.4031242374, 3.6055512755]]
    near(torch.cdist(a, a[:2]), expected)
    near(torch.cdist(a, a[:2], compute_mode="use_mm_for_euclid_dist"), expected)
    many = tensor(np.random.default_rng(0).normal(size=(30, 3)))
    exact = torch.cdist(many, many, compute_mode="donot_use_mm_for_euclid_dist")
    np.testing.assert_allclose(torch.cdist(many, many), exact, atol=1e-7)
    x = a.clone().requires_grad_()
    torch.cdist(x, x.detach()).sum().backward()
    assert torch.isfinite(x.grad).all()
    near(torch.renorm(a, 2, 0, 5.0), [[1, 2], [3, 4], [2.9061909348, 4.0686673087]], 1e-7)
    near(torch.dist(a, a + 1, 1), 6)


def test_cholesky_systems():
    factor = linalg.cholesky(tensor(DEFINITE))
    b = tensor([[1.0], [2], [3]])
    expected = np.linalg.solve(np.array(DEFINITE), np.asarray(b))
    near(torch.cholesky_solve(b, factor), expected)
    near(torch.cholesky_solve(b, factor.mT, upper=True), expected)
    near(torch.cholesky_inverse(factor), np.linalg.inv(np.array(DEFINITE)))


# With transforms, out=, and modes


def test_stacks_and_vmap_agree():
    stack = tensor([DEFINITE, (np.array(DEFINITE) + 1).tolist()])
    for function in (linalg.inv, linalg.det, linalg.cholesky, lambda x: linalg.inv_ex(x).inverse):
        near(torch.vmap(function)(stack), function(stack))
    assert torch.vmap(lambda x: linalg.inv_ex(x).info)(stack).tolist() == [0, 0]
    tall = tensor([TALL, (np.array(TALL) + 1).tolist()])
    near(torch.vmap(lambda x: torch.geqrf(x).a)(tall), torch.geqrf(tall).a)


def test_results_go_where_out_says():
    out = torch.empty(0, dtype=DOUBLE)
    assert linalg.inv(tensor(DEFINITE), out=out) is out
    near(out, np.linalg.inv(np.array(DEFINITE)))
    parts = torch.empty(0, dtype=DOUBLE), torch.empty(0, dtype=DOUBLE)
    assert linalg.qr(tensor(TALL), out=parts).Q is parts[0]


def test_results_have_names():
    assert linalg.eigh(tensor(DEFINITE))._fields == ("eigenvalues", "eigenvectors")
    assert linalg.svd(tensor(TALL))._fields == ("U", "S", "Vh")
    assert linalg.slogdet(tensor(DEFINITE))._fields == ("sign", "logabsdet")
    assert tensor(DEFINITE).qr()._fields == ("Q", "R")
