"""What the functions of this module do with their arguments first."""

from __future__ import annotations

from typing import Any

from ....numpy.operands import operand
from ....numpy.reading import any_recorded
from .. import errors
from ..array import SparseArray


def is_recorded(*values: Any) -> bool:
    """Whether one of the arguments is recorded, or a matrix with recorded elements."""
    return any(isinstance(x, SparseArray) or any_recorded(x) for x in values)


def square(name: str, matrix: Any) -> SparseArray:
    """A matrix, sparse or dense, as a sparse one; checked to be square."""
    a = SparseArray.of(matrix)
    if a.shape[0] != a.shape[1]:
        raise errors.not_square(name, a.shape)
    return a


def right_side(name: str, shape: tuple[int, int], b: Any) -> Any:
    """The right hand side of a system, as a recorded or raw array of matching shape."""
    b = b.toarray() if hasattr(b, "tocsr") else operand(b)
    if b.ndim not in (1, 2) or b.shape[0] != shape[0]:
        raise errors.wrong_shapes(name, shape, b.shape)
    return b
