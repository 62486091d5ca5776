"""Products of matrices."""

from __future__ import annotations

from typing import Any

from ..ops import contract
from . import errors
from .calls import attach, on_arrays
from .tensor import Tensor

__all__ = ["matmul"]


@on_arrays
def matmul(input: Any, other: Any) -> Any:
    """The matrix product of vectors, matrices, or stacks of matrices that broadcast."""
    if input.dtype is not other.dtype:
        raise errors.different_dtypes(input.dtype, other.dtype)
    return contract.matmul(input, other)


attach("matmul", globals())
for _name, _method in (
    ("__matmul__", matmul),
    ("__rmatmul__", lambda self, other: matmul(other, self)),
):
    setattr(Tensor, _name, _method)
