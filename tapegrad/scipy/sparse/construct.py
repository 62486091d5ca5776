"""Making sparse matrices of recorded elements, and of sparse matrices with such."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy
import scipy.sparse

from ...core.op import table
from ...numpy.operands import operand
from ...numpy.reading import any_recorded
from . import errors
from .array import SparseArray, is_sparse


def maker(name: str) -> Callable[..., Any]:
    """This namespace's `csr_array` and its like: for plain arguments, SciPy's.

    Of recorded elements, ``((data, (rows, columns)), shape)`` and ``((data, indices, indptr),
    shape)`` make a `SparseArray`; so does a recorded matrix, all elements of which are stored.
    """
    original: Any = getattr(scipy.sparse, name)
    by_columns = name.startswith("csc")

    @functools.wraps(original, updated=())
    def function(argument: Any, shape: tuple[int, int] | None = None, **options: Any) -> Any:
        if isinstance(argument, SparseArray):
            return argument
        if not any_recorded(argument):
            return original(argument, shape=shape, **options)
        if not isinstance(argument, tuple):
            return SparseArray.of(operand(argument))
        if shape is None:
            raise errors.shape_needed(name)
        if len(argument) == 2:
            data, (rows, columns) = argument
        else:
            data, inner, pointers = argument
            outer = numpy.repeat(numpy.arange(len(pointers) - 1), numpy.diff(pointers))
            rows, columns = (inner, outer) if by_columns else (outer, inner)
        return SparseArray.at(operand(data), rows, columns, shape)

    return function


csr_array, csr_matrix = maker("csr_array"), maker("csr_matrix")
csc_array, csc_matrix = maker("csc_array"), maker("csc_matrix")
coo_array, coo_matrix = maker("coo_array"), maker("coo_matrix")


def diags_array(
    diagonals: Any,
    /,
    *,
    offsets: int | Sequence[int] = 0,
    shape: tuple[int, int] | None = None,
    **options: Any,
) -> Any:
    """A matrix of given diagonals, as SciPy's; of one number, a diagonal has that throughout."""
    if not any_recorded(diagonals):
        return scipy.sparse.diags_array(diagonals, offsets=offsets, shape=shape, **options)
    if isinstance(offsets, int):
        offsets, diagonals = (offsets,), (diagonals,)
    lines = [operand(line) for line in diagonals]
    if shape is None:
        shape = (len(lines[0]) + abs(offsets[0]),) * 2
    parts, rows, columns = [], [], []
    for line, k in zip(lines, offsets, strict=True):
        length = max(0, min(shape[0] + min(k, 0), shape[1] - max(k, 0)))
        if line.ndim == 0 or line.shape == (1,):
            line = table["broadcast_to"].function(line, to=(length,))
        if line.shape != (length,):
            raise errors.diagonal_length(k, length, line.shape)
        steps = numpy.arange(length)
        parts.append(line)
        rows.append(steps - min(k, 0))
        columns.append(steps + max(k, 0))
    data = table["concat"].function(*parts, axis=0)
    return SparseArray.at(data, numpy.concatenate(rows), numpy.concatenate(columns), shape)


def kron(A: Any, B: Any, format: str | None = None) -> Any:
    """The Kronecker product: a block ``A[i, j] * B`` for each element of A."""
    if not any(isinstance(x, SparseArray) or any_recorded(x) for x in (A, B)):
        return scipy.sparse.kron(A, B, format)
    a, b = (SparseArray.of(x if is_sparse(x) else operand(x)) for x in (A, B))
    reshape = table["reshape"].function
    data = reshape(a.data, to=(a.nnz, 1)) * b.data
    rows = numpy.add.outer(a.structure.rows * b.shape[0], b.structure.rows)
    columns = numpy.add.outer(a.indices * b.shape[1], b.indices)
    shape = a.shape[0] * b.shape[0], a.shape[1] * b.shape[1]
    return SparseArray.at(reshape(data, to=(data.size,)), rows.ravel(), columns.ravel(), shape)


def rearranging(name: str) -> Callable[..., Any]:
    """A function of SciPy's that only moves elements of one or several matrices."""
    original: Any = getattr(scipy.sparse, name)

    @functools.wraps(original)
    def function(matrices: Any, *args: Any, **kwargs: Any) -> Any:
        given = flat(matrices)
        if not any(isinstance(x, SparseArray) or any_recorded(x) for x in given):
            return original(matrices, *args, **kwargs)
        found = [SparseArray.of(x if is_sparse(x) else operand(x)) for x in given]
        start = 1
        numbered = []
        for own in found:
            numbers = numpy.arange(start, start + own.nnz)
            numbered.append(own.structure.matrix(numbers))
            start += own.nnz
        moved = original(replaced(matrices, iter(numbered)), *args, **kwargs)
        result = SparseArray.of(moved)
        data = table["concat"].function(*(own.data for own in found), axis=0)
        return SparseArray(data[result.data - 1], result.structure)

    return function


def flat(matrices: Any) -> list[Any]:
    """The matrices in nested lists."""
    if isinstance(matrices, list | tuple):
        return [x for part in matrices for x in flat(part)]
    return [] if matrices is None else [matrices]


def replaced(matrices: Any, others: Any) -> Any:
    """Nested lists with others in place of the matrices."""
    if isinstance(matrices, list | tuple):
        return [replaced(part, others) for part in matrices]
    return None if matrices is None else next(others)


block_array = rearranging("block_array")
block_diag = rearranging("block_diag")
bmat = rearranging("bmat")
hstack = rearranging("hstack")
tril = rearranging("tril")
triu = rearranging("triu")
vstack = rearranging("vstack")
