"""A call of every function of `numpy.linalg` and `numpy.fft`.

Of eigenvectors and singular vectors only what does not depend on their signs and phases is used.
"""

from __future__ import annotations

from typing import Any

import numpy

from .of_numpy import CUBE, SQUARE, M, N, X, Y, Z
from .probe import Probes

LINALG = Probes()
FFT = Probes()
probe, same = LINALG.probe, LINALG.same

B = numpy.array([0.3, -1.2, 0.7])


def definite(x: Any) -> Any:
    """A Hermitian positive definite matrix, with eigenvalues far from each other."""
    return x @ x.conj().swapaxes(-1, -2) + numpy.diag([1.0, 3.0, 7.0])


def sizes(vectors: Any) -> Any:
    """The squared absolute values of the elements."""
    return (vectors * vectors.conj()).real


def spectrum(values: Any, vectors: Any) -> tuple[Any, ...]:
    """What does not depend on the order of eigenvalues and the phases of their vectors."""
    return *sums(values), (sizes(vectors) * values.real).sum(-1)


def sums(values: Any) -> tuple[Any, Any]:
    """What does not depend on the order of eigenvalues."""
    return values.sum(), (values**3).sum()


def hermitian(values: Any, vectors: Any) -> tuple[Any, Any]:
    """Eigenvalues in their order, and what does not depend on signs."""
    return values, sizes(vectors)


def decomposed(u: Any, s: Any, v: Any) -> tuple[Any, Any, Any]:
    """What of a singular value decomposition does not depend on signs."""
    return sizes(u), s, sizes(v)


probe("cholesky", lambda la, x: la.cholesky(definite(x)), SQUARE)
probe("cond", lambda la, x: la.cond(x), SQUARE)
same("cross", B, X[:3])
same("det inv", SQUARE)
same("diagonal matrix_transpose trace", CUBE)
probe("eig", lambda la, x: spectrum(*la.eig(definite(x))), SQUARE)
probe("eigvals", lambda la, x: sums(la.eigvals(definite(x))), SQUARE)
probe("eigh", lambda la, x: hermitian(*la.eigh(definite(x))), SQUARE)
probe("eigvalsh", lambda la, x: la.eigvalsh(definite(x)), SQUARE)
probe("lstsq", lambda la, x, b: la.lstsq(x, b)[:2], N.T, M.T[:, :2])
same("matmul", M, N.T)
probe("matrix_norm", lambda la, x: la.matrix_norm(x, ord="nuc"), CUBE)
probe("matrix_power", lambda la, x: la.matrix_power(x, 3), SQUARE)
probe("multi_dot", lambda la, a, b, c: la.multi_dot([a, b, c]), M, N.T, B)
probe("norm", lambda la, x: la.norm(x, axis=1), M)
same("outer vecdot", X, Y)
probe("pinv", lambda la, x: la.pinv(x), M)
probe("qr", lambda la, x: tuple(la.qr(x)), M.T)
probe("slogdet", lambda la, x: tuple(la.slogdet(x)), SQUARE)
same("solve", SQUARE, B)
probe("svd", lambda la, x: decomposed(*la.svd(x, full_matrices=False)), M)
probe("svdvals", lambda la, x: la.svdvals(x), M)
probe("tensordot", lambda la, a, b: la.tensordot(a, b, axes=1), CUBE, X)
probe("tensorinv", lambda la, x: la.tensorinv(x[:, :, None], ind=1), SQUARE)
probe("tensorsolve", lambda la, a, b: la.tensorsolve(a[None], b[None]), SQUARE, B)
probe("vector_norm", lambda la, x: la.vector_norm(x, ord=3, axis=-1), CUBE)
probe("matrix_rank", lambda la, x: la.matrix_rank(x), SQUARE)


FFT.same("fft ifft fft2 ifft2 fftn ifftn", M + 1j * N)
FFT.same("rfft ihfft rfft2 rfftn", M)
FFT.same("irfft hfft irfft2 irfftn", M + 1j * N)
FFT.same("fftshift ifftshift", Z)
