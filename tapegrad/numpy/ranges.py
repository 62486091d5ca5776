"""`linspace`, `logspace` and `geomspace`: differentiable in their ends."""

from __future__ import annotations

from typing import Any

from ..backend import is_complex, python_numbers
from ..core.array import untracked
from ..core.op import table
from .creation import maker
from .dispatch import np
from .reading import any_recorded, is_mapped, known
from .shapes import recorded
from .ufuncs import as_dtype

__all__ = ["geomspace", "linspace", "logspace"]


def ends(start: Any, stop: Any, least: Any = 1.0) -> tuple[Any, Any, Any]:
    """The two ends as arrays of floating point of one shape, and the dtype of what is between.

    `least` is a number or a dtype with which the ends are promoted.
    """
    start, stop = (x if type(x) in python_numbers else recorded(x) for x in (start, stop))
    dtype = np.result_type(start, stop, 1.0, least)
    start, stop = recorded(start), recorded(stop)
    shape = np.broadcast_shapes(start.shape, stop.shape)
    start, stop = (np.broadcast_to(as_dtype(x, dtype), shape) for x in (start, stop))
    return start, stop, dtype


def placed(values: Any, axis: int, dtype: Any) -> Any:
    """The samples, along the first axis so far, in their dtype and along `axis`."""
    if dtype is not None:
        values = as_dtype(values, np.dtype(dtype))
    return values if axis == 0 else np.moveaxis(values, 0, axis)


def with_ends(values: Any, first: Any, last: Any) -> Any:
    """Samples with the first and the last (None: as it is) replaced by exact values."""
    parts = []
    start, stop = 0, len(values)
    if first is not None and stop:
        parts.append(first[None])
        start = 1
    if last is not None and stop > 1:
        stop -= 1
    parts.append(values[start:stop])
    if stop < len(values):
        parts.append(last[None])
    return np.concatenate(parts) if len(parts) > 1 else values


def check_count(num: Any) -> int:
    num = int(known(num, "the number of samples"))
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    return num


def samples(start: Any, stop: Any, num: int, endpoint: bool) -> tuple[Any, Any]:
    """Equidistant samples along a new first axis, and the step, computed as NumPy does."""
    intervals = num - 1 if endpoint else num
    delta = stop - start
    real = np.empty(0, start.dtype).real.dtype
    index = np.arange(num, dtype=real).reshape((num, *(1,) * start.ndim))
    if intervals > 0:
        step = delta / intervals
        values = index * step + start
    else:
        step = untracked(real.type(np.nan))
        values = index * delta + start
    if endpoint and num > 1:
        values = with_ends(values, None, stop)
    return values, step


@maker(np.linspace)
def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: Any = None,
) -> Any:
    if not any_recorded((start, stop)):
        made = np.linspace(start, stop, num, endpoint, retstep, dtype, axis)
        return tuple(map(untracked, made)) if retstep else untracked(made)
    num = check_count(num)
    start, stop, _ = ends(start, stop)
    values, step = samples(start, stop, num, endpoint)
    if dtype is not None and np.dtype(dtype).kind in "iu":
        values = np.floor(values)
    values = placed(values, axis, dtype)
    return (values, step) if retstep else values


def powers(start: Any, stop: Any, num: int, endpoint: bool, base: Any) -> Any:
    """Powers of a base, with equidistant exponents along a new first axis."""
    exponents, _ = samples(start, stop, num, endpoint)
    return np.power(base, exponents)


@maker(np.logspace)
def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    if not any_recorded((start, stop, base)):
        return untracked(np.logspace(start, stop, num, endpoint, base, dtype, axis))
    num = check_count(num)
    start, stop, _ = ends(start, stop)
    shape = np.broadcast_shapes(start.shape, np.shape(base))
    start, stop = (np.broadcast_to(x, shape) for x in (start, stop))
    return placed(powers(start, stop, num, endpoint, base), axis, dtype)


@maker(np.geomspace)
def geomspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0
) -> Any:
    if not any_recorded((start, stop)):
        return untracked(np.geomspace(start, stop, num, endpoint, dtype, axis))
    num = check_count(num)
    # NumPy takes float64 where no dtype is given, for single precision too
    start, stop, kind = ends(recorded(start), recorded(stop), np.dtype(dtype))
    for end in (start, stop):
        if not is_mapped(end) and not np.all(end != 0):
            raise ValueError("Geometric sequence cannot include zero")
    # the sign of `start` is taken out and put back: it cancels, so it needs no derivative
    sign = table["stop_gradient"].function(np.sign(start))
    if is_complex(kind):
        first, last = start / sign, stop / sign
    else:
        first, last = start * sign, stop * sign
    values = powers(np.log10(first), np.log10(last), num, endpoint, 10.0) * sign
    values = with_ends(values, start, stop if endpoint else None)
    return placed(values, axis, dtype)
