"""The singular value decomposition.

A pair of singular vectors has an arbitrary phase, and vectors of equal singular values an arbitrary
rotation; the vectors beyond the smaller side of a matrix have any basis of the rest of the space.
The derivatives of what does not depend on these choices are right.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..core.op import Op
from .contract import matmul, transpose
from .define import Function, define
from .eigen import real_part
from .gaps import are_distinct, are_positive, differences, quotients
from .join import concat
from .matrices import adjoint, columns, conjugate, rows, split_columns, split_rows
from .samples import Sample, normal
from .shape import diagonal


def rotations(p: Any, q: Any, values: Any, *references: Any) -> tuple[Any, Any]:
    """`p` over the differences, and `q` over the sums, of singular values."""
    distinct, positive = are_distinct(values), are_positive(values)
    sums = rows(values) + columns(values)
    return (
        quotients(p, differences(values), values, distinct, *references),
        quotients(q, sums, values, positive, *references),
    )


def _svd_rule(g: Any, out: Any, _x: Any, *, full: bool) -> Any:
    g_u, g_s, g_vh = g
    u, s, vh = out
    k = s.shape[-1]
    if u.shape[-1] > k:
        u, rest = split_columns(u, k)
        if g_u is not None:  # the rest turns against the change of the first
            g_u, g_rest = split_columns(g_u, k)
            g_u = g_u - conjugate(matmul(rest, matmul(transpose(g_rest), u)))
    if vh.shape[-2] > k:
        vh, rest = split_rows(vh, k)
        if g_vh is not None:
            g_vh, g_rest = split_rows(g_vh, k)
            g_vh = g_vh - conjugate(matmul(matmul(vh, transpose(g_rest)), rest))
    return pulled(g_u, g_s, g_vh, conjugate(u), s, conjugate(vh))


def pulled(g_u: Any, g_s: Any, g_vh: Any, u: Any, s: Any, vh: Any) -> Any:
    """The cotangent of a matrix; `u` and `vh` are the conjugates of its factors."""
    left = None  # what is to be multiplied by vh
    total = None
    along_u = along_v = None
    if g_u is not None:
        along_u = matmul(adjoint(u), g_u)
    if g_vh is not None:
        along_v = matmul(g_vh, adjoint(vh))
    if along_u is not None or along_v is not None:
        a, b = (None if z is None else (z - adjoint(z)) / 2 for z in (along_u, along_v))
        if b is None:
            first = second = a
        else:
            first, second = (-b, b) if a is None else (a - b, a + b)
        references = (z for z in (along_u, along_v) if z is not None)
        turned, tilted = rotations(first, second, s, *references)
        left = matmul(u, turned + tilted)
    if g_s is not None:
        scaled = u * rows(g_s)
        left = scaled if left is None else left + scaled
    if along_u is not None and u.shape[-2] > s.shape[-1]:
        outside = quotients(g_u - matmul(u, along_u), rows(s), s, are_positive(s), g_u)
        left = outside if left is None else left + outside
    if left is not None:
        total = matmul(left, vh)
    if along_v is not None and vh.shape[-1] > s.shape[-1]:
        outside = quotients(g_vh - matmul(along_v, vh), columns(s), s, are_positive(s), g_vh)
        outside = matmul(u, outside)
        total = outside if total is None else total + outside
    return total


def _svd_jvp(tangents: tuple[Any, ...], out: Any, _x: Any, *, full: bool) -> Any:
    (t,) = tangents
    u, s, vh = out
    k = s.shape[-1]
    m, n = t.shape[-2:]
    rest_u = rest_v = None
    if u.shape[-1] > k:
        u, rest_u = split_columns(u, k)
    if vh.shape[-2] > k:
        vh, rest_v = split_rows(vh, k)
    right = matmul(t, adjoint(vh))
    p = matmul(adjoint(u), right)
    q = adjoint(p)
    turned, tilted = rotations((p + q) / 2, (p - q) / 2, s, p)
    change_u = matmul(u, turned + tilted)
    change_vh = matmul(tilted - turned, vh)
    if m > k:
        change_u = change_u + quotients(right - matmul(u, p), rows(s), s, are_positive(s), right)
    if n > k:
        left = matmul(adjoint(u), t)
        change_vh = change_vh + quotients(
            left - matmul(p, vh), columns(s), s, are_positive(s), left
        )
    if rest_u is not None:
        change = -matmul(u, matmul(adjoint(change_u), rest_u))
        change_u = concat(change_u, change, axis=change_u.ndim - 1)
    if rest_v is not None:
        change = -matmul(matmul(rest_v, adjoint(change_vh)), vh)
        change_vh = concat(change_vh, change, axis=change_vh.ndim - 2)
    return change_u, real_part(diagonal(p, offset=0)), change_vh


def _svd_samples(rng: Any) -> Iterator[Sample]:
    for shape, full in (((2, 2), True), ((3, 2), False), ((2, 2, 3), False)):
        yield (normal(rng, shape),), {"full": full}


svd: Function = define(
    Op(
        "svd",
        forward=lambda xp, x, *, full: tuple(xp.linalg.svd(x, full_matrices=full)),
        vjp=(_svd_rule,),
        jvp=_svd_jvp,
        steep=True,
        batch=lambda function, _mapped, x, *, full: function(x, full=full),
        samples=_svd_samples,
        outputs=3,
        doc="u, s and v^H with x = u @ diag(s) @ v^H. A gradient of the singular values alone "
        "needs no distance between them. Among equal ones, what does not depend on the choice of "
        "vectors has a finite gradient, which leaves out what would mix them.",
    )
)
