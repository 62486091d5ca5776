"""A few eigenvalues and eigenvectors of a symmetric sparse matrix."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy

from .. import errors
from ..core.array import Traced
from ..core.op import Op
from ..core.record import raw
from .arithmetic import add
from .define import define
from .index import getitem
from .join import concat, stack
from .linear import broadcast_to, sum
from .samples import Sample, normal
from .sparse import (
    Direct,
    Structure,
    assembled,
    example,
    sampled,
    sparse_matmul,
    sparse_solve,
)


def _forward(xp: Any, data: Any, *, structure: Structure, options: Any) -> tuple[Any, Any]:
    from scipy.sparse.linalg import eigsh

    matrix = structure.matrix(data)
    named = dict(options)
    if named.get("v0") is None:  # the same eigenvectors, signs too, at every call
        start = numpy.random.default_rng(0).standard_normal(matrix.shape[0])
        named["v0"] = start.astype(matrix.dtype)
    w, v = eigsh((matrix + matrix.T) / 2, **named)
    return w.astype(data.dtype), v.astype(data.dtype)


def _product(data: Any, structure: Structure, v: Any) -> Any:
    """The product with the symmetric part of a matrix."""
    both = (sparse_matmul(data, v, structure=structure, transposed=t) for t in (False, True))
    return add(*both) / 2


def _column(x: Any, i: int) -> Any:
    return getitem(x, key=(slice(None), i))


def check_distinct(w: Any, n: int) -> None:
    """Raise if eigenvalues of a matrix of size n are equal up to rounding, if they are known."""
    if isinstance(w, Traced) or len(w) < 2:
        return
    values = numpy.sort(raw(w))
    gap = float(numpy.diff(values).min())
    if gap <= n * float(numpy.finfo(values.dtype).eps) * float(abs(values).max()):
        raise errors.equal_eigenvalues(gap)


def _deflated(data: Any, structure: Structure, w: Any, v: Any, r: Any) -> Any:
    """For each eigenpair, the y orthogonal to v with ``(A - w) y = r - v (v @ r)``.

    A system with the eigenvector as another row and column gives it.
    """
    n = structure.shape[0]
    check_distinct(w, n)
    steps = numpy.arange(n)
    last = numpy.full(n, n)
    rows = numpy.concatenate([structure.rows, structure.columns, steps, steps, last])
    columns = numpy.concatenate([structure.columns, structure.rows, steps, last, steps])
    solved = []
    for i in range(v.shape[1]):
        vector, side = _column(v, i), _column(r, i)
        shift = broadcast_to(-getitem(w, key=(i,)), to=(n,))
        parts = concat(data / 2, data / 2, shift, vector, vector, axis=0)
        elements, bordered = assembled(parts, rows, columns, (n + 1, n + 1))
        side = side - vector * sum(vector * side, axis=(0,), keepdims=False)
        whole = concat(side, numpy.zeros(1, dtype=side.dtype), axis=0)
        y = sparse_solve(elements, whole, solver=Direct(bordered), transposed=False)
        solved.append(getitem(y, key=(slice(None, n),)))
    return stack(*solved, axis=1)


def _rule(
    g: tuple[Any, Any],
    out: tuple[Any, Any],
    data: Any,
    *,
    wanted: tuple[bool, ...],
    structure: Structure,
    options: Any,
) -> list[Any]:
    g_w, g_v = g
    w, v = out
    left = None if g_w is None else v * g_w
    if g_v is not None:
        y = -_deflated(data, structure, w, v, g_v)
        left = y if left is None else left + y
    return [(sampled(left, v, structure) + sampled(v, left, structure)) / 2]


def _jvp(
    tangents: tuple[Any], out: tuple[Any, Any], data: Any, *, structure: Structure, options: Any
) -> tuple[Any, Any]:
    w, v = out
    change = _product(tangents[0], structure, v)
    return sum(v * change, axis=(0,), keepdims=False), -_deflated(data, structure, w, v, change)


def _batch(
    function: Callable[..., Any], mapped: tuple[bool, ...], data: Any, **params: Any
) -> tuple[Any, Any]:
    pairs = [function(getitem(data, key=(i,)), **params) for i in range(len(data))]
    return stack(*(w for w, _ in pairs), axis=0), stack(*(v for _, v in pairs), axis=0)


def _samples(rng: Any) -> Iterator[Sample]:
    half = example((6, 6))
    matrix = half.matrix(normal(rng, (half.size,))).toarray()
    matrix = matrix + matrix.T + numpy.diag(3.0 * numpy.arange(6))
    rows, columns = numpy.nonzero(matrix)
    data, structure = assembled(matrix[rows, columns], rows, columns, (6, 6))
    yield (data,), {"structure": structure, "options": (("k", 2), ("which", "LA"))}


sparse_eigsh = define(
    Op(
        "sparse_eigsh",
        forward=_forward,
        vjp=(_rule,),
        jvp=_jvp,
        batch=_batch,
        joint=True,
        outputs=2,
        samples=_samples,
        doc="Some eigenvalues and eigenvectors of the symmetric part of a sparse matrix. The "
        "derivative of an eigenvector is orthogonal to it, and needs a simple eigenvalue.",
    )
)
