"""Quotients by differences of eigenvalues or singular values, where these may be equal.

Eigenvectors of equal eigenvalues are determined up to rotations among themselves. What does not
depend on the rotation has numerators of zero there: the quotient is then zero. What does has none,
and the quotient is infinite. Both are meant up to rounding.
"""

from __future__ import annotations

from typing import Any

from ..backend import namespace, on_device
from ..core.array import Traced
from ..core.record import raw
from .comparison import less_equal, logical_and
from .complex import abs
from .matrices import columns, rows
from .reduce import amax
from .selection import where


def largest(*arrays: Any) -> Any:
    """The largest absolute values of matrices, added up, to compare others with."""
    sizes = [amax(abs(x), axis=(x.ndim - 2, x.ndim - 1), keepdims=True) for x in arrays]
    return sizes[0] if len(sizes) == 1 else sizes[0] + sizes[1]


def differences(values: Any) -> Any:
    """The element (i, j) is value j less value i, on the diagonal infinity."""
    xp = namespace(raw(values))
    diagonal = xp.eye(values.shape[-1], dtype=xp.bool)
    return where(diagonal, xp.inf, rows(values) - columns(values))


def quotients(numerators: Any, gaps: Any, values: Any, distinct: bool, *references: Any) -> Any:
    """`numerators / gaps`; zero where both are zero but for rounding.

    Rounding is judged by the size of the `values` that the gaps are between, and by that of the
    `references` that the numerators are differences of (by default, their own). If the values are
    known to be `distinct`, nothing is looked for.
    """
    if distinct or 0 in numerators.shape:
        return numerators / gaps
    xp = namespace(raw(gaps))
    rounding = float(xp.finfo(gaps.dtype).eps) * max(numerators.shape[-2:])
    equal = less_equal(abs(gaps), rounding * largest(rows(values)))
    nothing = less_equal(abs(numerators), rounding * largest(*(references or (numerators,))))
    return numerators / where(logical_and(equal, nothing), xp.inf, gaps)


def are_distinct(values: Any) -> bool:
    """Whether sorted real values are known to have gaps beyond rounding."""
    if isinstance(values, Traced):
        return False  # one lane says nothing of the others
    data = raw(values)
    if on_device(data):
        return False  # to look would be to wait
    n = data.shape[-1]
    if n < 2:
        return True
    xp = namespace(data)
    rounding = float(xp.finfo(data.dtype).eps) * n
    gaps = xp.abs(data[..., 1:] - data[..., :-1])
    size = xp.abs(data[..., :1]) + xp.abs(data[..., -1:])
    return bool(xp.all(gaps > rounding * size))


def are_positive(values: Any) -> bool:
    """Whether singular values are known to be positive, beyond rounding."""
    data = raw(values)
    if isinstance(values, Traced) or on_device(data):
        return False
    if not data.shape[-1]:
        return True
    xp = namespace(data)
    rounding = float(xp.finfo(data.dtype).eps) * data.shape[-1]
    return bool(xp.all(data > rounding * xp.max(data, axis=-1, keepdims=True)))
