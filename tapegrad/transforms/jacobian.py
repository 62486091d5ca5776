"""`jacobian`, `jacrev`, `jacfwd` and `hessian`: one recording, and one walk over it for all rows
or all columns at once."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from numpy import generic, ndarray

from .. import tree
from ..backend import is_inexact, namespace
from ..core.array import Array
from ..core.lanes import pull_lanes, push_lanes
from ..core.op import table
from . import misuse
from .arguments import check_chunk_size, check_function, plain_argnums, positions
from .grad import differentiator
from .linearize import Recording
from .rules import can_push

MODES = ("auto", "fwd", "rev")


def jacobian(
    fun: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    *,
    mode: str = "auto",
    chunk_size: int | None = None,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> Callable[..., Any]:
    """The matrix of all partial derivatives of `fun`, of shape `out.shape + in.shape`.

    For pytrees, the result has the structure of the result of `fun`, with the structure of the
    argument in place of each array; a sequence of `argnums` gives tuples in that place. `mode` is
    `"rev"` (a row at a time is natural: few results), `"fwd"` (a column: few inputs) or `"auto"`,
    which counts. All rows are computed in one vectorised walk; `chunk_size` limits how many at a
    time, and so the memory. With `has_aux`, `fun` returns `(value, aux)`, and the Jacobian comes
    with `aux`.

    `"rev"` needs real results and `"fwd"` needs real arguments, unless `holomorphic`, which needs
    both to be complex.

    >>> import numpy as np, tapegrad as tg
    >>> tg.jacobian(lambda x: x * x)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    if mode not in MODES:
        raise misuse.bad_option("jacobian", "mode", MODES, mode)
    return matrix_of("jacobian", fun, argnums, mode, chunk_size, has_aux, holomorphic)


def jacrev(
    fun: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    *,
    chunk_size: int | None = None,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> Callable[..., Any]:
    """`jacobian` by rows, in reverse mode: for functions with fewer results than inputs."""
    return matrix_of("jacrev", fun, argnums, "rev", chunk_size, has_aux, holomorphic)


def jacfwd(
    fun: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    *,
    chunk_size: int | None = None,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> Callable[..., Any]:
    """`jacobian` by columns, in forward mode: for functions with fewer inputs than results."""
    return matrix_of("jacfwd", fun, argnums, "fwd", chunk_size, has_aux, holomorphic)


def hessian(
    fun: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """The matrix of second derivatives of a scalar function, of shape `x.shape + x.shape`.

    The gradient is recorded once, and its tape walked forwards for all columns at once. For
    pytrees and several `argnums` the result is nested as JAX's: the structure of the gradient, with
    that of the argument(s) again in place of each array.

    >>> import numpy as np, tapegrad as tg
    >>> tg.hessian(lambda x: x[0] * x[1] * x[1])(np.array([1.0, 2.0]))
    array([[0., 4.],
           [4., 2.]])
    """
    gradient = differentiator("hessian", fun, argnums, None, False, False)
    return matrix_of("hessian", gradient, argnums, "fwd", chunk_size, False, False)


def matrix_of(
    name: str,
    fun: Callable[..., Any],
    argnums: int | Sequence[int],
    mode: str,
    chunk_size: int | None,
    has_aux: bool,
    holomorphic: bool,
) -> Callable[..., Any]:
    """What all transforms of this file return."""
    check_function(name, fun)
    argnums = plain_argnums(argnums)
    check_chunk_size(name, chunk_size)

    @functools.wraps(fun, updated=())
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        keys = positions(argnums, len(args), name)
        matrix = Matrix(name, fun, args, kwargs, keys, mode, chunk_size, has_aux, holomorphic)
        trees = [
            per_argument[0] if isinstance(argnums, int) else tuple(per_argument)
            for per_argument in map(matrix.inputs.rebuild, matrix.blocks)
        ]
        result = tree.unflatten(matrix.structure, trees)
        return (result, matrix.aux) if has_aux else result

    return wrapper


class Matrix(Recording):
    """A run that is walked for its whole Jacobian before it ends."""

    __slots__ = ("blocks", "chunk_size", "holomorphic", "mode", "name")

    blocks: list[list[Any]]
    """For each result, the block of each input."""

    def __init__(
        self,
        name: str,
        fun: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        keys: tuple[int, ...],
        mode: str,
        chunk_size: int | None,
        has_aux: bool,
        holomorphic: bool,
    ) -> None:
        self.name = name
        self.mode = mode
        self.chunk_size = chunk_size
        self.holomorphic = holomorphic
        forward = mode != "rev"
        super().__init__(name, fun, args, has_aux, False, keys, kwargs, forward)

    def finish(self) -> None:
        rows, columns = total(self.values), total(self.data)
        mode = self.mode
        if mode == "auto":
            real = self.holomorphic or all(x.dtype.kind != "c" for x in self.data)
            forward = rows >= columns and real and can_push(self.walk.entries)
            mode = "fwd" if forward else "rev"
        self.check(mode)
        blocks = self.by_rows(rows) if mode == "rev" else self.by_columns(columns)
        seen: set[int] = set()
        self.blocks = [
            [
                self.finished(block, y, x, mode, seen)
                for block, x in zip(row, self.data, strict=True)
            ]
            for y, row in zip(self.values, blocks, strict=True)
        ]

    def check(self, mode: str) -> None:
        """Raise if the dtypes do not suit the mode."""
        what, arrays = ("result", self.values) if mode == "rev" else ("argument", self.data)
        for x in arrays:
            if x.dtype.kind == "c" and not self.holomorphic:
                raise misuse.complex_jacobian(self.name, what, mode, x.dtype)
        if self.holomorphic:
            for x in (*self.data, *self.values):
                if x.dtype.kind != "c":
                    raise misuse.complex_input(self.name, x.dtype)

    def by_rows(self, rows: int) -> list[list[Any]]:
        """The blocks, by pulling every unit cotangent."""
        pulled = self.in_chunks(rows, self.values, self.pull_chunk, len(self.data))
        blocks = []
        start = 0
        for y in self.values:
            stop = start + y.size
            blocks.append(
                [
                    None
                    if g is None
                    else table["reshape"].function(
                        g if stop - start == rows else g[start:stop], to=(*y.shape, *x.shape)
                    )
                    for g, x in zip(pulled, self.data, strict=True)
                ]
            )
            start = stop
        return blocks

    def by_columns(self, columns: int) -> list[list[Any]]:
        """The blocks, by pushing every unit tangent."""
        pushed = self.in_chunks(columns, self.data, self.push_chunk, len(self.values))
        blocks = []
        for t, y in zip(pushed, self.values, strict=True):
            row: list[Any] = []
            start = 0
            for x in self.data:
                stop = start + x.size
                block = None
                if t is not None:
                    block = t if stop - start == columns else t[start:stop]
                    axes = (*range(1, block.ndim), 0)
                    block = table["permute_dims"].function(block, axes=axes)
                    block = table["reshape"].function(block, to=(*y.shape, *x.shape))
                row.append(block)
                start = stop
            blocks.append(row)
        return blocks

    def in_chunks(
        self,
        size: int,
        arrays: list[Any],
        walk: Callable[[list[Any], int], list[Any]],
        count: int,
    ) -> list[Any]:
        """The walk's results for the unit vectors of the space of all elements of `arrays`."""
        ranges = list(self.chunks(size))
        parts = [walk(units(arrays, start, stop), stop - start) for start, stop in ranges]
        if len(parts) <= 1:
            return parts[0] if parts else [None] * count
        joined: list[Any] = []
        for column in zip(*parts, strict=True):
            like = next((c for c in column if c is not None), None)
            if like is None:
                joined.append(None)
                continue
            filled = [
                zeros((stop - start, *like.shape[1:]), like) if c is None else c
                for c, (start, stop) in zip(column, ranges, strict=True)
            ]
            joined.append(table["concat"].function(*filled, axis=0))
        return joined

    def chunks(self, size: int) -> Iterator[tuple[int, int]]:
        """The ranges of lanes that are walked together."""
        chunk = self.chunk_size or size
        for start in range(0, size, chunk or 1):
            yield start, min(start + chunk, size)

    def pull_chunk(self, seeds: list[Any], lanes: int) -> list[Any]:
        cotangents: dict[int, Any] = {}
        for slot, y, seed in zip(self.slots, self.values, seeds, strict=True):
            if slot and seed is not None and is_inexact(y.dtype):
                cotangents[slot] = cotangents[slot] + seed if slot in cotangents else seed
        return pull_lanes(self.walk, cotangents, lanes)

    def push_chunk(self, seeds: list[Any], lanes: int) -> list[Any]:
        pushed = push_lanes(self.walk, seeds, self.slots, lanes)
        return [t if slot else None for slot, t in zip(self.slots, pushed, strict=True)]

    def finished(self, block: Any, y: Any, x: Any, mode: str, seen: set[int]) -> Any:
        """A block as an array of the caller's own."""
        shape = (*y.shape, *x.shape)
        dtype = x.dtype if mode == "rev" or not is_inexact(y.dtype) else y.dtype
        if block is None:
            block = zeros(shape, x, dtype)
        elif block.dtype != dtype:
            block = table["astype"].function(block, to=dtype, source=block.dtype)
        if type(block) is ndarray:
            if block.base is not None or id(block) in seen:
                block = block.copy()
            seen.add(id(block))
            if not shape and not isinstance(x, ndarray):
                block = block[()]
        return block


def total(arrays: list[Any]) -> int:
    """The number of elements of all arrays."""
    return sum(x.size for x in arrays)


def units(arrays: list[Any], start: int, stop: int) -> list[Any]:
    """Unit vectors `start` to `stop` of the space of all elements of `arrays`, array by array.

    None for an array in which all of them are zero.
    """
    parts: list[Any] = []
    offset = 0
    for x in arrays:
        size = x.size
        if start < offset + size and offset < stop:
            data = x.raw if isinstance(x, Array) else x
            xp = namespace(data)
            dtype = data.dtype if is_inexact(data.dtype) else float
            part = xp.eye(stop - start, size, k=start - offset, dtype=dtype)
            parts.append(part.reshape(stop - start, *x.shape))
        else:
            parts.append(None)
        offset += size
    return parts


def zeros(shape: tuple[int, ...], like: Any, dtype: Any = None) -> Any:
    """Zeros in the namespace (and of the dtype) of an array."""
    data = like.raw if isinstance(like, Array) else like
    result = namespace(data).zeros(shape, dtype=data.dtype if dtype is None else dtype)
    return result[()] if not shape and isinstance(data, generic) else result
