"""Diagonals and triangles of matrices."""

from __future__ import annotations

from typing import Any

import numpy

from ..core.op import table
from ..ops import linear
from ..ops.transfer import beside
from . import errors
from .calls import attach, cast, on_arrays
from .products import check_axes
from .reductions import wrapped
from .refusals import refuse

__all__ = ["diag", "diag_embed", "diagflat", "trace", "tril", "triu"]


@on_arrays
def trace(input: Any) -> Any:
    """The sum of the diagonal of a matrix."""
    check_axes("trace", input, 2, "self")
    line = table["diagonal"].function(input, offset=0)
    if line.dtype.kind in "biu":
        line = cast(line, numpy.dtype(numpy.int64))
    return linear.sum(line, axis=(0,), keepdims=False)


def triangle(name: str, keep: Any) -> Any:
    """`tril` or `triu`."""

    @on_arrays
    def function(input: Any, diagonal: int = 0) -> Any:
        if input.ndim < 2:
            raise errors.too_few_axes(name, 2, input.ndim)
        mask = beside(keep(numpy.ones(input.shape[-2:], bool), diagonal), input)
        if input.dtype.kind == "b":
            return input & mask
        return table["where"].function(mask, input, input.dtype.type(0))

    function.__name__ = name
    return function


tril = triangle("tril", numpy.tril)
triu = triangle("triu", numpy.triu)


@on_arrays
def diag(input: Any, diagonal: int = 0) -> Any:
    """The diagonal of a matrix, or the matrix with a vector on its diagonal."""
    if input.ndim == 1:
        n = input.shape[0] + abs(diagonal)
        return table["embed_diagonal"].function(input, offset=diagonal, to=(n, n))
    check_axes("diag", input, 2, "self")
    return table["identity"].function(table["diagonal"].function(input, offset=diagonal))


@on_arrays
def diagflat(input: Any, offset: int = 0) -> Any:
    """The matrix with all elements on its diagonal."""
    flat = linear.reshape(input, to=(input.size,))
    n = input.size + abs(offset)
    return table["embed_diagonal"].function(flat, offset=offset, to=(n, n))


@on_arrays
def diag_embed(input: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """Matrices with the lines of the last axis on their diagonals."""
    rank = input.ndim + 1
    a, b = wrapped(dim1, rank), wrapped(dim2, rank)
    if a == b:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    if not input.ndim:
        input = linear.reshape(input, to=(1,))
        rank = 2
    n = input.shape[-1] + abs(offset)
    made = table["embed_diagonal"].function(input, offset=offset, to=(*input.shape[:-1], n, n))
    rest = iter(range(rank - 2))
    axes = tuple(rank - 2 if i == a else rank - 1 if i == b else next(rest) for i in range(rank))
    return table["permute_dims"].function(made, axes=axes)


attach("diag diag_embed diagflat trace tril triu", globals(), "tril triu")

refuse(globals(), "{name}", "bool", "trace")
