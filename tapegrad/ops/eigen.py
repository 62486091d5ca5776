"""Eigenvalues and eigenvectors, of Hermitian and of general matrices.

An eigenvector has an arbitrary phase. The derivatives are for vectors whose change is orthogonal
to themselves (Hermitian), or whose length stays one (general): those of what does not depend on the
phase are right.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy

from ..backend import is_complex, namespace, on_device
from ..core.op import Op
from .complex import real
from .contract import matmul, transpose
from .define import Function, define
from .gaps import are_distinct, differences, quotients
from .lapack import on_host
from .linalg import solve
from .linear import sum
from .matrices import adjoint, columns, conjugate, hermitian, rows, stacked_batch
from .samples import Sample, complex_normal, normal
from .shape import diagonal


def real_part(x: Any) -> Any:
    """The real part; `x` itself where it is real."""
    return real(x) if is_complex(x.dtype) else x


# Hermitian matrices


def _eigh_forward(xp: Any, x: Any, *, lower: bool, driver: str) -> Any:
    if driver:
        return _eigh_by(xp, x, lower=lower, driver=driver)
    if not lower and xp is numpy:
        return tuple(numpy.linalg.eigh(x, "U"))
    if not lower:  # the standard's function reads the lower triangle
        x = xp.matrix_transpose(x)
        x = xp.conj(x) if is_complex(x.dtype) else x
    return tuple(xp.linalg.eigh(x))


@on_host
def _eigh_by(x: Any, *, lower: bool, driver: str) -> Any:
    from scipy.linalg import eigh as decompose

    values = numpy.empty(x.shape[:-1], dtype=numpy.finfo(x.dtype).dtype)
    vectors = numpy.empty(x.shape, dtype=x.dtype)
    for i in numpy.ndindex(x.shape[:-2]):
        values[i], vectors[i] = decompose(x[i], lower=lower, driver=driver)
    return values, vectors


def _eigh_rule(g: Any, out: Any, _x: Any, *, lower: bool, driver: str) -> Any:
    g_values, g_vectors = g
    values, vectors = out
    if (
        type(g_values) is type(g_vectors) is type(vectors) is numpy.ndarray
        and vectors.ndim == 2
        and vectors.dtype.kind == "f"
        and are_distinct(values)
    ):
        return _pull_real(g_values, g_vectors, values, vectors)
    other = conjugate(vectors)
    inner = None
    if g_vectors is not None:
        along = matmul(transpose(vectors), g_vectors)
        turning = (along - adjoint(along)) / 2
        distinct = are_distinct(values)
        inner = matmul(other, quotients(turning, differences(values), values, distinct, along))
    if g_values is not None:
        scaled = other * rows(g_values)
        inner = scaled if inner is None else inner + scaled
    return matmul(inner, transpose(vectors))


def _pull_real(g_values: Any, g_vectors: Any, values: Any, vectors: Any) -> Any:
    """What the rule gives for ndarrays, with half the temporary arrays."""
    along = vectors.T @ g_vectors
    inner = along - along.T
    twice = 2 * values
    gaps = twice - twice[:, None]
    step = values.size + 1
    gaps.reshape(-1)[::step] = numpy.inf
    inner /= gaps
    inner.reshape(-1)[::step] = g_values
    return vectors @ inner @ vectors.T


def _eigh_jvp(tangents: tuple[Any, ...], out: Any, _x: Any, *, lower: bool, driver: str) -> Any:
    values, vectors = out
    inner = matmul(matmul(adjoint(vectors), hermitian(tangents[0])), vectors)
    turning = quotients(inner, differences(values), values, are_distinct(values))
    return real_part(diagonal(inner, offset=0)), matmul(vectors, turning)


def _eigh_samples(rng: Any) -> Iterator[Sample]:
    for lower in (True, False):
        yield (normal(rng, (2, 1, 1)),), {"lower": lower, "driver": ""}
    yield (normal(rng, (1, 1)),), {"lower": False, "driver": "evr"}
    yield (complex_normal(rng, (1, 1)),), {"lower": True, "driver": ""}


eigh: Function = define(
    Op(
        "eigh",
        forward=_eigh_forward,
        vjp=(_eigh_rule,),
        jvp=_eigh_jvp,
        steep=True,
        batch=lambda function, _mapped, x, **params: function(x, **params),
        samples=_eigh_samples,
        outputs=2,
        doc="The eigenvalues, ascending, and eigenvectors of the Hermitian matrices that the lower "
        "or upper triangles stand for, by LAPACK's `driver` if one is named. The derivative is for "
        "Hermitian changes, and the gradient Hermitian. Among equal eigenvalues, what does not "
        "depend on the choice of eigenvectors has a finite gradient, which leaves out what would "
        "mix them.",
    )
)


# General matrices


def _eig_forward(xp: Any, x: Any, *given: Any) -> Any:
    if not on_device(x):
        return _eig_by_lapack(xp, x, *given)
    kind = xp.result_type(x.dtype, xp.complex64)
    return tuple(part.astype(kind, copy=False) for part in xp.linalg.eig(x))


@on_host
def _eig_by_lapack(x: Any, *given: Any) -> Any:
    values, vectors = given or numpy.linalg.eig(x)
    kind = numpy.result_type(x.dtype, numpy.complex64)
    return values.astype(kind, copy=False), vectors.astype(kind, copy=False)


def _eig_rule(g: Any, out: Any, _x: Any, *_given: Any, wanted: tuple[bool, ...]) -> tuple[Any, ...]:
    return _eig_pulled(g, out), *(None for _ in _given)


def _eig_pulled(g: Any, out: Any) -> Any:
    g_values, g_vectors = g
    values, vectors = out
    inner = None
    if g_vectors is not None:
        along = matmul(transpose(vectors), g_vectors)
        overlaps = matmul(transpose(vectors), conjugate(vectors))
        turning = along - overlaps * rows(real(diagonal(along, offset=0)))
        inner = quotients(turning, differences(values), values, False, along)
    side = transpose(vectors)
    if g_values is not None:
        turned = columns(g_values) * side
        return solve(side, turned if inner is None else turned + matmul(inner, side))
    return solve(side, matmul(inner, side))


def _eig_jvp(tangents: tuple[Any, ...], out: Any, _x: Any, *_given: Any) -> Any:
    values, vectors = out
    inner = solve(vectors, matmul(tangents[0], vectors))
    turning = quotients(inner, differences(values), values, False)
    change = matmul(vectors, turning)
    along = real(sum(conjugate(vectors) * change, axis=(change.ndim - 2,), keepdims=True))
    return diagonal(inner, offset=0), change - vectors * along


def _eig_samples(rng: Any) -> Iterator[Sample]:
    yield (complex_normal(rng, (1, 1)),), {}
    yield (normal(rng, (1, 1)),), {}
    x = namespace().asarray([[2.0, 0.3], [0.4, -1.0]])
    yield (namespace().stack([x, x * 2 + 1]),), {}


eig: Function = define(
    Op(
        "eig",
        forward=_eig_forward,
        vjp=_eig_rule,
        joint=True,
        jvp=_eig_jvp,
        steep=True,
        batch=stacked_batch,
        samples=_eig_samples,
        outputs=2,
        promote=True,
        doc="The eigenvalues and eigenvectors of matrices, always complex; those that are given, "
        "if so. A gradient of the eigenvalues alone needs no distance between them.",
    )
)


@on_host
def _general_eig(a: Any, b: Any) -> Any:
    from scipy.linalg import eig as decompose

    kind = numpy.result_type(a.dtype, b.dtype, numpy.complex64)
    values, vectors = numpy.empty(a.shape[:-1], dtype=kind), numpy.empty(a.shape, dtype=kind)
    for i in numpy.ndindex(a.shape[:-2]):
        values[i], vectors[i] = decompose(a[i], b[i])
    return values, vectors


_general_eigenpairs: Function = define(
    Op(
        "general_eigenpairs",
        forward=_general_eig,
        vjp=None,
        jvp=None,
        batch=stacked_batch,
        samples=lambda rng: (((normal(rng, (2, 2, 2)), normal(rng, (2, 2, 2))), {}),),
        outputs=2,
        doc="The eigenvalues w and vectors v with a @ v = b @ v @ diag(w), as constants.",
    )
)


def general_eig(a: Any, b: Any) -> tuple[Any, Any]:
    """The eigenvalues w and vectors v with a @ v = b @ v @ diag(w), for stacks of equal shape.

    Those of LAPACK, with the derivative as eigenvalues and vectors of b^-1 @ a.
    """
    return eig(solve(b, a), *_general_eigenpairs(a, b))
