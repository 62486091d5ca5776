"""Running sums, products and extremes; differences and integrals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from ..core.array import Array
from ..core.op import table
from ..numpy import scans
from ..ops import join, linear, scan
from ..ops.index import getitem
from ..ops.sort import take_along
from . import errors, return_types
from .calls import attach, cast, in_single, on_arrays, promoted
from .dtypes import as_numpy, of_numpy
from .reductions import wrapped
from .refusals import TWO_BOOLS, refuse

__all__ = [
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "cumulative_trapezoid",
    "diff",
    "gradient",
    "logcumsumexp",
    "trapezoid",
    "trapz",
]


def running(name: str) -> Callable[..., Any]:
    """`cumsum` or `cumprod`."""

    @on_arrays
    def function(input: Any, dim: int, *, dtype: Any = None) -> Any:
        if dtype is not None:
            input = cast(input, as_numpy(dtype))
        elif input.dtype.kind in "biu":
            input = cast(input, as_numpy(int))
        axis = wrapped(dim, input.ndim)
        if not input.ndim:
            return table["identity"].function(input)
        return in_single(table[name].function)(input, axis=axis, reverse=False)

    function.__name__ = name
    return function


cumsum = running("cumsum")
cumprod = running("cumprod")


def running_extreme(name: str, largest: bool) -> Callable[..., Any]:
    """`cummax` or `cummin`."""
    kind = getattr(return_types, name)

    @on_arrays
    def function(input: Any, dim: int) -> Any:
        if input.dtype.kind == "c":
            raise errors.not_for(f"{name}_cpu", of_numpy(input.dtype))
        axis = wrapped(dim, input.ndim)
        if not input.ndim:
            return kind(table["identity"].function(input), numpy.int64(0))
        if not input.size:
            return kind(table["identity"].function(input), numpy.zeros(input.shape, int))
        places = scan.running_extreme(input, axis=axis, largest=largest)
        return kind(take_along(input, places, axis=axis), places)

    function.__name__ = name
    return function


cummax = running_extreme("cummax", True)
cummin = running_extreme("cummin", False)


@on_arrays
def logcumsumexp(input: Any, dim: int) -> Any:
    """The logarithm of the running sum of exponentials."""
    (x,) = promoted(input, to_float=True)
    axis = wrapped(dim, x.ndim)
    if not x.ndim or not x.size:
        return table["identity"].function(x)
    return table["logcumsumexp"].function(x, axis=axis)


@on_arrays
def diff(input: Any, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """The differences of neighbours along an axis, `n` times over."""
    if not input.ndim:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    axis = wrapped(dim, input.ndim)
    if n == 0:
        return table["identity"].function(input)
    parts = [p for p in (prepend, input, append) if p is not None]
    x = join.concat(*promoted(*parts), axis=axis) if len(parts) > 1 else input
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    for _ in range(min(n, x.shape[axis])):
        lead = (slice(None),) * axis
        a, b = getitem(x, key=(*lead, slice(1, None))), getitem(x, key=(*lead, slice(0, -1)))
        x = a ^ b if x.dtype.kind == "b" else a - b
    return x


@on_arrays
def trapezoid(y: Any, x: Any = None, *, dx: Any = None, dim: int = -1) -> Any:
    """The integral along an axis by the trapezoidal rule."""
    parts, axis = areas(y, x, dx, dim)
    return linear.sum(parts, axis=(axis,), keepdims=False)


trapz = trapezoid


@on_arrays
def cumulative_trapezoid(y: Any, x: Any = None, *, dx: Any = None, dim: int = -1) -> Any:
    """The running integral along an axis by the trapezoidal rule."""
    parts, axis = areas(y, x, dx, dim)
    return table["cumsum"].function(parts, axis=axis, reverse=False)


def areas(y: Any, x: Any, dx: Any, dim: int) -> tuple[Any, int]:
    """The areas below a line between neighbours."""
    if y.dtype.kind == "b":
        raise RuntimeError("trapezoid: received a bool input for `y`, but bool is not supported")
    axis = wrapped(dim, y.ndim)
    lead = (slice(None),) * axis
    upper, lower = (getitem(y, key=(*lead, k)) for k in (slice(1, None), slice(0, -1)))
    (total,) = promoted(upper + lower, to_float=True)
    if x is None:
        width: Any = 1.0 if dx is None else dx
    elif x.ndim == 1 and y.ndim > 1:
        steps = getitem(x, key=(slice(1, None),)) - getitem(x, key=(slice(0, -1),))
        width = linear.reshape(steps, to=(steps.shape[0], *(1,) * (y.ndim - axis - 1)))
    else:
        at = axis - y.ndim + x.ndim
        own = (slice(None),) * at
        width = getitem(x, key=(*own, slice(1, None))) - getitem(x, key=(*own, slice(0, -1)))
    a, b = promoted(total, width)
    return a * b / 2, axis


@on_arrays
def gradient(input: Any, *, spacing: Any = None, dim: Any = None, edge_order: int = 1) -> Any:
    """The derivatives along axes, by second-order differences."""
    n = input.ndim
    dims = tuple(range(n)) if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    axes = tuple(wrapped(d, n) for d in dims)
    if isinstance(spacing, tuple | list):
        steps = list(spacing)
    elif isinstance(spacing, Array) or hasattr(spacing, "shape"):
        steps = [spacing]
    else:
        steps = [1 if spacing is None else spacing] * len(axes)
    (x,) = promoted(input, to_float=True)
    made = []
    for axis, h in zip(axes, steps, strict=True):
        h = h.raw if isinstance(h, Array) else h
        made.append(cast(scans.gradient(x, h, axis=axis, edge_order=edge_order), x.dtype))
    return made


attach(
    "cummax cummin cumprod cumsum diff logcumsumexp",
    globals(),
    "cumprod cumsum",
)

refuse(globals(), "torch.gradient does not support uint8 input.", "uint8", "gradient")
refuse(
    globals(),
    TWO_BOOLS,
    "bool",
    "gradient",
)
refuse(globals(), "{name}_out_cpu", "bool integer", "logcumsumexp")
