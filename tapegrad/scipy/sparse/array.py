"""`SparseArray`: a sparse matrix whose elements are recorded, and whose places are fixed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy
import scipy.sparse

from ...core.array import Array
from ...core.op import table
from ...core.record import raw
from ...numpy.operands import operand
from ...ops.index import ARRAY, getitem, scatter_add
from ...ops.linear import broadcast_to, permute_dims
from ...ops.sparse import Structure, assembled, sparse_matmul, turn
from . import errors


class SparseArray:
    """What a function gets for a `scipy.sparse` matrix that is differentiated.

    `data` are its elements, row by row in the order of their columns: a recorded array. Where they
    stand is fixed, and so a derivative has elements in the same places. Products, sums, indexing
    and rearranging give recorded arrays, or matrices of this kind; what SciPy would make dense is
    an error, since `toarray` says it better.
    """

    __slots__ = ("data", "structure")

    __array_ufunc__: ClassVar[None] = None  # NumPy's operators leave the work to this class
    ndim: ClassVar[int] = 2
    format: ClassVar[str] = "csr"

    def __init__(self, data: Any, structure: Structure) -> None:
        self.data = data
        self.structure = structure

    @classmethod
    def of(cls, matrix: Any) -> SparseArray:
        """A sparse matrix of SciPy's, or a dense one, in this form."""
        if isinstance(matrix, SparseArray):
            return matrix
        if isinstance(matrix, Array):
            m, n = matrix.shape
            columns = numpy.tile(numpy.arange(n), m)
            structure = Structure((m, n), n * numpy.arange(m + 1), columns)
            return cls(table["reshape"].function(matrix, to=(m * n,)), structure)
        canonical = scipy.sparse.csr_array(matrix)
        if not canonical.has_canonical_format:
            canonical = canonical.copy()
            canonical.sum_duplicates()
        structure = Structure(canonical.shape, canonical.indptr, canonical.indices)
        return cls(canonical.data, structure)

    @classmethod
    def at(cls, data: Any, rows: Any, columns: Any, shape: tuple[int, int]) -> SparseArray:
        """The matrix with elements at given places, of which those that are named twice add up."""
        return cls(*assembled(data, rows, columns, shape))

    @property
    def shape(self) -> tuple[int, int]:
        return self.structure.shape

    @property
    def dtype(self) -> Any:
        return self.data.dtype

    @property
    def nnz(self) -> int:
        """The number of stored elements."""
        return self.structure.size

    @property
    def indices(self) -> Any:
        """The column of each element."""
        return self.structure.columns

    @property
    def indptr(self) -> Any:
        """Where each row begins."""
        return self.structure.pointers

    def __repr__(self) -> str:
        return f"<SparseArray of shape {self.shape} with {self.nnz} {self.dtype} elements>"

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise errors.dense_needed("numpy.asarray of a sparse matrix")

    def __len__(self) -> int:
        raise TypeError("the length of a sparse matrix is ambiguous; use A.nnz or A.shape[0]")

    def __bool__(self) -> bool:
        raise errors.dense_needed("the truth value of a sparse matrix")

    # what is made of it

    def with_data(self, data: Any) -> SparseArray:
        """A matrix with other elements in the same places."""
        return SparseArray(data, self.structure)

    def toarray(self) -> Any:
        """A dense array, recorded."""
        places = self.structure.rows, self.structure.columns
        return scatter_add(self.data, *places, key=(ARRAY, ARRAY), to=self.shape)

    todense = toarray

    def tocsr(self, copy: bool = False) -> SparseArray:
        """The matrix itself: elements are kept by rows, whatever the format was."""
        return self

    tocsc = tocoo = tocsr

    def copy(self) -> SparseArray:
        return self.with_data(self.data)

    def astype(self, dtype: Any) -> SparseArray:
        return self.with_data(self.data.astype(dtype))

    def transpose(self, axes: tuple[int, int] | None = None) -> SparseArray:
        if axes is not None and tuple(axes) != (1, 0):
            raise errors.not_supported("transpose", f"axes={axes}", "A matrix has two axes.")
        return SparseArray(*turn(self.data, self.structure))

    T = property(transpose)

    def conj(self) -> SparseArray:
        return self.with_data(table["conj"].function(self.data))

    @property
    def real(self) -> SparseArray:
        return self.with_data(table["real"].function(self.data))

    @property
    def imag(self) -> SparseArray:
        return self.with_data(table["imag"].function(self.data))

    def rearranged(self, function: Callable[[Any], Any]) -> Any:
        """What a function of SciPy's that only moves elements makes of this matrix.

        It runs on the elements' numbers, from 1 on.
        """
        numbered = self.structure.matrix(numpy.arange(1, self.nnz + 1))
        moved = function(numbered)
        if not scipy.sparse.issparse(moved):
            return picked(self.data, numpy.asarray(moved))
        if moved.ndim == 1:
            return picked(self.data, moved.toarray())
        result = SparseArray.of(moved)
        return SparseArray(getitem(self.data, result.data - 1, key=(ARRAY,)), result.structure)

    def __getitem__(self, key: Any) -> Any:
        """Part of the matrix; a row, a column or an element is dense."""
        return self.rearranged(lambda matrix: matrix[key])

    def diagonal(self, k: int = 0) -> Any:
        """The elements ``A[i, i + k]``, as a dense array."""
        return self.rearranged(lambda matrix: matrix.diagonal(k))

    def trace(self, offset: int = 0) -> Any:
        return table["sum"].function(self.diagonal(offset), axis=(0,), keepdims=False)

    def reshape(self, *shape: Any) -> Any:
        return self.rearranged(lambda matrix: matrix.reshape(*shape))

    def sum(self, axis: int | None = None) -> Any:
        """The sum of all elements, or of each column or row as a dense array."""
        if axis is None:
            return table["sum"].function(self.data, axis=(0,), keepdims=False)
        kept = 1 - axis % 2
        places = self.structure.columns if kept else self.structure.rows
        return scatter_add(self.data, places, key=(ARRAY,), to=(self.shape[kept],))

    def mean(self, axis: int | None = None) -> Any:
        m, n = self.shape
        return self.sum(axis) / (m * n if axis is None else self.shape[axis])

    def power(self, n: Any) -> SparseArray:
        """The elements to a power, one by one."""
        return self.with_data(self.data**n)

    # arithmetic

    def __neg__(self) -> SparseArray:
        return self.with_data(-self.data)

    def __pos__(self) -> SparseArray:
        return self

    def __abs__(self) -> SparseArray:
        return self.with_data(abs(self.data))

    def dot(self, other: Any) -> Any:
        return self * other if numpy.ndim(other) == 0 and not is_sparse(other) else self @ other

    def __matmul__(self, other: Any) -> Any:
        if is_sparse(other):
            return sparse_product(self, SparseArray.of(other))
        x = operand(other)
        if x.ndim not in (1, 2) or x.shape[0] != self.shape[1]:
            raise errors.wrong_shapes("@", self.shape, x.shape)
        return sparse_matmul(self.data, x, structure=self.structure, transposed=False)

    def __rmatmul__(self, other: Any) -> Any:
        if is_sparse(other):
            return SparseArray.of(other) @ self
        x = operand(other)
        if x.ndim not in (1, 2) or x.shape[-1] != self.shape[0]:
            raise errors.wrong_shapes("@", x.shape, self.shape)
        columns = x if x.ndim == 1 else permute_dims(x, axes=(1, 0))
        product = sparse_matmul(self.data, columns, structure=self.structure, transposed=True)
        return product if x.ndim == 1 else permute_dims(product, axes=(1, 0))

    def multiply(self, other: Any) -> SparseArray:
        """The product element by element, with a number, a dense array or a sparse one."""
        if is_sparse(other):
            return common(self, SparseArray.of(other))
        x = operand(other)
        if x.ndim:
            whole = broadcast_to(x, to=self.shape) if x.shape != self.shape else x
            x = getitem(whole, self.structure.rows, self.structure.columns, key=(ARRAY, ARRAY))
        return self.with_data(self.data * x)

    __mul__ = __rmul__ = multiply

    def __truediv__(self, other: Any) -> SparseArray:
        if is_sparse(other):
            raise errors.no_operand("/", other)
        return self.multiply(1 / operand(other))

    def __add__(self, other: Any) -> SparseArray:
        if not is_sparse(other):
            if isinstance(other, int | float) and other == 0:
                return self  # as sum() begins
            raise errors.no_operand("+", other)
        return sparse_sum(self, SparseArray.of(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> SparseArray:
        if not is_sparse(other):
            raise errors.no_operand("-", other)
        return sparse_sum(self, -SparseArray.of(other))

    def __rsub__(self, other: Any) -> SparseArray:
        return -self + other


def is_sparse(x: Any) -> bool:
    """Whether `x` is a sparse matrix, of SciPy's or recorded."""
    return isinstance(x, SparseArray) or scipy.sparse.issparse(x)


def picked(data: Any, numbers: Any) -> Any:
    """Elements by their numbers from 1 on, with zeros for 0."""
    present = numbers > 0
    if numbers.ndim == 0:
        return data[int(numbers) - 1] if present else data[:0].sum()
    places = numpy.nonzero(present)
    chosen = getitem(data, numbers[places] - 1, key=(ARRAY,))
    return scatter_add(chosen, *places, key=(ARRAY,) * numbers.ndim, to=numbers.shape)


def numbers_of(structure: Structure) -> Any:
    """A number for each place, counting all elements of the matrix row by row."""
    return structure.rows.astype(numpy.int64) * structure.shape[1] + structure.columns


def sparse_sum(a: SparseArray, b: SparseArray) -> SparseArray:
    """The sum of two sparse matrices."""
    if a.shape != b.shape:
        raise errors.wrong_shapes("+", a.shape, b.shape)
    if a.structure == b.structure:
        return a.with_data(a.data + b.data)
    concat = table["concat"].function
    rows = numpy.concatenate([a.structure.rows, b.structure.rows])
    columns = numpy.concatenate([a.indices, b.indices])
    return SparseArray.at(concat(a.data, b.data, axis=0), rows, columns, a.shape)


def common(a: SparseArray, b: SparseArray) -> SparseArray:
    """The product element by element: it has the places that both have."""
    if a.shape != b.shape:
        raise errors.wrong_shapes("*", a.shape, b.shape)
    numbers, first, second = numpy.intersect1d(
        numbers_of(a.structure), numbers_of(b.structure), assume_unique=True, return_indices=True
    )
    product = getitem(a.data, first, key=(ARRAY,)) * getitem(b.data, second, key=(ARRAY,))
    return SparseArray.at(product, numbers // a.shape[1], numbers % a.shape[1], a.shape)


def sparse_product(a: SparseArray, b: SparseArray) -> SparseArray:
    """The matrix product, a sum of products of elements in each of its places."""
    if a.shape[1] != b.shape[0]:
        raise errors.wrong_shapes("@", a.shape, b.shape)
    counts = numpy.diff(b.indptr)[a.indices]
    first = numpy.repeat(numpy.arange(a.nnz), counts)
    start = numpy.repeat(b.indptr[a.indices] - numpy.cumsum(counts) + counts, counts)
    second = numpy.arange(first.size) + start
    product = getitem(a.data, first, key=(ARRAY,)) * getitem(b.data, second, key=(ARRAY,))
    shape = a.shape[0], b.shape[1]
    return SparseArray.at(product, a.structure.rows[first], b.indices[second], shape)


def plain(x: Any) -> Any:
    """`x` without its place on a tape: a matrix, an array, or what SciPy takes for one."""
    if isinstance(x, SparseArray):
        return x.structure.matrix(raw(x.data))
    return raw(x) if isinstance(x, Array) else x
