"""Products, powers and exponentials of matrices, and vectors' products, with PyTorch's names."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy

from ...backend import namespace
from ...numpy.contraction import chain
from ...ops import linear
from ...ops.contract import matmul as product
from ...ops.contract import transpose as transposed
from ...ops.linear import broadcast_to, cast, reshape
from ...ops.matrices import conjugate
from ...ops.matrix_functions import expm
from ...ops.power import pow as power
from .. import errors
from ..calls import in_single, on_arrays, raw_of
from ..contraction import matmul
from ..parts import diagonal as diagonal_of
from ..products import cross_along
from ..reductions import wrapped
from ..refusals import refuse
from ..tensor import Tensor
from .operands import alike, constant_of, eye, square
from .systems import inverse

__all__ = [
    "cross",
    "diagonal",
    "matmul",
    "matrix_exp",
    "matrix_power",
    "multi_dot",
    "skew",
    "vander",
    "vecdot",
]


@on_arrays
def skew(A: Any) -> Any:
    """The antisymmetric parts ``(A - A.mT) / 2`` of square matrices, as Riemann has them."""
    x = square(A, "linalg.skew")
    return (x - transposed(x)) / 2


@on_arrays
def matrix_power(A: Any, n: int) -> Any:
    """The power of square matrices, of their inverses if `n` is negative."""
    if A.ndim < 2:
        raise errors.no_matrices("linalg.matrix_power")
    if A.shape[-1] != A.shape[-2]:
        raise errors.not_square("linalg.matrix_power", A.shape)
    if n == 0:
        return constant_of(A, broadcast_to(eye(A, *A.shape[-2:]), to=A.shape))
    factor = A if n > 0 else inverse(square(A, "linalg.inv"))
    n = abs(n)
    result = None
    while n:
        n, bit = divmod(n, 2)
        if bit:
            result = factor if result is None else product(result, factor)
        if n:
            factor = product(factor, factor)
    return result


@on_arrays
@in_single
def matrix_exp(A: Any) -> Any:
    """The exponential of square matrices. SciPy computes it."""
    return expm(square(A, "linalg.matrix_exp"))


@on_arrays
def multi_dot(tensors: Sequence[Any]) -> Any:
    """The product of matrices in the order with the fewest multiplications.

    The first and the last may be vectors, a row and a column.
    """
    if len(tensors) < 2:
        raise errors.too_few_matrices(len(tensors))
    factors = list(tensors)
    for i, x in enumerate(factors):
        alike(factors[0], x, "multi_dot()")
        if x.ndim != 2 and not (x.ndim == 1 and i in (0, len(factors) - 1)):
            raise errors.not_a_factor(i, x.ndim)
    kept = []
    if factors[0].ndim == 1:
        factors[0] = reshape(factors[0], to=(1, factors[0].size))
    else:
        kept.append(factors[0].shape[0])
    if factors[-1].ndim == 1:
        factors[-1] = reshape(factors[-1], to=(factors[-1].size, 1))
    else:
        kept.append(factors[-1].shape[1])
    for i, (a, b) in enumerate(pairwise(factors)):
        if a.shape[1] != b.shape[0]:
            raise errors.chain_sizes(i, a.shape, b.shape)
    return reshape(in_single(lambda *given: chain([*given]))(*factors), to=tuple(kept))


@on_arrays
def vecdot(x: Any, y: Any, *, dim: int = -1) -> Any:
    """The inner products of vectors along an axis, the first ones conjugated."""
    alike(x, y, "linalg.vecdot", "x y")
    products = conjugate(x) * y
    axis = wrapped(dim, products.ndim)
    if products.dtype.kind in "biu":
        products = cast(products, products.dtype)
    return linear.sum(products, axis=(axis,), keepdims=False)


@on_arrays
def cross(input: Any, other: Any, *, dim: int = -1) -> Any:
    """The cross products of vectors of three elements along an axis."""
    alike(input, other, "linalg.cross", "input other")
    shape = numpy.broadcast_shapes(input.shape, other.shape)
    axis = wrapped(dim, len(shape))
    if input.shape[dim] != 3 or other.shape[dim] != 3:
        raise errors.cross_lengths(dim, input.shape[dim], other.shape[dim])
    return cross_along(input, other, axis, shape)


def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The diagonals of matrices, by default of the last two axes, as a view."""
    return diagonal_of(A, offset, dim1, dim2)


@on_arrays
def vander(x: Any, N: int | None = None) -> Any:
    """The powers from 0 on of the elements, along a new last axis; as many as there are elements,
    or `N`."""
    if not x.ndim:
        x = reshape(x, to=(1,))
    count = x.shape[-1] if N is None else N
    if count <= 1:
        raise errors.too_few_powers()
    return powers(x, count)


def powers(x: Any, count: int) -> Any:
    """The powers of the elements from 0 on, along a new last axis."""
    base = cast(x, numpy.dtype(numpy.int64)) if x.dtype.kind in "biu" else x
    exponents = namespace(raw_of(x)).arange(count)
    return power(reshape(base, to=(*x.shape, 1)), exponents.astype(base.dtype))


refuse(
    globals(),
    "linalg.vander supports floating point, complex, and integer tensors, but got {kind}",
    "bool half",
    "vander",
)
refuse(
    globals(),
    "linalg.vecdot: Expected a floating point or complex tensor as input. Got {kind}",
    "bool integer",
    "vecdot",
)
refuse(globals(), "{name}", "bool", "cross")
