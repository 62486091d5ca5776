"""What the functions of `scipy.linalg` do with their arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from ...backend import is_inexact, namespace
from ...core.array import Traced
from ...core.record import raw
from ...numpy.norms import inexact
from ...ops.linear import broadcast_to, cast, reshape
from ...ops.matrices import columns, shared_solve

Solver = Callable[[Any, Any], Any]


def finite(x: Any, check: bool = True) -> Any:
    """An argument as an array of floating point; if `check`, without infinities and NaNs.

    LAPACK has no half precision: SciPy computes in single instead.
    """
    x = inexact(x)
    if x.dtype == numpy.float16:
        x = cast(x, numpy.dtype(numpy.float32))
    if check and not isinstance(x, Traced):
        data = raw(x)
        if not namespace(data).isfinite(data).all():
            raise ValueError("array must not contain infs or NaNs")
    return x


def square(x: Any, check: bool = True) -> Any:
    """As `finite`, for matrices with as many rows as columns."""
    x = finite(x, check)
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ValueError(f"Expected a square matrix, but got shape {tuple(x.shape)}.")
    return x


def solved(solve: Solver, a: Any, b: Any, own: int = 2) -> Any:
    """The solutions for right hand sides that are vectors or matrices, with `solve` for matrices.

    `a` describes matrices by its last `own` axes; stacks of both broadcast against each other.
    """
    n = a.shape[-1]
    vector = b.ndim == 1
    if b.shape[:1] != (n,) if vector else b.shape[-2] != n:
        raise ValueError(f"Incompatible dimensions: {tuple(a.shape)} and {tuple(b.shape)}.")
    if vector:
        b = columns(b)
    if a.ndim == own and b.ndim > 2:
        return shared_solve(a, b, solve)
    stack = numpy.broadcast_shapes(a.shape[: a.ndim - own], b.shape[:-2])
    a = stacked(a, (*stack, *a.shape[a.ndim - own :]))
    x = solve(a, stacked(b, (*stack, *b.shape[-2:])))
    return reshape(x, to=x.shape[:-1]) if vector else x


def stacked(x: Any, shape: tuple[int, ...]) -> Any:
    return x if x.shape == shape else broadcast_to(x, to=shape)


def alike(*arrays: Any) -> list[Any]:
    """Arrays in the dtype that they have together."""
    dtype = numpy.result_type(*(x.dtype for x in arrays))
    return [x if x.dtype == dtype or not is_inexact(dtype) else cast(x, dtype) for x in arrays]
