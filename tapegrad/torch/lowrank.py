"""Matrices of low rank by random projections, and extreme eigenvalues."""

from __future__ import annotations

from typing import Any

from . import errors
from .contraction import matmul
from .linalg import cholesky, eigh, qr, solve_triangular, svd
from .random import randn
from .reductions import mean
from .tensor import Tensor

__all__ = ["lobpcg", "pca_lowrank", "svd_lowrank"]


def basis_of(A: Tensor, q: int, niter: int) -> Tensor:
    """An orthogonal basis of about the range of `A`, by a random projection and power iterations.

    Halko, Martinsson and Tropp, Finding structure with randomness (2009), algorithm 4.4.
    """
    start = randn(A.shape[-1], q, dtype=A.dtype, device=A.device)
    basis = qr(matmul(A, start)).Q
    for _ in range(niter):
        basis = qr(matmul(A.mH, basis)).Q
        basis = qr(matmul(A, basis)).Q
    return basis


def svd_lowrank(
    A: Tensor, q: int | None = 6, niter: int | None = 2, M: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """The singular values and vectors of ``A - M`` for a matrix of rank at most about `q`.

    The right singular vectors are columns, as those of `torch.svd`. Random numbers are drawn.
    """
    if M is not None:
        A = A - M.expand(A.shape)
    q, niter = 6 if q is None else q, 2 if niter is None else niter
    m, n = A.shape[-2:]
    q = min(q, m, n)
    if m < n:
        right, s, left = svd_lowrank(A.mH, q, niter)
        return left, s, right
    basis = basis_of(A, q, niter)
    u, s, vh = svd(matmul(basis.mH, A), full_matrices=False)
    return matmul(basis, u), s, vh.mH


def pca_lowrank(A: Tensor, q: int | None = None, center: bool = True, niter: int = 2) -> Any:
    """The principal components of the rows of a matrix of rank at most about `q`.

    The columns are centred before, if `center`. `q` is 6 by default, or the shorter side.
    """
    m, n = A.shape[-2:]
    if q is None:
        q = min(6, m, n)
    elif not 0 <= q <= min(m, n):
        raise errors.bad_rank(q, min(m, n))
    if not niter >= 0:
        raise errors.bad_iterations(niter)
    centred = A - mean(A, dim=-2, keepdim=True) if center else A
    return svd_lowrank(centred, q, niter=niter)


def lobpcg(
    A: Tensor,
    k: int | None = None,
    B: Tensor | None = None,
    X: Tensor | None = None,
    n: int | None = None,
    iK: Tensor | None = None,
    niter: int | None = None,
    tol: float | None = None,
    largest: bool | None = None,
    method: str | None = None,
    **details: Any,
) -> tuple[Tensor, Tensor]:
    """The `k` largest (or smallest) eigenvalues of symmetric matrices, and their eigenvectors.

    Those of ``A x = E B x`` if there is a `B`. They are computed directly, to full accuracy: what
    steers PyTorch's iteration (`X` beyond its number of columns, `iK`, `niter`, `tol`, `method` and
    its details) changes nothing.
    """
    count = n if n is not None else X.shape[-1] if X is not None else 1 if k is None else k
    if B is not None:
        factor = cholesky(B)
        half = solve_triangular(factor, A, upper=False)
        A = solve_triangular(factor, half.mT, upper=False)
    values, vectors = eigh(A)
    if B is not None:
        vectors = solve_triangular(factor.mT, vectors, upper=True)
    if largest is None or largest:
        values, vectors = values.flip(-1), vectors.flip(-1)
    return values[..., :count], vectors[..., :count]
