"""A call of every function of `scipy.linalg` that takes recorded arrays."""

from __future__ import annotations

from typing import Any

import numpy

from .of_linalg import B, decomposed, definite, hermitian, sizes, spectrum, sums
from .of_numpy import SQUARE, N
from .probe import Probes

PROBES = Probes()
probe, same = PROBES.probe, PROBES.same
SMALL = SQUARE / 8
ROWS = numpy.eye(3)[:2]
LOWER = numpy.tril(numpy.ones((3, 3)))
STEEP = numpy.array([[0.0] * 3, [9.0] * 3, [0.0] * 3])
BANDS = numpy.array([[0.3, 0.5, -0.3], [4.0, 3.5, 5.0], [1.0, -0.7, 0.2]])


def symmetric(x: Any) -> Any:
    return x + x.T.conj() + numpy.diag([1.0, 3.0, 7.0])


# factors
probe("cholesky", lambda sl, x: sl.cholesky(definite(x)), SQUARE)
probe("cho_factor", lambda sl, x: sl.cho_factor(definite(x), lower=True)[0] * LOWER, SQUARE)
probe("cho_solve", lambda sl, x, b: sl.cho_solve(sl.cho_factor(definite(x)), b), SQUARE, B)
probe("lu", lambda sl, x: sl.lu(definite(x))[1:], SQUARE)
probe("lu_factor", lambda sl, x: sl.lu_factor(definite(x))[0], SQUARE)
probe("lu_solve", lambda sl, x, b: sl.lu_solve(sl.lu_factor(x), b), SQUARE, B)
probe("qr", lambda sl, x: sl.qr(x, mode="economic"), N.T)
probe("svd", lambda sl, x: decomposed(*sl.svd(x, full_matrices=False)), N)
same("svdvals pinv", N)
probe("rq", lambda sl, x: sl.rq(x), SQUARE)
probe("qr_multiply", lambda sl, x, c: sl.qr_multiply(x, c), SQUARE, SQUARE.T)
probe("subspace_angles", lambda sl, x, y: sl.subspace_angles(x[:, :1], y[:, 1:]), SQUARE, SQUARE.T)
probe("polar", lambda sl, x: sl.polar(x), SQUARE)
probe("schur", lambda sl, x: [sizes(y) for y in sl.schur(definite(x))], SQUARE)
probe("orth", lambda sl, x: sizes(sl.orth(x.T)), N)
probe("null_space", lambda sl, x: sizes(sl.null_space(x)), N)
same("orthogonal_procrustes", SQUARE, SQUARE.T + 1.0)

# eigenvalues
probe("eig", lambda sl, x: spectrum(*sl.eig(definite(x))), SQUARE)
probe("eigvals", lambda sl, x: sums(sl.eigvals(definite(x))), SQUARE)
probe("eigh", lambda sl, x: hermitian(*sl.eigh(definite(x))), SQUARE)
probe("eigvalsh", lambda sl, x: sl.eigvalsh(definite(x)), SQUARE)
probe("eigh_tridiagonal", lambda sl, d, e: hermitian(*sl.eigh_tridiagonal(d, e)), B, 1 + B[:2])
same("eigvalsh_tridiagonal", B, 1 + B[:2])

# functions of matrices
same("expm cosm sinm coshm sinhm tanm tanhm", SMALL)
same("expm_frechet", SMALL, SQUARE)
for name in ("sqrtm", "logm"):
    probe(name, lambda sl, x, name=name: getattr(sl, name)(definite(x)), SMALL)
probe("funm", lambda sl, x: sl.funm(definite(x), lambda v: v**2 + numpy.sin(v)), SMALL)
probe("signm", lambda sl, x: sl.signm(definite(x) - 2 * numpy.eye(3)), SMALL)
probe("fractional_matrix_power", lambda sl, x: sl.fractional_matrix_power(definite(x), 0.3), SMALL)

# equations
same("det inv norm", SQUARE)
probe("pinvh", lambda sl, x: sl.pinvh(symmetric(x)), SQUARE)
same("solve", SQUARE, B)
probe("lstsq", lambda sl, x, b: sl.lstsq(x, b)[:2], N.T, N.T[:, 0] * B[0])
probe("solve_triangular", lambda sl, x, b: sl.solve_triangular(x + 9 * LOWER, b), SQUARE, B)
probe("solve_banded", lambda sl, x, b: sl.solve_banded((1, 1), x + STEEP, b), BANDS, B)
probe("solveh_banded", lambda sl, x, b: sl.solveh_banded(x / 9 + STEEP[:2], b), BANDS[:2], B)
probe("cholesky_banded", lambda sl, x: sl.cholesky_banded(x / 9 + STEEP[:2])[1], BANDS[:2])
probe(
    "cho_solve_banded",
    lambda sl, x, b: sl.cho_solve_banded((sl.cholesky_banded(x / 9 + STEEP[:2]), False), b),
    BANDS[:2],
    B,
)
probe("eig_banded", lambda sl, x: hermitian(*sl.eig_banded(x)), BANDS[:2])
probe("eigvals_banded", lambda sl, x: sl.eigvals_banded(x), BANDS[:2])
probe("solve_circulant", lambda sl, c, b: sl.solve_circulant(c, b), B, B + 1)
for name in ("solve_continuous_are", "solve_discrete_are"):
    probe(
        name,
        lambda sl, a, b, q, r, name=name: getattr(sl, name)(a, b, definite(q), definite(r)),
        SMALL,
        SQUARE,
        SMALL,
        SMALL,
    )
probe("solve_toeplitz", lambda sl, c, b: sl.solve_toeplitz(c + 9 * ROWS[0], b), B, B + 1)
probe("matmul_toeplitz", lambda sl, c, b: sl.matmul_toeplitz(c, b), B, B + 1)
probe(
    "solve_sylvester",
    lambda sl, a, q: sl.solve_sylvester(definite(a), definite(a), q),
    SMALL,
    SQUARE,
)
for name in ("solve_continuous_lyapunov", "solve_lyapunov"):
    probe(name, lambda sl, a, q, name=name: getattr(sl, name)(definite(a), q), SMALL, SQUARE)
same("solve_discrete_lyapunov", SMALL, SQUARE)

# matrices of a form
same("toeplitz hankel circulant companion fiedler", B)
probe("convolution_matrix", lambda sl, x: sl.convolution_matrix(x, 4), B)
same("leslie", B, B[:2])
probe("diagsvd", lambda sl, x: sl.diagsvd(x, 3, 4), B)
same("block_diag khatri_rao", SQUARE, SQUARE[:2])
same("bandwidth issymmetric ishermitian", SQUARE)
