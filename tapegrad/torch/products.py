"""Products of vectors and matrices."""

from __future__ import annotations

from typing import Any

import numpy

from ..core.array import Array
from ..core.op import table
from ..numpy import contraction
from ..ops import contract, linear
from ..ops.index import getitem
from . import errors
from .calls import attach, cast, in_single, on_arrays, promoted
from .contraction import check_factors, matmul
from .dtypes import of_numpy, promote_types
from .reductions import wrapped
from .refusals import lacking, refuse
from .tensor import Tensor

__all__ = [
    "addbmm",
    "addmm",
    "addmv",
    "addr",
    "baddbmm",
    "bmm",
    "chain_matmul",
    "cross",
    "dot",
    "ger",
    "inner",
    "kron",
    "mm",
    "mv",
    "outer",
    "tensordot",
    "vdot",
]


def same_dtype(a: Any, b: Any) -> None:
    """Raise if two factors differ in dtype."""
    if a.dtype != b.dtype:
        raise errors.different_dtypes(of_numpy(a.dtype), of_numpy(b.dtype))


def check_axes(name: str, x: Any, n: int, what: str) -> None:
    """Raise if a factor has another number of axes."""
    if x.ndim != n:
        raise errors.wrong_axes(name, what, n, x.ndim)


@on_arrays
@in_single
def mm(input: Any, mat2: Any) -> Any:
    """The product of two matrices."""
    check_axes("mm", input, 2, "self")
    check_axes("mm", mat2, 2, "mat2")
    same_dtype(input, mat2)
    if input.shape[1] != mat2.shape[0]:
        raise errors.shapes_of_product(input.shape, mat2.shape)
    return contract.matmul(input, mat2)


@on_arrays
@in_single
def bmm(input: Any, mat2: Any) -> Any:
    """The products of two stacks of matrices."""
    check_axes("bmm", input, 3, "batch1")
    check_axes("bmm", mat2, 3, "batch2")
    same_dtype(input, mat2)
    if input.shape[0] != mat2.shape[0] or input.shape[2] != mat2.shape[1]:
        raise errors.shapes_of_stacks(input.shape, mat2.shape)
    return contract.matmul(input, mat2)


@on_arrays
@in_single
def mv(input: Any, vec: Any) -> Any:
    """The product of a matrix and a vector."""
    check_axes("mv", input, 2, "self")
    check_axes("mv", vec, 1, "vec")
    same_dtype(input, vec)
    check_factors(input.shape, vec.shape)
    return contract.matmul(input, vec)


@on_arrays
@in_single
def dot(input: Any, tensor: Any) -> Any:
    """The inner product of two vectors."""
    check_axes("dot", input, 1, "self")
    check_axes("dot", tensor, 1, "tensor")
    same_dtype(input, tensor)
    if input.shape != tensor.shape:
        raise errors.dot_sizes(input.shape[0], tensor.shape[0])
    return contract.matmul(input, tensor)


@on_arrays
@in_single
def vdot(input: Any, other: Any) -> Any:
    """The inner product of two vectors, the first one conjugated."""
    check_axes("vdot", input, 1, "self")
    same_dtype(input, other)
    first = table["conj"].function(input) if input.dtype.kind == "c" else input
    return contract.matmul(first, other)


def combined(x: Any, product: Any, beta: Any, alpha: Any) -> Any:
    """``beta * x + alpha * product``; where `beta` is 0, `x` is not looked at."""
    to = product.dtype
    scaled = product if alpha == 1 else cast(alpha, to) * product
    if beta == 0:
        return scaled
    x = cast(x, to)
    if to.kind == "b":
        return x | scaled
    return (x if beta == 1 else cast(beta, to) * x) + scaled


def product_of(name: str, first: int, second: int) -> Any:
    """`addmm` and its like: a product added to a tensor."""

    @on_arrays
    @in_single
    def function(input: Any, a: Any, b: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
        check_axes(name, a, first, "the first factor")
        check_axes(name, b, second, "the second factor")
        same_dtype(a, b)
        if name == "addr":
            product = linear.reshape(a, to=(a.shape[0], 1)) * b
        else:
            check_factors(a.shape, b.shape)
            product = contract.matmul(a, b)
        if name == "addbmm":
            product = linear.sum(product, axis=(0,), keepdims=False)
        shape = product.shape
        x = input
        if x.shape != shape:
            x = linear.broadcast_to(x, to=shape)
        return combined(x, product, beta, alpha)

    function.__name__ = name
    return function


quick_addmm = product_of("addmm", 2, 2)
quick_addmv = product_of("addmv", 2, 1)
quick_addbmm = product_of("addbmm", 3, 3)
quick_baddbmm = product_of("baddbmm", 3, 3)
quick_addr = product_of("addr", 1, 1)


def addmm(
    input: Tensor,
    mat1: Tensor,
    mat2: Tensor,
    *,
    beta: Any = 1,
    alpha: Any = 1,
    out: Tensor | None = None,
) -> Tensor:
    """``beta * input + alpha * (mat1 @ mat2)``."""
    return quick_addmm(input, mat1, mat2, beta=beta, alpha=alpha, out=out)


def addmv(
    input: Tensor,
    mat: Tensor,
    vec: Tensor,
    *,
    beta: Any = 1,
    alpha: Any = 1,
    out: Tensor | None = None,
) -> Tensor:
    """``beta * input + alpha * (mat @ vec)``."""
    return quick_addmv(input, mat, vec, beta=beta, alpha=alpha, out=out)


def addbmm(
    input: Tensor,
    batch1: Tensor,
    batch2: Tensor,
    *,
    beta: Any = 1,
    alpha: Any = 1,
    out: Tensor | None = None,
) -> Tensor:
    """``beta * input + alpha * (batch1 @ batch2).sum(0)``."""
    return quick_addbmm(input, batch1, batch2, beta=beta, alpha=alpha, out=out)


def baddbmm(
    input: Tensor,
    batch1: Tensor,
    batch2: Tensor,
    *,
    beta: Any = 1,
    alpha: Any = 1,
    out: Tensor | None = None,
) -> Tensor:
    """``beta * input + alpha * (batch1 @ batch2)``."""
    return quick_baddbmm(input, batch1, batch2, beta=beta, alpha=alpha, out=out)


def addr(
    input: Tensor,
    vec1: Tensor,
    vec2: Tensor,
    *,
    beta: Any = 1,
    alpha: Any = 1,
    out: Tensor | None = None,
) -> Tensor:
    """``beta * input + alpha * outer(vec1, vec2)``."""
    return quick_addr(input, vec1, vec2, beta=beta, alpha=alpha, out=out)


@on_arrays
@in_single
def outer(input: Any, vec2: Any) -> Any:
    """The products of all pairs of elements of two vectors."""
    check_axes("outer", input, 1, "self")
    check_axes("outer", vec2, 1, "vec2")
    a, b = promoted(input, vec2)
    return linear.reshape(a, to=(a.shape[0], 1)) * b


ger = outer


@on_arrays
@in_single
def inner(input: Any, other: Any) -> Any:
    """The sums of products over the last axes of both."""
    same_dtype(input, other)
    if not input.ndim or not other.ndim:
        return input * other
    lacking("dot", "bool", input)
    return contraction.tensordot(input, other, ((input.ndim - 1,), (other.ndim - 1,)))


@on_arrays
@in_single
def kron(input: Any, other: Any) -> Any:
    """The Kronecker product."""
    d = promote_types(of_numpy(input.dtype), of_numpy(other.dtype)).dtype
    a, b = cast(input, d), cast(other, d)
    n = max(a.ndim, b.ndim)
    own = (1,) * (n - a.ndim) + tuple(a.shape)
    inner_ = (1,) * (n - b.ndim) + tuple(b.shape)
    left = linear.reshape(a, to=tuple(k for size in own for k in (size, 1)))
    right = linear.reshape(b, to=tuple(k for size in inner_ for k in (1, size)))
    return linear.reshape(left * right, to=tuple(i * j for i, j in zip(own, inner_, strict=True)))


@on_arrays
@in_single
def tensordot(a: Any, b: Any, dims: Any = 2) -> Any:
    """The sums of products over the last axes of one and the first of the other, or given ones."""
    if isinstance(dims, Array):
        dims = dims.raw.tolist()
    same_dtype(a, b)
    if not isinstance(dims, int):
        a, b = matched(a, b, dims)
    return contraction.tensordot(a, b, dims)


def matched(a: Any, b: Any, dims: Any) -> tuple[Any, Any]:
    """Two tensors, summed where an axis to contract is of length 1 in the other alone."""
    for i, j in zip(*dims, strict=True):
        if a.shape[i] != b.shape[j]:
            if a.shape[i] == 1:
                b = linear.sum(b, axis=(j % b.ndim,), keepdims=True)
            elif b.shape[j] == 1:
                a = linear.sum(a, axis=(i % a.ndim,), keepdims=True)
            else:
                raise errors.contracted_sizes(i, a.shape[i], j, b.shape[j])
    return a, b


@on_arrays
def cross(input: Any, other: Any, dim: int | None = None) -> Any:
    """The cross product of vectors of three elements along an axis, by default the first such."""
    a, b = promoted(input, other)
    shape = numpy.broadcast_shapes(a.shape, b.shape)
    if dim is None:
        found = [i for i, n in enumerate(shape) if n == 3]
        if not found:
            raise RuntimeError("no dimension of size 3 in input")
        axis = found[0]
    else:
        axis = wrapped(dim, len(shape))
    return cross_along(a, b, axis, shape)


def cross_along(a: Any, b: Any, axis: int, shape: tuple[int, ...]) -> Any:
    """The cross product along an axis."""
    if shape[axis] != 3:
        raise errors.cross_size(axis, shape[axis])
    a = linear.broadcast_to(a, to=shape) if a.shape != shape else a
    b = linear.broadcast_to(b, to=shape) if b.shape != shape else b
    lead = (slice(None),) * axis
    (x1, x2, x3), (y1, y2, y3) = ([getitem(v, key=(*lead, i)) for i in range(3)] for v in (a, b))
    parts = (x2 * y3 - x3 * y2, x3 * y1 - x1 * y3, x1 * y2 - x2 * y1)
    return table["stack"].function(*parts, axis=axis)


def chain_matmul(*matrices: Any, out: Tensor | None = None) -> Tensor:
    """The product of several matrices."""
    result = matrices[0]
    for m in matrices[1:]:
        result = matmul(result, m)
    return result


attach(
    "addbmm addmm addmv addr baddbmm bmm cross dot ger inner kron mm mv outer vdot",
    globals(),
    "addbmm addmm addmv addr baddbmm",
)

refuse(globals(), "addmm_impl_cpu_", "bool", "mm quick_addmm quick_addbmm tensordot")
refuse(globals(), "addmv_impl_cpu", "bool", "mv quick_addmv")
refuse(globals(), "baddbmm", "bool", "quick_baddbmm")
refuse(globals(), "dot", "bool", "dot vdot")
refuse(globals(), "{name}", "bool", "bmm cross")
