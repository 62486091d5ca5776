"""Householder reflections: QR factors as LAPACK keeps them, and products with what they stand for.

A reflector is ``H = I - tau v v^H`` with ``v = (0, ..., 0, 1, ...)``; the first stands first in Q.
They are applied one after the other, each as one rank-one change, and so differentiated.
"""

from __future__ import annotations

from typing import Any

from ...backend import is_complex, namespace
from ...core.record import raw
from ...ops.complex import imag, real
from ...ops.contract import matmul
from ...ops.index import getitem
from ...ops.join import concat, stack
from ...ops.linear import broadcast_to, reshape
from ...ops.matrices import adjoint, as_matrix, conjugate
from ...ops.norm import length
from ...ops.selection import where
from ...ops.triangular import triangle
from .. import errors, return_types
from ..calls import on_arrays
from ..refusals import refuse
from .operands import alike, constant_of, eye, matrices

__all__ = ["geqrf", "householder_product", "ormqr"]


def column(x: Any, start: int, k: int) -> Any:
    """The column `k` of matrices, from a row on."""
    return getitem(x, key=(Ellipsis, slice(start, None), slice(k, k + 1)))


def reflected(x: Any, v: Any, tau: Any) -> Any:
    """``(I - tau v v^H) x`` for the last rows of `x`, as many as `v` has."""
    top = x.shape[-2] - v.shape[-2]
    below = getitem(x, key=(Ellipsis, slice(top, None), slice(None))) if top else x
    moved = below - matmul(as_matrix(tau) * v, matmul(adjoint(v), below))
    if not top:
        return moved
    above = getitem(x, key=(Ellipsis, slice(None, top), slice(None)))
    return concat(above, moved, axis=x.ndim - 2)


def applied(a: Any, tau: Any, x: Any, turned: bool) -> Any:
    """``Q x`` (or ``Q^H x`` if `turned`) for the Q that reflectors below the triangle stand for."""
    unit = triangle(a, lower=True, diagonal=0.0) + eye(a, *a.shape[-2:])
    order = range(tau.shape[-1])
    for k in order if turned else reversed(order):
        factor = getitem(tau, key=(Ellipsis, k))
        x = reflected(x, column(unit, k, k), conjugate(factor) if turned else factor)
    return x


def reflectors(a: Any, tau: Any, name: str) -> None:
    """Raise if reflectors and their factors do not belong together."""
    matrices(a, name)
    alike(a, tau, name, "input tau")
    if a.shape[-1] < tau.shape[-1]:
        raise errors.too_many_reflectors()


@on_arrays
def householder_product(A: Any, tau: Any) -> Any:
    """The first columns of the product of the reflectors below the triangle of `A`."""
    reflectors(A, tau, "torch.linalg.householder_product")
    m, n = A.shape[-2:]
    if m < n:
        raise errors.reflectors_too_wide()
    first = constant_of(A, broadcast_to(eye(A, m, n), to=A.shape))
    return applied(A, tau, first, False)


@on_arrays
def ormqr(input: Any, tau: Any, other: Any, left: bool = True, transpose: bool = False) -> Any:
    """The product of the square Q of reflectors with matrices: ``Q @ other``.

    ``other @ Q`` if not `left`, and the adjoint of Q in place of Q if `transpose`.
    """
    reflectors(input, tau, "torch.ormqr")
    alike(input, other, "torch.ormqr", "input other")
    m = other.shape[-2 if left else -1]
    if input.shape[-2] != m:
        raise errors.sizes_of_system("torch.ormqr", input.shape, other.shape, left)
    if left:
        return applied(input, tau, other, transpose)
    return adjoint(applied(input, tau, adjoint(other), not transpose))


def constant(x: Any, m: int, n: int, value: float) -> Any:
    """Matrices of equal elements, as many and of the kind of those in `x`."""
    return namespace(raw(x)).full((*x.shape[:-2], m, n), value, dtype=x.dtype)


def reflector(x: Any) -> tuple[Any, Any]:
    """The v below its leading 1, and the tau, of the reflector whose adjoint clears a column.

    As LAPACK chooses it: the identity for a column with nothing to clear.
    """
    head = getitem(x, key=(Ellipsis, slice(0, 1), slice(None)))
    rest = getitem(x, key=(Ellipsis, slice(1, None), slice(None)))
    axis = (x.ndim - 2,)
    size = length(x, axis=axis, keepdims=True)
    first = real(head) if is_complex(x.dtype) else head
    clear = length(rest, axis=axis, keepdims=True) == 0
    if is_complex(x.dtype):
        clear = clear & (imag(head) == 0)
    beta = where(clear, 1, where(first < 0, size, -size))
    tau = where(clear, 0, (beta - head) / beta)
    v = rest / where(clear, 1, head - beta)
    return v, reshape(tau, to=tau.shape[:-2])


@on_arrays
def geqrf(input: Any) -> Any:
    """QR factors as LAPACK keeps them: R in the upper triangle, reflectors below it, and `tau`.

    Beyond PyTorch, they have a derivative.
    """
    x = matrices(input, "torch.geqrf")
    *outer, m, n = x.shape
    below, factors = [], []
    for k in range(min(m, n)):
        v, tau = reflector(column(x, k, k))
        x = reflected(x, concat(constant(x, 1, 1, 1), v, axis=x.ndim - 2), conjugate(tau))
        below.append(concat(constant(x, k + 1, 1, 0), v, axis=x.ndim - 2))
        factors.append(tau)
    if not factors:
        return return_types.geqrf(x, reshape(x, to=(*outer, 0)))
    wide = [constant(x, m, n - m, 0)] if n > m else []
    packed = triangle(x, lower=False, diagonal=1.0) + concat(*below, *wide, axis=x.ndim - 1)
    return return_types.geqrf(packed, stack(*factors, axis=x.ndim - 2))


refuse(globals(), "{name}_cpu", "bool integer half", "ormqr geqrf")
refuse(globals(), "orgqr_cpu", "bool integer half", "householder_product")
