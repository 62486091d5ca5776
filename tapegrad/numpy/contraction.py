"""Products of vectors, matrices and stacks of them, with NumPy's names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

from ..ops.arithmetic import multiply
from ..ops.contract import matmul as _matmul
from ..ops.einsum import contract, permute, take_diagonal
from ..ops.index import getitem
from ..ops.join import stack
from ..ops.linear import reshape
from ..ops.linear import sum as _sum
from .convolution import convolve, correlate
from .dispatch import implements, implements_ufunc
from .einsum import einsum
from .operands import conjugate, operand, ravel, without_out
from .reductions import typed

__all__ = [
    "convolve",
    "correlate",
    "cross",
    "dot",
    "einsum",
    "inner",
    "kron",
    "matmul",
    "matvec",
    "outer",
    "tensordot",
    "trace",
    "vdot",
    "vecdot",
    "vecmat",
]


def core_error(name: str, x: Any, y: Any) -> ValueError:
    return ValueError(
        f"{name}: the axes to sum over differ in length, for shapes {tuple(x.shape)} and "
        f"{tuple(y.shape)}."
    )


matmul = implements_ufunc(numpy.matmul, _matmul)


def stacked(name: str, x: Any, y: Any, core_x: str, core_y: str, out: str) -> Any:
    """A generalised ufunc of stacks: `out` for the last axes `core_x` and `core_y`."""
    x, y = operand(x), operand(y)
    if x.ndim < len(core_x) or y.ndim < len(core_y):
        raise ValueError(
            f"{name}: needs arrays of at least {len(core_x)} and {len(core_y)} axes, but got "
            f"shapes {tuple(x.shape)} and {tuple(y.shape)}."
        )
    if x.shape[x.ndim - 1] != y.shape[y.ndim - len(core_y) + core_y.index(core_x[-1])]:
        raise core_error(name, x, y)
    lanes = [tuple(range(len(core) - z.ndim, 0)) for z, core in ((x, core_x), (y, core_y))]
    numpy.broadcast_shapes(x.shape[: len(lanes[0])], y.shape[: len(lanes[1])])
    return contract(
        (x, y), ((*lanes[0], *core_x), (*lanes[1], *core_y)), (*max(lanes, key=len), *out)
    )


def _vecdot(x: Any, y: Any) -> Any:
    return stacked("vecdot", conjugate(operand(x)), y, "n", "n", "")


vecdot = implements_ufunc(numpy.vecdot, _vecdot)

matvec = implements_ufunc(numpy.matvec, lambda x, y: stacked("matvec", x, y, "mn", "n", "m"))
vecmat = implements_ufunc(
    numpy.vecmat, lambda x, y: stacked("vecmat", conjugate(operand(x)), y, "n", "nm", "m")
)


@implements(numpy.dot)
def dot(a: Any, b: Any, out: Any = None) -> Any:
    without_out("dot", out)
    a, b = operand(a), operand(b)
    if a.ndim == 0 or b.ndim == 0:
        return multiply(a, b)
    if a.ndim < 3 and b.ndim < 3:
        return _matmul(a, b)
    return sum_over("dot", a, b, (a.ndim - 1,), (max(b.ndim - 2, 0),))


@implements(numpy.inner)
def inner(a: Any, b: Any) -> Any:
    a, b = operand(a), operand(b)
    if a.ndim == 0 or b.ndim == 0:
        return multiply(a, b)
    return sum_over("inner", a, b, (a.ndim - 1,), (b.ndim - 1,))


def sum_over(name: str, a: Any, b: Any, axes_a: tuple[int, ...], axes_b: tuple[int, ...]) -> Any:
    """The product of all elements of `a` with all of `b`, summed over pairs of axes."""
    if any(a.shape[i] != b.shape[j] for i, j in zip(axes_a, axes_b, strict=True)):
        raise core_error(name, a, b)
    names_a: list[Any] = [("a", i) for i in range(a.ndim)]
    names_b: list[Any] = [("b", i) for i in range(b.ndim)]
    for i, j in zip(axes_a, axes_b, strict=True):
        names_b[j] = names_a[i]
    own_b = [c for c in names_b if c[0] == "b"]
    kept = [c for i, c in enumerate(names_a) if i not in axes_a]
    return contract((a, b), (names_a, names_b), kept + own_b)


@implements(numpy.tensordot, numpy.linalg.tensordot)
def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    a, b = operand(a), operand(b)
    if hasattr(axes, "__iter__"):
        axes_a, axes_b = axes
        axes_a = tuple(axes_a) if hasattr(axes_a, "__iter__") else (axes_a,)
        axes_b = tuple(axes_b) if hasattr(axes_b, "__iter__") else (axes_b,)
        if len(axes_a) != len(axes_b):
            raise ValueError("tensordot: axes must name as many axes of one array as of the other.")
    else:
        axes_a, axes_b = tuple(range(a.ndim - axes, a.ndim)), tuple(range(axes))
        if axes > min(a.ndim, b.ndim):
            raise ValueError(
                f"tensordot: axes={axes} is more than the arrays of shapes {tuple(a.shape)} and "
                f"{tuple(b.shape)} have."
            )
    return sum_over(
        "tensordot",
        a,
        b,
        numpy.lib.array_utils.normalize_axis_tuple(axes_a, a.ndim),
        numpy.lib.array_utils.normalize_axis_tuple(axes_b, b.ndim),
    )


@implements(numpy.outer)
def outer(a: Any, b: Any, out: Any = None) -> Any:
    without_out("outer", out)
    a, b = operand(a), operand(b)
    return multiply(reshape(a, to=(a.size, 1)), ravel(b))


@implements(numpy.vdot)
def vdot(a: Any, b: Any, /) -> Any:
    a, b = ravel(operand(a)), ravel(operand(b))
    if a.size != b.size:
        raise core_error("vdot", a, b)
    return _matmul(conjugate(a), b)


@implements(numpy.kron)
def kron(a: Any, b: Any) -> Any:
    a, b = operand(a), operand(b)
    n = max(a.ndim, b.ndim)
    shape_a = (1,) * (n - a.ndim) + tuple(a.shape)
    shape_b = (1,) * (n - b.ndim) + tuple(b.shape)
    if n == 0:
        return multiply(a, b)
    a = reshape(a, to=tuple(m for size in shape_a for m in (size, 1)))
    b = reshape(b, to=tuple(m for size in shape_b for m in (1, size)))
    return reshape(multiply(a, b), to=tuple(m * k for m, k in zip(shape_a, shape_b, strict=True)))


@implements(numpy.trace)
def trace(
    a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None
) -> Any:
    without_out("trace", out)
    return trace_of(operand(a), offset, axis1, axis2, dtype)


def trace_of(a: Any, offset: int, axis1: int, axis2: int, dtype: Any) -> Any:
    """The sum of a diagonal of two axes."""
    diagonal = typed(diagonal_of(a, offset, axis1, axis2), dtype)
    return typed(_sum(diagonal, axis=(diagonal.ndim - 1,), keepdims=False), dtype)


def diagonal_of(a: Any, offset: int, axis1: int, axis2: int) -> Any:
    """A diagonal of two axes, as the last axis."""
    if a.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    axis1, axis2 = numpy.lib.array_utils.normalize_axis_tuple((axis1, axis2), a.ndim)
    rows, columns = a.shape[axis1], a.shape[axis2]
    first, second = max(-offset, 0), max(offset, 0)
    n = max(min(rows - first, columns - second), 0)
    if n != rows or n != columns:
        key = [slice(None)] * a.ndim
        key[axis1] = slice(first, first + n)
        key[axis2] = slice(second, second + n)
        a = getitem(a, key=tuple(key))
    return take_diagonal(a, axis1, axis2)


@implements(numpy.cross)
def cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Any:
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = operand(a), operand(b)
    if not a.ndim or not b.ndim:
        raise ValueError("At least one array has zero dimension")
    a, b = last(a, axisa), last(b, axisb)
    if a.shape[-1] not in (2, 3) or b.shape[-1] not in (2, 3):
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, but they are "
            f"{a.shape[-1]} and {b.shape[-1]} dimensional instead."
        )
    ax, ay, *az = (getitem(a, key=(Ellipsis, i)) for i in range(a.shape[-1]))
    bx, by, *bz = (getitem(b, key=(Ellipsis, i)) for i in range(b.shape[-1]))
    third = multiply(ax, by) - multiply(ay, bx)
    if not az and not bz:  # NumPy deprecates these, and some day refuses them
        numpy.cross(numpy.ones(2), numpy.ones(2))
        return third
    if az and bz:
        first = multiply(ay, bz[0]) - multiply(az[0], by)
        second = multiply(az[0], bx) - multiply(ax, bz[0])
    elif az:
        numpy.cross(numpy.ones(3), numpy.ones(2))
        first, second = -multiply(az[0], by), multiply(az[0], bx)
    else:
        numpy.cross(numpy.ones(2), numpy.ones(3))
        first, second = multiply(ay, bz[0]), -multiply(ax, bz[0])
    axis = numpy.lib.array_utils.normalize_axis_index(axisc, third.ndim + 1)
    return stack(first, second, third, axis=axis)


def last(x: Any, axis: int) -> Any:
    """`x` with `axis` moved to the end."""
    axis = numpy.lib.array_utils.normalize_axis_index(axis, x.ndim)
    return permute(x, (*(a for a in range(x.ndim) if a != axis), axis))


def chain(arrays: Sequence[Any]) -> Any:
    """The product of matrices, in the order with the fewest multiplications."""
    n = len(arrays)
    sizes = [arrays[0].shape[0], *(x.shape[1] for x in arrays)]
    cost = [[0] * n for _ in range(n)]
    split = [[0] * n for _ in range(n)]
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            cost[i][j], split[i][j] = min(
                (cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k)
                for k in range(i, j)
            )
    products = {(i, i): x for i, x in enumerate(arrays)}
    pending = [(0, n - 1)]
    while pending:
        i, j = pending[-1]
        left, right = (i, split[i][j]), (split[i][j] + 1, j)
        missing = [part for part in (left, right) if part not in products]
        if missing:
            pending += missing
            continue
        pending.pop()
        if i != j:
            products[i, j] = _matmul(products[left], products[right])
    return products[0, n - 1]
