"""What makes a distribution of an axis: `softmax` and its logarithm."""

from __future__ import annotations

import math
from typing import Any

from ..backend import restore, silence
from ..core.fast import structural_function
from ..core.op import table
from ..ops import softmax as softmaxes
from ..ops.selection import where
from .calls import attach, cast, in_single, on_arrays, promoted, raw_of
from .dtypes import as_numpy, dtype
from .reductions import wrapped
from .refusals import lacking
from .tensor import Tensor, wrap

__all__ = ["_safe_softmax", "_softmax_backward_data", "log_softmax", "softmax"]

fast = {name: structural_function(table[name], Tensor) for name in ("softmax", "log_softmax")}


def of_axis(name: str, input: Tensor, dim: int, dtype: dtype | None, out: Tensor | None) -> Tensor:
    """`softmax` or `log_softmax`, with a short way for the common case."""
    raw = input.raw
    if type(input) is Tensor and dtype is None and out is None and raw.dtype.char in "fd":
        axis = (wrapped(dim, raw.ndim),) if raw.ndim else ()
        token = silence()
        try:
            result = fast[name](input, axis=axis)
        finally:
            restore(token)
        return result if type(result) is Tensor else wrap(result)
    return general(name, input, dim, dtype, out=out)


@on_arrays
def general(name: str, x: Any, dim: int, dtype: dtype | None) -> Any:
    """Of any array."""
    if dtype is not None:
        x = cast(x, as_numpy(dtype))
    lacking(f"{name}_lastdim_kernel_impl", "bool integer complex", x)
    axis = wrapped(dim, x.ndim)
    return in_single(getattr(softmaxes, name))(x, axis=(axis,) if x.ndim else ())


def softmax(
    input: Tensor, dim: int, dtype: dtype | None = None, *, out: Tensor | None = None
) -> Tensor:
    """Exponentials divided by their sum along an axis. Elements of -inf give 0."""
    return of_axis("softmax", input, dim, dtype, out)


def log_softmax(
    input: Tensor, dim: int, dtype: dtype | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The logarithm of `softmax`, exact for elements far apart."""
    return of_axis("log_softmax", input, dim, dtype, out)


attach("log_softmax softmax", globals())


@on_arrays
def _softmax_backward_data(grad_output: Any, output: Any, dim: int, input_dtype: dtype) -> Any:
    """The cotangent of what `softmax` was taken of, from that of its result."""
    axis = (wrapped(dim, output.ndim),) if output.ndim else ()
    return cast(softmaxes.pulled_back(grad_output, output, axis), as_numpy(input_dtype))


@on_arrays
def _safe_softmax(self: Any, dim: int, dtype: dtype | None = None) -> Any:
    """`softmax`, with zeros where all elements are -inf."""
    x = cast(self, as_numpy(dtype)) if dtype is not None else promoted(self, to_float=True)[0]
    axis = (wrapped(dim, x.ndim),) if x.ndim else ()
    nothing = (raw_of(x) == -math.inf).all(axis, keepdims=True)
    return where(nothing, 0, softmaxes.softmax(where(nothing, 0, x), axis=axis))
