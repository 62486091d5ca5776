"""Products of matrices."""

from __future__ import annotations

from typing import Any

from numpy import ndarray

from ..backend import nameless
from ..core.array import Array
from ..ops import contract
from . import errors
from .calls import attach, in_single, on_arrays
from .casting import casting
from .tensor import Tensor, wrap

__all__ = ["matmul"]


fast_product = nameless(contract.product_of(Tensor))


def matmul(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """The matrix product of vectors, matrices, or stacks of matrices that broadcast."""
    if are_alike(input, other):
        result = fast_product(input, other)
        if out is None:
            return result if type(result) is Tensor else wrap(result)
    return general_product(input, other, out=out)


def are_alike(x: Any, y: Any) -> bool:
    """Whether two operands are plain tensors of one dtype, and stay so."""
    return (
        type(x) is Tensor
        and type(y) is Tensor
        and x.raw.dtype is y.raw.dtype
        and x.raw.dtype.kind != "V"  # NumPy's product of bfloat16 is of single precision
        and casting.policy is None
    )


@on_arrays
@in_single
def general_product(input: Any, other: Any) -> Any:
    """The product of whatever the operands are."""
    if input.dtype != other.dtype:
        raise errors.different_dtypes(input.dtype, other.dtype)
    return contract.matmul(input, other)


def product_operator(self: Tensor, other: Any) -> Any:
    """``self @ other``."""
    if are_alike(self, other):
        result = fast_product(self, other)
        return result if type(result) is Tensor else wrap(result)
    return matmul(self, other) if isinstance(other, Array | ndarray) else NotImplemented


general_product.__name__ = "matmul"
attach("matmul", globals())
for _name, _method in (
    ("__matmul__", product_operator),
    ("__rmatmul__", lambda self, other: matmul(other, self)),
):
    setattr(Tensor, _name, _method)
