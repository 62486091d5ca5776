"""The exponent of the normal distribution of vectors: a quadratic form and a determinant at once.

Both come from one Cholesky factor, and so do their derivatives, which in turn need no derivative of
the factor.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy

from ..backend import add_reduce, diagonal, namespace
from ..core.array import Traced
from ..core.op import Op
from ..core.record import raw
from . import lapack
from .contract import matmul, transpose
from .define import Function, define
from .factorise import cholesky
from .linear import broadcast_to, reshape, sum
from .matrices import matrix_trace
from .samples import Sample, normal
from .triangular import solve_triangular


def positive_factor(a: Any) -> tuple[Any, ...]:
    """The Cholesky factor of one matrix by LAPACK; nothing for stacks, in vmap, without SciPy."""
    data = raw(a)
    if type(data) is not numpy.ndarray or data.ndim != 2 or isinstance(a, Traced) or not data.size:
        return ()
    potrf: Any = lapack.routine("potrf", data.dtype.char)
    if potrf is None:
        return ()
    factor, failed = potrf(data, lower=1, clean=1)
    if failed:
        raise numpy.linalg.LinAlgError("Matrix is not positive definite")
    return (factor,)


def as_rows(d: Any, a: Any) -> Any:
    """The vectors `d` as the rows of one matrix for each matrix of `a`."""
    stack = a.shape[:-2]
    n = d.shape[-1]
    m = 1
    for size in d.shape[len(stack) : -1]:
        m *= size
    return d if d.shape == (*stack, m, n) else reshape(d, to=(*stack, m, n))


def divided(d: Any, a: Any, *given: Any) -> Any:
    """The rows of `d`, multiplied by the inverse of `a`."""
    if given and type(d) is type(a) is numpy.ndarray:
        potrs: Any = lapack.routine("potrs", d.dtype.char)
        return potrs(given[0], d.T, lower=1)[0].T
    factor = cholesky(a)
    half = solve_triangular(factor, transpose(d), lower=True, transposed=False, unit=False)
    return transpose(solve_triangular(factor, half, lower=True, transposed=True, unit=False))


def inverse(a: Any, *given: Any) -> Any:
    """The inverse of `a`; as an array of its own, where there are factors."""
    if given and type(a) is numpy.ndarray:
        lauum: Any = lapack.routine("lauum", a.dtype.char)
        low = lauum(lapack.inverse_lower(given[0]), lower=1, overwrite_c=1)[0]  # Fortran's order
        low.T.reshape(-1)[:: low.shape[0] + 1] *= 0.5
        return low + low.T
    eye = namespace(raw(a)).eye(a.shape[-1], dtype=a.dtype)
    return divided(broadcast_to(eye, to=a.shape), a)


def _forward(xp: Any, d: Any, a: Any, *given: Any) -> Any:
    rows = as_rows(d, a)
    if given and xp is numpy:
        (factor,) = given
        trtrs: Any = lapack.routine("trtrs", factor.dtype.char)
        half = trtrs(factor, rows.T, lower=1)[0]
        out = -0.5 * add_reduce(half * half, axis=0) - add_reduce(xp.log(factor.diagonal()))
        return out.reshape(d.shape[:-1])[()]
    factor = xp.linalg.cholesky(a)
    half = xp.linalg.solve(factor, xp.matrix_transpose(rows))
    logarithms = xp.log(diagonal(xp, factor))
    out = -0.5 * xp.sum(half * half, axis=-2) - xp.sum(logarithms, axis=-1)[..., None]
    return xp.reshape(out, d.shape[:-1])[()]


def _rule(g: Any, _out: Any, d: Any, a: Any, *given: Any, wanted: tuple[bool, ...]) -> list[Any]:
    rows = as_rows(d, a)
    weights = reshape(g, to=(*rows.shape[:-1], 1))
    solved = divided(rows, a, *given)
    scaled = weights * solved
    pulled: list[Any] = [None] * (2 + len(given))
    if wanted[0]:
        pulled[0] = reshape(-scaled, to=d.shape)
    if wanted[1]:
        inverted = inverse(a, *given)
        if given and type(inverted) is type(scaled) is numpy.ndarray:
            gemm: Any = lapack.routine("gemm", inverted.dtype.char)
            total = add_reduce(weights, axis=None)
            pulled[1] = gemm(
                0.5, solved.T, scaled, beta=-0.5 * total, c=inverted.T, overwrite_c=1
            ).T
        else:
            total = sum(weights, axis=(weights.ndim - 2,), keepdims=True)
            pulled[1] = matmul(transpose(0.5 * solved), scaled) - 0.5 * total * inverted
    return pulled


def _jvp(tangents: tuple[Any, ...], _out: Any, d: Any, a: Any, *given: Any) -> Any:
    change_d, change_a = tangents[:2]
    solved = divided(as_rows(d, a), a, *given)
    total = None
    if change_d is not None:
        along = sum(solved * as_rows(change_d, a), axis=(solved.ndim - 1,), keepdims=False)
        total = -along
    if change_a is not None:
        change_a = 0.5 * (change_a + transpose(change_a))
        bent = sum(matmul(solved, change_a) * solved, axis=(solved.ndim - 1,), keepdims=False)
        trace = matrix_trace(matmul(inverse(a, *given), change_a))
        change = 0.5 * (bent - reshape(trace, to=(*a.shape[:-2], 1)))
        total = change if total is None else total + change
    return reshape(total, to=d.shape[:-1])


def _batch(function: Function, mapped: tuple[bool, ...], d: Any, a: Any, *given: Any) -> Any:
    if mapped[1]:
        given = ()
        d = d if mapped[0] else broadcast_to(d, to=(a.shape[0], *d.shape))
    elif a.ndim > 2:  # a stack of matrices, each for rows of its own
        a = broadcast_to(a, to=(d.shape[0], *a.shape))
    return function(d, a, *given)


def _samples(rng: Any) -> Iterator[Sample]:
    for rows, stack in (((), ()), ((3,), ()), ((2, 3), ()), ((2,), (2,))):
        yield (normal(rng, (*stack, *rows, 1)), 1 + abs(normal(rng, (*stack, 1, 1)))), {}


exponent: Function = define(
    Op(
        "normal_exponent",
        forward=_forward,
        vjp=_rule,
        joint=True,
        jvp=_jvp,
        steep=True,
        promote=True,
        batch=_batch,
        samples=_samples,
        doc="The logarithm of ``exp(-d @ inv(a) @ d / 2) / sqrt(det(a))`` for vectors `d` and "
        "positive definite matrices `a`, of which the lower triangle is read; by the Cholesky "
        "factor, if it is given. A stack of matrices has a stack of vectors for each. The gradient "
        "in `a` is symmetric.",
    )
)


def normal_exponent(d: Any, a: Any) -> Any:
    """The logarithm of ``exp(-d @ inv(a) @ d / 2) / sqrt(det(a))``, for vectors along the last axis
    of `d`."""
    return exponent(d, a, *positive_factor(a))
