"""The Schur decomposition with triangular factors, and eigenvectors of triangular matrices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy

from .. import errors
from ..backend import namespace
from ..core.op import Op
from ..core.record import raw
from . import lapack
from .contract import matmul, transpose
from .define import Function, define
from .matrices import adjoint, columns, conjugate, rows
from .samples import Sample, complex_normal, normal, positive
from .selection import where
from .shape import diagonal
from .triangular import solve_from_right, solve_triangular, triangle

UPPER: dict[str, Any] = {"lower": False, "transposed": False, "unit": True}
TURNED: dict[str, Any] = {"lower": False, "transposed": True, "unit": True}


def gaps(t: Any, lower: bool) -> Any:
    """Diagonal element j less diagonal element i in one strict triangle, infinity elsewhere."""
    d = diagonal(t, offset=0)
    xp = namespace(raw(t))
    part = xp.tril if lower else xp.triu
    n = t.shape[-1]
    inside = part(xp.ones((n, n), dtype=xp.bool), k=-1 if lower else 1)
    return where(inside, rows(d) - columns(d), xp.inf)


# Eigenvectors


def _vectors_forward(xp: Any, t: Any) -> Any:
    n = t.shape[-1]
    x = xp.zeros(t.shape, dtype=t.dtype) + xp.eye(n, dtype=t.dtype)
    for j in range(1, n):
        shifted = t[..., :j, :j] - t[..., j : j + 1, j : j + 1] * xp.eye(j, dtype=t.dtype)
        x[..., :j, j : j + 1] = lapack.solve_triangular(
            xp, shifted, -t[..., :j, j : j + 1], lower=False, transposed=False, unit=False
        )
    return x


def _vectors_rule(g: Any, out: Any, t: Any) -> Any:
    inner = matmul(transpose(out), g) / gaps(t, lower=False)
    left = solve_triangular(out, inner, **TURNED)
    return triangle(matmul(left, transpose(out)), lower=False, diagonal=1.0)


def _vectors_jvp(tangents: tuple[Any, ...], out: Any, t: Any) -> Any:
    change = triangle(tangents[0], lower=False, diagonal=1.0)
    inner = solve_triangular(out, matmul(change, out), **UPPER)
    return matmul(out, inner / gaps(t, lower=False))


def _vectors_samples(rng: Any) -> Iterator[Sample]:
    for domain, shape in ((normal, (3, 3)), (normal, (2, 2, 2)), (complex_normal, (2, 2))):
        steps = namespace().arange(shape[-1])
        yield (domain(rng, shape) + 3 * namespace().diag(steps),), {}


triangular_eigenvectors: Function = define(
    Op(
        "triangular_eigenvectors",
        forward=_vectors_forward,
        vjp=(_vectors_rule,),
        jvp=_vectors_jvp,
        steep=True,
        batch=lambda function, _mapped, t: function(t),
        samples=_vectors_samples,
        doc="The eigenvectors of upper triangular matrices, with ones on the diagonal. The "
        "eigenvalues must differ.",
    )
)


# Schur


@lapack.on_host
def _schur_forward(x: Any) -> Any:
    from scipy.linalg import schur as decompose

    t, z = numpy.empty(x.shape, dtype=x.dtype), numpy.empty(x.shape, dtype=x.dtype)
    for i in numpy.ndindex(x.shape[:-2]):
        t[i], z[i] = decompose(x[i])
    if (numpy.diagonal(t, -1, -2, -1) != 0).any():
        raise errors.complex_eigenvalues()
    return t, z


def _schur_rule(g: Any, out: Any, _x: Any) -> Any:
    g_t, g_z = g
    t, z = out
    turning = None  # the cotangent of z's turning, z^H dz
    if g_t is not None:
        turning = matmul(transpose(t), g_t) - matmul(g_t, transpose(t))
    if g_z is not None:
        along = matmul(transpose(z), g_z)
        turning = along if turning is None else turning + along
    turning = triangle(turning - adjoint(turning), lower=True, diagonal=0.0)
    x = triangular_eigenvectors(t)
    inner = solve_from_right(matmul(transpose(x), turning), x, lower=False, transposed=True)
    inner = inner / gaps(t, lower=True)
    inner = matmul(solve_triangular(x, inner, **TURNED), transpose(x))
    total = triangle(inner, lower=True, diagonal=0.0)
    if g_t is not None:
        total = total + g_t
    return matmul(matmul(conjugate(z), total), transpose(z))


def _schur_jvp(tangents: tuple[Any, ...], out: Any, _x: Any) -> Any:
    t, z = out
    along = matmul(matmul(adjoint(z), tangents[0]), z)
    x = triangular_eigenvectors(t)
    low = triangle(along, lower=True, diagonal=0.0)
    inner = matmul(solve_triangular(x, low, **UPPER), x)
    inner = matmul(x, triangle(inner, lower=True, diagonal=0.0) / gaps(t, lower=True))
    inner = triangle(solve_from_right(inner, x, lower=False), lower=True, diagonal=0.0)
    turning = inner - adjoint(inner)
    change = along + matmul(t, turning) - matmul(turning, t)
    return triangle(change, lower=False, diagonal=1.0), matmul(z, turning)


def _schur_samples(rng: Any) -> Iterator[Sample]:
    for shape in ((2, 2), (2, 2, 2)):
        yield (positive(rng, shape),), {}  # of two rows: the eigenvalues are real and differ


schur: Function = define(
    Op(
        "schur",
        forward=_schur_forward,
        vjp=(_schur_rule,),
        jvp=_schur_jvp,
        steep=True,
        batch=lambda function, _mapped, x: function(x),
        samples=_schur_samples,
        outputs=2,
        doc="The upper triangular t and unitary z with x = z @ t @ z^H, of complex matrices and of "
        "real ones with real eigenvalues, which must differ.",
    )
)
