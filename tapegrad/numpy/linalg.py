"""`numpy.linalg`, for plain and for recorded arrays."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy
from numpy.lib.array_utils import normalize_axis_index

from ..backend import namespace
from ..core.array import untracked
from ..core.record import raw
from ..ops import determinant
from ..ops import linalg as ops
from ..ops.contract import matmul as _matmul
from ..ops.contract import transpose
from ..ops.define import size_of
from ..ops.einsum import permute
from ..ops.index import getitem
from ..ops.linear import broadcast_to, reshape
from ..ops.matrices import shared_solve
from .contraction import chain, diagonal_of, trace_of
from .contraction import cross as _cross
from .contraction import outer as _outer
from .contraction import tensordot as tensordot
from .decompositions import cholesky as cholesky
from .decompositions import eig as eig
from .decompositions import eigh as eigh
from .decompositions import eigvals as eigvals
from .decompositions import eigvalsh as eigvalsh
from .decompositions import lstsq as lstsq
from .decompositions import matrix_rank as matrix_rank
from .decompositions import pinv as pinv
from .decompositions import qr as qr
from .decompositions import svd as svd
from .decompositions import svdvals as svdvals
from .dispatch import implements, np
from .norms import cond as cond
from .norms import matrix_norm as matrix_norm
from .norms import norm as norm
from .norms import vector_norm as vector_norm
from .operands import operand, without_out

__all__ = list(numpy.linalg.__all__)

SlogdetResult: Any = type(numpy.linalg.slogdet(numpy.eye(1)))


def __getattr__(name: str) -> Any:
    """NumPy's own, for every name that is not here."""
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(numpy.linalg, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(numpy.linalg)})


@implements(numpy.linalg.inv)
def inv(a: Any) -> Any:
    return ops.inv(operand(a))


@implements(numpy.linalg.det)
def det(a: Any) -> Any:
    return determinant.det(operand(a))


@implements(numpy.linalg.slogdet)
def slogdet(a: Any) -> Any:
    return SlogdetResult(*determinant.slogdet(operand(a)))


@implements(numpy.linalg.solve)
def solve(a: Any, b: Any) -> Any:
    a, b = operand(a), operand(b)
    if b.ndim == 1:
        solution = solve_matrices(a, reshape(b, to=(b.size, 1)))
        return reshape(solution, to=solution.shape[:-1])
    return solve_matrices(a, b)


def solve_matrices(a: Any, b: Any) -> Any:
    """The solutions for stacks of matrices that broadcast against each other."""
    if a.ndim < 2 or b.ndim < 2 or not a.shape[-1] == a.shape[-2] == b.shape[-2]:
        return ops.solve(a, b)  # raises
    if a.ndim == 2 and b.ndim > 2:
        return shared_solve(a, b, ops.solve)
    stack = numpy.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a, b = (
        x if x.shape[:-2] == stack else broadcast_to(x, to=(*stack, *x.shape[-2:])) for x in (a, b)
    )
    return ops.solve(a, b)


@implements(numpy.linalg.tensorsolve)
def tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    a, b = operand(a), operand(b)
    if axes is not None:
        last = [normalize_axis_index(k, a.ndim) for k in axes]
        a = permute(a, (*(k for k in range(a.ndim) if k not in last), *last))
    result = a.shape[b.ndim :]
    n = size_of(result)
    if a.size != n * n:
        raise numpy.linalg.LinAlgError(
            "tensorsolve: the product of the trailing axes must be that of the leading ones, but "
            f"the array has shape {tuple(a.shape)} for a right hand side of {b.ndim} axes."
        )
    return reshape(solve(reshape(a, to=(n, n)), reshape(b, to=(b.size,))), to=result)


@implements(numpy.linalg.tensorinv)
def tensorinv(a: Any, ind: int = 2) -> Any:
    a = operand(a)
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    n = size_of(a.shape[ind:])
    matrix = reshape(a, to=(a.size // n if n else 0, n))
    return reshape(ops.inv(matrix), to=(*a.shape[ind:], *a.shape[:ind]))


@implements(numpy.linalg.matrix_power)
def matrix_power(a: Any, n: int) -> Any:
    a = operand(a)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise numpy.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    try:
        n = operator.index(n)
    except TypeError as error:
        raise TypeError("exponent must be an integer") from error
    if n == 0:
        eye = namespace(raw(a)).eye(a.shape[-1], dtype=a.dtype)
        return untracked(broadcast_to(eye, to=a.shape))
    if n < 0:
        a, n = ops.inv(a), -n
    power = result = None
    while n:
        power = a if power is None else _matmul(power, power)
        n, bit = divmod(n, 2)
        if bit:
            result = power if result is None else _matmul(result, power)
    return result


@implements(numpy.linalg.multi_dot)
def multi_dot(arrays: Sequence[Any], *, out: Any = None) -> Any:
    without_out("linalg.multi_dot", out)
    matrices = [operand(x) for x in arrays]
    if len(matrices) < 2:
        raise ValueError("Expecting at least two arrays.")
    kept = [matrices[0].ndim == 2, matrices[-1].ndim == 2]
    if matrices[0].ndim == 1:
        matrices[0] = reshape(matrices[0], to=(1, matrices[0].size))
    if matrices[-1].ndim == 1:
        matrices[-1] = reshape(matrices[-1], to=(matrices[-1].size, 1))
    for x in matrices:
        if x.ndim != 2:
            raise numpy.linalg.LinAlgError(
                f"{x.ndim}-dimensional array given. Array must be two-dimensional"
            )
    product = chain(matrices)
    if all(kept):
        return product
    if not any(kept):
        return getitem(product, key=(0, 0))
    return reshape(product, to=(product.size,))


@implements(numpy.linalg.matmul)
def matmul(x1: Any, x2: Any, /) -> Any:
    return _matmul(x1, x2)


@implements(numpy.linalg.vecdot)
def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    return np.vecdot(x1, x2, axis=axis)


@implements(numpy.linalg.outer)
def outer(x1: Any, x2: Any, /) -> Any:
    x1, x2 = operand(x1), operand(x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(
            "Input arrays must be one-dimensional, but they are "
            f"x1.ndim={x1.ndim} and x2.ndim={x2.ndim}."
        )
    return _outer(x1, x2)


@implements(numpy.linalg.cross)
def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    x1, x2 = operand(x1), operand(x2)
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, but they are "
            f"{x1.shape[axis]} and {x2.shape[axis]} dimensional instead."
        )
    return _cross(x1, x2, axis=axis)


@implements(numpy.linalg.matrix_transpose)
def matrix_transpose(x: Any, /) -> Any:
    x = operand(x)
    if x.ndim < 2:
        raise ValueError(f"Input array must be at least 2-dimensional, but it is {x.ndim}")
    return transpose(x)


@implements(numpy.linalg.diagonal)
def diagonal(x: Any, /, *, offset: int = 0) -> Any:
    return diagonal_of(operand(x), offset, -2, -1)


@implements(numpy.linalg.trace)
def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Any:
    return trace_of(operand(x), offset, -2, -1, dtype)
