"""What functions do with their arguments before they call operations."""

from __future__ import annotations

from typing import Any

from .. import errors
from ..backend import as_data, is_complex
from ..core.array import Array
from ..core.op import table
from ..ops.linear import reshape
from .lists import assembled


def operand(x: Any) -> Any:
    """An argument as an array: an `Array`, or raw data with a shape and a dtype."""
    if isinstance(x, Array):
        return x
    return assembled(x) if isinstance(x, list | tuple) else as_data(x)


def without_out(function: str, out: Any) -> None:
    """Raise if an output array was given."""
    if out is not None:
        raise errors.no_argument(function, "out=", "Assign the result instead: a[...] = result.")


def conjugate(x: Any) -> Any:
    """The complex conjugate; `x` itself where it is real."""
    return table["conj"].function(x) if is_complex(x.dtype) else x


def ravel(x: Any) -> Any:
    """The elements of `x` in C order."""
    return x if x.ndim == 1 else reshape(x, to=(x.size,))
