"""`Pattern`: where a matrix of derivatives may have elements, and how few walks give them all."""

from __future__ import annotations

import os
from typing import Any

import numpy
from numpy.typing import NDArray
from scipy import sparse

from . import errors
from .coloring import color_columns, count, shortened
from .star import color_symmetric, recoverable

Ints = NDArray[numpy.int64]


class Pattern:
    """A sparsity pattern with its colouring: computed once, and good for any number of matrices.

    shape
        The number of elements of the results, and of the argument.
    indptr, indices
        The pattern in CSR form. An element of it is a structural nonzero: a matrix keeps it also
        where it is zero by value. What is not in it is zero for every value.
    columns, rows
        The colours of the columns that are pushed forwards together, and of the rows that are
        pulled back together; -1 for one that is neither.
    pulled
        For each element, whether its row gives it (or else its column).
    symmetric
        Whether the matrix is a Hessian: then an element may come from the one across the diagonal.
    """

    __slots__ = ("_places", "columns", "indices", "indptr", "pulled", "rows", "shape", "symmetric")

    def __init__(
        self,
        shape: tuple[int, int],
        indptr: Ints,
        indices: Ints,
        columns: Ints,
        rows: Ints,
        pulled: NDArray[numpy.bool_],
        symmetric: bool,
    ) -> None:
        self.shape = shape
        self.indptr = indptr
        self.indices = indices
        self.columns = columns
        self.rows = rows
        self.pulled = pulled
        self.symmetric = symmetric
        self._places: Ints | None = None

    @classmethod
    def of(cls, matrix: Any, symmetric: bool = False, push: bool = True) -> Pattern:
        """The pattern of a `scipy.sparse` matrix's stored elements, or of an array's nonzeros.

        `push` says whether columns may be pushed forwards; a Hessian's always are.
        """
        if not sparse.issparse(matrix):
            if not isinstance(matrix, numpy.ndarray) or matrix.ndim != 2:
                raise errors.not_pattern(matrix)
            matrix = sparse.csr_array(matrix != 0)
        matrix = sparse.csr_array(matrix, copy=True)
        matrix.data = numpy.ones(matrix.data.size, dtype=bool)
        matrix.sum_duplicates()
        m, n = matrix.shape
        if symmetric:
            if m != n or (matrix != matrix.T).nnz:
                raise errors.asymmetric(matrix.shape)
            columns, rows = color_symmetric(matrix), numpy.full(m, -1)
            pulled = numpy.zeros(matrix.nnz, dtype=bool)
        else:
            columns, rows, pulled = color_both(matrix, push)
        return cls((m, n), matrix.indptr, matrix.indices, columns, rows, pulled, symmetric)

    @property
    def nnz(self) -> int:
        """The number of elements."""
        return len(self.indices)

    @property
    def colors(self) -> int:
        """The number of vectors that are pushed or pulled for one matrix."""
        return count(self.columns) + count(self.rows)

    def __repr__(self) -> str:
        kind = "symmetric pattern" if self.symmetric else "pattern"
        return f"<{kind} of shape {self.shape}: {self.nnz} elements, {self.colors} colors>"

    def matrix(self) -> Any:
        """The pattern as a boolean `scipy.sparse.csr_array`."""
        ones = numpy.ones(self.nnz, dtype=bool)
        return sparse.csr_array((ones, self.indices.copy(), self.indptr.copy()), shape=self.shape)

    def places(self) -> Ints:
        """For each element, where it is among the numbers that the walks give.

        These are, one after the other, what was pushed in each column's colour and what was pulled
        in each row's.
        """
        if self._places is None:
            m, n = self.shape
            owner = numpy.repeat(numpy.arange(m), numpy.diff(self.indptr))
            column = self.indices.astype(numpy.int64)
            places = self.columns[column] * m + owner
            if self.symmetric:
                alone = recoverable(self.matrix(), self.columns)
                places = numpy.where(alone, places, self.columns[owner] * m + column)
            elif self.pulled.any():
                above = count(self.columns) * m
                places = numpy.where(self.pulled, above + self.rows[owner] * n + column, places)
            self._places = places
        return self._places

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the pattern and its colouring to a file, in NumPy's npz format."""
        names = ("shape", "indptr", "indices", "columns", "rows", "pulled", "symmetric")
        with open(path, "wb") as file:
            numpy.savez_compressed(file, **{name: getattr(self, name) for name in names})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Pattern:
        """The pattern that was saved in a file."""
        with numpy.load(path, allow_pickle=False) as file:
            m, n = map(int, file["shape"])
            return cls(
                (m, n),
                file["indptr"],
                file["indices"],
                file["columns"],
                file["rows"],
                file["pulled"],
                bool(file["symmetric"]),
            )


def color_both(matrix: Any, push: bool) -> tuple[Ints, Ints, NDArray[numpy.bool_]]:
    """Colours of columns and of rows that give all elements together, and which the rows give.

    Where a few rows are long, they are pulled, and the columns without them pushed; or the other
    way round for long columns.
    """
    m, n = matrix.shape
    turned = matrix.T.tocsr()
    wide, cost_wide = shortened(numpy.diff(matrix.indptr))
    tall, cost_tall = shortened(numpy.diff(turned.indptr))
    owner = numpy.repeat(numpy.arange(m), numpy.diff(matrix.indptr))
    if push and cost_wide <= cost_tall:
        pulled = wide[owner]
    elif push:
        pulled = ~tall[matrix.indices]
    else:
        pulled = numpy.ones(matrix.nnz, dtype=bool)
    columns = color_columns(part(matrix, ~pulled)) if not pulled.all() else numpy.full(n, -1)
    rows = color_columns(part(matrix, pulled).T.tocsr()) if pulled.any() else numpy.full(m, -1)
    return columns, rows, pulled


def part(matrix: Any, chosen: NDArray[numpy.bool_]) -> Any:
    """The matrix with only the chosen elements."""
    total = numpy.concatenate([[0], numpy.cumsum(chosen)])
    return sparse.csr_array(
        (matrix.data[chosen], matrix.indices[chosen], total[matrix.indptr]), shape=matrix.shape
    )
