"""Products and linear systems with sparse matrices: the elements vary, their places do not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

import numpy
from numpy.typing import NDArray

from .. import errors
from ..backend import namespace, on_device
from ..core.op import Op
from .define import define, looped
from .index import ARRAY, getitem, scatter_add
from .linear import broadcast_to, permute_dims, reshape, sum
from .samples import Sample, complex_normal, normal

Ints = NDArray[Any]


class Structure:
    """The places of a sparse matrix's elements, row by row, in order of their columns.

    Two are equal if their places are.
    """

    __slots__ = ("_rows", "_turned", "columns", "pointers", "shape")

    def __init__(self, shape: tuple[int, int], pointers: Ints, columns: Ints) -> None:
        self.shape = shape
        self.pointers = pointers
        self.columns = columns
        self._rows: Ints | None = None
        self._turned: tuple[Structure, Ints] | None = None

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Structure)
            and self.shape == other.shape
            and numpy.array_equal(self.pointers, other.pointers)
            and numpy.array_equal(self.columns, other.columns)
        )

    def __hash__(self) -> int:
        return hash((self.shape, self.size))

    def __repr__(self) -> str:
        return f"<{self.size} places in {self.shape}>"

    @property
    def size(self) -> int:
        """The number of elements."""
        return len(self.columns)

    @property
    def rows(self) -> Ints:
        """The row of each element."""
        if self._rows is None:
            self._rows = numpy.repeat(numpy.arange(self.shape[0]), numpy.diff(self.pointers))
        return self._rows

    @property
    def turned(self) -> tuple[Structure, Ints]:
        """The structure of the transpose, and where its elements are in this one."""
        if self._turned is None:
            order = numpy.lexsort((self.rows, self.columns))
            counts = numpy.bincount(self.columns, minlength=self.shape[1])
            pointers = numpy.concatenate([[0], numpy.cumsum(counts)])
            turned = Structure(self.shape[::-1], pointers, self.rows[order])
            back = numpy.empty_like(order)
            back[order] = numpy.arange(order.size)
            turned._turned = self, back
            self._turned = turned, order
        return self._turned

    def repeated(self, count: int) -> Structure:
        """The structure of a matrix with `count` blocks like this one on its diagonal."""
        m, n = self.shape
        block = numpy.repeat(numpy.arange(count), self.size)
        columns = numpy.tile(self.columns, count) + n * block
        counts = numpy.tile(numpy.diff(self.pointers), count)
        pointers = numpy.concatenate([[0], numpy.cumsum(counts)])
        return Structure((m * count, n * count), pointers, columns)

    def matrix(self, data: Any) -> Any:
        """The matrix with these elements, in SciPy's CSR form."""
        from scipy.sparse import csr_array

        if on_device(data):
            raise errors.not_on_device("a sparse product or solution", namespace(data).__name__)
        result = csr_array((data, self.columns, self.pointers), shape=self.shape)
        result.has_canonical_format = True
        return result


def turn(data: Any, structure: Structure) -> tuple[Any, Structure]:
    """The elements and the structure of the transpose."""
    turned, order = structure.turned
    return getitem(data, order, key=(ARRAY,)), turned


def sampled(left: Any, right: Any, structure: Structure) -> Any:
    """The elements of ``left @ right.T`` in the places of a structure; of vectors, of their outer
    product."""
    product = getitem(left, structure.rows, key=(ARRAY,)) * getitem(
        right, structure.columns, key=(ARRAY,)
    )
    return product if product.ndim == 1 else sum(product, axis=(1,), keepdims=False)


def assembled(data: Any, rows: Any, columns: Any, shape: tuple[int, int]) -> tuple[Any, Structure]:
    """The elements and the structure of a matrix with elements at given places.

    Those of places that are named twice add up.
    """
    numbers = numpy.asarray(rows, dtype=numpy.int64) * shape[1] + columns
    places, back = numpy.unique(numbers, return_inverse=True)
    if places.size == numbers.size:
        order = numpy.argsort(numbers, kind="stable")
        data = getitem(data, order, key=(ARRAY,))
    else:
        data = scatter_add(data, back, key=(ARRAY,), to=(places.size,))
    counts = numpy.bincount(places // shape[1], minlength=shape[0])
    pointers = numpy.concatenate([[0], numpy.cumsum(counts)])
    return data, Structure(shape, pointers, places % shape[1])


def to_columns(x: Any) -> Any:
    """Vectors or matrices in lanes as one matrix, with all their columns side by side."""
    if x.ndim == 2:
        return permute_dims(x, axes=(1, 0))
    return reshape(permute_dims(x, axes=(1, 0, 2)), to=(x.shape[1], x.shape[0] * x.shape[2]))


def from_columns(y: Any, like: Any) -> Any:
    """The lanes again."""
    if like.ndim == 2:
        return permute_dims(y, axes=(1, 0))
    whole = reshape(y, to=(y.shape[0], like.shape[0], like.shape[2]))
    return permute_dims(whole, axes=(1, 0, 2))


def _matmul_forward(xp: Any, data: Any, x: Any, *, structure: Structure, transposed: bool) -> Any:
    matrix = structure.matrix(data)
    return (matrix.T if transposed else matrix) @ x


def _matmul_rule_data(
    g: Any, _out: Any, _data: Any, x: Any, *, structure: Structure, transposed: bool
) -> Any:
    return sampled(x, g, structure) if transposed else sampled(g, x, structure)


def _matmul_rule_x(
    g: Any, _out: Any, data: Any, _x: Any, *, structure: Structure, transposed: bool
) -> Any:
    return sparse_matmul(data, g, structure=structure, transposed=not transposed)


def _matmul_batch(
    function: Any,
    mapped: tuple[bool, ...],
    data: Any,
    x: Any,
    *,
    structure: Structure,
    transposed: bool,
) -> Any:
    if not mapped[0]:
        out = function(data, to_columns(x), structure=structure, transposed=transposed)
        return from_columns(out, x)
    lanes = len(data)
    if not mapped[1]:
        x = broadcast_to(reshape(x, to=(1, *x.shape)), to=(lanes, *x.shape))
    flat = reshape(x, to=(lanes * x.shape[1], *x.shape[2:]))
    data = reshape(data, to=(data.size,))
    blocks = structure.repeated(lanes)
    out = function(data, flat, structure=blocks, transposed=transposed)
    return reshape(out, to=(lanes, structure.shape[transposed], *x.shape[2:]))


def example(shape: tuple[int, int]) -> Structure:
    """A structure for samples: a band of two."""
    places = numpy.eye(*shape) + numpy.eye(*shape, k=1)
    rows, columns = numpy.nonzero(places)
    counts = numpy.bincount(rows, minlength=shape[0])
    return Structure(shape, numpy.concatenate([[0], numpy.cumsum(counts)]), columns)


def _matmul_samples(rng: Any) -> Iterator[Sample]:
    structure = example((3, 4))
    for domain in (normal, complex_normal):
        for shape in ((4,), (4, 2)):
            data = domain(rng, (structure.size,))
            yield (data, normal(rng, shape)), {"structure": structure, "transposed": False}
        x = normal(rng, (3,))
        yield (data, x), {"structure": structure, "transposed": True}


sparse_matmul = define(
    Op(
        "sparse_matmul",
        forward=_matmul_forward,
        vjp=(_matmul_rule_data, _matmul_rule_x),
        jvp="multilinear",
        batch=_matmul_batch,
        samples=_matmul_samples,
        promote=True,
        doc="The product of the sparse matrix with elements `data`, or of its transpose, and a "
        "vector or a matrix.",
    )
)


class Solver(Protocol):
    """How linear systems with matrices of a structure are solved."""

    structure: Structure

    def __call__(self, data: Any, b: Any, transposed: bool) -> Any:
        """The solution, on plain data, for the matrix with elements `data` or its transpose."""


def _solve_rule_data(
    g: Any, out: Any, data: Any, _b: Any, *, solver: Solver, transposed: bool
) -> Any:
    y = -sparse_solve(data, g, solver=solver, transposed=not transposed)
    return sampled(out, y, solver.structure) if transposed else sampled(y, out, solver.structure)


def _solve_rule_b(
    g: Any, _out: Any, data: Any, _b: Any, *, solver: Solver, transposed: bool
) -> Any:
    return sparse_solve(data, g, solver=solver, transposed=not transposed)


def _solve_jvp(
    tangents: tuple[Any, ...], out: Any, data: Any, _b: Any, *, solver: Solver, transposed: bool
) -> Any:
    t_data, t_b = tangents
    if t_data is not None:
        change = sparse_matmul(t_data, out, structure=solver.structure, transposed=transposed)
        t_b = -change if t_b is None else t_b - change
    return sparse_solve(data, t_b, solver=solver, transposed=transposed)


def _solve_batch(
    function: Callable[..., Any], mapped: tuple[bool, ...], data: Any, b: Any, **params: Any
) -> Any:
    if mapped[0]:
        return looped(function, mapped, data, b, **params)
    return from_columns(function(data, to_columns(b), **params), b)


class Direct:
    """Solves by a sparse LU factorisation, which is kept for the transposed systems to come."""

    def __init__(self, structure: Structure, options: dict[str, Any] | None = None) -> None:
        self.structure = structure
        self.options = options or {}
        self.factors: tuple[Any, Any] | None = None

    def __call__(self, data: Any, b: Any, transposed: bool) -> Any:
        factors = self.factorise(data)
        trans = "T" if transposed else "N"
        if b.dtype.kind == "c" and data.dtype.kind != "c":
            return factors.solve(b.real.copy(), trans) + 1j * factors.solve(b.imag.copy(), trans)
        return factors.solve(numpy.asarray(b, dtype=numpy.result_type(data, b)), trans)

    def factorise(self, data: Any) -> Any:
        """The factors of the matrix with these elements."""
        from scipy.sparse.linalg import splu

        if self.factors is None or self.factors[0] is not data:
            self.factors = data, splu(self.structure.matrix(data).tocsc(), **self.options)
        return self.factors[1]


def _solve_samples(rng: Any) -> Iterator[Sample]:
    structure = example((4, 4))
    for domain in (normal, complex_normal):
        data = 3 + domain(rng, (structure.size,)) / 4
        for transposed in (False, True):
            for shape in ((4,), (4, 2)):
                yield (
                    (data, normal(rng, shape)),
                    {"solver": Direct(structure), "transposed": transposed},
                )


sparse_solve = define(
    Op(
        "sparse_solve",
        forward=lambda xp, data, b, *, solver, transposed: solver(data, b, transposed),
        vjp=(_solve_rule_data, _solve_rule_b),
        jvp=_solve_jvp,
        batch=_solve_batch,
        samples=_solve_samples,
        promote=True,
        doc="The solution of a linear system with the sparse matrix of elements `data`, or its "
        "transpose. The systems of derivatives are solved in the same way.",
    )
)
