"""Sums and other reductions of tensors."""

from __future__ import annotations

from typing import Any

from ..core.array import Array
from ..core.fast import structural_function
from ..core.op import table
from ..ops import linear
from .calls import attach, cast, on_arrays
from .dtypes import as_numpy, dtype
from .tensor import Tensor, wrap

__all__ = ["sum"]


def axes_of(x: Array, dim: Any) -> tuple[int, ...]:
    """The axes that `dim` names: all for None and for an empty sequence."""
    n = x.ndim
    if dim is None or dim == () or dim == []:
        return tuple(range(n))
    dims = (dim,) if isinstance(dim, int) else tuple(dim)
    return tuple(wrapped(d, n) for d in dims)


def wrapped(d: int, n: int) -> int:
    """An axis that may count from the end, as one that does not."""
    low, high = (-n, n - 1) if n else (-1, 0)
    if not low <= d <= high:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{low}, {high}], but got {d})"
        )
    return d % n if n else 0


fast_sum = structural_function(table["sum"], Tensor)
ALL_AXES = [tuple(range(n)) for n in range(65)]


def sum(
    input: Tensor,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The sum of all elements, or along the axes `dim`. Booleans and integers give int64."""
    if type(input) is Tensor and dim is None and dtype is None and out is None:
        raw = input.raw
        if raw.dtype.char in "fdFD":
            result = fast_sum(input, axis=ALL_AXES[raw.ndim], keepdims=keepdim)
            return result if type(result) is Tensor else wrap(result)
    return general_sum(input, dim, keepdim, dtype=dtype, out=out)


@on_arrays
def general_sum(input: Array, dim: Any, keepdim: bool, *, dtype: dtype | None) -> Any:
    """The sum of any array, along any axes."""
    if dtype is not None:
        input = cast(input, as_numpy(dtype))
    elif input.dtype.kind in "biu":
        input = cast(input, as_numpy(int))
    return linear.sum(input, axis=axes_of(input, dim) if input.ndim else (), keepdims=keepdim)


attach("sum", globals())
