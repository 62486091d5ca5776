"""What functions of `torch.linalg` ask of matrices, and how they say which one has no result.

A report is LAPACK's: an integer a matrix, 0 where there is a result, else a row or an order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from ...backend import namespace
from ...core.array import Array
from ...core.record import raw
from ...numpy.reading import known
from ...ops import factorise
from ...ops.linear import broadcast_to, cast, reshape, stop_gradient
from ...ops.locate import any_true, argmax
from ...ops.selection import held, where
from ...ops.shape import diagonal
from .. import errors
from ..dtypes import of_numpy

INFO = numpy.dtype(numpy.int32)
"""The dtype of pivots and reports."""


def matrices(x: Any, name: str) -> Any:
    """An argument, checked to be matrices of real or complex numbers."""
    if x.ndim < 2:
        raise errors.no_matrices(name)
    return inexact(x, name)


def inexact(x: Any, name: str) -> Any:
    """An argument, checked to be of real or complex numbers."""
    if x.dtype.kind in "biu":
        raise errors.not_inexact(name, of_numpy(x.dtype))
    return x


def square(x: Any, name: str) -> Any:
    """An argument, checked to be square matrices."""
    if x.ndim < 2:
        raise errors.no_matrices(name)
    if x.shape[-1] != x.shape[-2]:
        raise errors.not_square(name, x.shape)
    return inexact(x, name)


def alike(a: Any, b: Any, name: str, names: str = "A B") -> None:
    """Raise if two arguments differ in dtype."""
    if a.dtype != b.dtype:
        raise errors.mixed_dtypes(name, of_numpy(a.dtype), of_numpy(b.dtype), names)


def system(a: Any, b: Any, left: bool, name: str) -> None:
    """Raise if square matrices and right hand sides do not belong together."""
    alike(a, b, name)
    if a.shape[-1] != b.shape[-2 if left else -1]:
        raise errors.sizes_of_system(name, a.shape, b.shape, left)


def stacked(a: Any, b: Any) -> tuple[Any, Any]:
    """Two stacks of matrices, each as many as both together are."""
    stack = numpy.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    first, second = (
        x if x.shape[:-2] == stack else broadcast_to(x, to=(*stack, *x.shape[-2:])) for x in (a, b)
    )
    return first, second


def eye(x: Any, m: int, n: int) -> Any:
    """The identity of `m` rows and `n` columns, of the kind of `x`."""
    return namespace(raw(x)).eye(m, n, dtype=x.dtype)


def constant_of(x: Any, value: Any) -> Any:
    """A value that does not depend on `x`, of its shape: its gradient is zero, as PyTorch's."""
    return held(x, value) if isinstance(x, Array) and x.slot else value


def pivot_report(packed: Any) -> Any:
    """The report on LU factors: the first row whose pivot is zero, from 1 on."""
    zero = diagonal(packed, offset=0) == 0
    if not zero.shape[-1]:
        return cast(any_true(zero, axis=(zero.ndim - 1,), keepdims=False), INFO)
    some = any_true(zero, axis=(zero.ndim - 1,), keepdims=False)
    row = argmax(zero, axis=zero.ndim - 1, keepdims=False) + 1
    return cast(where(some, row, 0), INFO)


def report_on(x: Any) -> Any:
    """The report on matrices whose LU factors are yet to be computed."""
    return pivot_report(factorise.lu(stop_gradient(x))[0])


def computed(
    compute: Callable[[], Any], x: Any, report: Callable[[Any], Any], name: str, error: Any
) -> Any:
    """The result of `compute`; PyTorch's error where NumPy says that there is none."""
    try:
        return compute()
    except numpy.linalg.LinAlgError:
        raise error(name, *first(report(raw(x)))) from None


def converged(compute: Callable[[], Any], name: str) -> Any:
    """The result of an iteration; PyTorch's error where it finds none."""
    try:
        return compute()
    except numpy.linalg.LinAlgError:
        raise errors.not_converged(name) from None


def first(report: Any) -> tuple[int | None, int]:
    """Which matrix of a stack is the first without a result (None if no stack), and its report."""
    flat = numpy.ravel(report)
    place = int((flat != 0).argmax())
    return (place if report.ndim else None), int(flat[place])


def check(report: Any, name: str, error: Any) -> None:
    """Raise if a report says that there is no result."""
    found = known(report, f"{name} with check_errors=True")
    if found.any():
        raise error(name, *first(found))


def replaced(x: Any, report: Any) -> Any:
    """Matrices, with the identity in the place of those that have no result."""
    return where(bad(report, x), eye(x, *x.shape[-2:]), x)


def marked(result: Any, report: Any, mark: float = numpy.nan) -> Any:
    """A result, NaN (or another mark) for the matrices that have none."""
    return where(bad(report, result), result.dtype.type(mark), result)


def bad(report: Any, x: Any) -> Any:
    """Where a report says that there is no result, for each element of `x`."""
    return reshape(report != 0, to=(*report.shape, *(1,) * (x.ndim - report.ndim)))
