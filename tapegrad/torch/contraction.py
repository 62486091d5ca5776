"""Products of matrices."""

from __future__ import annotations

import math
from typing import Any

from numpy import ndarray

from ..backend import nameless
from ..core.array import Array
from ..ops import contract
from . import errors
from .calls import attach, in_single, on_arrays
from .casting import casting
from .refusals import lacking
from .tensor import Tensor, wrap

__all__ = ["matmul"]


fast_product = nameless(contract.product_of(Tensor))


def matmul(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """The matrix product of vectors, matrices, or stacks of matrices that broadcast."""
    if are_alike(input, other):
        try:
            result = fast_product(input, other)
        except ValueError:
            check_factors(input.raw.shape, other.raw.shape)
            raise
        if out is None:
            return result if type(result) is Tensor else wrap(result)
    return general_product(input, other, out=out)


def are_alike(x: Any, y: Any) -> bool:
    """Whether two operands are plain tensors of one dtype, and stay so."""
    return (
        type(x) is Tensor
        and type(y) is Tensor
        and x.raw.dtype is y.raw.dtype
        and x.raw.dtype.kind in "fciu"  # NumPy's product of bfloat16 is of single precision
        and casting.policy is None
    )


KERNELS = ("addmm_impl_cpu_", "addmv_impl_cpu", "dot", "bmm")
"""PyTorch's, by how many factors are vectors, and of stacks."""


@on_arrays
@in_single
def general_product(input: Any, other: Any) -> Any:
    """The product of whatever the operands are."""
    if input.dtype != other.dtype:
        raise errors.different_dtypes(input.dtype, other.dtype)
    check_factors(input.shape, other.shape)
    vectors = (input.ndim == 1) + (other.ndim == 1)
    stacks = max(input.ndim, other.ndim) > 2
    lacking(KERNELS[2 if vectors == 2 else 3 if stacks and not vectors else vectors], "bool", input)
    return contract.matmul(input, other)


def check_factors(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    """Raise PyTorch's error if arrays of two shapes have no product."""
    if not (a and b):
        raise errors.product_of_number(len(a), len(b))
    fits = a[-1] == b[max(len(b) - 2, 0)]
    rows = math.prod(a[:-1])
    if len(b) == 1:
        if not fits and len(a) == 1:
            raise errors.dot_sizes(a[0], b[0])
        if not fits:
            raise errors.sizes_of_vector_product(rows, a[-1], b[0])
    elif len(a) > 2 and len(b) > 2:
        stacks = list(zip(reversed(a[:-2]), reversed(b[:-2]), strict=False))
        if any(n != m and 1 not in (n, m) for n, m in stacks):
            raise errors.sizes_differ(a[:-2], b[:-2])
        if not fits:
            count = math.prod(map(max, stacks))
            raise errors.shapes_of_stacks((count, *a[-2:]), (count, *b[-2:]))
    elif not fits:
        raise errors.shapes_of_product((rows, a[-1]), b[-2:])


def product_operator(self: Tensor, other: Any) -> Any:
    """``self @ other``."""
    if are_alike(self, other):
        try:
            result = fast_product(self, other)
        except ValueError:
            check_factors(self.raw.shape, other.raw.shape)
            raise
        return result if type(result) is Tensor else wrap(result)
    return matmul(self, other) if isinstance(other, Array | ndarray) else NotImplemented


general_product.__name__ = "matmul"
attach("matmul", globals())
for _name, _method in (
    ("__matmul__", product_operator),
    ("__rmatmul__", lambda self, other: matmul(other, self)),
):
    setattr(Tensor, _name, _method)
